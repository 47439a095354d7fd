"""The report at the end of a real crawl with Scrapy over a real server."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl.report_extension import visits_beside
from tests.crawl import forked
from tests.report.crawls import html, prose
from tests.report.test_page import data_of
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGES = 12


def answer(target: str) -> Answer:
    """Pages that link to each other under a session parameter."""
    path = target.partition("?")[0]
    links = [f'<a href="/page/{n}?track={path[-1]}">x</a>' for n in range(PAGES)]
    return 200 if path == "/" or path.startswith("/page/") else 404, {}, html([*prose(path), *links])


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with Serving(answer) as serving:
        yield serving.origin


SCRIPT = """
import json, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Spider(scrapy.Spider):
    name = "walk"
    start_urls = [sys.argv[1] + "/"]
    urinorm_rules = json.loads(sys.argv[3])
    def parse(self, response):
        yield from response.follow_all(css="a")

process = CrawlerProcess(json.loads(sys.argv[2]))
crawler = process.create_crawler(Spider)
process.crawl(crawler)
process.start()
print(json.dumps({k: v for k, v in crawler.stats.get_stats().items() if isinstance(v, int)}))
"""
EXTENSIONS = {
    "scrapy_urinorm.crawl.visits_extension.VisitsExtension": 0,
    "scrapy_urinorm.crawl.report_extension.ReportExtension": 0,
}


def crawl(server: str, rules: Any = None, **settings: Any) -> tuple[dict[str, int], str]:
    given = {
        "LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False, "EXTENSIONS": EXTENSIONS,
        "ADDONS": {"scrapy_urinorm.Addon": 600}, **settings,
    }  # fmt: skip
    words = [SCRIPT, server, json.dumps(given), json.dumps(rules or {})]
    done = forked.run("-c", words, cwd=Path.cwd(), env=dict(os.environ), timeout=280)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


DROP_TRACK = {"rules": {"remove_params": ["track"]}}


# `test_a_report_without_visits_says_what_to_set` has the oldest Scrapy make one
@pytest.mark.newest
def test_report_and_closing_summary_say_what_the_crawl_did_and_what_it_avoided(server: str, tmp_path: Path) -> None:
    """Five lines at the most: what was avoided, by which rules, what looks wrong, and where the report is."""
    rules = {
        "rules": {"remove_params": ["track"], "trailing_slash": "add", "duplicate_slashes": "remove"},
        "site": {"127.0.0.1": {"where": [{"path": "/page/1/", "skip": True}]}},
    }
    # requests take more than a second together: visits and report are named by one time all the same
    delay = {"DOWNLOAD_DELAY": 0.11, "RANDOMIZE_DOWNLOAD_DELAY": False}
    stats, log = crawl(server, rules, **delay, URINORM_REPORT=str(tmp_path / "%(name)s-%(time)s.html"))
    assert stats.get("log_count/ERROR", 0) == 0, log
    lines = [line.partition(" INFO: ")[2] for line in log.splitlines() if "[scrapy_urinorm] INFO" in line]
    closing = lines[[line.startswith("Rules:") for line in lines].index(True) + 1 :]
    assert len(closing) <= 5
    sent, dropped = stats["downloader/request_count"], stats["dupefilter/filtered"]
    by_rules, skipped = stats["urinorm/filtered"], stats["urinorm/skipped"]
    assert skipped > 0
    assert closing[0] == (
        f"{sent} requests sent; {dropped} duplicates dropped, {by_rules} of them at addresses that rules changed; "
        f"{skipped} skipped"
    )
    assert re.fullmatch(r"by rule: \w+ \d+, \w+ \d+", closing[1])
    report, visits = sorted(tmp_path.iterdir())
    assert visits_beside(report) == str(visits)
    assert re.fullmatch(r"walk-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\+00-00\.html", report.name)
    assert closing[-1] == f"Report written: {report}; 0 of {sent} requests still wasted, no suspicious merges"
    said = data_of(report.read_text("utf-8"))
    assert (said["totals"]["requests"], said["totals"]["duplicates"]) == (sent, 0)
    assert (said["crawl"]["by_rules"], said["crawl"]["filtered"]) == (by_rules, dropped)
    prefix = "urinorm/filtered/"
    assert said["crawl"]["rules"] == {k.removeprefix(prefix): n for k, n in stats.items() if k.startswith(prefix)}
    assert said["rules_used"]["files"] == ["urinorm_rules of Spider"]


@pytest.mark.slow
def test_the_log_says_that_a_rule_loses_pages(server: str, tmp_path: Path) -> None:
    # what is resumed is one crawl: with the same JOBDIR the visits of both are reported
    settings = {"URINORM_VISITS": str(tmp_path / "v.jsonl"), "JOBDIR": str(tmp_path / "job")}
    crawl(server, **settings)
    rewrite = {"rules": {"rewrite": [{"pattern": "^/page/.*", "replace": "/page/0"}]}}
    _, log = crawl(server, rewrite, **settings, URINORM_REPORT=str(tmp_path / "r.html"))
    # ten addresses are compared; whether that of the second crawl is among them depends on which page it fetched
    assert re.search(r"looks wrong: 1 suspicious merge, at least [89] pages lost", log), log


@pytest.mark.slow
def test_a_crawl_without_rules_gets_them_proposed(server: str, tmp_path: Path) -> None:
    crawl(server, URINORM_REPORT=str(tmp_path / "r.html"), URINORM_VISITS=str(tmp_path / "v.jsonl"))
    said = data_of((tmp_path / "r.html").read_text("utf-8"))
    assert said["totals"]["duplicates"] > 100
    assert [rule["toml"] for rule in said["proposals"]["rules"] if rule["active"]] == [
        '[site."127.0.0.1"]\nremove_params = ["track"]\n'
    ]


@pytest.mark.slow
def test_visits_beside_the_report_are_of_one_crawl(server: str, tmp_path: Path) -> None:
    report = str(tmp_path / "r.html")
    for _ in range(2):
        crawl(server, DROP_TRACK, URINORM_REPORT=report, URINORM_VISITS=visits_beside(report))
    assert data_of((tmp_path / "r.html").read_text("utf-8"))["totals"]["requests"] == PAGES + 1


@pytest.mark.slow
def test_what_cannot_be_written_is_logged_and_no_more(tmp_path: Path) -> None:
    folder = tmp_path / "folder"

    def spoiling(target: str) -> Answer:
        folder.write_text("a file, since the crawl has begun")
        return answer(target)

    with Serving(spoiling) as serving:
        _, log = crawl(serving.origin, URINORM_REPORT=str(folder / "r.html"), URINORM_VISITS=str(tmp_path / "v.jsonl"))
    assert log.count(" ERROR: ") == 1
    assert " ERROR: URINORM_REPORT: urinorm: " in log
    assert "Traceback" not in log


@pytest.mark.newest
@pytest.mark.thorough
def test_a_report_without_visits_says_what_to_set(server: str, tmp_path: Path) -> None:
    _, log = crawl(server, ADDONS={}, URINORM_REPORT=str(tmp_path / "r.html"))
    assert "URINORM_REPORT: there are no visits to report on; set URINORM_VISITS" in log


def test_a_report_of_pages_that_nobody_could_read_says_why(server: str, tmp_path: Path) -> None:
    frozen = {"tests.live.strange.Frozen": 1, "scrapy_urinorm.Addon": 600}
    _, log = crawl(server, ADDONS=frozen, URINORM_REPORT=str(tmp_path / "r.html"))
    assert "URINORM_REPORT: there are no visits to report on; the process that reads pages cannot be started" in log
    assert "set URINORM_VISITS" not in log


def test_off_by_default(server: str) -> None:
    stats, log = crawl(server, DROP_TRACK)
    assert "eport" not in log.partition("Enabled extensions")[2].partition("]")[0]
    assert stats.get("log_count/ERROR", 0) == 0


@pytest.mark.parametrize(
    ("report", "visits"),
    [
        ("report.html", "report.visits.jsonl.zst"),
        ("out/%(name)s-%(time)s.html", "out/%(name)s-%(time)s.visits.jsonl.zst"),
        ("report", "report.visits.jsonl.zst"),
    ],
)
def test_where_visits_go_that_nobody_named(report: str, visits: str) -> None:
    assert visits_beside(report) == visits
