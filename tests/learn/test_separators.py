"""Queries that are split at `;`: learned with evidence, and not where pages speak against it."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.in_memory import InMemory
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import Options, learn, learn_file, to_toml
from scrapy_urinorm.live.questions import live_rule, moved_by
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.live.study import study
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site
from tests.learn.test_again import written

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.visits.record import Visit

STOPS = ("oslo", "rome", "kyiv", "bern", "riga", "bonn", "lima", "cork")


def trips(query: str, *, there_and_back: bool = True) -> Site:
    """A timetable, where the way back may be another page or the same."""
    site = Site("http://a.example")
    for a, b in permutations(STOPS, 2):
        site.add(f"/trip?{query.format(a, b)}", f"from {a} to {b}" if there_and_back else " ".join(sorted((a, b))))
    return site


def addresses_lost(site: Site, rules: dict[str, Any]) -> int:
    key = Normalizer(rules).key
    return len(set(site.pages.values())) - len({key(url) for url in site.pages})


def test_a_way_and_the_way_back_stay_two_pages() -> None:
    site = trips("stop={};stop={}")
    result = learn(site.visits())
    assert {one.rule for one in result.active} == {"semicolon_separators", "sort_query"}
    assert addresses_lost(site, result.rules) == 0


def test_names_whose_order_matters_are_not_split() -> None:
    site = trips("from={};to=x;x=1")
    for a, b in permutations(STOPS, 2):
        site.add(f"/trip?x=1;to=x;from={a}", f"another way from {a} and {b}")
    result = learn(site.visits())
    assert result.active == []
    assert addresses_lost(site, result.rules) == 0
    (refused,) = (one for one in result.others if one.rule == "semicolon_separators")
    assert (refused.status, len(refused.counterexamples)) == ("rejected", 3)
    assert refused.evidence.against == len(STOPS)


@pytest.mark.parametrize(
    ("query", "split"),
    [
        ("board={};sort=views;desc", True),
        ("action=calendar;viewlist;year={};month=2", True),
        ("tags={};red;blue", False),
        ("board={};sort=views;desc;2", False),
        ("stops={};bonn;celle;by=train", False),
        ("sort={};asc;then=name;desc", False),
        ("board={};sort=views&desc", False),
        ("viewlist;board={};sort=views", False),
    ],
)
def test_a_word_without_a_value_is_a_parameter_beside_two_that_have_one(query: str, *, split: bool) -> None:
    site = Site("http://a.example")
    for n in range(8):
        site.add(f"/index.php?{query.format(n)}", f"page {n}")
    assert ("a.example" in learn(site.visits()).rules.get("host", {})) is split


def test_what_is_learned_has_its_row_of_evidence() -> None:
    site = trips("stop={};day=1")
    for a in STOPS:
        site.add(f"/trip?day=1;stop={a}", site.pages[f"http://a.example/trip?stop={a};day=1"][0])
    result = learn(site.visits())
    (row,) = (one for one in result.active if one.rule == "semicolon_separators")
    assert (row.evidence.agree, row.evidence.against, row.saved, row.this_host) == (8, 0, 8, True)
    assert row.examples[0] == ("http://a.example/trip?stop=oslo;day=1", "http://a.example/trip?day=1;stop=oslo")
    assert 'rule = "semicolon_separators"' in to_toml(result)
    assert (result.urls, result.keys) == (len(site.pages), len(site.pages) - 8)


@pytest.mark.parametrize("mode", ["off", "key"])
def test_nothing_is_sorted_that_was_not_before(mode: str) -> None:
    rules = [{"site": {"a.example": {"sort_query": mode}}}]
    found = learn(trips("stop={};stop={}").visits(), rules=rules)
    assert found.rules["host"] == {"a.example": {"semicolon_separators": True}}


@pytest.mark.parametrize("with_rows", [True, False])
def test_learning_again_keeps_it_until_pages_speak_against_it(tmp_path: Path, with_rows: bool) -> None:
    """As it does of a file from before there were rows for it."""
    path, site = tmp_path / "learned.toml", trips("stop={};day={}")
    learn_file([written(tmp_path, "first.jsonl", site.visits())], path)
    if not with_rows:
        path.write_text('[host."a.example"]\nsemicolon_separators = true\n')
    learn_file([written(tmp_path, "few.jsonl", site.visits()[:3])], path)
    assert 'rule = "semicolon_separators"' in path.read_text()
    assert path.read_text().count("\nsemicolon_separators = true") == 1
    for a, b in permutations(STOPS, 2):
        site.add(f"/trip?day={b};stop={a}", f"other {a} {b}")
    with pytest.raises(UrinormError, match="of its rules would go"):
        learn_file([written(tmp_path, "second.jsonl", site.visits())], path)
    learn_file([tmp_path / "second.jsonl"], path, force=True)
    assert "\nsemicolon_separators = true" not in path.read_text()


# ------------------------------------------------------------------ while a crawl runs


def both_orders(spoilt: int = 0) -> list[Visit]:
    """Pages with an address of each order; of the last so many they differ."""
    site = Site("http://a.example")
    for n in range(60):
        site.add(f"/wiki?action=edit;id=p{n}", f"page {n}")
        site.add(f"/wiki?id=p{n};action=edit", f"page {n}" if n < 60 - spoilt else f"other {n}")
    return site.visits()


def test_a_crawl_believes_it_by_itself() -> None:
    found = study("a.example", both_orders(), Options(), [])
    key = Normalizer([found.source]).key
    assert key("http://a.example/wiki?id=x;action=edit") == key("http://a.example/wiki?action=edit;id=x")
    assert [said.partition(" =")[0] for said in found.said.values()] == ["semicolon_separators"]
    assert study("a.example", both_orders()[:40], Options(), []).source == {}
    struck = study("a.example", both_orders(), Options(), [], struck=frozenset(found.alone))
    assert "semicolon_separators" not in str(struck.source)


def test_a_page_that_speaks_against_it_is_heard_at_once() -> None:
    """And it alone: what is dropped beside it was right."""
    student = Student(Options(skip=False), [], InMemory())
    heard = [said for visit in both_orders(20) for said in student.take(visit)]
    first = next(said for said in heard if said["do"] == "rules")
    assert [rule["splits"] for rule in first["rules"]] == [True]
    doubts = [said["rules"] for said in heard if said["do"] == "doubt"]
    assert doubts
    assert all([said.partition(" =")[0] for said in rules] == ["semicolon_separators"] for rules in doubts)
    (last,) = [said for said in student.study("a.example", 0) if said["do"] == "rules"] or [heard[-1]]
    assert last["source"] == {}


def test_who_splits_is_asked_where_nobody_else_moves_an_address() -> None:
    split = {"host": {"a.example": {"semicolon_separators": True}}}
    drop = {"host": {"a.example": {"semicolon_separators": True, "remove_params": ["ref"]}}}
    rules = [live_rule({"id": "split", "source": split, "splits": True})]
    rules.append(live_rule({"id": "drop", "source": drop}))
    asked = ["/p?a=1&b=2", "/p?a=1;b=2", "/p?a=1;ref=2", "/p?ref=2"]
    found = [[one.id for one in moved_by(rules, f"http://a.example{url}")] for url in asked]
    assert found == [[], ["split"], ["drop"], ["drop"]]
