"""The last line of a crawl says that it came to its end by itself, and is there where it did alone."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.visits import Visit, VisitWriter, read_visits
from scrapy_urinorm.visits.reader import crawl_ids
from scrapy_urinorm.visits.record import END, end_of, visit_from_row
from tests.crawl import forked
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ITEMS = 30
SCRIPT = """
import json, os, signal, sys
import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider

class Spider(scrapy.Spider):
    name = "api"
    async def start(self):
        yield scrapy.Request(sys.argv[1] + "/list")
    def parse(self, response):
        return [response.follow(at, self.item) for at in response.json()]
    def item(self, response):
        # no generator, as Scrapy looks for the source of these
        if not response.url.endswith("/5"):
            return None
        if self.what == "raises":
            raise ValueError("no item")
        if self.what == "posts":
            return [scrapy.Request(response.url, method="POST", callback=self.nothing)]
        if self.what == "closes":
            raise CloseSpider("finished")
        if self.what == "is refused":
            return [scrapy.Request("http://127.0.0.1:9/", callback=self.nothing)]
        if self.what == "is down":
            return [response.follow("/down", self.nothing)]
        if self.what == "interrupted":
            os.kill(os.getpid(), signal.SIGINT)
        return None
    def nothing(self, response):
        pass

process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False})
crawlers = []
for what, settings in json.loads(sys.argv[2]):
    crawlers.append(process.create_crawler(type("Spider", (Spider,), {"custom_settings": settings})))
    process.crawl(crawlers[-1], what=what)
