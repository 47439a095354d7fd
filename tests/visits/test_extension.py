"""A crawl with Scrapy over a real server, and the visits that it leaves."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl.recording.budget import Budget
from scrapy_urinorm.visits import Visit, VisitWriter, read_visits
from scrapy_urinorm.visits.links import url_hash
from tests.crawl import forked
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from collections.abc import Iterator

LINKS = "".join(
    f'<a href="{href}">x</a> '
    for href in ("/page?PHPSESSID=secretvalue", "/old", "/missing", "/file.bin", "/canonical", "/header", "/loop")
)
WIKI = "<meta name=generator content='DokuWiki'>"
PAGES: dict[str, tuple[int, dict[str, str], str]] = {
    "/": (200, {}, f"{WIKI}<h1>home of ten words and more so that it counts</h1>{LINKS}"),
    "/robots.txt": (200, {"Content-Type": "text/plain"}, "User-agent: *\nClean-param: ref&from /shop # tags\n"),
    "/page": (200, {"No-Vary-Search": 'params=("a")'}, "<p>a page</p>"),
    "/old": (301, {"Location": "/new"}, ""),
    "/new": (200, {}, '<p>new</p><a href="/old">again</a>'),
    "/missing": (404, {}, "<p>nothing</p>"),
    "/file.bin": (200, {"Content-Type": "application/octet-stream"}, "\x00\x01"),
    "/canonical": (200, {}, '<link rel=canonical href="/page">'),
    "/header": (200, {"Link": '<https://user:pw@c.example/x>; rel="canonical"'}, "<p>h</p>"),
    "/loop": (302, {"Location": "/loop"}, ""),
}


def answer(target: str) -> Answer:
    return PAGES.get(target.partition("?")[0], (404, {}, ""))


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    with Serving(answer) as serving:
        yield serving.origin


SCRIPT = """
import json, os, sys
import scrapy
from scrapy.crawler import CrawlerProcess

class Storage:
    def __init__(self, uri, *, feed_options=None):
        self.path = uri.removeprefix("stored://")
    def open(self, spider):
        return open(self.path + ".sent", "wb")
    def store(self, file):
        file.close()
        os.rename(self.path + ".sent", self.path)

class Threaded(Storage):
    def store(self, file):
        from twisted.internet.threads import deferToThread
        return deferToThread(super().store, file)

class Awaited(Storage):
    async def store(self, file):
        super().store(file)

class Broken(Storage):
    async def store(self, file):
        file.close()
        raise OSError("no such bucket")

class Spider(scrapy.Spider):
    name = "walk"
    handle_httpstatus_list = [404]
    async def start(self):
        yield scrapy.Request(sys.argv[1] + "/")
        yield scrapy.Request(sys.argv[1] + "/page", method="HEAD", callback=self.nothing)
    def parse(self, response):
        if isinstance(response, scrapy.http.HtmlResponse):
            for href in response.css("a::attr(href)"):
                yield response.follow(href)
    def nothing(self, response):
        pass

