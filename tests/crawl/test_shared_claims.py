"""The second chance where processes share a Redis: one may find a spelling that fails, another one the page."""

from __future__ import annotations

import base64
import json
import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request

from scrapy_urinorm.crawl.filtering.crowd import text_digest
from scrapy_urinorm.crawl.filtering.shared_claims import SharedClaims
from scrapy_urinorm.crawl.requests.as_json import to_json
from scrapy_urinorm.seen.redis import RedisStore
from scrapy_urinorm.seen.redis_outcomes import RedisOutcomes, Variant
from tests.crawl.cases import Case, failing_variants
from tests.crawl.casework import Crawl, asked, crawl_cases, each_third, with_addon
from tests.crawl.components import crawler_with
from tests.crawl.crawling import Job, Outcome, crawl_all
from tests.crawl.site import MISSING, Site, SiteServer, page
from tests.crawl.test_second_chance import CIRCLES, MOST_EXTRA, NOT_NEEDED, SID
from tests.seen.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytest.importorskip("redis")

CASES = failing_variants()
#: Crawls of workers by the scheduler that they have: a queue of its own for each, or one in Redis.
SCHEDULERS: dict[str, dict[str, Any]] = {
    "Scrapy": {},
    "scrapy-redis": {"SCHEDULER": "tests.crawl.fleet_workers.Stock", "SCHEDULER_PERSIST": True},
    "the example": {
        "SCHEDULER": "tests.crawl.fleet_workers.Example",
        "SCHEDULER_QUEUE_CLASS": "fleetcrawl.queue.RecoveringQueue",
        "SCHEDULER_PERSIST": True,
    },
}


@pytest.fixture(scope="module")
def redis(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server.url


def shared(redis: str, site: Site, scheduler: str = "Scrapy") -> dict[str, Any]:
    """What workers need to share what they have seen of a site."""
    if scheduler != "Scrapy":
        pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    queue = {"REDIS_URL": redis, "SCHEDULER_QUEUE_KEY": f"{site.name}:requests"}
    return {"URINORM_SEEN": redis, "URINORM_SEEN_PREFIX": site.name, **queue, **SCHEDULERS[scheduler]}


ALL = [*CASES, *CIRCLES, *NOT_NEEDED]


@pytest.fixture(scope="module")
def alone(
    request: pytest.FixtureRequest, redis: str, server: SiteServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[tuple[str, str], Crawl]:
    def settings(case: Case, site: Site) -> dict[str, Any]:
        return {**with_addon(case, site), **shared(redis, site)}

    cases = asked(request, "case", ALL)
    return crawl_cases(cases, server, tmp_path_factory.mktemp("alone"), modes=["links"], settings=settings)


@pytest.mark.newest
@pytest.mark.parametrize("case", each_third(ALL), ids=lambda case: case.name)
def test_one_process_loses_as_little_as_without_redis(case: Case, alone: dict[tuple[str, str], Crawl]) -> None:
    crawl = alone[case.name, "links"]
    assert not crawl.lost, crawl.story()
    assert len(crawl.fetched) <= case.most, crawl.story()
    assert crawl.outcome.stats.get("urinorm/second_chance", 0) <= (0 if case in NOT_NEEDED else MOST_EXTRA)
    assert "urinorm/error" not in crawl.outcome.stats


# ---------------------------------------------------------------------- several workers


def workers(case: Case, site: Site, settings: dict[str, Any]) -> list[Job]:
    """One worker for each spelling that a case begins with."""
    given = {**case.settings, **with_addon(case, site), **settings}
    attributes = {"impatient": case.impatient, **({"allowed_domains": [site.name]} if case.stay else {})}
    return [
        Job(f"{case.name}: {n}", [site.url(f"/home{n}")], given, attributes=attributes) for n in range(len(case.entry))
    ]


def site_of(case: Case, server: SiteServer) -> Site:
    homes = {f"/home{n}": page("home", entry) for n, entry in enumerate(case.entry)}
    return server.site({**homes, **case.routes}, default_ports=case.default_ports)


WITHOUT_PROXY = [one for one in [*CASES, *CIRCLES] if not one.default_ports]


@pytest.fixture(scope="module", params=[*SCHEDULERS])
def fleet(
    request: pytest.FixtureRequest, redis: str, server: SiteServer, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Outcome]]:
    """What the workers of each case did, all at the same time."""
    jobs = {}
    for case in WITHOUT_PROXY:
        site = site_of(case, server)
        jobs[case.name] = workers(case, site, shared(redis, site, request.param))
    outcomes = crawl_all([job for some in jobs.values() for job in some], tmp_path_factory.mktemp("fleet"))
    return {name: [outcomes[job.id] for job in some] for name, some in jobs.items()}


@pytest.mark.slow
@pytest.mark.parametrize("case", WITHOUT_PROXY, ids=lambda case: case.name)
def test_workers_that_find_a_spelling_each_lose_nothing(case: Case, fleet: dict[str, list[Outcome]]) -> None:
    outcomes = fleet[case.name]
    # another spelling may come before the one that leads to the log-in page
    lost = case.pages - {"log-in"} - {one for outcome in outcomes for one in outcome.pages}
    assert not lost, [outcome.log for outcome in outcomes]
    assert sum(outcome.stats.get("urinorm/second_chance", 0) for outcome in outcomes) <= MOST_EXTRA
    assert not [outcome.stats for outcome in outcomes if "urinorm/error" in outcome.stats]


@pytest.mark.newest
@pytest.mark.parametrize(
    "order",
    [pytest.param((0, 1), id="the failure first"), pytest.param((1, 0), id="the page first", marks=pytest.mark.slow)],
)
@pytest.mark.parametrize("scheduler", ["Scrapy", "scrapy-redis", pytest.param("the example", marks=pytest.mark.slow)])
def test_one_worker_after_the_other(
    order: tuple[int, int], scheduler: str, redis: str, server: SiteServer, tmp_path: Path
) -> None:
    """Twenty pages, of each of which one worker finds an address that is missing; the other one finds the good one."""
    good, bad = [f"/p{n}" for n in range(20)], [f"/p{n}?sid=7" for n in range(20)]
    routes = {"/bad": page("bad", *bad), "/good": page("good", *good), **{one: page(one) for one in good}}
    site = server.site({**routes, **dict.fromkeys(bad, MISSING)})
    settings = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "URINORM_RULES": {"rules": SID}}
    settings |= shared(redis, site, scheduler)
    met: set[str] = set()
    for n in order:
        job = Job("job", [site.url(("/bad", "/good")[n])], settings)
        outcome = crawl_all([job], tmp_path / str(n))["job"]
        assert "urinorm/error" not in outcome.stats
        met |= outcome.pages
    assert met == {"bad", "good", *good}


