"""What the commands say of platforms: `urinorm platforms`, `check --platform`, and `init` on visits with marks."""
# ruff: noqa: E501  a row of a table is a line

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.visits import Visit
from tests.cli.programs import run
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from pathlib import Path

WP = ("generator:WordPress 6.4", "marker:wp-content")
PAGES = [
    ("/blog/", "front", WP),
    ("/blog/?p=1", "one", WP),
    ("/blog/?p=1&replytocom=2", "one", WP),
    ("/blog/?p=1&replytocom=3", "one", WP),
    ("/about", "about", ()),
    ("/x/y", "y", ()),
]


def visits(pages: list[tuple[str, str, tuple[str, ...]]], host: str = "a.example") -> str:
    rows = [
        Visit(url=f"http://{host}{path}", status=200, content_type="text/html", text_digest=text, words=50, marks=marks)
        for path, text, marks in pages
    ]
    return "".join(row.to_json() + "\n" for row in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "visits.jsonl").write_text(visits(PAGES))
    return tmp_path


def test_what_was_recognized_by_which_marks(folder: Path) -> None:
    done = run("platforms", "visits.jsonl", cwd=folder)
    assert done.code == 0
    assert done.out.splitlines() == [
        "wordpress: a.example/blog/ (4 pages)",
        r"  by generator:^WordPress\b, marker:wp-content",
        '  [site."a.example"]',
        '  platform = { name = "wordpress", path = "/blog/" }',
        "  all lines: 6 URLs are 4 requests, 0 of them last, 0 URLs not requested",
    ]


def test_what_each_line_would_do(folder: Path) -> None:
    lines = run("platforms", "visits.jsonl", "--lines", cwd=folder).out.splitlines()
    assert lines[-1] == "replytocom\tdrop\tproven\t2\thttp://a.example/blog/?p=1&replytocom=2"
    (row,) = json.loads(run("platforms", "visits.jsonl", "--json", cwd=folder).out)
    assert (row["platform"], row["path"], row["pages"], row["requests"]) == ("wordpress", "/blog/", 4, 4)
    assert [line["id"] for line in row["lines"]] == ["replytocom"]


def test_lines_see_parameters_between_semicolons(folder: Path) -> None:
    """Each line is tried by itself, and the one that says how a query is split goes along with all others."""
    smf: tuple[str, ...] = ("cookie:SMFCookie12",)
    pages = [
        ("/index.php?topic=7.0", "topic", smf),
        ("/index.php?topic=7.0;prev_next=next", "another", smf),
        ("/index.php?action=printpage;topic=7.0", "printed", smf),
        ("/index.php?topic=7.0;topicseen", "topic", smf),
        ("/index.php?topicseen;topic=7.0", "topic", smf),
    ]
    (folder / "visits.jsonl").write_text(visits(pages))
    (row,) = json.loads(run("platforms", "visits.jsonl", "--json", cwd=folder).out)
    lines = {line["id"]: line["urls"] for line in row["lines"]}
    assert lines == {"separator": 4, "seen": 2, "first-page": 5, "neighbours": 1, "printing": 1}


def test_a_host_with_a_port_has_its_own_kind_of_table(tmp_path: Path) -> None:
    (tmp_path / "visits.jsonl").write_text(visits(PAGES[:2], "a.example:8080"))
    assert '[host."a.example:8080"]' in run("platforms", "visits.jsonl", cwd=tmp_path).out


NOTHING = {
    "none there": (visits([("/", "x", ())]) + visits([("/2", "y", ("header:x-frob",))]), "says how to add one"),
    "no marks": ("http://a.example/wp-login.php\nhttp://a.example/?p=1\n", "no page has a mark of one"),
}


@pytest.mark.parametrize(("text", "said"), NOTHING.values(), ids=NOTHING)
def test_nothing_is_recognized(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "visits.txt").write_text(text)
    done = run("platforms", "visits.txt", cwd=tmp_path)
    assert done.code == 1
    assert said in done.out


WIKI = "<a href='doku.php?id=a&do=login'>x</a><a href='doku.php?id=b&do=login'>y</a>"


