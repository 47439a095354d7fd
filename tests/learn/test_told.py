"""Links that nobody followed are hashes, and what many of them must be can be hashed."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.links.told import carried, edit_of, edited
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.proof.guilt import Court
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.proof.remainder import THIN
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import visit_from_row

HOST = "http://a.example"
LISTS, FOLLOWED = 40, 4

Rows = list[tuple[str, str, list[str]]]


def proved(rows: Rows, name: str) -> tuple[Replay, Proof, Candidate]:
    """The pages under a rule that drops a parameter."""
    site = Site("a.example")
    for path, text, links in rows:
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        site.add(visit_from_row(row | {"links": [HOST + link for link in links]}), "a.example")
    site.build("safe")
    replay, graph = Replay(site, Options()), graph_of(site.pages, site.ids)
    assert graph is not None
    rule = Candidate("a.example", "remove_params", [name], Evidence(agree=THIN, saved=THIN), "drop", "it is so")
    rule.conditions, rule.names = {}, frozenset((name,))
    replay.add(rule, replay.trial(rule))
    return replay, Proof(site.pages, graph, frozenset()), rule


@pytest.mark.parametrize(
    ("instead", "is_lost"),
    [
        ("/details?id={n}&from=a", False),
        ("/details?id={m}&from=a", True),
        ("/details?id={n}&from=c", True),
        ("/details", True),
    ],
    ids=["its own", "of another bookmark", "of another list", "none"],
)
def test_a_page_leads_to_what_another_does_with_its_own_parameters(instead: str, *, is_lost: bool) -> None:
    """Of a bookmark's windows that of the second list alone was followed to its page before the crawl was cut short."""
    windows = [f"/details?id={n}&from={one}&window=1" for one in "ab" for n in range(LISTS)]
    rows: Rows = [("/", "front", windows)]
    for n in range(LISTS):
        page = f"/details?id={n}&from=b"
        rows += [(windows[n], f"window {n}", [instead.format(n=n, m=n + 1)])]
        rows += [(windows[LISTS + n], f"window {n}", [page]), (page, f"page {n}", [])]
    replay, proof, _ = proved(rows, "from")
    assert bool(proof.losses(replay.keys)) is is_lost


def lists(kind: str) -> Rows:
    """Lists in two orders, of which few were followed beyond their first page."""
    rows: Rows = [("/", "front", [f"/list?c={n}{order}" for n in range(LISTS) for order in ("", "&o=up")])]
    for n in range(LISTS):
        for order in ("", "&o=up"):
            path = f"/list?c={n}{order}"
            more = [f"{path}&p={p}" for p in range(2, 7)]
            if kind == "hashes" and n >= FOLLOWED:
                more = [f"/{n}-{p}{order}" for p in range(20)]
            rows.append((path, f"list {n}", more))
            if n < FOLLOWED:
                # in the other order the first pages of two lists are those of the last
                other = FOLLOWED - 1 - n if kind == "elsewhere" and order else n
                rows += [(link, f"list {other} {p}", []) for p, link in enumerate(more)]
    return rows


@pytest.mark.parametrize(
    ("kind", "agree", "stays"),
    [("pages", THIN, True), ("pages", THIN - 1, False), ("hashes", THIN, False), ("elsewhere", THIN, False)],
    ids=["told", "few pages", "not told", "what was followed shows something else"],
)
def test_what_the_rules_make_one_with_what_is_met_is_not_hidden(kind: str, agree: int, *, stays: bool) -> None:
    replay, proof, rule = proved(lists(kind), "o")
    rule.evidence.agree = agree
    Court(replay, proof, lambda _: frozenset()).settle()
    assert (rule in replay.accepted) is stays


EDITS: dict[str, tuple[str, str, str, Any]] = {
    "a further page": ("/list?c=1", "/list?c=1&p=2", "/list?c=9&o=up", "/list?c=9&o=up&p=2"),
    "without its frame": ("/d?id=1&modal=1", "/d?id=1", "/d?id=2&modal=1", "/d?id=2"),
    "beside it": ("/a/1/change/", "/a/1/history/", "/a/2/change/?f=o", "/a/2/history/?f=o"),
    "of another kind": ("/a/1/change/", "/a/1/history/", "/a/2/add/", None),
}


@pytest.mark.parametrize(("page", "link", "other", "made"), EDITS.values(), ids=EDITS)
def test_what_made_one_link_makes_another(page: str, link: str, other: str, made: str | None) -> None:
    edit = edit_of(HOST + page, HOST + link)
    assert edit is not None
    assert edited(HOST + other, edit) == (None if made is None else HOST + made)


def test_a_link_into_another_folder_is_not_made_of_the_address_of_its_page() -> None:
    assert edit_of(f"{HOST}/a/1", f"{HOST}/b/1") is None


def test_a_link_is_carried_with_the_parameters_that_it_repeats() -> None:
    assert carried("/d?id=1&l=a", "/d?id=1&l=a&m=1", "/d?id=1&l=b&m=1") == "/d?id=1&l=b"
    assert carried("/d?p=2", "/d", "/d?o=up") == "/d?o=up&p=2"
    assert carried("/d?p=2&o=up", "/d?o=up", "/d") == "/d?p=2"
    assert carried("/d?id=1", "/d?id=1&l=a", "/d?id=1&l=b") is None
