"""The demo's promise, measured: duplicates go, pages stay. And what it says when it cannot run."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from example_project.website import Served, Website
from example_project.website.crawls import PROJECT, Crawl, CrawlFailedError, Result, Tally, run
from example_project.website.demo import ADDON, ADDON_AND_RULES, CRAWLS, SCRAPY_ALONE, main
from example_project.website.shop import CATEGORIES
from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import Options, learn_file

pytestmark = pytest.mark.slow

LIMIT = 600
DEMO = Path(PROJECT, "demo.py")
# Start requests are `dont_filter` in Scrapy: a link back to a start page fetches that once more.
START_PAGES = 2
LISTS = len(CATEGORIES)
TRACKERS = re.compile(r"(?<=[?&])(?:utm_\w+|gclid|fbclid|PHPSESSID)=[^&]*&?|;jsessionid=\w+")


class Measured(NamedTuple):
    result: Result
    urls: list[str]


@pytest.fixture(scope="module")
def crawls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Measured]:
    measured = {}
    with Website() as website:
        for crawl in CRAWLS:
            result = run(crawl, website, tmp_path_factory.mktemp("crawl"), limit=LIMIT)
            measured[crawl.label] = Measured(result, [line.url for line in website.log])
    return measured


@pytest.fixture
def results(crawls: dict[str, Measured]) -> dict[str, Result]:
    return {label: measured.result for label, measured in crawls.items()}


def repeated(urls: list[str]) -> int:
    """How many of the URLs differ from an earlier one by a tracker or an unmistakable session id, or not at all."""
    return len(urls) - len({TRACKERS.sub("", url).rstrip("?&") for url in urls})


def test_scrapy_alone_never_ends_and_downloads_duplicates(results: dict[str, Result]) -> None:
    result = results[SCRAPY_ALONE.label]
    assert result.finish_reason == "closespider_pagecount"
    assert result.tally.duplicates > 200


def test_the_addon_by_itself_does_not_fall_for_trackers(crawls: dict[str, Measured]) -> None:
    assert repeated(crawls[SCRAPY_ALONE.label].urls) > 30
    # the start pages once more, and second chances, by how many spellings are met before the first one has redirected:
    # for the start page that does, and for the lists whose address in the menu redirects to the one with a slash
    assert repeated(crawls[ADDON.label].urls) <= START_PAGES + MAX_CHANCES * (1 + LISTS)


def test_with_rules_the_crawl_ends_with_every_page(results: dict[str, Result]) -> None:
    result = results[ADDON_AND_RULES.label]
    assert result.finish_reason == "finished"
    assert result.lost == ()


def test_with_rules_hardly_a_page_is_downloaded_twice(results: dict[str, Result]) -> None:
    assert results[ADDON_AND_RULES.label].tally.duplicates <= START_PAGES


def test_no_row_counts_a_request_twice(results: dict[str, Result]) -> None:
    for result in results.values():
        tally = result.tally
        assert tally.requests == tally.distinct + tally.duplicates + tally.others


def test_tally_tells_pages_duplicates_and_others_apart() -> None:
    log = [
        Served("http://a.test/robots.txt", 200, None, 0.0),
        Served("http://a.test/x", 301, None, 0.0),
        Served("http://a.test/x/", 200, "x", 0.0),
        Served("http://a.test/x/?s=1", 200, "x", 0.0),
        Served("http://a.test/month?year=1", 200, "view", 0.0),
        Served("http://a.test/month?year=1&s=1", 200, "view", 0.0),
        Served("http://a.test/gone", 404, None, 0.0),
    ]
    assert Tally.of(log, frozenset({"x", "never found"})) == Tally(requests=7, distinct=1, duplicates=2, others=4)


def test_the_loop_of_the_docs(tmp_path: Path) -> None:
    """Crawl, learn, include, three times: no rule that was learned goes, and no fewer pages are met."""
    learned, visits = tmp_path / "learned.toml", tmp_path / "visits.jsonl"
    rules: list[set[str]] = []
    pages: list[frozenset[str]] = []
    with Website() as website:
        for n in range(3):
            (tmp_path / "urinorm.toml").write_text('include = ["learned.toml"]\n' if n else "")
            # one request at a time: what is met before a crawl is cut short hangs on the order in which answers come
            settings = {
                "URINORM_RULES": str(tmp_path / "urinorm.toml"),
                "URINORM_VISITS": str(visits),
                "CONCURRENT_REQUESTS": "1",
            }
            folder = tmp_path / str(n)
            folder.mkdir()
            run(Crawl(f"crawl {n}", settings), website, folder, limit=2 * LIMIT)
            pages.append(website.pages & {line.page for line in website.log if line.status == 200})
            # visits of several crawls under several rules may speak against one: then nothing is written, with a word
            with contextlib.suppress(UrinormError):
                learn_file([visits], learned, Options(jobs=1))
            rows = tomllib.loads(learned.read_text("utf-8"))["evidence"]
            names = ("site", "rule", "value", "where")
            rules.append({repr([row.get(name) for name in names]) for row in rows if row["status"] == "active"})
    assert rules[0]
    assert rules[0] <= rules[1] <= rules[2]
    # all are cut short at as many responses, which come in another order each time: more of them are new pages
    assert len(pages[0]) < len(pages[2]) + 5


def test_prints_one_table_with_a_row_for_each_crawl(tmp_path: Path) -> None:
    rules = tmp_path / "learned.toml"
    rules.write_text('[site."shop.test"]\nremove_params = ["ref"]\n')
    demo = subprocess.run(
        [sys.executable, DEMO, "--limit", "20", "--rules", rules], capture_output=True, text=True, timeout=280
    )
    assert demo.returncode == 0, demo.stderr
    for text in ("requests", "distinct", "duplicate", "lost", "seconds"):
        assert text in demo.stdout
    rows = [line for line in demo.stdout.splitlines() if " * " in line]
    labels = [crawl.label for crawl in CRAWLS] + ["with learned.toml"]
    assert [label in row for row, label in zip(rows, labels, strict=True)] == [True] * len(labels)


def test_json_names_the_lost_pages(results: dict[str, Result]) -> None:
    row = json.loads(json.dumps(results[SCRAPY_ALONE.label].to_dict()))
    assert row["lost"] == len(row["lost_pages"])
    assert set(row) >= {"crawl", "requests", "distinct", "duplicates", "others", "lost", "seconds", "finish_reason"}


class TestRefusals:
    def test_a_taken_port(self, capsys: pytest.CaptureFixture[str]) -> None:
        with Website() as website:
            assert main(["--port", str(website.port)]) == 2
        assert f"port {website.port} of 127.0.0.1 is in use by another program" in capsys.readouterr().err

    def test_an_absent_rule_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--rules", "nowhere.toml"]) == 2
        assert "nowhere.toml" in capsys.readouterr().err

    def test_a_broken_rule_file(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        rules = tmp_path / "broken.toml"
        rules.write_text("[rules]\nremove_parms = ['ref']\nwwww = 'remove'\n")
        assert main(["--rules", str(rules)]) == 2
        complaint = capsys.readouterr().err
        assert all(text in complaint for text in ("broken.toml", "remove_parms", "wwww"))

    def test_a_missing_package(self) -> None:
        # -S leaves site-packages out, where Scrapy and all the rest are.
        demo = subprocess.run([sys.executable, "-S", DEMO], capture_output=True, text=True, timeout=280)
        assert demo.returncode == 1
        assert "has no package" in demo.stderr
        assert "make demo" in demo.stderr
        assert "Traceback" not in demo.stderr

    def test_a_crawl_that_stops_at_its_start_shows_why(self, tmp_path: Path) -> None:
        crawl = Crawl("broken", {"URINORM_RULES": str(tmp_path / "nowhere.toml")})
        with Website() as website, pytest.raises(CrawlFailedError, match=r"'broken' failed(.|\n)*nowhere\.toml"):
            run(crawl, website, tmp_path)