def wiki(target: str) -> Answer:
    found = target != "/robots.txt"
    return 200 if found else 404, {"Set-Cookie": "DokuWiki=abc; path=/wiki/"}, WIKI * found


@pytest.mark.thorough
def test_a_page_is_fetched_once(tmp_path: Path) -> None:
    pytest.importorskip("selectolax")
    with Serving(wiki) as site:
        (row,) = json.loads(run("platforms", f"{site.origin}/wiki/doku.php", "--json", cwd=tmp_path).out)
    assert (row["platform"], row["path"], row["marks"]) == (
        "dokuwiki",
        "/wiki/",
        ["cookie:^DokuWiki$", r"url:/doku\.php$"],
    )
    assert (row["urls"], row["requests"]) == (3, 2)
    assert site.asked == ["/robots.txt", "/wiki/doku.php"]


def test_init_names_the_program(folder: Path) -> None:
    text = run("init", "visits.jsonl", "--output", "-", cwd=folder).out
    assert 'platform = { name = "wordpress", path = "/blog/" }\n' in text
    (folder / "rules.toml").write_text(text)
    done = run("normalize", "--rules", "rules.toml", cwd=folder, given="http://a.example/blog/?p=1&replytocom=2\n")
    assert done.out == "http://a.example/blog/?p=1\n"


def test_init_of_addresses_knows_no_program(tmp_path: Path) -> None:
    (tmp_path / "urls.txt").write_text("http://a.example/wp-login.php\n")
    assert "platform" not in run("init", "urls.txt", "--output", "-", cwd=tmp_path).out


# --- check --platform -------------------------------------------------------------------------------------------------

PACK = """
title = "Frobware"
about = "Wikis by Frobware."
source = "https://frobware.example/docs"
[[mark]]
generator = '^WordPress\\b'
strong = true
[[line]]
id = "trail"
class = "drop"
proof = "documented"
why = "the pages seen before"
source = "Frobware manual"
query = { p = true }
remove_params = ["replytocom"]
examples = [["/?p=1&replytocom=2", "/?p=1"]]
distinct = [["/?p=1", "/?p=2"]]
"""
CHECKED = {
    "all is well": (PACK, 0, "0 findings"),
    "an example that does not hold": (PACK.replace('"/?p=1"]]', '"/?p=3"]]', 1), 2, "are not one page"),
    "no TOML": ("x", 2, "does not parse"),
    "no source": (PACK.replace('source = "Frobware manual"', ""), 2, "source is missing"),
    "an unknown rule": (PACK.replace("remove_params", "remove_parms"), 2, "there is no rule"),
    "a common name everywhere": (PACK.replace('query = { p = true }\nremove_params = ["replytocom"]', 'remove_params = ["replytocom", "sid"]'), 1, "'sid' means other things elsewhere"),
    "no mark": (PACK.replace("[[mark]]\ngenerator = '^WordPress\\b'\nstrong = true\n", ""), 1, "it has no mark"),
    "a pattern that is run on short addresses only": (PACK.replace('remove_params = ["replytocom"]', "rewrite = [{ pattern = '^/(?:[^/?]+/)*([^/?]+-p-\\d+)$', replace = '/\\1' }]").replace('[["/?p=1&replytocom=2", "/?p=1"]]', '[["/a/b-p-1", "/b-p-1"]]').replace("query = { p = true }", 'path = "/**"'), 1, "trail: '^/(?:[^/?]+/)*([^/?]+-p-\\d+)$' could take long, so it is run on texts up to 56 characters only"),
    "a shape of an address alone": (PACK.replace("generator =", "url ="), 1, "every mark is a shape of an address"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "said"), CHECKED.values(), ids=CHECKED)
def test_check_a_pack(text: str, code: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "frob.toml").write_text(text)
    platforms.pack.cache_clear()
    done = run("check", "--platform", "frob.toml", cwd=tmp_path)
    assert done.code == code, done
    assert said in done.out + done.err


