"""A crawl with Scrapy over a real server, and the visits that it leaves."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
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

process = CrawlerProcess({"LOG_LEVEL": "INFO", "TELNETCONSOLE_ENABLED": False})
crawlers = {}
for name, settings in json.loads(sys.argv[2]).items():
    crawlers[name] = process.create_crawler(type("Spider", (Spider,), {"custom_settings": settings}))
    process.crawl(crawlers[name])
process.start()
print(json.dumps({name: {k: v for k, v in crawler.stats.get_stats().items() if "urinorm" in k or "log_count" in k}
                  for name, crawler in crawlers.items()}))
"""
EXTENSION = {"scrapy_urinorm.crawl.visits_extension.VisitsExtension": 0}
RULES = {"site": {"127.0.0.1": {"remove_params": ["PHPSESSID"]}}}
STORAGES = ("Storage", "Threaded", "Awaited")
ERROR = " ERROR: "


@dataclass
class Crawls:
    """Crawls of one process, as that takes most of the time: the stats of each, their log and where they write."""

    folder: Path
    stats: dict[str, dict[str, Any]]
    log: str

    @property
    def left(self) -> list[Path]:
        """What is in the folder for temporary files in the end."""
        return [path for path in (self.folder / "tmp").rglob("*") if path.is_file()]

    def errors(self, about: str = "") -> list[str]:
        return [line for line in self.log.splitlines() if ERROR in line and about in line]


def run(server: str, folder: Path, crawls: dict[str, dict[str, Any]]) -> Crawls:
    (folder / "tmp").mkdir()
    given = {"ROBOTSTXT_OBEY": True, "EXTENSIONS": EXTENSION}
    words = [SCRIPT, server, json.dumps({name: {**given, **settings} for name, settings in crawls.items()})]
    env = {**os.environ, "TMPDIR": str(folder / "tmp")}
    done = forked.run("-c", words, cwd=Path.cwd(), env=env, timeout=280)
    assert done.returncode == 0, done.stderr
    return Crawls(folder, json.loads(done.stdout.splitlines()[-1]), done.stderr)


@pytest.fixture(scope="module")
def crawls(server: str, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    """Those to which nothing happens."""
    folder = tmp_path_factory.mktemp("crawls")
    fingerprinter = "scrapy_urinorm.RequestFingerprinter"
    settings: dict[str, dict[str, Any]] = {
        "plain": {"URINORM_VISITS": str(folder / "%(name)s.jsonl.zst")},
        "rules": {
            "URINORM_VISITS": str(folder / "rules.jsonl"), "REQUEST_FINGERPRINTER_CLASS": fingerprinter,
            "URINORM_RULES": RULES,
        },
        "shared": {"URINORM_VISITS": str(folder / "v.jsonl.zst")},
        "rotated": {"URINORM_VISITS": str(folder / "rotated.jsonl"), "URINORM_VISITS_ROTATE": 1000},
        "off": {},
    }  # fmt: skip
    for name in STORAGES:
        uri, storages = f"stored://{folder / name}.jsonl.gz", {"stored": f"__main__.{name}"}
        settings[name] = {"URINORM_VISITS": uri, "FEED_STORAGES": storages}
    with VisitWriter(folder / "v.jsonl.zst") as other:
        found = run(server, folder, settings)
        other.write(Visit(url="http://a.example/"))
    assert not found.errors(), found.log
    return found


@pytest.fixture(scope="module")
def failing(server: str, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    """Those whose visits do not get where they should."""
    folder = tmp_path_factory.mktemp("failing")
    (folder / "link.jsonl").symlink_to(folder / "none" / "visits.jsonl")
    uri = f"stored://{folder / 'stored.jsonl.gz'}"
    settings: dict[str, dict[str, Any]] = {
        "no folder": {"URINORM_VISITS": str(folder / "link.jsonl")},
        "refused": {"URINORM_VISITS": uri, "FEED_STORAGES": {"stored": "__main__.Broken"}},
    }
    if Path("/dev/full").exists():
        settings["full"] = {"URINORM_VISITS": "/dev/full"}
    return run(server, folder, settings)


@pytest.fixture(scope="module")
def visits(server: str, crawls: Crawls) -> dict[str, Visit]:
    found = list(read_visits([crawls.folder / "walk.jsonl.zst"]))
    stats = crawls.stats["plain"]
    assert stats["urinorm/visits/written"] == len(found)
    assert stats.get("log_count/ERROR", 0) == 0, crawls.log
    assert stats["urinorm/platform/dokuwiki"] == 1
    assert f"Recognized: dokuwiki at {server.removeprefix('http://')}/, 1 page\n" in crawls.log
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


def test_links_that_the_rules_change_have_their_keys(server: str, crawls: Crawls) -> None:
    home, *others = (visit for visit in read_visits([crawls.folder / "rules.jsonl"]) if visit.links)
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


def test_a_path_that_cannot_be_written_stops_nothing(failing: Crawls) -> None:
    assert f"cannot write to {failing.folder / 'link.jsonl'}" in failing.log
    assert "urinorm/visits/written" not in failing.stats["no folder"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_said_once_and_ends_the_recording(failing: Crawls) -> None:
    (error,) = failing.errors("/dev/full")
    assert error.endswith("URINORM_VISITS: No space left on device: /dev/full: nothing more is recorded")
    stats = failing.stats["full"]
    assert "urinorm/visits/written" not in stats
    assert stats["urinorm/visits/failed"] == 10


def test_of_a_file_that_another_crawl_writes_the_next_one_is_taken(crawls: Crawls) -> None:
    path, after = (crawls.folder / name for name in ("v.jsonl.zst", "v.1.jsonl.zst"))
    assert f"URINORM_VISITS: {path}: another process writes it; continued in {after}" in crawls.log
    assert [len(list(read_visits([one]))) for one in (path, after)] == [1, 10]


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


def test_off_by_default(crawls: Crawls) -> None:
    assert not [name for name in crawls.stats["off"] if "visits" in name]


@pytest.mark.parametrize("storage", STORAGES)
def test_a_feed_storage_gets_the_file_at_the_end(crawls: Crawls, storage: str) -> None:
    assert len(list(read_visits([crawls.folder / f"{storage}.jsonl.gz"]))) == 10
    assert crawls.stats[storage].get("log_count/ERROR", 0) == 0, crawls.log
    assert crawls.left == []


def test_what_a_feed_storage_refuses_is_kept(failing: Crawls) -> None:
    (kept,) = failing.left
    assert kept.name == "visits.jsonl.gz"
    uri = f"stored://{failing.folder / 'stored.jsonl.gz'}"
    (error,) = failing.errors(uri)
    assert f"not stored in {uri}; the visits are kept in {kept}" in error
    assert "no such bucket" in failing.log
    assert len(list(read_visits([kept]))) == 10


def test_nothing_else_goes_wrong(failing: Crawls) -> None:
    assert len(failing.errors()) == len(failing.stats)


def test_rotation(crawls: Crawls) -> None:
    assert len(list(crawls.folder.glob("rotated.*jsonl"))) >= 3
    assert len(list(read_visits([crawls.folder / "rotated*.jsonl"]))) == 10
