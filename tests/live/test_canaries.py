"""What is tested before a rule may give up what it has kept back, and what is no evidence for a rule any more."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.canaries import Canaries
from scrapy_urinorm.live.parked import TESTED, Waiting
from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.trial import CANARIES
from tests.live.sites import Site, identities_of, record


def without_from(url: str) -> str:
    """What a class of addresses has in common under a rule that drops `from`."""
    path, _, query = url.partition("?")
    return path + "?" + "&".join(item for item in query.split("&") if not item.startswith("from="))


def waiting(numbers: range, tested: list[int], *, proven: bool = False) -> list[str]:
    """Which addresses are fetched in the end, when some wait for a rule and some were tested in their turn."""
    canaries = Canaries()
    urls = {n.to_bytes(8, "little"): f"http://a.example/{n}" for n in sorted({*numbers, *tested})}
    for n, (key, url) in zip(sorted({*numbers, *tested}), urls.items(), strict=True):
        canaries.share(["rule"], proven=proven)
        if n in tested:
            canaries.fetched(["rule"], url)
        else:
            canaries.waits(Waiting(key, url, ("rule",)), proven=proven)
    chosen = [urls[key] for key in canaries.untested(str)]
    assert not canaries.untested(str)
    return chosen


def test_no_eighth_of_what_waits_is_left_without_a_test() -> None:
    assert waiting(range(3), []) == [f"http://a.example/{n}" for n in (0, 2, 1)]
    assert len(waiting(range(40), [])) >= 7
    # the ends of a series first
    assert waiting(range(8), [])[:2] == ["http://a.example/0", "http://a.example/7"]
    # those tested stand among the first ones: 9 before 10
    late = waiting(range(20), [0, 1, 2, 3, 4, 5, 6, 7, 8])
    assert late
    assert all(int(url.rpartition("/")[2]) > 9 for url in late)
    spread = [0, *range(1, 200, 5), 199]
    assert not waiting(range(200), spread)


def test_all_parts_of_a_crawl_have_their_tests_whatever_the_addresses_are() -> None:
    """The first 31 pages agreed, and the names of the last ones stand anywhere among the others."""
    canaries = Canaries()
    urls = [f"http://a.example/{random.Random(n).randrange(16**12):012x}?view=all" for n in range(480)]
    for n, url in enumerate(urls):
        canaries.share(["rule"], proven=False)
        if n < TESTED:
            canaries.fetched(["rule"], url)
        else:
            canaries.waits(Waiting(n.to_bytes(8, "little"), url, ("rule",)), proven=False)
    chosen = [int.from_bytes(key, "little") for key in canaries.untested(without_from)]
    for eighth in range(1, 8):
        assert sum(60 * eighth <= n < 60 * (eighth + 1) for n in chosen) >= 3
    assert len(chosen) <= 44
    assert not canaries.untested(without_from)


def test_where_a_rule_was_never_tested_it_is() -> None:
    canaries = Canaries()
    for n in range(20):
        canaries.fetched(["rule"], f"http://a.example/news/{n}?from=top")
    urls = [
        *(f"http://a.example/news/{n}?from=side" for n in range(5, 15)),
        *(f"http://a.example/trips?from={n}" for n in "ab"),
    ]
    for n, url in enumerate(urls):
        canaries.waits(Waiting(n.to_bytes(8, "little"), url, ("rule",)), proven=False)
    chosen = Counter(urls[int.from_bytes(key, "little")] for key in canaries.untested(without_from))
    # whose class has others with other words, too
    words = ("news/5?from=side", "trips?from=a", "trips?from=b")
    assert chosen == {f"http://a.example/{word}": 8 for word in words}
    assert not canaries.untested(without_from)


def test_a_rule_is_tested_where_it_acts_alone_whatever_acts_with_it_elsewhere() -> None:
    canaries = Canaries()
    for n in range(40):
        one = Waiting(n.to_bytes(8, "little"), f"http://a.example/{n}?from=top", ("rule", "line"))
        canaries.waits(one._replace(movers=("rule",)) if n < 30 else one, proven=n >= 30)
    assert len(canaries.untested(without_from)) > 7


def test_a_word_that_a_rule_leaves_alone_is_tested_with_one_address_of_its_class() -> None:
    canaries = Canaries()
    for n in range(20):
        canaries.fetched(["rule"], f"http://a.example/news?id={n}&from=top")
    for n, item in enumerate(["id=x1", "sort=up", "sort=down", "from=side"]):
        url = f"http://a.example/news?from=top&{item}" if n < 3 else f"http://a.example/news?{item}"
        canaries.waits(Waiting(bytes([n]), url, ("rule",)), proven=False)
    chosen = Counter(canaries.untested(without_from))
    # the first value of a parameter that the rule has not met may be a view that shows what it drops
    assert chosen == {bytes([0]): 1, bytes([1]): 8, bytes([2]): 1, bytes([3]): 8}


def test_each_of_many_places_is_tested() -> None:
    """Twenty towns with six sections: in the last one `from` may be what a list goes by."""
    canaries = Canaries()
    urls = [f"http://a.example/town{town}/{section}/?from=x" for town in "abcdefghijklmnopqrst" for section in "uvwxyz"]
    for n, url in enumerate(urls):
        canaries.waits(Waiting(bytes([n]), url, ("rule",)), proven=False)
    chosen = {urls[key[0]] for key in canaries.untested(without_from)}
    shapes = Patterns()
    for url in urls:
        shapes.of(url)
    assert {shapes.of(url).partition("?")[0] for url in urls} <= {shapes.of(url).partition("?")[0] for url in chosen}


def test_of_a_proven_line_three_are_enough() -> None:
    assert len(waiting(range(500), [], proven=True)) == CANARIES


def test_a_rule_that_many_canaries_have_tested_has_fewer() -> None:
    canaries = Canaries()
    for n in range(400):
        share = canaries.share(["rule", "other"], proven=False)
        if n < TESTED:
            assert share == 0.2
            canaries.fetched(["rule"], f"http://a.example/{n}")
    assert canaries.share(["rule"], proven=False) == pytest.approx(0.01, rel=0.01)
    assert canaries.share(["other"], proven=False) == pytest.approx(0.1, rel=0.01)
    # what two rules keep back together tests the other one, too
    assert canaries.share(["rule", "other"], proven=False) == pytest.approx(0.1, rel=0.01)


def test_however_many_wait_few_are_remembered() -> None:
    assert len(waiting(range(30_000), [])) <= 40


def test_one_canary_tests_all_rules_that_hold_it() -> None:
    canaries = Canaries()
    for n in range(3):
        canaries.waits(Waiting(bytes([n] * 8), f"http://a.example/{n}", ("one", "other")), proven=False)
    assert len(canaries.untested(str)) == 3
    assert canaries.dump() == {"one": [0, 3], "other": [0, 3]}


LATE = [
    pytest.param(5, {"noise", "deep", "sid"}, 59, 51, marks=pytest.mark.slow),
    pytest.param(6, {"turning", "deep", "print", "noise"}, 61, 48, marks=pytest.mark.slow),
    (9, {"deep"}, 76, 69),
]


@pytest.mark.parametrize(("seed", "features", "articles", "turn"), LATE)
def test_what_took_the_place_of_a_wrong_rule_loses_nothing(
    seed: int, features: set[str], articles: int, turn: int
) -> None:
    """Right for nine pages of ten, then wrong: what is found in its stead had all its evidence from the same pages."""
    site = Site(seed, features=features, articles=articles)
    site.turn = turn
    visits, identities = record(site)
    live = Simulator(visits, Options(skip=False)).crawl()
    assert identities_of(live.fetched, identities) == identities_of([visit.url for visit in visits], identities)


def test_addresses_that_grow_with_each_page_are_no_later_ends_of_a_series() -> None:
    """Filters that each link adds once more: the page that is fetched to test the last one names another one."""
    canaries, urls = Canaries(), dict[bytes, str]()

    def waits(number: int) -> None:
        key = number.to_bytes(8, "little")
        urls[key] = f"http://a.example/desks_15/?{'&'.join(['f=x'] * (number + 1))}"
        canaries.waits(Waiting(key, urls[key], ("rule",)), proven=False)

    for n in range(100):
        waits(n)
    for _ in range(100):
        for _ in canaries.untested(str):
            waits(len(urls))
    # some of those that are in no eighth that was tested, as there are more and more
    assert len(urls) < 100 + 31
