"""The page as a file: one, small, quiet, and inert whatever stands in an address."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from scrapy_urinorm.report import write_report
from scrapy_urinorm.report.findings import MAX_JSON, _fitted
from scrapy_urinorm.report.headline import cards, duration, octets, sentences, share
from scrapy_urinorm.report.inert import MAX_TEXT, inert
from scrapy_urinorm.report.page import ROWS, in_script, page
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits import Visit
from tests.report.crawls import ORIGIN, Crawl, found, prose

if TYPE_CHECKING:
    from pathlib import Path

SCRIPT = "<script>document.title='owned'</script>"
#: What a hostile site can put into its links; each is requested under several spellings, so that all tables have it.
HOSTILE = [
    pytest.param(f"/{SCRIPT}?{SCRIPT}={SCRIPT}", id="a script"),
    pytest.param("/</script><img src=x onerror=\"document.title='owned'\">", id="the end of our script"),
    pytest.param("/<!--<script>", id="a comment that swallows the rest"),
    pytest.param("/\"'`onload=owned()//{{7*7}}${7*7}%}", id="quotes and templates"),
    pytest.param("/\u202egnp.exe\u2066\u200b\u2028\u2029\ufeff", id="bidirectional and invisible characters"),
    pytest.param("/%E2%80%AEgnp.exe?%E2%80%AE=%E2%80%A8", id="the same, escaped"),
    pytest.param("/\x1b[31m\x07\x00\x9b", id="terminal escapes"),
    pytest.param("/" + "a" * 100_000, id="100 kB"),
    pytest.param(
        "/?" + "&".join(f"p{n}=1" for n in range(10_000)), id="ten thousand parameters", marks=pytest.mark.slow
    ),
    pytest.param("/" + "x/" * 20_000, id="twenty thousand segments"),
    pytest.param("http://user:secret@shop.test/private", id="a password"),
    pytest.param("javascript:document.title='owned'", id="another scheme"),
    pytest.param("http://[::1/\ud800", id="no URL at all"),
]
_ACTIVE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def hostile_crawl(*paths: str) -> Crawl:
    """A crawl in which these addresses are pages, duplicates, wrong merges and traps."""
    crawl = Crawl().other_pages()
    for path in paths:
        url = path if "://" in path or path.startswith("javascript") else ORIGIN + path
        for n in range(4):
            joint = "&" if "?" in url else "?"
            crawl.rows.append(Visit(url=f"{url}{joint}ref={n}", status=200, text_digest=f"{url}{n // 2}", words=50))
            crawl.rows.append(Visit(url=f"{url}{joint}v={n}&next={url}", status=200, text_digest=url, words=50))
    return crawl


def report(crawl: Crawl, folder: Path) -> tuple[str, dict[str, Any]]:
    """The page and its twin."""
    rules = RuleSet.load({"rules": {"remove_params": ["ref"]}})
    twin = folder / "report.json"
    write_report([crawl.write(folder / "visits.jsonl")], folder / "report.html", rules, json_output=twin, jobs=1)
    return (folder / "report.html").read_text("utf-8"), json.loads(twin.read_text("utf-8"))


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    paths = [str(parameter.values[0]) for parameter in HOSTILE if not parameter.marks]
    return report(hostile_crawl(*paths), tmp_path_factory.mktemp("every"))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> str:
    return report(hostile_crawl("/plain"), tmp_path_factory.mktemp("plain"))[0]


class TestHostile:
    def test_nothing_of_addresses_becomes_markup(self, every: tuple[str, dict[str, Any]], plain: str) -> None:
        self.check(*every, plain)

    @pytest.mark.slow
    @pytest.mark.parametrize("path", HOSTILE)
    def test_nothing_of_an_address_becomes_markup(self, path: str, plain: str, tmp_path: Path) -> None:
        self.check(*report(hostile_crawl(path), tmp_path), plain)

    def check(self, text: str, twin: dict[str, Any], plain: str) -> None:
        assert set(elements(text)) <= set(elements(plain)) | OF_TABLES
        assert not _ACTIVE.search(text.partition("<body>")[2].partition("!function")[0])
        assert data_of(text) == twin
        assert "secret" not in text
        assert "user:" not in text

    def test_long_texts_are_cut(self, every: tuple[str, dict[str, Any]]) -> None:
        assert longest(every[1]) <= MAX_TEXT + 60
        assert len(every[0]) < 1_500_000

    def test_a_rule_text_keeps_its_lines(self) -> None:
        assert inert({"toml": "[site]\nx = '\u202e'\n", "url": "a\nb"}) == {
            "toml": "[site]\nx = '\\u202e'\n", "url": "a\\nb",
        }  # fmt: skip

    @given(st.text())
    def test_no_text_ends_the_script_element(self, text: str) -> None:
        data = in_script({"a": [inert(text)], inert(text): 1})
        assert not set(data) & set("<>&\u2028\u2029")
        assert json.loads(data) == {"a": [inert(text)], inert(text): 1}


class TestOneFile:
    def test_nothing_is_loaded_and_nothing_may_be(self, every: tuple[str, dict[str, Any]]) -> None:
        tree = LexborHTMLParser(every[0])
        assert [node.attributes.get("href") for node in tree.css("link")] == ["data:,"]
        assert tree.css("[src]") == []
        assert "@import" not in every[0].partition("</style>")[0]
        policy = tree.css("meta[http-equiv]")[0].attributes["content"] or ""
        assert policy.startswith("default-src 'none';")
        assert "unsafe" not in policy

    def test_the_policy_allows_just_our_style_and_scripts(self, every: tuple[str, dict[str, Any]]) -> None:
        tree = LexborHTMLParser(every[0])
        policy = tree.css("meta[http-equiv]")[0].attributes["content"] or ""
        texts = [node.text() for node in tree.css("style, script:not([type])")]
        wanted = {"sha256-" + base64.b64encode(hashlib.sha256(t.encode()).digest()).decode() for t in texts}
        assert set(re.findall(r"'(sha256-[^']+)'", policy)) == wanted
        assert len(wanted) == 3

    def test_the_licence_of_the_charting_library_goes_with_it(self, every: tuple[str, dict[str, Any]]) -> None:
        assert "Chart.js v4" in every[0]
        assert "Released under the MIT License" in every[0]

    def test_large_tables_are_cut_until_the_page_is_small(self, tmp_path: Path) -> None:
        said = found(Crawl().other_pages(), tmp_path)
        row = {"site": "s", "members": ["m" * 300] * 6}
        said["groups"], said["parameters"] = [row] * 4_000, [{"example": "e" * 300}] * 1_000
        fitted = _fitted(said)
        assert len(json.dumps(fitted)) < MAX_JSON + 50_000
        assert len(fitted["groups"]) >= 500
        assert len(page({**fitted, "proposals": None})) < 5_000_000


class TestHead:
    def test_cards_and_sentences(self, tmp_path: Path) -> None:
        crawl = Crawl().other_pages()
        for n in range(10):
            crawl.page(f"/a?ref={n}", prose("a")).page(f"/a?x={n}", prose("a"))
        said = found(crawl, tmp_path, [{"rules": {"remove_params": ["ref"]}}])
        shown = {card.name: card.value for card in cards(said)}
        assert shown == {
            "requests": "50", "pages": "31", "duplicates": "19", "avoided": "9", "left": "10", "saved": "9.0 kB",
            "lost": "0",
        }  # fmt: skip
        assert sentences(said)[0].startswith("Of 50 requests 19 (38 %) fetched a page that was there already")

    def test_with_the_stats_of_the_crawl(self, tmp_path: Path) -> None:
        stats = {"dupefilter/filtered": 500, "urinorm/filtered": 60, "urinorm/skipped": 5, "elapsed_time_seconds": 30}
        said = found(Crawl().other_pages(), tmp_path, stats=stats)
        shown = {card.name: (card.label, card.value, card.note) for card in cards(said)}
        assert shown["avoided"] == (
            "Avoided",
            "505",
            "duplicates never requested, 65 of them at addresses that rules change or skip",
        )
        assert shown["saved"] == ("Saved", "65.0 kB", "about 65 s")

    def test_no_visits(self, tmp_path: Path) -> None:
        said = found(Crawl(), tmp_path)
        assert sentences(said) == ["There are no visits in the input."]
        assert "Nothing" in page(said)

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            (share(1, 3), "33 %"), (share(0, 3), "0 %"), (share(1, 250), "0.4 %"), (share(1, 0), "0 %"),
            (octets(999), "999 bytes"), (octets(1500), "1.5 kB"), (octets(123_456_789), "123 MB"),
            (octets(5e15), "5,000.0 TB"), (duration(59), "59 s"), (duration(600), "10 min"), (duration(7200), "2.0 h"),
            (duration(4 * 86400), "4.0 days"),
        ],
    )  # fmt: skip
    def test_figures_for_people(self, text: str, expected: str) -> None:
        assert text == expected


#: What tables and curves are made of: a page has more or fewer rows.
OF_TABLES: set[tuple[str, tuple[str, ...]]] = {
    ("div", ("aria-label", "class", "role", "tabindex")), ("table", ()), ("caption", ("class",)), ("thead", ()),
    ("tbody", ()), ("tr", ()), ("th", ("scope",)), ("th", ("class", "scope")), ("td", ("class",)), ("bdi", ()),
    ("code", ()), ("-text", ()), ("rect", ("class", "height", "width", "x", "y")), ("polyline", ("class", "points")),
    ("text", ("text-anchor", "x", "y")), ("svg", ("aria-label", "class", "role", "viewbox")),
}  # fmt: skip


def elements(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The elements of a page with the names of their attributes; sentences and cards may be more or fewer."""
    tree = LexborHTMLParser(text)
    assert tree.root is not None
    return [
        (node.tag or "", tuple(sorted(node.attributes)))
        for node in tree.root.traverse()
        if node.tag not in ("p", "li", "b") and not (node.tag == "span" and not node.attributes.get("id"))
    ]


