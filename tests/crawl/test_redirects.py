"""A redirect to a URL equal to its source loses no page, in any way of crawling, and every loop ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES
from tests.crawl.cases import Case, failing_variants, redirects
from tests.crawl.casework import CROWDED, MODES, PARAMETERS, Crawl, asked, asked_pairs, crawl_cases, crossed, each_third

if TYPE_CHECKING:
    from tests.crawl.site import SiteServer

CASES = redirects()
ALL = [*CASES, *failing_variants()]
REDIRECT_MAX_TIMES = 20

Crawls = dict[tuple[str, str], Crawl]


@pytest.fixture(scope="module")
def crawls(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    return crawl_cases(CASES, server, tmp_path_factory.mktemp("redirects"), pairs=asked_pairs(request))


def of_case(case: Case, crawls: Crawls) -> list[Crawl]:
    return [crawl for (name, mode), crawl in crawls.items() if name == case.name and mode != CROWDED]


@pytest.mark.parametrize(("case", "mode"), crossed(CASES, PARAMETERS))
def test_every_page_is_scraped(case: Case, mode: str, crawls: Crawls) -> None:
    crawl = crawls[case.name, mode]
    assert not crawl.lost, crawl.story()
    assert crawl.outcome.reason == "finished"


@pytest.mark.parametrize(("case", "mode"), crossed(CASES, [mode for mode in MODES if mode.startswith("links")]))
def test_few_requests_are_made(case: Case, mode: str, crawls: Crawls) -> None:
    crawl = crawls[case.name, mode]
    assert len(crawl.fetched) <= case.most, crawl.story()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_start_requests_end_at_scrapys_own_limit(case: Case, crawls: Crawls) -> None:
    """Start requests are `dont_filter`: no dupefilter is asked about their redirects."""
    for crawl in of_case(case, crawls):
        assert len(crawl.fetched) <= len(case.entry) * (REDIRECT_MAX_TIMES + 1) + len(case.pages), crawl.story()


@pytest.mark.parametrize("case", each_third(CASES), ids=lambda case: case.name)
def test_a_warm_cache_answers_what_is_cacheable(case: Case, crawls: Crawls) -> None:
    """No redirect cached for one URL answers another one, so nothing has to be asked again."""
    assert not crawls[case.name, "links, cache warm"].fetched, crawls[case.name, "links, cache warm"].story()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_goes_wrong_in_the_log(case: Case, crawls: Crawls) -> None:
    for crawl in of_case(case, crawls):
        outcome = crawl.outcome
        # on a machine that is busy for a minute a timer of Twisted fires for what has ended; it names no code of ours
        late = outcome.lines("while handling timed call", "AlreadyCalledError")
        assert not [line for line in outcome.lines("Traceback") if line not in late or "scrapy_urinorm" in line]
        assert not [line for line in outcome.lines("ERROR:") if "Gave up retrying" not in line]


@pytest.fixture(scope="module")
def copied_meta(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    directory = tmp_path_factory.mktemp("copied-meta")
    cases = asked(request, "copied", ALL)
    return crawl_cases(cases, server, directory, modes=["links"], spider="tests.crawl.spiders.FollowWithMeta")


@pytest.mark.newest
@pytest.mark.parametrize("copied", each_third(ALL), ids=lambda case: case.name)
@pytest.mark.thorough
def test_spiders_that_copy_meta_lose_nothing(copied: Case, copied_meta: Crawls) -> None:
    """What we keep in a request's meta holds for that request only."""
    crawl = copied_meta[copied.name, "links"]
    assert not crawl.lost, crawl.story()
    # the chain of redirects is Scrapy's own meta: links of the page at its end have it too, and those of equal key
    # pass as redirects to it do, each with its second chances
    passed = crawl.outcome.stats.get("urinorm/redirect_passed", 0)
    assert len(crawl.fetched) <= copied.most + passed * (1 + MAX_CHANCES), crawl.story()
