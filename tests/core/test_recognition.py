"""Which program runs where, by what its pages show; and that what merely looks like one is none."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.recognition import MOST_DIRECTORIES, MOST_PLACES, Found, Recognizer
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.platforms import Use, read_pack
from scrapy_urinorm.visits import Visit
from scrapy_urinorm.visits.programs import programs

if TYPE_CHECKING:
    from collections.abc import Iterable

WP = ("generator:WordPress 6.4",)
MW = ("generator:MediaWiki 1.39",)
NONE: tuple[str, ...] = ()

ROWS = [
    ([("/", WP)], [("wordpress", "/")], "one strong mark"),
    ([("/blog/", WP), ("/blog/2024/a/", WP), ("/", NONE), ("/x/", NONE), ("/y", NONE)], [("wordpress", "/blog/")], "a part of a site"),
    ([("/blog/2024/a/", WP), ("/blog/2023/b/", WP), ("/", NONE)], [("wordpress", "/blog/")], "its own page was not met"),
    ([("/", WP), ("/docs/a", NONE), ("/docs/b", NONE), ("/docs/c", NONE)], [("wordpress", "/")], "its own page is the home page"),
    ([("/blog/", WP), ("/blog/a", WP), ("/blog", WP), ("/", NONE)], [("wordpress", "/blog/")], "a directory linked without its slash"),
    ([("/a/", WP), ("/b/", WP), ("/", NONE), ("/c/1", NONE), ("/c/2", NONE)], [("wordpress", "/a/"), ("wordpress", "/b/")], "two installations"),
    ([("/a/x?p=1", ("marker:wp-content",))], [], "one weak mark"),
    ([("/", ("marker:wp-content", "header:x-pingback"))], [("wordpress", "/")], "two weak marks"),
    ([("/", ("marker:wp-content",)), ("/2", ("header:x-pingback",))], [("wordpress", "/")], "two weak marks of two pages"),
    ([("/a/", ("marker:wp-content",)), ("/b/", ("header:x-pingback",)), *[(f"/{n}", NONE) for n in range(9)]], [], "weak marks of two places"),
    ([("/showthread.php?t=1", NONE), ("/forumdisplay.php?f=1", NONE)], [], "shapes of addresses alone"),
    ([("/f/showthread.php?t=1", ("marker:vbulletin",))], [("vbulletin", "/f/")], "a shape of an address, and a text"),
    ([("/w/index.php?title=A", MW), ("/wiki/A", MW), ("/wiki/B", MW), ("/x", NONE)], [("mediawiki", "/w/"), ("mediawiki", "/wiki/")], "scripts and articles apart"),
    ([("/index.php/Main", MW), ("/index.php?title=A", MW)], [("mediawiki", "/")], "a path behind the script"),
    ([("/wiki/doku.php?id=a", ("cookie:DokuWiki",)), ("/", NONE)], [("dokuwiki", "/wiki/")], "a cookie, where the script is"),
    ([("/app/", ("cookie:JSESSIONID",)), ("/app/x/y", NONE), ("/", NONE)], [("servlets", "/app/")], "a cookie alone"),
    ([("/pub/a/", ("marker:apache-listing",)), ("/pub/b/", ("marker:apache-listing",)), *[(f"/pub/b/{n}.html", NONE) for n in range(9)]], [("autoindex", "/pub/")], "listings among files"),
    ([("/f/", ("cookie:mybb[lastvisit]",)), ("/", WP)], [("mybb", "/f/"), ("wordpress", "/")], "two programs"),
    ([("/", ("generator:WordPressish",)), ("/", ("generator:Hugo",))], [], "others"),
    ([("/a/b/c/d/e/f/g/", WP), ("/", NONE), ("/1", NONE)], [("wordpress", "/a/b/c/d/")], "deeper than programs are installed"),
    ([], [], "nothing"),
]  # fmt: skip


def recognize(pages: Iterable[tuple[str, Iterable[str]]]) -> list[Found]:
    recognizer = Recognizer()
    for url, marks in pages:
        recognizer.see(url, marks)
    return recognizer.found()


@pytest.mark.parametrize(("pages", "expected"), [row[:2] for row in ROWS], ids=[row[2] for row in ROWS])
def test_recognized(pages: list[tuple[str, tuple[str, ...]]], expected: list[tuple[str, str]]) -> None:
    found = recognize((f"http://a.example{path}", marks) for path, marks in pages)
    assert [(one.platform, one.path) for one in found] == expected


def test_sites_are_told_apart_by_host_and_port() -> None:
    found = recognize([("http://a.example:81/", WP), ("https://a.example:443/", MW), ("http://b.example/", NONE)])
    assert [(one.site, one.platform) for one in found] == [("a.example", "mediawiki"), ("a.example:81", "wordpress")]


def test_what_it_was_recognized_by() -> None:
    found = recognize([("http://a.example/doku.php?id=a", ("generator:DokuWiki", "cookie:DokuWiki"))])
    assert found[0].marks == (r"generator:^DokuWiki\b", "cookie:^DokuWiki$", r"url:/doku\.php$")
    assert found[0].pages == 1


FORUM = """
title = "Forum"
about = "Forums."
[[mark]]
cookie = '^forum_session$'
strong = true
[[mark]]
marker = "forum-foot"
text = "powered by forum"
"""


@pytest.mark.parametrize("page", [("marker:forum-foot",), NONE])
def test_a_page_with_a_weak_mark_is_no_reason_to_forget_a_cookie(page: tuple[str, ...]) -> None:
    """As a manual is that a program brings along: no more than one page of it says whose it is."""
    recognizer = Recognizer([read_pack("forum", FORUM)])
    for url, marks in (("/", ("cookie:forum_session",)), ("/docs/english/install.html", page)):
        recognizer.see(f"http://a.example{url}", marks)
    assert [(one.platform, one.path) for one in recognizer.found()] == [("forum", "/")]


@pytest.mark.parametrize(
    "url", ["", "x", "mailto:a@b.example", "http://", "http://a.example", "//\udc80", "http://[::1]/"]
)
def test_nothing_raises(url: str) -> None:
    recognize([(url, ("generator:WordPress", "", "cookie", "\udc80:x"))])


def test_what_a_site_can_make_grow_is_bounded() -> None:
    recognizer = Recognizer()
    for n in range(3 * MOST_DIRECTORIES):
        recognizer.see(f"http://a.example/{n}/x", ("generator:WordPress", f"cookie:{n}"))
    host = recognizer._hosts["a.example"]
    assert len(host.pages) <= MOST_DIRECTORIES + 1
    assert len(recognizer._known) <= MOST_DIRECTORIES
    copies = [(f"http://a.example/{n}/", WP if n % 3 else NONE) for n in range(30)]
    others = [(f"http://a.example/{n}/{m}", NONE) for n in range(30) for m in range(9)]
    assert len(recognize(copies + others)) <= MOST_PLACES


@pytest.mark.parametrize("name", platforms.names())
def test_every_pack_is_recognized_by_its_strong_marks(name: str) -> None:
    """A mark is a pattern: what it is like is what the pack's page says."""
    for mark in platforms.pack(name).marks:
        if mark.strong and mark.kind == "marker":
            found = recognize([("http://a.example/x/", (f"marker:{mark.pattern}",))])
            place = "/" if platforms.pack(name).anywhere else "/x/"
            assert (name, place) in [(one.platform, one.path) for one in found]


