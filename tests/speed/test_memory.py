"""What a normalizer remembers is bounded, and forgetting changes nothing."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from benchmarks.under_rules import TEN_LINES, added, our_filter, scrapy_filter
from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import sites
from scrapy_urinorm.engine.plan import Plan

if TYPE_CHECKING:
    import pytest

COUNT = 60
RULES = {"site": {f"site{n}.example": {"remove_params": [f"p{n}"]} for n in range(COUNT)}}
WEIGHT = Normalizer(RULES).sites.plan_of("site0.example").weight


def urls() -> list[str]:
    """Sites with rules of their own, each after a host that has none."""
    sites = [f"http://site{n}.example/x?p{n}=1&p{n + 1}=2&utm_source=a" for n in range(COUNT)]
    return [url for n, site in enumerate(sites) for url in (f"http://other{n % 3}.example/?b=1&p{n}=2", site)]


def plans() -> int:
    gc.collect()
    return sum(isinstance(one, Plan) for one in gc.get_objects())


def test_plans_of_many_sites_are_forgotten_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [Normalizer(RULES).key(url) for url in urls()]
    monkeypatch.setattr(sites, "MAX_WEIGHT", 8 * WEIGHT)
    normalizer = Normalizer(RULES)
    before = plans()
    for _ in range(2):
        assert [normalizer.key(url) for url in urls()] == expected
    assert 4 <= plans() - before <= 8


def test_a_plan_that_many_hosts_share_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "MAX_WEIGHT", 8 * WEIGHT)
    normalizer = Normalizer(RULES)
    normalizer.key("http://other.example/")
    shared = normalizer.sites.known["http://other.example"].plan
    for url in urls():
        normalizer.key(url)
    assert normalizer.sites.known["http://other.example"].plan is shared


def test_a_queued_request_costs_hardly_more_than_with_scrapy_alone() -> None:
    assert added(our_filter({"rules": TEN_LINES}), 3000) <= added(scrapy_filter(), 3000) + 120
