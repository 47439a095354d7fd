"""What the tables of figures call the sites, the applications and the ways to score."""

from __future__ import annotations

NAMES = {
    "wordpress": "WordPress", "dokuwiki": "DokuWiki", "spirit": "Spirit (forum)",
    "autoindex": "Apache directory listings", "roundup": "Roundup (tracker)",
}  # fmt: skip
MORE_NAMES = NAMES | {"trac": "Trac", "gitweb": "gitweb", "oscar": "Oscar (shop)"}
#: Applications that nothing was settled with.
UNSEEN = {
    "machina": "django-machina 1.3 (forum)", "flaskadmin": "Flask-Admin 2.2 (two tables)",
    "moin": "MoinMoin 1.9 (wiki; has a pack)", "klaus": "Klaus 3.0 (git repository)",
    "datasette": "Datasette 0.65 (three tables)", "cgit": "cgit 1.2 (has a pack)",
    "mediawiki": "MediaWiki 1.39 (has a pack)", "fossil": "Fossil 2.21 (repository, wiki, tickets)",
    "askbot": "askbot 0.13 (questions)", "calibreweb": "Calibre-Web 0.6 (library)",
    "pubinbox": "public-inbox 1.9 (mailing list)", "schedule": "django-scheduler 0.12 (two calendars)",
    "djwiki": "django-wiki 0.13", "moin2": "MoinMoin 2.0b3 (wiki)", "plone": "Plone 6.2",
    "shaarli": "Shaarli 0.12 (bookmarks)", "pretalx": "pretalx 2025.2 (two conferences)",
    "reviewboard": "Review Board 8.1 (code reviews)", "cvsweb": "CVSweb 3.0 (repository)",
    "cartridge": "Mezzanine 6.1 and Cartridge 1.3 (blog, shop)", "usemod": "UseMod 1.2 (wiki)",
    "flaskbb": "FlaskBB (forum)", "wagtail": "Wagtail (blog in two languages)",
    "nikola": "Nikola (static blog in two languages)", "docs": "man2html, info2www and dwww",
    "blosxom": "Blosxom 2.1 (blog)", "zimwiki": "Zim 0.75 (wiki)", "svn": "Subversion, 35 revisions",
    "svn2": "Subversion, 60 revisions of 36 files", "pydoc": "pydoc",
    "hgweb": "Mercurial 7.2 (two repositories; has a pack)", "spip": "SPIP 4.4 (magazine)",
    "spip2": "SPIP 4.4, clean addresses, languages", "ghost": "Ghost 5.130 (blog)",
    "hugo": "Hugo 0.111 (three languages)", "hugo2": "Hugo, hardly translated", "rt": "Request Tracker 5",
    "nodebb": "NodeBB 4.15 (forum)", "misago": "Misago 0.39 (forum)", "corp": "WordPress 6.1, a network of seven hosts",
    "docu": "Docusaurus 3.10 (three versions, two languages)", "iki": "ikiwiki 3.2020 (blog, wiki)",
    "awst": "AWStats 7.8 (two sites, fifteen months)",
    "plone6": "Plone 6.1 classic (two languages, calendar)", "indico": "Indico 3.2 (58 events)",
    "antora": "Antora 3.1 (two components, three versions)", "vpress": "VitePress 1.6 (versions, two languages)",
    "websvn": "WebSVN 2.8 (two repositories)", "websvnm": "WebSVN 2.8, clean addresses",
    "mkdocs": "MkDocs Material, mike 2.2 (three versions)", "gramps": "Gramps 5.1 (web report)",
    "codered": "CodeRed CMS 6.0", "jekyll": "Jekyll 4.3 (blog)", "lazygal": "lazygal 0.10 (gallery)",
    "pelican": "Pelican 4.12 (blog, translations)", "cups": "CUPS 2.4 (printers, manual)",
    "eclass": "django-classified 1.3 (advertisements)", "elcov": "lcov 1.16 (coverage of code)",
    "eguide": "OpenGuides 0.84 (city guide)", "eanitya": "Anitya 2.3 (register of releases)",
    "ebpc": "BackupPC 4.4 (nine backups)",
    "ffab": "Flask-AppBuilder 5.3 (register of objects)",
    "freader": "reader 3.26 (feeds)",
    "g_booru": "boorunaut 0.5 (pictures)", "g_buku": "bukuserver 5.1 (bookmarks)",
    "g_ara": "ARA 1.8 (records of runs)", "g_sqla": "SQLAdmin 0.32 (four tables)",
    "m_fava": "Fava 1.19 (accounts of two files)", "m_star": "Starlight 0.36 (manual in three languages)",
    "m_next": "Next.js 14.2 (a shop of our own)",
}  # fmt: skip
#: Rows of the table of pages that rules were not learned from: what was scored, and its name on the page.
HELD_OUT = {
    "learned, default": "**learned**",
    "learned, strict": "learned, `--strict`",
    "learned, risk 0.1": "learned, `--risk 0.1`",
    "preset": "the preset; w3lib's canonical URL",
    "session names": "parameters named and valued like a session dropped",
    "two confirmations": "two confirmations, nothing counted against",
    "DustBuster": "DustBuster (our small version of it)",
    "no parameters": "all parameters dropped",
}
#: Rows of the table of recorded public sites.
PUBLIC = {
    "learned": "learned from pages", "learned, links": "learned from pages and links",
    "strict": "`--strict`, from pages", "strict, links": "`--strict`, from pages and links",
}  # fmt: skip
IN_A_SENTENCE = {"spirit": "a Spirit forum", "autoindex": "file listings", "roundup": "Roundup"}
#: What the tables of platforms call the sites and the installations.
PROGRAMS = {
    "wordpress": "WordPress 6.1", "dokuwiki": "DokuWiki 2022-07-31", "trac": "Trac 1.6", "gitweb": "gitweb 2.39",
    "roundup": "Roundup 2.6", "autoindex": "Apache's listings", "spirit": "Spirit (a forum)",
    "oscar": "Oscar (a shop)", "fancyindex": "nginx with fancyindex", "caddy": "Caddy's file browser",
    "lighttpd": "lighttpd's listings", "cgit": "cgit 1.2", "hgweb": "Mercurial 6.3 (hgweb)",
    "mediawiki": "MediaWiki 1.39",
    "hyperkitty": "HyperKitty 1.3", "redmine": "Redmine 5.0", "nginx": "nginx's listings, plain pages",
}  # fmt: skip