@pytest.mark.parametrize("path", ["/", "/x/"])
@pytest.mark.parametrize("name", platforms.names())
def test_each_line_is_a_table_of_its_own(name: str, path: str) -> None:
    """What `learn` and live rules take up one by one acts as it says, alone."""
    for line, table in platforms.line_tables(Use(platforms.pack(name), path, True)):
        n = Normalizer({"site": {"a.example": table}}, preset="safe")
        bare = Normalizer(preset="safe")
        root = "http://a.example" + path
        for url, taken in line.urls:
            decision = n.decide(root + url[1:])
            assert (decision.skip or decision.defer) is taken, line.id
        touched = [n.key(root + a[1:]) != bare.key(root + a[1:]) for pair in line.pairs for a in pair[:2]]
        assert any(touched) or not line.folds, line.id


def test_how_a_query_is_split_may_be_said_for_a_directory() -> None:
    whole, part = (
        {one.line.id for one in platforms.line_tables(Use(platforms.pack("gitweb"), path))} for path in ("/", "/git/")
    )
    assert whole == part >= {"separator"}


def test_of_visits_only_pages_count() -> None:
    visits = [
        Visit(url="http://a.example/blog/", status=200, content_type="text/html", marks=WP),
        Visit(url="http://a.example/", final_url="http://a.example/blog/b/", status=200, marks=WP),
        Visit(url="http://a.example/none", status=404, content_type="text/html", marks=WP),
        Visit(url="http://a.example/feed/", status=200, content_type="application/rss+xml", marks=WP),
    ]
    assert [(one.platform, one.path, one.pages) for one in programs(visits)] == [("wordpress", "/blog/", 2)]


def test_only_so_many_hosts_are_remembered() -> None:
    """A site may have a name for each of its pages; those that were seen before go on."""
    recognizer = Recognizer(hosts=2)
    for host in ("a", "b", "c", "b"):
        recognizer.see(f"http://{host}.example/", ("generator:WordPress 6.1",))
    assert [(one.site, one.pages) for one in recognizer.found()] == [("a.example", 1), ("b.example", 2)]
