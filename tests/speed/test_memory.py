"""What a normalizer remembers is bounded, and forgetting changes nothing."""

from __future__ import annotations

import gc

import pytest

from benchmarks.under_rules import TEN_LINES, added, our_filter, scrapy_filter
from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import sites, steps
from scrapy_urinorm.engine.plan import Plan

COUNT = 24
RULES = {"site": {f"site{n}.example": {"remove_params": [f"p{n}"]} for n in range(COUNT)}}
WEIGHT = Normalizer(RULES).sites.plan_of("site0.example").weight


def urls() -> list[str]:
    """Sites with rules of their own, each after a host that has none."""
    sites = [f"http://site{n}.example/x?p{n}=1&p{n + 1}=2&utm_source=a" for n in range(COUNT)]
    return [url for n, site in enumerate(sites) for url in (f"http://other{n % 3}.example/?b=1&p{n}=2", site)]


def plans() -> int:
    gc.collect()
    return sum(isinstance(one, Plan) for one in gc.get_objects())


@pytest.mark.slow
def test_plans_of_many_sites_are_forgotten_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [Normalizer(RULES).key(url) for url in urls()]
    monkeypatch.setattr(sites, "MAX_WEIGHT", 8 * WEIGHT)
    monkeypatch.setattr(sites.Sites, "_weight_of_all", 0)
    normalizer = Normalizer(RULES)
    before = plans()
    for _ in range(2):
        assert [normalizer.key(url) for url in urls()] == expected
    assert 4 <= plans() - before <= 8


def test_there_is_room_for_a_plan_of_each_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MAX_WEIGHT", 8 * WEIGHT)
    normalizer = Normalizer(RULES)
    made = []
    for _ in range(2):
        for url in urls():
            normalizer.key(url)
        made.append([normalizer.sites.known[f"http://site{n}.example"].plan for n in range(COUNT)])
    assert made[0] == made[1]


def test_plans_at_rest_know_what_they_knew(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = {"rules": TEN_LINES, **RULES}
    more = [url.replace("x?", path) for url in urls() for path in ("x;y?", "forum/story_7?q=1&t=2&", "x?sid=1&")]
    expected = [Normalizer(rules).key(url) for url in (*urls(), *more)]
    monkeypatch.setattr(steps, "MAX_AWAKE", 3)
    normalizer = Normalizer(rules)
    for _ in range(2):
        assert [normalizer.key(url) for url in (*urls(), *more)] == expected


@pytest.mark.parametrize("told", [True, False])
def test_a_program_at_hand_stays_good_when_its_plan_rests(told: bool) -> None:
    # another thread may have it, or have woken the plan in between
    plan = Normalizer({"rules": TEN_LINES, **RULES}).sites.plan_of("site1.example")
    if not told:
        plan.fast = None
    base = plan.base
    names = ["sid", "other", "utm_source"]
    expected = {name: bool(base.concerns[name]) for name in names}
    assert True in expected.values()
    plan.rest()
    base.concerns.clear()
    assert {name: bool(base.concerns[name]) for name in names} == expected
    plan.rest()
    assert plan.base is not None
    base.concerns.sleep(plan, ())
    base.concerns.clear()
    assert {name: bool(base.concerns[name]) for name in names} == expected


def test_a_plan_that_many_hosts_share_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MAX_WEIGHT", 8 * WEIGHT)
    monkeypatch.setattr(sites.Sites, "_weight_of_all", 0)
    normalizer = Normalizer(RULES)
    normalizer.key("http://other.example/")
    shared = normalizer.sites.known["http://other.example"].plan
    for url in urls():
        normalizer.key(url)
    assert normalizer.sites.known["http://other.example"].plan is shared


# Scrapy before 2.16 asks for it when it installs a reactor, of which Python 3.14 warns
@pytest.mark.filterwarnings("ignore:'asyncio.get_event_loop_policy' is deprecated:DeprecationWarning")
@pytest.mark.thorough
def test_a_queued_request_costs_hardly_more_than_with_scrapy_alone() -> None:
    assert added(our_filter({"rules": TEN_LINES}), 3000) <= added(scrapy_filter(), 3000) + 120
