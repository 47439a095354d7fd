"""A few rules before many: the same as all of them loaded, at the cost of the few."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.rulesets import scopes
from scrapy_urinorm.rulesets.before import before
from scrapy_urinorm.rulesets.ruleset import RuleSet

LEARNED = {"evidence": [{"rule": "remove_params", "scope": "s.example"}]}
ROWS: dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]] = {
    "one site": (
        [{"site": {"s.example": {"remove_params": ["a"]}}}],
        [{"site": {"t.example": {"keep_params": ["b"]}}}],
    ),
    "the same site": (
        [{"site": {"s.example": {"remove_params": ["a"]}}}],
        [{"site": {"s.example": {"remove_params": ["b"]}, "t.example": {"www": "remove"}}}],
    ),
    "a host of it": (
        [{"host": {"a.s.example": {"remove_params": ["a"]}}}],
        [{"site": {"s.example": {"www": "remove"}}}],
    ),
    "what was learned comes first": (
        [{"site": {"s.example": {"remove_params": ["a"]}}}],
        [
            {
                "preset": "loose",
                "rules": {"keep_params": ["q"]},
                "site": {"s.example": {"keep_params": ["a"]}},
                **LEARNED,
            }
        ],
    ),
    "for all sites": ([{"rules": {"remove_params": ["a"]}}], [{"rules": {"remove_params": ["b"]}, **LEARNED}]),
    "nothing": ([], [{"site": {"s.example": {"remove_params": ["b"]}}}]),
    "of none": ([{"site": {"s.example": {"remove_params": ["b"]}}}], []),
    "hosts": ([{"site": {"s.example": {"host_aliases": ["x.example"]}}}], [{"rules": {"remove_params": ["b"]}}]),
    "hosts of both": (
        [{"site": {"s.example": {"host_aliases": ["x.example"]}}}],
        [{"site": {"u.example": {"host_aliases": ["s.example"]}}}],
    ),
}
URLS = [
    f"http://{host}/p?a=1&b=2&q=3&utm_source=4"
    for host in ("s.example", "www.s.example", "a.s.example", "t.example", "x.example", "u.example", "v.example")
]


@pytest.mark.parametrize(("few", "many"), ROWS.values(), ids=ROWS.keys())
@pytest.mark.parametrize("preset", ["safe", "recommended"])
def test_it_is_as_if_all_were_loaded(few: list[dict[str, Any]], many: list[dict[str, Any]], preset: str) -> None:
    found = before(few, RuleSet.load(*many, preset="recommended"), preset)
    expected = RuleSet.load(*few, *many, preset=preset)
    assert found.digest() == expected.digest()
    assert found.to_dict() == expected.to_dict()
    assert (len(found.sites), len(found.hosts), found.count()) == (
        len(expected.sites),
        len(expected.hosts),
        expected.count(),
    )
    for host in ("s.example", "a.s.example", "t.example"):
        bodies = [[layer.body.raw for layer in one.chain(host, "")] for one in (found, expected)]
        assert bodies[0] == bodies[1]
    one, other = Normalizer(found), Normalizer(expected)
    assert [one.key(url) for url in URLS] == [other.key(url) for url in URLS]
    assert [one.decide(url) for url in URLS] == [other.decide(url) for url in URLS]


def test_a_new_version_of_live_rules_loads_none_of_the_user_s(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk([{"site": {f"s{n}.example": {"remove_params": [f"a{n}"]} for n in range(50)}}], "recommended")
    checked: list[str] = []
    check = scopes.check_body

    def counted(table: Any, report: Any, *, scope: str) -> Any:
        checked.append(scope)
        return check(table, report, scope=scope)

    monkeypatch.setattr("scrapy_urinorm.rulesets.loading.check_body", counted)
    source = {"host": {"s3.example": {"remove_params": ["from"]}}}
    rule = {"id": "r", "said": "x", "source": source}
    desk.take({"do": "rules", "site": "s3.example", "source": source, "likely": source, "rules": [rule], "rows": []})
    desk.take({"do": "platform", "site": "s3.example", "traps": [], "folds": [["line", source, {}, False]]})
    # its own table: of what is sure, of what is likely, by itself; and the line of the pack, twice
    assert len(checked) == 5
    assert desk.sites["s3.example"].sure is not None
    assert desk.sites["s3.example"].sure.key("http://s3.example/?a3=1&from=2&b=3") == "http://s3.example/?b=3"
