"""The programs that `make test-platforms` crawls: each with a little content of its own."""

from __future__ import annotations

from tests.platforms.dynamic import cgit, hgweb, hyperkitty, mediawiki
from tests.platforms.listings import caddy, fancyindex, lighttpd, nginx
from tests.platforms.starting import Installation
from tests.platforms.trackers import redmine

INSTALLATIONS = {
    "nginx": Installation(("nginx",), None, "/", nginx, 90),
    "fancyindex": Installation(("nginx", "libnginx-mod-http-fancyindex"), "listings", "/", fancyindex, 90),
    "lighttpd": Installation(("lighttpd",), "listings", "/", lighttpd, 90),
    "caddy": Installation(("caddy",), "listings", "/", caddy, 90),
    "cgit": Installation(("cgit", "lighttpd"), "cgit", "/code/", cgit, 1200, "/code/"),
    "mediawiki": Installation(("mediawiki", "php-sqlite3"), "mediawiki", "/w/", mediawiki, 1400, "/w/index.php"),
    "hgweb": Installation(("mercurial",), "hgweb", "/hg/", hgweb, 600, "/hg/"),
    "hyperkitty": Installation((), "mailman", "/", hyperkitty, 150, "/hyperkitty/", python=True),
    "redmine": Installation(("redmine", "puma"), "redmine", "/", redmine, 1200),
}