def data_of(text: str) -> Any:
    (node,) = LexborHTMLParser(text).css("#data")
    return json.loads(node.text())


def longest(value: Any) -> int:
    if isinstance(value, dict):
        return max((longest(item) for name, item in value.items() if name != "toml"), default=0)
    if isinstance(value, list):
        return max(map(longest, value), default=0)
    return len(value) if isinstance(value, str) else 0


class TestWithoutScript:
    """What stands in the HTML itself: every table, both curves."""

    @pytest.fixture
    def body(self, every: tuple[str, dict[str, Any]]) -> LexborHTMLParser:
        return LexborHTMLParser(every[0])

    def test_tables_stand_in_the_page(self, body: LexborHTMLParser, every: tuple[str, dict[str, Any]]) -> None:
        for section in ("traps", "suspicious", "rules", "groups", "parameters"):
            rows = body.css(f"#{section}-box tbody tr")
            assert len(rows) == min(ROWS, len(every[1][section])), section
        assert len(body.css("#where-box tbody tr")) == len(every[1]["hosts"]) + min(ROWS, len(every[1]["patterns"]))

    def test_numbers_are_those_of_the_data(self, body: LexborHTMLParser, every: tuple[str, dict[str, Any]]) -> None:
        for row, shown in zip(every[1]["hosts"], body.css("#where-box table")[0].css("tbody tr"), strict=True):
            cells = [cell.text(strip=True) for cell in shown.css("td")]
            assert cells[:4] == [row["host"], *(f"{row[name]:,}" for name in ("requests", "pages", "duplicates"))]

    def test_the_curve_is_drawn(self, body: LexborHTMLParser, every: tuple[str, dict[str, Any]]) -> None:
        bars = sum(count > 0 for row in every[1]["by_requests"]["rows"] for count in row)
        assert len(body.css("#curve-box svg rect")) == bars