process = CrawlerProcess(json.loads(sys.argv[2]))
crawler = process.create_crawler(Spider)
process.crawl(crawler)
process.start()
print(json.dumps({k: v for k, v in crawler.stats.get_stats().items() if "urinorm" in k or "log_count" in k}))
"""
EXTENSION = {"scrapy_urinorm.crawl.visits_extension.VisitsExtension": 0}


def run(server: str, **settings: Any) -> tuple[dict[str, Any], str]:
    given = {"LOG_LEVEL": "INFO", "ROBOTSTXT_OBEY": True, "TELNETCONSOLE_ENABLED": False, "EXTENSIONS": EXTENSION}
    words = [SCRIPT, server, json.dumps({**given, **settings})]
    done = forked.run("-c", words, cwd=Path.cwd(), env=dict(os.environ), timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1]), done.stderr


@pytest.fixture(scope="module")
def visits(server: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Visit]:
    path = tmp_path_factory.mktemp("crawl") / "%(name)s.jsonl.zst"
    stats, log = run(server, URINORM_VISITS=str(path))
    found = list(read_visits([path.with_name("walk.jsonl.zst")]))
    assert stats["urinorm/visits/written"] == len(found)
    assert stats.get("log_count/ERROR", 0) == 0, log
    assert stats["urinorm/platform/dokuwiki"] == 1
    assert f"Recognized: dokuwiki at {server.removeprefix('http://')}/, 1 page\n" in log
    # the hop of a redirect comes before its end and has the same URL
    return {visit.url.removeprefix(server) + (" hop" if visit.status in (301, 302) else ""): visit for visit in found}


def test_every_response_of_a_get_is_there(visits: dict[str, Visit]) -> None:
    assert {url.partition("=")[0] for url in visits} == {
        "/robots.txt", "/", "/page?PHPSESSID", "/old hop", "/old", "/missing", "/file.bin", "/canonical", "/header",
        "/loop hop",
    }  # fmt: skip


def test_a_page_has_its_features(visits: dict[str, Visit]) -> None:
    home = visits["/"]
    assert (home.status, home.content_type, home.depth, home.referer) == (200, "text/html", 0, None)
    assert home.lines
    assert home.minhash
    assert home.words == 17
    assert home.time is not None
    assert home.time.endswith("Z")
    assert visits["/missing"].status == 404
    assert visits["/file.bin"].lines is None
    assert visits["/file.bin"].body_digest


def test_secrets_are_hashed(visits: dict[str, Visit]) -> None:
    assert not any("secretvalue" in visit.to_json() for visit in visits.values())


@pytest.mark.newest
def test_links_that_the_rules_change_have_their_keys(server: str, tmp_path: Path) -> None:
    rules = {"site": {"127.0.0.1": {"remove_params": ["PHPSESSID"]}}}
    fingerprinter = "scrapy_urinorm.RequestFingerprinter"
    path = tmp_path / "visits.jsonl"
    run(server, URINORM_VISITS=str(path), REQUEST_FINGERPRINTER_CLASS=fingerprinter, URINORM_RULES=rules)
    home, *others = (visit for visit in read_visits([path]) if visit.links)
    assert home.links is not None
    assert home.link_keys is not None
    assert home.link_keys[:8] == url_hash(f"{server}/page")
    assert home.links[:8] != home.link_keys[:8]
    assert home.links[8:] == home.link_keys[8:]
    assert [other.link_keys for other in others] == [None]


def test_redirects(visits: dict[str, Visit], server: str) -> None:
    hop, end = visits["/old hop"], visits["/old"]
    assert (hop.final_url, hop.redirects) == (f"{server}/new", ((301, f"{server}/old"),))
    assert hop.referer == f"{server}/"
    assert (end.final_url, end.status, end.referer) == (f"{server}/new", 200, None)


def test_canonical_links(visits: dict[str, Visit], server: str) -> None:
    assert visits["/canonical"].canonical == f"{server}/page"
    assert visits["/header"].canonical == "https://c.example/x"


def test_what_the_site_declares(visits: dict[str, Visit]) -> None:
    assert visits["/robots.txt"].clean_param == ("ref&from /shop",)
    page = next(visit for url, visit in visits.items() if url.startswith("/page?"))
    assert page.no_vary_search == 'params=("a")'


@pytest.mark.newest
def test_a_path_that_cannot_be_written_stops_nothing(server: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    stats, log = run(server, URINORM_VISITS=str(tmp_path / "file" / "visits.jsonl"))
    assert "cannot write to" in log
    assert "urinorm/visits/written" not in stats


@pytest.mark.newest
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said_once_and_ends_the_recording(server: str) -> None:
    stats, log = run(server, URINORM_VISITS="/dev/full")
    assert log.count("URINORM_VISITS: No space left on device: /dev/full: nothing more is recorded") == 1
    assert log.count(" ERROR: ") == 1
    assert "urinorm/visits/written" not in stats
    assert stats["urinorm/visits/failed"] == 10


@pytest.mark.newest
def test_of_a_file_that_another_crawl_writes_the_next_one_is_taken(server: str, tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl.zst"
    with VisitWriter(path) as other:
        _, log = run(server, URINORM_VISITS=str(path))
        other.write(Visit(url="http://a.example/"))
    assert f"URINORM_VISITS: {path}: another process writes it; continued in {tmp_path / 'v.1.jsonl.zst'}" in log
    assert [len(list(read_visits([tmp_path / name]))) for name in ("v.jsonl.zst", "v.1.jsonl.zst")] == [1, 10]


def test_a_long_crawl_stays_within_its_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(time, "process_time", lambda: now)
    budget = Budget(0.05)
    read, spent = 0, 0.0
    for n in range(20_000):
        now += 0.002
        if budget.allows(f"http://a.example/p/{n}?x=1", spent):
            read += n >= 5_000
            # in another process, half as much as the crawl itself takes
            spent += 0.001
    assert 0.08 < read / 15_000 < 0.12
    assert budget.allows("http://a.example/q?a=1", spent) == budget.allows("http://a.example/q?a=2", spent)


def test_off_by_default(server: str) -> None:
    stats, _ = run(server)
    assert not [name for name in stats if "visits" in name]


@pytest.mark.parametrize(
    "storage",
    ["Storage", pytest.param("Threaded", marks=pytest.mark.slow), pytest.param("Awaited", marks=pytest.mark.newest)],
)
def test_a_feed_storage_gets_the_file_at_the_end(
    server: str, tmp_path: Path, storage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "stored.jsonl.gz"
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    stats, log = run(server, URINORM_VISITS=f"stored://{path}", FEED_STORAGES={"stored": f"__main__.{storage}"})
    assert len(list(read_visits([path]))) == 10
    assert stats.get("log_count/ERROR", 0) == 0, log
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.newest
def test_what_a_feed_storage_refuses_is_kept(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    uri = f"stored://{tmp_path / 'stored.jsonl.gz'}"
    _, log = run(server, URINORM_VISITS=uri, FEED_STORAGES={"stored": "__main__.Broken"})
    (kept,) = (tmp_path / "tmp").rglob("visits.jsonl.gz")
    assert f"not stored in {uri}; the visits are kept in {kept}" in log
    assert "no such bucket" in log
    assert log.count(" ERROR: ") == 1
    assert len(list(read_visits([kept]))) == 10


@pytest.mark.newest
def test_rotation(server: str, tmp_path: Path) -> None:
    run(server, URINORM_VISITS=str(tmp_path / "v.jsonl"), URINORM_VISITS_ROTATE=1000)
    assert len(list(tmp_path.glob("v.*jsonl"))) >= 3
    assert len(list(read_visits([tmp_path / "v*.jsonl"]))) == 10
