"""Sites of the second generator, crawled again under live rules, and a second time by the rules that `learn` makes."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.learner import learn
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.visits.record import visit_from_row
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.programs import Place, Shop, place
from tests.live.served import Served
from tests.live.sites import identities_of, record
from tests.live.test_crawl import FIFO, all_pages, live, pages

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.visits import Visit

OPTIONS = Options(skip=False)
SMALL, MOST = 400, 1_200


@lru_cache(1)
def recorded(seed: int, most: int) -> tuple[list[Visit], dict[str, str]]:
    """The visits and identities of a site, once for the tests of it that follow each other."""
    return record(place(seed, most))


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    ("seed", "most"),
    [
        (1, SMALL),
        # of 26 a rule acts in a folder of which one page alone was seen
        *(pytest.param(n, MOST, marks=pytest.mark.slow) for n in (0, 2, 3, 5, 26)),
        *(pytest.param(n, MOST, marks=pytest.mark.soak) for n in range(6, 200) if n != 26),
    ],
)
def test_nothing_is_lost_on_a_site_of_programs(seed: int, most: int, newest_first: bool) -> None:
    visits, identities = recorded(seed, most)
    plain = Simulator(visits, OPTIONS, live=False).crawl(newest_first=newest_first)
    found = Simulator(visits, OPTIONS).crawl(newest_first=newest_first)
    met = identities_of(plain.fetched, identities)
    assert identities_of([*found.fetched, *found.closed], identities) == met
    # in another order another spelling of a page comes first, whose links may have a spelling more of others
    assert len(found.fetched) <= 1.01 * len(plain.fetched)


@pytest.mark.slow
@IN_BOTH_ORDERS
@pytest.mark.parametrize("seed", [1, 3])
def test_a_value_that_was_not_there_when_a_rule_was_learned_is_tested(seed: int, newest_first: bool) -> None:
    site = Place(seed, [Shop], [])
    site.programs["shop"].has = {"sizes", "late"}
    site.programs["shop"].count = 240
    visits, identities = record(site)
    found = Simulator(visits, OPTIONS).crawl(newest_first=newest_first)
    assert identities_of(found.fetched, identities) == set(identities.values())


@pytest.mark.slow
@pytest.mark.parametrize("options", [Options(jobs=1), Options(jobs=1).strict()], ids=["default", "strict"])
@pytest.mark.parametrize("seed", range(3))
def test_a_second_crawl_by_what_was_learned_loses_nothing(seed: int, options: Options) -> None:
    visits, identities = recorded(seed, SMALL)
    rules = learn([visit_from_row(json.loads(visit.to_json())) for visit in visits], options).rules
    second = Simulator(visits, OPTIONS, [rules], live=False).crawl()
    assert identities_of(second.fetched, identities) == set(identities.values())


@pytest.mark.parametrize(
    "seed",
    [
        *(pytest.param(n, marks=pytest.mark.slow) for n in range(2)),
        *(pytest.param(n, marks=pytest.mark.soak) for n in range(2, 10)),
    ],
)
def test_a_real_crawl_of_such_a_site_loses_nothing(tmp_path: Path, seed: int) -> None:
    site = place(seed, SMALL)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, **(FIFO if seed % 2 else {}))
        assert outcome.reason == "finished"
        assert not outcome.lines("ERROR")
        kept = tmp_path / "urinorm.parked.jsonl"
        named = [json.loads(line)["url"] for line in kept.read_text("utf-8").splitlines()] if kept.exists() else []
        assert served.identities([*pages(tmp_path), *named]) == all_pages(site)
