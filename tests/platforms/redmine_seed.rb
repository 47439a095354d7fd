# Two projects of thirty issues each, with wikis, news, time entries, and one repository.
WORDS = %w[ada babbage compiler daemon emacs foo grep hacker inode jargon kernel lisp].freeze
DAY = Time.utc(2024, 1, 3)
User.current = ADA = User.find_by!(login: "admin")
ADA.update_columns(firstname: "Ada", lastname: "Lovelace", must_change_passwd: false)
Setting.default_language = "en"
Setting.enabled_scm = ["Git"]
Setting.notified_events = []

def text(number)
  (0...60).map { |k| "#{WORDS[(number * 7 + k * (number % 5 + 1)) % 12]}#{number * k % 11}" }.join(" ")
end

def issue(project, number, version)
  one = Issue.create!(
    project: project, tracker: Tracker.all[number % 3], author: ADA, status: IssueStatus.all[number % 4],
    priority: IssuePriority.all[number % 3], subject: "#{WORDS[number % 12]} #{number}",
    description: text(number + 40 * project.id), fixed_version: (version if number % 3 == 0)
  )
  one.reload
  if number % 5 == 0
    one.init_journal(ADA, text(number + 500 + project.id))
    one.save!
    one.journals.each { |journal| journal.update_columns(created_on: DAY + number.days) }
  end
  one.update_columns(created_on: DAY + number.days, updated_on: DAY + number.days)
  return unless number % 6 == 0

  TimeEntry.create!(
    project: project, issue: one, user: ADA, author: ADA, hours: number + 1, comments: WORDS[number % 12],
    spent_on: (DAY + number.days).to_date, activity: TimeEntryActivity.first
  )
end

def wiki(project)
  titles = %w[Wiki Compiler Daemon Emacs Grep]
  here = project.wiki || Wiki.create!(project: project, start_page: "Wiki")
  titles.each_with_index do |title, n|
    page = WikiPage.new(wiki: here, title: title)
    links = titles.map { |one| "[[#{one}]]" }.join(" ")
    page.save_with_content(WikiContent.new(page: page, author: ADA, text: "h1. #{title}\n\n#{text(n + 70 * project.id)} #{links}"))
    content = WikiPage.find(page.id).content
    content.text += "\n\nLater: #{text(n + 300)}"
    content.save!
  end
end

2.times do |n|
  project = Project.new(name: "Project #{WORDS[n]}", identifier: WORDS[n], is_public: true, description: text(n))
  project.trackers = Tracker.all
  project.enabled_module_names = %w[issue_tracking time_tracking news documents files wiki repository calendar gantt]
  project.save!
  Member.create!(project: project, user: ADA, roles: [Role.givable.first])
  version = Version.create!(project: project, name: "1.0", description: "The first")
  30.times { |number| issue(project, number, version) }
  wiki(project)
  3.times do |number|
    News.create!(
      project: project, author: ADA, title: "News #{WORDS[number]}", summary: WORDS[number], description: text(number + 90 + n * 5)
    ).update_columns(created_on: DAY + number.days)
  end
end
Repository::Git.create!(
  project: Project.find("ada"), url: ENV.fetch("DEMO_REPOSITORY"), is_default: true, identifier: "demo"
).fetch_changesets