@pytest.mark.newest
def test_what_finds_no_room_in_redis_is_requested_at_once(redis: str, server: SiteServer, tmp_path: Path) -> None:
    """Session ids in all links, so that each page has other spellings, of which three may wait."""
    pages = [f"/p{n}" for n in range(40)]
    links = [f"{one}?sid={n}" for n in range(3) for one in pages]
    site = server.site({"/": page("home", *links), **{link: page(link.partition("?")[0]) for link in links}})
    settings = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "URINORM_RULES": {"rules": SID}, **shared(redis, site)}
    # the queue is full before the first page comes, and Redis is asked of a batch
    settings |= {"URINORM_SECOND_CHANCE_LIMIT": 1, "CONCURRENT_REQUESTS": 1}
    outcome = crawl_all(
        [Job("job", [site.url()], settings, spider="tests.crawl.fleet_workers.FollowAskingOften")], tmp_path
    )["job"]
    assert outcome.pages == {"home", *pages}
    stats = outcome.stats
    assert 0 < stats["urinorm/second_chance_hurried"] <= stats["urinorm/second_chance"] <= 2 * len(pages)
    assert len(outcome.lines("variants of pages under way are requested at once")) == 1


class Unpickled:
    """What tells that it was unpickled."""

    seen: ClassVar[list[str]] = []

    def __reduce__(self) -> tuple[Any, ...]:
        return self.seen.append, ("unpickled",)


@pytest.mark.parametrize(
    "row",
    [
        base64.b64encode(pickle.dumps(Unpickled())).decode(),
        {"pickle": base64.b64encode(pickle.dumps(Unpickled())).decode()},
        {"url": "http://a.example/p?sid=2", "callback": "a_method_of_another_version"},
        {"url": "http://a.example/p?sid=2", "_class": "os.system"},
        7,
    ],
    ids=["a text that is a pickle", "a pickle", "another callback", "no class of requests", "a number"],
)
def test_what_cannot_be_read_is_not_run_and_gives_way_to_the_next(
    row: Any, redis: str, caplog: pytest.LogCaptureFixture
) -> None:
    crawler = crawler_with({})
    crawler.spider = spider = crawler._create_spider("pages")
    store = RedisStore(redis, prefix=f"unread {json.dumps(row)}")
    store.open()
    claims = SharedClaims(crawler, store, 10, str, lambda chances: None)
    fp = b"page".ljust(20)
    store.add(fp, lambda: claims.digest("http://a.example/p?sid=1"))
    good = to_json(Request("http://a.example/p?sid=3"), spider)
    waiting = [Variant(fp, text_digest(str(n)), json.dumps(one).encode()) for n, one in enumerate((row, good))]
    RedisOutcomes(store, chances=2, room=10).offer(waiting)
    found = claims.failed(fp, "http://a.example/p?sid=1")
    assert [(key, request.url, chance) for key, request, chance in found] == [(fp, "http://a.example/p?sid=3", 2)]
    assert Unpickled.seen == []
    assert "A request in Redis cannot be read by this spider, and is left out" in caplog.text
    store.close()
