"""What the dupefilter answers, logs, counts and keeps."""

from __future__ import annotations

import inspect
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request

from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.seen import make_store
from tests.crawl.components import ADDON, crawler_with, dupefilter_of
from tests.crawl.crawling import Job, Outcome, crawl, crawl_all
from tests.crawl.site import MISSING, Site, SiteServer, moved, page
from tests.needs import needs_rocksdict

if TYPE_CHECKING:
    from pathlib import Path

SID = {"URINORM_RULES": {"rules": {"remove_params": ["sid"]}}}
ORG = "https://example.org"


class TestContract:
    def test_seen(self) -> None:
        dupefilter = opened()
        assert dupefilter.request_seen(Request(f"{ORG}/?sid=1")) is False
        assert dupefilter.request_seen(Request(f"{ORG}/?sid=1")) is True
        assert dupefilter.request_seen(Request(f"{ORG}/?sid=2")) is True
        assert dupefilter.request_seen(Request(f"{ORG}/other")) is False
        dupefilter.close("finished")

    def test_open_and_close_are_no_coroutines(self) -> None:
        """The scheduler returns what they return, and the engine waits for a Deferred only."""
        dupefilter = dupefilter_of(crawler_with({**ADDON, **SID}))
        dupefilter.open()
        assert not inspect.iscoroutinefunction(dupefilter.open)
        assert not inspect.iscoroutinefunction(dupefilter.close)
        dupefilter.close("finished")

    @needs_rocksdict
    def test_a_store_that_cannot_count_is_closed_nevertheless(self, tmp_path: Path) -> None:
        """What stays open keeps its lock, and a scheduler that cannot close keeps the crawl from its end."""
        folder = tmp_path / "seen"
        crawler = crawler_with({**ADDON, **SID, "URINORM_SEEN": f"disk:{folder}"})
        dupefilter = dupefilter_of(crawler)
        dupefilter.open()
        shutil.rmtree(folder / "rocksdb")
        dupefilter.close("finished")
        assert crawler.stats.get_value("urinorm/error") == 1
        store = make_store(f"disk:{folder}")
        store.open()
        store.close()

    @pytest.mark.parametrize("url", ["about:blank", "data:,x", "http://[::1]/", "http://exa mple/", "ftp://x/;type=a"])
    def test_odd_urls(self, url: str) -> None:
        dupefilter = opened()
        try:
            request = Request(url)
        except ValueError:
            pytest.skip("Scrapy makes no request of it")
        assert dupefilter.request_seen(request) is False
        assert dupefilter.request_seen(request.copy()) is True
        dupefilter.close("finished")

    def test_another_fingerprinter_with_long_or_short_fingerprints(self) -> None:
        for length in (1, 16, 20, 21, 70_000):
            crawler = crawler_with({**ADDON, "REQUEST_FINGERPRINTER_CLASS": sized(length)})
            dupefilter = dupefilter_of(crawler)
            dupefilter.open()
            assert [dupefilter.request_seen(Request(f"{ORG}/{n}")) for n in (1, 2, 1)] == [False, False, True]
            dupefilter.close("finished")

    @pytest.mark.parametrize(
        "kind", ["scrapy.statscollectors.MemoryStatsCollector", "tests.crawl.own_classes.Counting"]
    )
    def test_counts_with_any_collector(self, kind: str) -> None:
        crawler = crawler_with({**ADDON, **SID, "STATS_CLASS": kind})
        dupefilter = dupefilter_of(crawler)
        dupefilter.open()
        for n in range(4):
            request = Request(f"{ORG}/?sid={n}")
            if dupefilter.request_seen(request):
                dupefilter.log(request, crawler.spider)
        counted = {name: value for name, value in crawler.stats.get_stats().items() if "filtered" in name}
        assert counted == {"dupefilter/filtered": 3, "urinorm/filtered": 3, "urinorm/filtered/remove_params": 3}
        assert getattr(crawler.stats, "calls", 9) == 9
        dupefilter.close("finished")

    def test_rules_of_a_request_are_counted_as_others(self) -> None:
        crawler = crawler_with(ADDON)
        dupefilter = dupefilter_of(crawler)
        dupefilter.open()
        for n in range(3):
            request = Request(f"{ORG}/?sid={n}", meta={"urinorm": {"remove_params": ["sid"]}})
            if dupefilter.request_seen(request):
                dupefilter.log(request, crawler.spider)
        assert crawler.stats.get_value("urinorm/filtered/remove_params") == 2
        dupefilter.close("finished")

    def test_what_earlier_runs_requested_is_said(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        """Of a second run a folder may leave nothing, and no stat of Scrapy's says why."""
        caplog.set_level("INFO")
        for _ in range(2):
            dupefilter = dupefilter_of(crawler_with({**ADDON, "URINORM_SEEN_DIR": str(tmp_path)}))
            dupefilter.open()
            dupefilter.request_seen(Request(f"{ORG}/"))
            dupefilter.close("finished")
        assert caplog.messages.count(f"1 request of earlier runs is not sent again: {tmp_path}") == 1


def opened() -> Any:
    dupefilter = dupefilter_of(crawler_with({**ADDON, **SID}))
    dupefilter.open()
    return dupefilter


def sized(length: int) -> type:
    class Sized:
        def fingerprint(self, request: Request) -> bytes:
            return request.url.encode()[-1:] * length

    return Sized


LINKS = ["/p?sid=1", "/p?sid=2", "/p?sid=3", "/q?utm_source=a", "/q", "/q", "/dir", "/dir/"]
PAGES = {
    "/p?sid=1": page("p"),
    "/q?utm_source=a": page("q"),
    "/dir": moved("/dir/"),
    "/dir/": page("dir"),
}
RULES = {"rules": {"remove_params": ["sid"], "trailing_slash": "remove"}}


@pytest.fixture(scope="module")
def crawled(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    jobs = []
    for debug in (False, True):
        site = server.site({"/": page("home", *LINKS), **PAGES})
        settings = {**ADDON, "URINORM_RULES": RULES, "DUPEFILTER_DEBUG": debug}
        jobs.append(Job("debug" if debug else "quiet", [site.url()], settings))
    return crawl_all(jobs, tmp_path_factory.mktemp("dupefilter"))


def test_every_request_that_is_filtered_is_counted_once(crawled: dict[str, Outcome]) -> None:
    for outcome in crawled.values():
        assert outcome.pages == {"home", "p", "q", "dir"}
        assert outcome.stats["dupefilter/filtered"] == 5
        assert len(outcome.dropped) == 5


def test_one_line_without_debug(crawled: dict[str, Outcome]) -> None:
    lines = crawled["quiet"].lines("Filtered duplicate request")
    assert len(lines) == 1
    assert lines[0].startswith("[scrapy.dupefilters] DEBUG: Filtered duplicate request: <GET http://")
    assert "no more duplicates will be shown (see DUPEFILTER_DEBUG to show all duplicates)" in lines[0]


def test_a_line_each_with_debug(crawled: dict[str, Outcome]) -> None:
    lines = crawled["debug"].lines("Filtered duplicate request")
    assert len(lines) == 5
    assert all("(referer: http://" in line for line in lines)


@pytest.mark.parametrize(
    ("filtered", "earlier", "rule"),
    [
        ("/p?sid=2", "/p?sid=1", "remove_params"),
        ("/q>", "/q?utm_source=a", "remove_params"),
        ("/dir/", "/dir", "trailing_slash"),
    ],
)
def test_debug_says_what_it_is_equal_to_and_why(
    crawled: dict[str, Outcome], filtered: str, earlier: str, rule: str
) -> None:
    lines = [line for line in crawled["debug"].lines("is the same page as") if f"{filtered.rstrip('>')}> is" in line]
    assert lines
    assert earlier in lines[0]
    assert rule in lines[0]


def test_stats_have_our_prefix_and_are_plain_numbers(crawled: dict[str, Outcome]) -> None:
    ours = {key: value for key, value in crawled["quiet"].stats.items() if key.startswith("urinorm/")}
    assert ours
    assert all(isinstance(value, int | float) for value in ours.values())


def test_stats_count_requests_not_calls(server: SiteServer, tmp_path: Path) -> None:
    """A cache and its store ask for the fingerprint of each request again."""
    counts = []
    for cache in (False, True):
        odd = ["data:text/html,<title>a</title>", "data:text/html,<title>b</title>", "data:text/html,<title>a</title>"]
        site = server.site({"/": page("home", *LINKS, *odd), **PAGES})
        settings = {
            **ADDON,
            "URINORM_RULES": RULES,
            "HTTPCACHE_ENABLED": cache,
            "HTTPCACHE_DIR": str(tmp_path / "cache"),
        }
        outcome = crawl(Job("job", [site.url()], settings), tmp_path / str(cache))
        counts.append({key: value for key, value in outcome.stats.items() if key.startswith("urinorm/")})
        # depends on where the fingerprints fall, and these on the port
        assert counts[-1].pop("urinorm/seen/memory_bytes") > 0
    assert counts[0] == counts[1]
    assert counts[0].get("urinorm/unparsable") in (None, 3)


@pytest.mark.slow
def test_stats_are_few_however_many_names_a_site_has(server: SiteServer, tmp_path: Path) -> None:
    links = [f"/p{n}?utm_x{n}=1&sid{n}=2&sid=3" for n in range(300)]
    site = server.site({"/": page("home", *links)})
    rules = {
        "rules": {"remove_params": ["sid*", "sid"]},
        "site": {f"s{n}.test": {"www": "remove"} for n in range(200)},
    }
    outcome = crawl(Job("job", [site.url()], {**ADDON, "URINORM_RULES": rules}), tmp_path)
    assert sum(1 for key in outcome.stats if key.startswith("urinorm/")) <= 60


def test_users_and_passwords_are_not_logged(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({})
    secret = [f"http://ann:hunter2@{site.host}/p?sid={n}" for n in range(3)]
    site.routes = {"/": page("home", *secret), "/p?sid=0": MISSING}
    settings = {**ADDON, **SID, "DUPEFILTER_DEBUG": True}
    outcome = crawl(Job("job", [site.url()], settings), tmp_path)
    ours = [line for line in outcome.log if line.startswith(("[scrapy_urinorm", "[scrapy.dupefilters"))]
    assert outcome.lines("Filtered duplicate request") or outcome.stats["urinorm/second_chance"]
    assert not [line for line in ours if "hunter2" in line or "ann" in line.split("://")[-1]]
    assert "hunter2" not in str(sorted(outcome.stats))


def test_odd_links_do_not_stop_a_crawl(server: SiteServer, tmp_path: Path) -> None:
    odd = [
        "javascript:void(0)",
        "mailto:ann@example.org",
        "data:text/html,x",
        "about:blank",
        "http://[::1",
        "http://",
        "//",
        "?" + "a=1&" * 20_000,
        "http://a..b/",
        "http://exa%00mple/",
        "/%ff?%fe",
        "http://💩.test:1/",
    ]
    site = server.site({"/": page("home", "/last"), "/last": page("last")})
    requests = [{"url": url} for url in odd if ":" in url.split("/", 1)[0]]
    settings = {**ADDON, **SID, "RETRY_ENABLED": False}
    job = Job("job", [site.url()], settings, spider="tests.crawl.spiders.Requests")
    job.attributes = {"requests": [*requests, {"url": site.url("/last")}]}
    outcome = crawl(job, tmp_path)
    assert outcome.reason == "finished"
    assert "last" in outcome.pages or outcome.lines("Missing scheme")
    assert not outcome.lines("Traceback", "scrapy_urinorm")


@pytest.mark.thorough
def test_requests_are_not_leaked(server: SiteServer, tmp_path: Path) -> None:
    """Second chances hold requests, but not those whose page was served."""
    links = [f"/p{n}?sid={m}" for n in range(100) for m in range(3)]
    site = server.site({"/": page("home", *links), **{f"/p{n}?sid=0": page(f"p{n}") for n in range(100)}})
    job = Job("job", [site.url()], {**ADDON, **SID, "EXTENSIONS": {"tests.crawl.spiders.LiveRequests": 0}})
    outcome = crawl(job, tmp_path)
    assert len(outcome.pages) == 101
    assert outcome.stats["test/live_requests"] <= 10


PAGE_COUNT = 40


class TestJobDirectory:
    """A crawl that is stopped and started again: each page once, none lost."""

    def site(self, server: SiteServer) -> Site:
        pages = {
            f"/p{n}?sid={n}": page(f"p{n}", f"/p{n + 1}?sid={n + 1}", f"/p{n}?sid=x", "/dir") for n in range(PAGE_COUNT)
        }
        return server.site(
            {"/": page("home", "/p0?sid=0", "/dir"), **pages, "/dir": moved("/dir/"), "/dir/": page("dir")}
        )

    def run(self, site: Site, directory: Path, **settings: Any) -> Outcome:
        rules = {"URINORM_RULES": RULES, "JOBDIR": str(directory / "job"), "CONCURRENT_REQUESTS": 2}
        return crawl(Job("job", [site.url()], {**ADDON, **rules, **settings}), directory / str(len(site.hits)))

    def test_pause_and_resume(self, server: SiteServer, tmp_path: Path) -> None:
        site = self.site(server)
        names: set[str] = set()
        for _ in range(3):
            names |= self.run(site, tmp_path, CLOSESPIDER_PAGECOUNT=12).pages
        last = self.run(site, tmp_path)
        names |= last.pages
        assert last.reason == "finished"
        assert names == {"home", "dir", *(f"p{n}" for n in range(PAGE_COUNT))}
        numbered = [target for target in site.fetched() if target.startswith("/p")]
        assert len(numbered) - len(set(numbered)) == 0
        assert not [target for target in numbered if target.endswith("sid=x")]
        assert site.fetched("/dir", "/dir/") == ["/dir", "/dir/"]

    @pytest.mark.slow
    def test_a_finished_crawl_starts_with_nothing_to_do(self, server: SiteServer, tmp_path: Path) -> None:
        site = self.site(server)
        self.run(site, tmp_path)
        asked = len(site.hits)
        again = self.run(site, tmp_path)
        assert again.pages == {"home"}, "only the start request, which is dont_filter"
        assert len(site.hits) == asked + 1

    # two runs of one job are those of the test above, on any Scrapy
    @pytest.mark.newest
    def test_other_rules_at_resume_are_reported(self, server: SiteServer, tmp_path: Path) -> None:
        site = self.site(server)
        self.run(site, tmp_path, CLOSESPIDER_PAGECOUNT=5)
        other = self.run(site, tmp_path, URINORM_RULES={"rules": {"remove_params": ["other"]}})
        warned = [line for line in other.log if line.startswith("[scrapy_urinorm") and "WARNING" in line]
        assert len(warned) == 1
        assert "rules" in warned[0]

    @pytest.mark.slow
    def test_the_same_rules_at_resume_are_not(self, server: SiteServer, tmp_path: Path) -> None:
        site = self.site(server)
        self.run(site, tmp_path, CLOSESPIDER_PAGECOUNT=5)
        same = self.run(site, tmp_path)
        assert not [line for line in same.log if line.startswith("[scrapy_urinorm") and "WARNING" in line]

    @pytest.mark.newest
    def test_a_variant_that_waited_for_a_failure_is_not_forgotten(self, server: SiteServer, tmp_path: Path) -> None:
        """The first variant fails in the second run, after the other one was filtered in the first."""
        steps = {f"/s{n}": page(f"s{n}", f"/s{n + 1}") for n in range(20)}
        site = server.site({"/": page("home", "/s0", "/slow?sid=1", "/slow"), "/slow": page("slow"), **steps})
        settings = {"CONCURRENT_REQUESTS": 1, "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue"}
        first = self.run(site, tmp_path, CLOSESPIDER_PAGECOUNT=2, **settings)
        second = self.run(site, tmp_path, **settings)
        assert "slow" in first.pages | second.pages


def test_an_upgrade_alone_changes_no_key(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A job of an earlier version, which wrote down the versions of the packages."""
    rules = normalizer_of(crawler_with({**ADDON, **SID})).ruleset
    old = {"rules": rules.digest(), "preset": rules.preset, "can_ada": "2.0.0", "scrapy_urinorm": "0.0.1"}
    store = make_store("memory", directory=tmp_path, stamp=old)
    store.open()
    store.close()
    for settings, said in ((SID, False), (SID, False), ({}, True)):
        caplog.clear()
        dupefilter = dupefilter_of(crawler_with({**ADDON, **settings, "JOBDIR": str(tmp_path)}))
        dupefilter.open()
        dupefilter.close("finished")
        assert bool([r for r in caplog.records if "under other conditions" in r.getMessage()]) is said


def test_start_requests_are_not_recorded(server: SiteServer, tmp_path: Path) -> None:
    """As in Scrapy: a page that a callback asks for again, with another callback, must come."""
    site = server.site({"/": page("home", "/?sid=1", "/next"), "/?sid=1": page("home again"), "/next": page("next")})
    outcome = crawl(Job("job", [site.url()], {**ADDON, **SID}), tmp_path)
    assert "home again" in outcome.pages


def test_dont_filter_passes_every_time(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home"), "/p?sid=1": page("p"), "/p?sid=2": page("p")})
    job = Job("job", [site.url()], {**ADDON, **SID}, spider="tests.crawl.spiders.Requests")
    targets = ["/p?sid=1", "/p?sid=2", "/p?sid=1"]
    job.attributes = {"requests": [{"url": site.url(target), "dont_filter": True} for target in targets]}
    outcome = crawl(job, tmp_path)
    assert sorted(site.fetched("/p?sid=1", "/p?sid=2")) == sorted(targets)
    assert "dupefilter/filtered" not in outcome.stats


def test_skip_and_defer(server: SiteServer, tmp_path: Path) -> None:
    """`skip`: never requested, counted. `defer`: requested last."""
    links = ["/calendar/1", "/late/1", "/late/2", "/a", "/b", "/calendar/2"]
    site = server.site({"/": page("home", *links), **{link: page(link) for link in links}})
    where = [{"path": "/calendar/**", "skip": True}, {"path": "/late/**", "defer": True}]
    rules = {"site": {site.name: {"where": where}}}
    settings = {**ADDON, "URINORM_RULES": rules, "CONCURRENT_REQUESTS": 1}
    outcome = crawl(Job("job", [site.url()], settings), tmp_path)
    assert {"/calendar/1", "/calendar/2"}.isdisjoint(site.fetched())
    assert outcome.pages == {"home", "/a", "/b", "/late/1", "/late/2"}
    assert set(site.fetched()[-2:]) == {"/late/1", "/late/2"}
    assert [value for key, value in outcome.stats.items() if key.startswith("urinorm/") and "skip" in key] == [2]


def test_deferred_requests_wait_for_the_links_of_a_page_that_is_at_its_callback(
    server: SiteServer, tmp_path: Path
) -> None:
    links = ["/late", "/a", "/b"]
    site = server.site({"/": page("home", *links), **{link: page(link) for link in ["/slow", *links]}})
    rules = {"site": {site.name: {"where": [{"path": "/late", "defer": True}]}}}
    settings = {**ADDON, "URINORM_RULES": rules, "CONCURRENT_REQUESTS": 1}
    job = Job("job", [site.url()], settings, spider="tests.crawl.spiders.FollowSlowly")
    crawl(job, tmp_path)
    assert site.fetched()[:2] == ["/", "/slow"]
    assert site.fetched()[-1] == "/late"


@pytest.mark.parametrize(
    ("file", "live", "last"),
    [
        pytest.param({}, True, True, id="a person's file", marks=pytest.mark.thorough),
        pytest.param(
            {"evidence": [{"status": "active", "rule": "defer"}]}, False, True, id="learned", marks=pytest.mark.thorough
        ),
        pytest.param({"evidence": [{"status": "active", "rule": "defer"}]}, True, False, id="learned, and live rules"),
    ],
)
def test_what_learned_rules_defer_is_left_to_live_rules(
    server: SiteServer, tmp_path: Path, file: dict[str, Any], live: bool, last: bool
) -> None:
    """That lists bring nothing new is seen among the others, and not when there are no others any more."""
    links = ["/late", "/a", "/b"]
    site = server.site({"/": page("home", *links), **{link: page(link) for link in links}})
    rules = {"site": {site.name: {"where": [{"path": "/late", "defer": True}]}}, **file}
    first = {"SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue"}
    settings = {**ADDON, "URINORM_RULES": rules, "URINORM_LIVE": live, "CONCURRENT_REQUESTS": 1, **first}
    crawl(Job("job", [site.url()], settings), tmp_path)
    assert (site.fetched()[-1] == "/late") is last
