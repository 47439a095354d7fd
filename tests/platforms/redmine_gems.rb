# Debian's gems have no directories of their own, and Bundler takes them for deleted. For apt-get, too, which configures
# the package with it.
begin
  require "bundler"
rescue LoadError
  nil
end

class Gem::Specification
  def deleted_gem?
    false
  end
end
