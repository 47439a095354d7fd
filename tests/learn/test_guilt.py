"""Who is to blame for what a crawl under the rules would not meet, when several rules do the same to an address."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.proof.guilt import Court
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.proof.remainder import THIN
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import visit_from_row

HOST = "http://a.example"
PAGES = 12


def lists() -> Replay:
    """Lists that say the same in either order, each of which leads to pages of its own."""
    site = Site("a.example")
    lists = [f"/list?c={n}{order}" for n in range(PAGES) for order in ("", "&o=up")]
    rows: list[tuple[str, str, list[str]]] = [("/", "front", lists)]
    for n, path in enumerate(lists):
        rows += [(path, f"list {n // 2}", [f"/item/{n}"]), (f"/item/{n}", f"item {n}", [])]
    for path, text, links in rows:
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        row["links"] = [HOST + link for link in links]
        site.add(visit_from_row(row), "a.example")
    site.build("safe")
    return Replay(site, Options())


def files(*, unseen: int = 20) -> Replay:
    """Files with their hash and without, which lead elsewhere, to what the front page leads to as well."""
    site = Site("a.example")
    every = [f"/{name}{n}" for n in range(PAGES) for name in ("list?c=", "list?o=1&c=", "one/", "other/")]
    rows: list[tuple[str, str, list[str]]] = [("/", "front", [*every, *(f"/new/{n}" for n in range(unseen))])]
    for n in range(PAGES):
        rows += [(f"/list?c={n}", f"list {n}", [f"/one/{n}"]), (f"/list?o=1&c={n}", f"list {n}", [f"/other/{n}"])]
        rows += [(f"/one/{n}", f"one {n}", []), (f"/other/{n}", f"other {n}", [])]
    for path, text, links in rows:
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        site.add(visit_from_row(row | {"links": [HOST + link for link in links]}), "a.example")
    site.build("safe")
    return Replay(site, Options())


@pytest.mark.parametrize(
    ("value", "agree", "unseen", "stays"),
    [
        ("o", PAGES, 20, False),
        ("o", THIN, 20, True),
        ({"name": "o", "value": "1"}, PAGES, 20, True),
        ("o", PAGES, 0, True),
    ],
    ids=["of few pages", "of many", "of one value", "of a crawl that came to its end"],
)
def test_few_pages_that_lead_elsewhere_say_too_little(value: Any, agree: int, unseen: int, *, stays: bool) -> None:
    """That what they lead to is known otherwise may be luck."""
    replay, rule = files(unseen=unseen), candidate("remove_params", [value])
    rule.evidence.agree = agree
    taken_in(replay, [rule])
    graph = graph_of(replay.site.pages, replay.site.ids)
    assert graph is not None
    Court(replay, Proof(replay.site.pages, graph, frozenset()), lambda _: frozenset()).settle()
    assert (rule in replay.accepted) is stays


def candidate(rule: str, value: Any, **where: Any) -> Candidate:
    found = Candidate("a.example", rule, value, Evidence(agree=PAGES, saved=PAGES), "parameters", "it is so")
    found.conditions, found.names = where, frozenset("o")
    return found


def taken_in(replay: Replay, rules: list[Candidate]) -> None:
    for rule in rules:
        replay.add(rule, replay.trial(rule))


@pytest.mark.parametrize(
    "rules",
    [
        [candidate("remove_params", ["o"]), candidate("remove_params", ["o"], path="/list")],
        [candidate("remove_params", ["o"], path="/list"), candidate("default_params", {"o": "up"})],
        [candidate("map_params", {"o": [["down", "up"]]}), candidate("default_params", {"o": "down"})],
    ],
    ids=["the same in two places", "two ways to one end", "one after the other"],
)
def test_no_rule_hides_behind_another(rules: list[Candidate]) -> None:
    replay = lists()
    taken_in(replay, rules)
    pages, graph = replay.site.pages, graph_of(replay.site.pages, replay.site.ids)
    assert graph is not None
    proof = Proof(pages, graph, frozenset())
    assert proof.losses(replay.keys)
    Court(replay, proof, lambda _: frozenset()).settle()
    assert not proof.losses(replay.keys)
    normalizer = replay.normalizer(replay.accepted, "safe")
    assert [normalizer.key(page.key) for page in pages] == replay.keys


def test_what_moves_a_page_is_known_when_another_rule_is_gone() -> None:
    one, two = candidate("remove_params", ["o"]), candidate("remove_params", ["o"], path="/list")
    replay = lists()
    taken_in(replay, [one, two])
    moved = replay.moved(one)
    assert len(moved) == PAGES
    assert not replay.moved(two)
    replay.remove(one)
    assert replay.moved(two) == moved


def test_what_made_room_for_a_rule_that_falls_comes_back() -> None:
    """Lists of two kinds in two orders; those of one kind lead to items of their own in each order."""
    visits = []
    kinds = ("a", "b")
    every = [f"/{kind}/list?c={n}{order}" for kind in kinds for n in range(40) for order in ("", "&o=up", "&o=down")]
    rows: list[tuple[str, str, list[str]]] = [("/", "front", every)]
    for at, path in enumerate(every):
        kind, n = path[1], at // 3
        own = [f"/item/{at if kind == 'b' and n % 13 == 0 else n}"]
        rows += [(path, f"list {n}", own), (own[0], f"item {own[0]}", [])]
    for path, text, links in {row[0]: row for row in rows}.values():
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        visits.append(visit_from_row(row | {"links": [HOST + link for link in links]}))
    result = learn(visits)
    normalizer = Normalizer(result.rules)
    assert normalizer.key(f"{HOST}/a/list?c=new&o=up") == normalizer.key(f"{HOST}/a/list?c=new")
    assert normalizer.key(f"{HOST}/b/list?c=0&o=up") != normalizer.key(f"{HOST}/b/list?c=0")
    known = [id(one) for one in (*result.active, *result.others)]
    assert len(known) == len(set(known)), "each candidate has one row"


def test_a_rule_for_several_views_stays_where_it_hides_nothing() -> None:
    """A repository browser: with its hash or without a file says the same, and a folder, too, which leads elsewhere."""
    rows: list[tuple[str, str, list[str]]] = []
    for n in range(40):
        for view in ("blob", "plain", "tree"):
            for at in ("", f"&h={n:04x}f{n:04x}"):
                links = [f"/file/{n}{'a' if at else 'b'}"] if view == "tree" and n % 3 == 0 else []
                rows.append((f"/?a={view}&f={n}{at}", f"{view} {n}", links))
                rows += [(link, f"file {link}", []) for link in links]
    rows.insert(0, ("/", "front", [path for path, _, _ in rows if path.startswith("/?")]))
    visits = []
    for path, text, links in rows:
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        visits.append(visit_from_row(row | {"links": [HOST + link for link in links]}))
    normalizer = Normalizer(learn(visits).rules)
    for view in ("blob", "plain"):
        assert normalizer.key(f"{HOST}/?a={view}&f=new&h=12") == normalizer.key(f"{HOST}/?a={view}&f=new"), view
    assert normalizer.key(f"{HOST}/?a=tree&f=new&h=12") != normalizer.key(f"{HOST}/?a=tree&f=new")