@pytest.mark.parametrize("name", platforms.names())
def test_the_packs_that_come_along_are_well(name: str, tmp_path: Path) -> None:
    done = run("check", "--platform", name, cwd=tmp_path)
    assert (done.code, done.out.endswith("0 findings\n")) == (0, True), done


@pytest.mark.parametrize("more", [("--urls", "visits.jsonl"), ("urinorm.toml",)])
def test_a_pack_is_checked_by_itself(tmp_path: Path, more: tuple[str, ...]) -> None:
    """What is asked besides would pass for done."""
    done = run("check", "--platform", "wordpress", *more, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "--platform is for a pack by itself: give visits of such a site as --visits" in done.err


def test_check_a_pack_against_visits(folder: Path) -> None:
    pytest.importorskip("numpy")
    (folder / "frob.toml").write_text(PACK)
    platforms.pack.cache_clear()
    done = run("check", "--platform", "frob.toml", "--visits", "visits.jsonl", cwd=folder)
    assert done.code == 0
    assert "trail\tdocumented\t2\t2\t0\t0\thttp://a.example/blog/?p=1&replytocom=2" in done.out
    other = [(path, "else" if path.endswith("3") else text, marks) for path, text, marks in PAGES]
    (folder / "visits.jsonl").write_text(visits(other))
    done = run("check", "--platform", "frob.toml", "--visits", "visits.jsonl", "--json", cwd=folder)
    assert done.code == 1
    assert "merges 1 address of a.example/blog/ with another page" in json.loads(done.out)["findings"][0]


def test_check_a_pack_whose_paths_begin_elsewhere(folder: Path) -> None:
    pytest.importorskip("numpy")
    (folder / "frob.toml").write_text(
        PACK.replace("query = ", 'path = "/blog/**"\nquery = ').replace('"/?p', '"/blog/?p')  # it is in /blog/ itself
    )
    platforms.pack.cache_clear()
    done = run("check", "--platform", "frob.toml", "--visits", "visits.jsonl", cwd=folder)
    assert (done.code, "no line acts on an address of a.example/blog/" in done.out) == (1, True), done


def test_check_a_pack_that_is_not_there_in_the_visits(folder: Path) -> None:
    (folder / "visits.jsonl").write_text(visits(PAGES[4:]))
    done = run("check", "--platform", "wordpress", "--visits", "visits.jsonl", cwd=folder)
    assert (done.code, "not recognized in the visits" in done.out) == (1, True)


MARKER = "[[mark]]\nmarker = 'frob'\ntext = 'powered by frobware'\nstrong = true\n"
UNRECOGNIZED = {
    "a text alone": (MARKER, True),
    "a text that is looked for": (MARKER.replace("'frob'", "'phpbb-body'"), False),
    "another generator": ("[[mark]]\ngenerator = '^Frobware'\nstrong = true\n", False),
}


@pytest.mark.parametrize(("mark", "told"), UNRECOGNIZED.values(), ids=UNRECOGNIZED)
def test_check_says_why_a_pack_is_not_recognized(mark: str, told: bool, folder: Path) -> None:
    """Visits have no texts: what a pack of one's own looks for in pages was not looked for when they were recorded."""
    pytest.importorskip("numpy")
    (folder / "frob.toml").write_text(PACK.replace("[[mark]]\ngenerator = '^WordPress\\b'\nstrong = true\n", mark))
    platforms.pack.cache_clear()
    done = run("check", "--platform", "frob.toml", "--visits", "visits.jsonl", cwd=folder)
    assert done.code == 1
    assert "whose pages have generator:WordPress 6.4, marker:wp-content" in done.out
    assert ("the text of a marker, as of 'frob', is looked for only while a page is recorded" in done.out) is told


def test_check_names_what_else_may_be_the_cause(folder: Path) -> None:
    pytest.importorskip("numpy")
    other = [(path, "else" if path.endswith("3") else text, marks) for path, text, marks in PAGES]
    (folder / "visits.jsonl").write_text(visits(other))
    (folder / "frob.toml").write_text(PACK)
    platforms.pack.cache_clear()
    assert "visits of two crawls" in run("check", "--platform", "frob.toml", "--visits", "visits.jsonl", cwd=folder).out
