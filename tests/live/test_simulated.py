"""Sites made by lot, crawled again in memory under live rules: nothing is lost, whatever the rules were worth."""

from __future__ import annotations

import json

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.priors import Prior
from scrapy_urinorm.live.study import study
from scrapy_urinorm.visits.record import visit_from_row
from tests.live.sites import Site, identities_of, record

OPTIONS = Options(skip=False)
#: Of the first twenty seeds those that together, with 1, have each feature and each pair of features of the twenty.
PAIRS = (0, 3, 4, 5, 11, 13, 17)


@pytest.mark.parametrize(
    "newest_first",
    [pytest.param(False, id="breadth first", marks=pytest.mark.slow), pytest.param(True, id="depth first")],
)
@pytest.mark.parametrize(
    "seed",
    [
        1,
        *(pytest.param(n, marks=pytest.mark.slow) for n in PAIRS),
        *(pytest.param(n, marks=pytest.mark.soak) for n in range(40) if n not in (1, *PAIRS)),
    ],
)
def test_nothing_is_lost_on_a_site_made_by_lot(seed: int, newest_first: bool) -> None:
    site = Site(seed)
    visits, identities = record(site, 2_000)
    plain = Simulator(visits, OPTIONS, live=False).crawl(newest_first=newest_first)
    live = Simulator(visits, OPTIONS).crawl(newest_first=newest_first)
    met = identities_of(plain.fetched, identities)
    missed = met - identities_of(live.fetched, identities) - identities_of(live.closed, identities)
    # what is not fetched is named; of a rule that is right at first samples may miss one page that it is wrong for,
    # and such a page may be linked by another such page alone, so that nobody has met it
    wrong_for_some = bool(site.features & {"turning", "deep"})
    assert wrong_for_some or missed <= identities_of(live.parked, identities)
    assert len(missed) <= wrong_for_some
    assert len(live.fetched) <= len(plain.fetched)


@pytest.mark.thorough
def test_sessions_are_found_and_spared() -> None:
    site = Site(1, features={"sid", "ref"}, articles=80)
    visits, identities = record(site)
    plain = Simulator(visits, OPTIONS, live=False).crawl()
    live = Simulator(visits, OPTIONS).crawl()
    assert identities_of(live.fetched, identities) == identities_of(plain.fetched, identities)
    assert len(live.fetched) < 0.75 * len(plain.fetched)
    assert live.canaries


@pytest.mark.thorough
def test_links_by_chance_speak_against_a_rule_in_the_end_only() -> None:
    """Each address of the log-in page advertises other articles: in the middle of a crawl nothing else leads there."""
    site = Site(2, features={"login"}, articles=200)
    visits, identities = record(site, 9_000)
    plain = Simulator(visits, OPTIONS, live=False).crawl(newest_first=True)
    fetched = dict.fromkeys(plain.fetched[:200])
    rows = [visit.to_json() for url in fetched for visit in visits if visit.url == url]
    waiting = {visit.id: visit.url for visit in visits if visit.id is not None and visit.url not in fetched}

    def rules(fresh: int) -> list[str]:
        half = [visit_from_row(json.loads(row)) for row in rows]
        return list(study(site.host, half, OPTIONS, [], waiting=waiting, fresh=fresh).said.values())

    (rule,) = rules(1)
    assert "next" in rule
    assert not rules(0)
    live = Simulator(visits, OPTIONS).crawl(newest_first=True)
    assert identities_of(live.fetched, identities) == identities_of(plain.fetched, identities)


@pytest.mark.parametrize(
    "newest_first",
    [pytest.param(False, id="breadth first"), pytest.param(True, id="depth first", marks=pytest.mark.slow)],
)
def test_what_always_leads_to_one_page_is_closed_soon(newest_first: bool) -> None:
    site = Site(1, features={"votes"}, articles=300)
    visits, identities = record(site, 9_000)
    plain = Simulator(visits, OPTIONS, live=False).crawl(newest_first=newest_first)
    live = Simulator(visits, OPTIONS).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == identities_of(plain.fetched, identities)
    votes = [sum("/vote/" in url for url in crawl.fetched) for crawl in (plain, live)]
    assert votes[0] == 300
    assert votes[1] < 100


def test_a_site_that_never_ends_ends() -> None:
    site = Site(2, features={"calendar"}, articles=60)
    visits, identities = record(site, 3_000)
    live = Simulator(visits, OPTIONS, close=50).crawl()
    articles = {f"article {n}" for n in range(60)}
    assert articles <= identities_of(live.fetched, identities)
    assert len(live.fetched) < 60 + 10 + 120
    assert live.closed


def test_a_rule_made_wrong_in_the_middle_is_taken_back() -> None:
    """`part` is idle on the first articles and tells the later ones apart; somebody swears that it is idle."""
    site = Site(3, features={"deep"}, articles=80)
    site.turn = 30
    visits, identities = record(site)
    oath = Candidate(site.host, "remove_params", ["part"], Evidence(), "oath", "somebody swears")
    plain = Simulator(visits, OPTIONS, live=False).crawl()
    live = Simulator(visits, OPTIONS, priors=[Prior("oath", oath, proven=True)]).crawl()
    rules = [bool(said["rules"]) for _, said in live.log if said["do"] == "rules"]
    assert True in rules
    assert not rules[-1]
    assert any(said["do"] == "doubt" for _, said in live.log)
    assert identities_of(live.fetched, identities) == identities_of(plain.fetched, identities)


def test_off_it_fetches_each_address_once() -> None:
    visits, _ = record(Site(4, articles=15))
    fetched = Simulator(visits, OPTIONS, live=False).crawl().fetched
    assert len(fetched) == len(set(fetched)) == len({visit.url for visit in visits})