process.start()
print(json.dumps([crawler.stats.get_value("finish_reason") for crawler in crawlers]))
"""
EXTENSION = {"scrapy_urinorm.crawl.visits_extension.VisitsExtension": 0}
ADDON: dict[str, Any] = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "EXTENSIONS": {}}


def answer(target: str) -> Answer:
    number = target.rpartition("/")[2]
    if number == "down":
        return 503, {}, ""
    said: Any = [f"/item/{n}" for n in range(ITEMS)] if target == "/list" else {"item": number}
    return 200, {"Content-Type": "application/json"}, json.dumps(said)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with Serving(answer) as serving:
        yield serving.origin


# what a spider does, and its settings
How = tuple[str, dict[str, Any]]
# why a crawl ended, and its lines
Crawled = tuple[str, list[dict[str, Any]]]


def crawled_at_once(server: str, crawls: dict[Path, How]) -> list[Crawled]:
    """Crawl in one process, as that takes most of the time."""
    given = {"EXTENSIONS": EXTENSION, "CONCURRENT_REQUESTS": 1}
    orders = [(what, {**given, "URINORM_VISITS": str(path), **more}) for path, (what, more) in crawls.items()]
    words, cwd = [SCRIPT, server, json.dumps(orders)], next(iter(crawls)).parent
    done = forked.run("-c", words, cwd=cwd, env=dict(os.environ), timeout=280)
    assert done.returncode == 0, done.stderr
    rows = [[json.loads(line) for line in path.read_text("utf-8").splitlines()] for path in crawls]
    return list(zip(json.loads(done.stdout.splitlines()[-1]), rows, strict=True))


def crawled(server: str, path: Path, what: str = "", **settings: Any) -> Crawled:
    return crawled_at_once(server, {path: (what, settings)})[0]


ENDED: dict[str, dict[str, Any]] = {
    "by itself": {},
    "with the add-on": ADDON,
    "within a depth": {"DEPTH_LIMIT": 5},
    "within a number of pages": {"CLOSESPIDER_PAGECOUNT": 500},
    "the first run of a job": {"JOBDIR": "job", **ADDON},
}


CUT_SHORT: dict[str, How] = {
    "pages": ("", {"CLOSESPIDER_PAGECOUNT": 10}),
    "depth": ("", {"DEPTH_LIMIT": 1}),
    "closed": ("closes", {}),
    "a callback that raises": ("raises", {}),
    "what has no visit": ("posts", {}),
    "a server that is not there": ("is refused", {"RETRY_ENABLED": False}),
    "a server that has had enough": ("is down", {"RETRY_ENABLED": False}),
    "a store that remembers": ("", {"URINORM_SEEN_DIR": "seen", **ADDON}),
    "live rules": ("", {"URINORM_LIVE": True, **ADDON}),
    "the first run of a job that is resumed": ("", {"CLOSESPIDER_PAGECOUNT": 10, "JOBDIR": "resumed", **ADDON}),
}
AGAIN: dict[str, How] = {
    "the first run of a job that is resumed": ("", {"JOBDIR": "resumed", **ADDON}),
    "by itself": ("", {"CLOSESPIDER_PAGECOUNT": 10}),
}


@pytest.fixture(scope="module")
def crawls(server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Crawled]]:
    """Each crawl by its name, with its file."""
    folder = tmp_path_factory.mktemp("crawls")
    named = {name: ("", settings) for name, settings in ENDED.items()} | CUT_SHORT
    orders = {folder / f"{n}.jsonl": how for n, how in enumerate(named.values())}
    return dict(zip(named, zip(orders, crawled_at_once(server, orders), strict=True), strict=True))


@pytest.mark.parametrize("name", ENDED)
def test_a_crawl_that_ends_by_itself_says_so(crawls: dict[str, tuple[Path, Crawled]], name: str) -> None:
    path, (reason, rows) = crawls[name]
    assert reason == "finished"
    (end,) = (row for row in rows if "ended" in row)
    assert end is rows[-1]
    assert (end["url"], end["ended"], end["crawl"]) == (END, len(rows) - 1, rows[0]["crawl"])
    reader = read_visits([path])
    assert len(list(reader)) == len(rows) - 1 == ITEMS + 1
    assert reader.whole == {rows[0]["crawl"]}


@pytest.mark.parametrize("name", CUT_SHORT)
def test_one_that_is_ended_or_leaves_something_out_does_not(crawls: dict[str, tuple[Path, Crawled]], name: str) -> None:
    _, (_, rows) = crawls[name]
    assert len(rows) > 5
    assert not [row for row in rows if "ended" in row]


def test_nor_does_one_that_is_ended_by_ctrl_c(server: str, tmp_path: Path) -> None:
    _, rows = crawled(server, tmp_path / "v.jsonl", "interrupted")
    assert len(rows) > 5
    assert not [row for row in rows if "ended" in row]


@pytest.fixture(scope="module")
def again(server: str, crawls: dict[str, tuple[Path, Crawled]]) -> dict[str, tuple[Path, Crawled]]:
    """Crawls of files that have one, each by the name of the first."""
    folder = next(iter(crawls.values()))[0].parent
    orders: dict[Path, How] = {}
    for n, (name, how) in enumerate(AGAIN.items()):
        path = crawls[name][0]
        if "JOBDIR" not in how[1]:
            # other tests look at that of the first
            path = folder / f"again{n}.jsonl"
            shutil.copy(crawls[name][0], path)
        orders[path] = how
    return dict(zip(AGAIN, zip(orders, crawled_at_once(server, orders), strict=True), strict=True))


def test_nor_does_one_that_is_resumed(
    crawls: dict[str, tuple[Path, Crawled]], again: dict[str, tuple[Path, Crawled]]
) -> None:
    """What was under way when a run was killed is lost, and nobody knows."""
    name = "the first run of a job that is resumed"
    _, (_, first) = crawls[name]
    _, (reason, rows) = again[name]
    assert reason == "finished"
    assert len(rows) > len(first)
    assert len({row["crawl"] for row in rows}) == 1
    assert not [row for row in rows if "ended" in row]


def test_two_crawls_of_a_file_end_each_by_itself(again: dict[str, tuple[Path, Crawled]]) -> None:
    path, (_, rows) = again["by itself"]
    reader = read_visits([path])
    assert len(list(reader)) == len(rows) - 1
    assert len(reader.crawls) == 2
    assert reader.whole == {rows[0]["crawl"]}
    assert crawl_ids([path], "newest") == {str(path): rows[-1]["crawl"]}


def test_of_a_part_of_a_file_nobody_says_that_it_is_whole(tmp_path: Path) -> None:
    """A file of which one site was taken, or the first half of a crawl whose files were split."""
    visits = [Visit(url=f"http://a.example/{n}", status=200, crawl="c") for n in range(5)]
    with VisitWriter(tmp_path / "v.jsonl") as writer:
        for visit in [*visits, end_of("c", 6, "2026-01-01T00:00:00Z")]:
            writer.write(visit)
    reader = read_visits([tmp_path / "v.jsonl"])
    assert list(reader) == visits
    assert reader.whole == frozenset()
    with VisitWriter(tmp_path / "v.1.jsonl") as writer:
        writer.write(replaced := Visit(url="http://a.example/5", status=200, crawl="c"))
    both = read_visits([tmp_path / "v.jsonl", tmp_path / "v.1.jsonl"])
    assert list(both) == [*visits, replaced]
    assert both.whole == {"c"}
    assert not read_visits([tmp_path / "v.jsonl"], only={str(tmp_path / "v.jsonl"): "d"}).whole


def test_who_asks_for_failures_is_given_no_end_either(tmp_path: Path) -> None:
    with VisitWriter(tmp_path / "v.jsonl") as writer:
        writer.write(Visit(url="http://a.example/", failure="DNSLookupError", crawl="c"))
        writer.write(end_of("c", 0, "2026-01-01T00:00:00Z"))
    assert [visit.url for visit in read_visits([tmp_path / "v.jsonl"], failures=True)] == ["http://a.example/"]


def test_readers_of_before_take_it_for_no_page() -> None:
    """They skip what has failed, or has no host; their reports count what is no answer between 200 and 299 as none."""
    end = visit_from_row(json.loads(end_of("c", 7, "2026-01-01T00:00:00Z").to_json()))
    assert end.failure
    assert "//" not in end.url
    assert end.status == 300
    assert end.ended == 7
