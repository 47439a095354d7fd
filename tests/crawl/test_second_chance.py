"""A variant that failed does not speak for the others: a later one that serves the page is fetched, within bounds."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest

from tests.crawl.cases import Case, case, failing_variants
from tests.crawl.casework import CROWDED, FIFO, MODES, Crawl, asked, asked_pairs, crawl_cases, crossed, with_addon
from tests.crawl.components import ADDON
from tests.crawl.crawling import Job, crawl_all
from tests.crawl.site import Reply, Route, Site, SiteServer, by_cookie, in_turn, moved, page, refresh

CASES = failing_variants()
LINKS = [mode for mode in MODES if mode.startswith("links")]
#: What a cache answers is shown on the oldest Scrapy by the redirects of `test_redirects`.
PARAMETERS = [pytest.param(mode, marks=[pytest.mark.newest] * ("cache" in mode)) for mode in LINKS]
IN_A_CROWD = pytest.param(CROWDED, marks=pytest.mark.newest)
MOST_EXTRA = 2

if TYPE_CHECKING:
    from pathlib import Path

Crawls = dict[tuple[str, str], Crawl]


@pytest.fixture(scope="module")
def crawls(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    return crawl_cases(CASES, server, tmp_path_factory.mktemp("second-chance"), pairs=asked_pairs(request))


@pytest.mark.parametrize(("case", "mode"), crossed(CASES, [*PARAMETERS, IN_A_CROWD]))
def test_the_page_is_scraped(case: Case, mode: str, crawls: Crawls) -> None:
    crawl = crawls[case.name, mode]
    # in a crowd another variant may come first, and the one that leads to the log-in page not at all
    assert not crawl.lost - ({"log-in"} if mode == CROWDED else set()), crawl.story()
    assert crawl.outcome.reason == "finished"


@pytest.mark.parametrize(("case", "mode"), crossed(CASES, PARAMETERS))
def test_the_extra_requests_are_bounded(case: Case, mode: str, crawls: Crawls) -> None:
    crawl = crawls[case.name, mode]
    assert len(crawl.fetched) <= case.most, crawl.story()


@pytest.mark.parametrize(("case", "mode"), crossed(CASES, PARAMETERS))
def test_second_chances_are_counted(case: Case, mode: str, crawls: Crawls) -> None:
    """With a warm cache the page may come at once: it was stored under the fingerprint that all variants share."""
    least = 0 if mode.endswith("warm") else 1
    stats = crawls[case.name, mode].outcome.stats
    assert least <= stats.get("urinorm/second_chance", 0) <= MOST_EXTRA


SID = {"remove_params": ["sid"]}
NOT_NEEDED = [
    case(
        "the first variant serves",
        SID,
        ["/p?sid=1", "/p?sid=2", "/p"],
        {"/p?sid=1": page("p"), "/p?sid=2": page("p"), "/p": page("p")},
        "p",
        most=1,
    ),
    case(
        "the same address again after a 404",
        SID,
        ["/p?sid=1", "/next"],
        {"/next": page("next", "/p?sid=1")},
        "next",
        most=2,
    ),
    case(
        "the same address with another fragment after a 404",
        SID,
        ["/p?sid=1", "/next"],
        {"/next": page("next", "/p?sid=1#top")},
        "next",
        most=2,
    ),
    case(
        "302 to itself, then served",
        SID,
        ["/p", "/p?sid=2"],
        {"/p": moved("/p?sid=1", 302), "/p?sid=1": page("p"), "/p?sid=2": page("p")},
        "p",
        most=2,
    ),
    case(
        "302 to a consent page and back, then served",
        {"trailing_slash": "remove"},
        ["/p", "/p/"],
        {
            "/p": by_cookie("ok", page("p"), moved("/consent", 302)),
            "/consent": moved("/p", 302, cookie="ok=1"),
            "/p/": page("p"),
        },
        "p",
        most=3,
    ),
    case(
        "301 to https, then served",
        SID,
        ["/p?sid=1", "/p?sid=2"],
        {"/p?sid=1": moved("https://{host}/p?sid=1"), "https:/p?sid=1": page("p")},
        "p",
        most=2,
        default_ports=True,
    ),
    case(
        "301 to www, then served",
        SID,
        ["/p?sid=1", "/p?sid=2"],
        {"/p?sid=1": moved("http://www.{host}/p?sid=1"), "www./p?sid=1": page("p")},
        "p",
        most=2,
    ),
    case(
        "503, then served",
        SID,
        ["/p?sid=1", "/p?sid=2"],
        {"/p?sid=1": in_turn(page("busy", status=503), page("p")), "/p?sid=2": page("p")},
        "p",
        most=2,
    ),
    case("no rule, a 404 that is linked twice", {}, ["/gone", "/gone", "/gone?"], {}, "", most=1),
]


@pytest.fixture(scope="module")
def calm_crawls(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    return crawl_cases(NOT_NEEDED, server, tmp_path_factory.mktemp("calm"), modes=["links"])


@pytest.mark.parametrize("case", NOT_NEEDED, ids=lambda case: case.name)
def test_no_second_chance_where_none_is_needed(case: Case, calm_crawls: Crawls) -> None:
    crawl = calm_crawls[case.name, "links"]
    assert not crawl.lost, crawl.story()
    assert len(crawl.fetched) <= case.most, crawl.story()
    assert not crawl.outcome.stats.get("urinorm/second_chance")


STARTS = [mode for mode in MODES if mode.startswith("starts")]
FIRST, SECOND, GOOD = "/p?sid=1", "/p?sid=2", "/p"


def circle(name: str, **routes: Route) -> Case:
    """What the first spelling comes to when it goes through others of its key; the last one serves."""
    named = {"first": FIRST, "second": SECOND, "login": "/login"}
    table = {named[key]: route for key, route in routes.items()}
    pages = "p log-in" if "login" in routes else "p"
    # the first one has come to its end, in the cache, before the others are asked for
    settings = {"CONCURRENT_REQUESTS": 1}
    return case(name, SID, [FIRST, SECOND, GOOD], {**table, GOOD: page("p")}, pages, most=17, settings=settings)


def packed(reply: Reply) -> Reply:
    """The reply as most servers send it."""
    assert isinstance(reply.body, str)
    return Reply(reply.status, gzip.compress(reply.body.encode()), (*reply.headers, ("Content-Encoding", "gzip")))


CIRCLES = [
    circle("302 to itself for ever", first=moved(FIRST, 302)),
    circle("in turns for ever", first=moved(SECOND, 302), second=moved(FIRST, 302)),
    circle("302 to a spelling that is missing", first=moved(SECOND, 302)),
    circle(
        "302 to a spelling that wants a log-in", first=moved(SECOND, 302), second=moved("/login"), login=page("log-in")
    ),
    circle("302 to no address", first=moved("http://[::1/", 302)),
    circle("a page that sends to itself", first=packed(refresh(FIRST))),
    circle("pages that send to each other", first=packed(refresh(SECOND)), second=refresh(FIRST)),
    circle("a page that sends to a log-in page", first=packed(refresh("/login")), login=page("log-in")),
]


@pytest.fixture(scope="module")
def started(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    # what is found to be too large when Scrapy unpacks it, after the cache, is told to nobody (docs/limits.md)
    cases = [case for case in CASES if "unpacked" not in case.name]
    modes = asked(request, "starts", STARTS)
    step = min(asked(request, "step", (1, 3)))
    return crawl_cases([*cases[::step], *CIRCLES], server, tmp_path_factory.mktemp("starts"), modes=modes)


@pytest.mark.parametrize(
    "starts", [pytest.param(mode, marks=[pytest.mark.slow] * (mode != "starts, cache cold")) for mode in STARTS]
)
@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 3], ids=["all cases", "each third"])
@pytest.mark.newest
def test_a_cached_failure_speaks_for_its_own_url_only(started: Crawls, starts: str, step: int) -> None:
    """A start request failed and is in the cache under the key; it is in no filter, so a variant is new.

    So does a cached redirect elsewhere.
    """
    crawls = [crawl for (_, mode), crawl in started.items() if mode == starts]
    assert len(crawls) >= len(CASES) // step
    for crawl in crawls:
        assert not crawl.lost - {"log-in"}, crawl.story()
        if "later" in crawl.case.name or (crawl.case in CIRCLES and "cache" in starts):
            assert len(crawl.fetched) <= crawl.case.most, crawl.story()


@pytest.fixture(scope="module")
def strict_crawls(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    def settings(case: Case, site: Site) -> dict[str, object]:
        return {**with_addon(case, site), "URINORM_SECOND_CHANCE": False}

    return crawl_cases(CASES, server, tmp_path_factory.mktemp("strict"), modes=["links"], settings=settings)


@pytest.mark.newest
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_second_chances_can_be_turned_off(case: Case, strict_crawls: Crawls) -> None:
    crawl = strict_crawls[case.name, "links"]
    assert not crawl.outcome.stats.get("urinorm/second_chance"), crawl.story()
    assert crawl.outcome.reason == "finished"


@pytest.mark.newest
def test_turning_them_off_is_what_loses_the_pages(strict_crawls: Crawls) -> None:
    """Otherwise the cases above would prove nothing."""
    lost = [case.name for case in CASES if strict_crawls[case.name, "links"].lost]
    served = [case.name for case in CASES if case.pages - {"other", "log-in"}]
    assert lost == served


def test_a_request_that_cannot_be_copied(server: SiteServer, tmp_path: Path) -> None:
    site = server.site({"/": page("home", "/p?sid=1", "/p"), "/p": page("p")})
    settings = {**ADDON, "URINORM_RULES": {"rules": SID}}
    job = Job("job", [site.url()], settings, spider="tests.crawl.spiders.FollowWithOwnRequests")
    outcome = crawl_all([job], tmp_path)["job"]
    assert outcome.pages == {"home", "p"}
    assert not outcome.lines("Traceback")


PAIRS = 80


@pytest.mark.parametrize("order", ["last in first out", pytest.param("first in first out", marks=pytest.mark.slow)])
@pytest.mark.thorough
def test_more_keys_under_way_than_claims(order: str, server: SiteServer, tmp_path: Path) -> None:
    """Each page has a variant that is missing, found first, and one that serves it; both wait in the queue together."""
    missing, good = ([f"/p{n}?sid={n}" for n in range(PAIRS)], [f"/p{n}" for n in range(PAIRS)])
    jobs = []
    for links in ([*missing, *good], [link for pair in zip(missing, good, strict=True) for link in pair]):
        site = server.site({"/": page("home", *links), **{link: page(link) for link in good}})
        settings = {**ADDON, "URINORM_RULES": {"rules": SID}, "URINORM_SECOND_CHANCE_LIMIT": 20}
        if order.startswith("first"):
            settings["SCHEDULER_MEMORY_QUEUE"] = FIFO
        jobs.append(Job(site.name, [site.url()], settings))
    for outcome in crawl_all(jobs, tmp_path).values():
        assert outcome.pages == {"home", *good}
        assert outcome.stats["urinorm/second_chance"] <= 2 * PAIRS
        hurried = outcome.stats["urinorm/second_chance_hurried"]
        assert hurried > 0
        assert len(outcome.lines("URINORM_SECOND_CHANCE_LIMIT (20) is reached")) == 1
