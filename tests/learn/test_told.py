"""Links that nobody followed are hashes, and what many of them must be can be hashed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.links.told import carried, edit_of, edited
from scrapy_urinorm.learn.links.ways import Ways
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.proof.guilt import Court
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.proof.remainder import THIN
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import visit_from_row
from tests.learn.sites import sketch

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST = "http://a.example"
LISTS, FOLLOWED = 40, 4

Rows = list[tuple[str, str, list[str]]]


def rows_of(rows: Rows) -> Iterable[dict[str, Any]]:
    for path, text, links in rows:
        row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
        yield row | {"links": [HOST + link for link in links]}


def proved(rows: Iterable[dict[str, Any]], name: str) -> tuple[Replay, Proof, Candidate]:
    """The pages under a rule that drops a parameter."""
    site = Site("a.example")
    for row in rows:
        site.add(visit_from_row(row), "a.example")
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
    replay, proof, _ = proved(rows_of(rows), "from")
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
    replay, proof, rule = proved(rows_of(lists(kind)), "o")
    rule.evidence.agree = agree
    Court(replay, proof, lambda _: frozenset()).settle()
    assert (rule in replay.accepted) is stays


@pytest.mark.parametrize(("canonical", "stays"), [(True, True), (False, False)], ids=["the site says", "nobody says"])
def test_what_the_site_itself_calls_one_with_what_is_met_is_not_hidden(canonical: bool, stays: bool) -> None:
    """Further comments that only the reply forms of a post lead to with the comment that is replied to.

    The form changes the text a little, and the canonical link is that of the post.
    """
    rows: Rows = [("/", "front", [f"/post/{n}" for n in range(2 * LISTS)])]
    for n in range(LISTS):
        rows += [
            (f"/post/{n}", f"post {n}", [f"/post/{n}?r=1", f"/post/{n}/2"]),
            (f"/post/{n}?r=1", f"post {n} form", [f"/post/{n}/2?r=1"]),
            (f"/post/{n}/2", f"more {n}", []),
            (f"/post/{n}/2?r=1", f"more {n} form", []),
        ]
    said = []
    for row in rows_of(rows):
        text = row["text_digest"]
        page = row["url"].partition("?")[0]
        near = {"minhash": sketch(text.removesuffix(" form"), 2 if text.endswith(" form") else 0)}
        said.append(row | near | ({"canonical": page} if canonical else {}))
    replay, proof, rule = proved(said, "r")
    assert not proof.is_finished
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


def test_a_link_is_carried_with_the_way_back_in_it() -> None:
    page, other = "/view?s=1&v=list", "/view?s=2&v=list"
    link = "/add?s={}&url=http%3A%2F%2Fa%2Fview%3Fs%3D{}%26v%3Dlist"
    assert carried(link.format(1, 1), page, other) == link.format(2, 2)
    assert carried(link.format(1, 12), page, other) == link.format(2, 12), "another value that begins alike"
    assert carried(link.format(1, 1), page, "/view?v=list") == "/add?url=http%3A%2F%2Fa%2Fview%3Fs%3D1%26v%3Dlist"

    # a site that has thousands of them does not say how long it takes
    many, others = ("&".join(f"a{n}={value}" for n in range(1_500)) for value in "xy")
    values = "&".join(f"b{n}=u%3Da{n}%3Dx" for n in range(1_500))
    carried_over = carried(f"/p?{many}&{values}", f"/p?{many}", f"/p?{others}")
    assert carried_over == "/p?" + "&".join(sorted([*others.split("&"), *values.split("&")]))


SESSIONS = [f"{one}8s7ru6uihppvb8o18qrt81nm" for one in "jkm"] + ["opaggggoo0kotysqmbbkquqcga"]
"""The last does not look as if it was drawn."""
MENUS = 12


def frames(values: list[str]) -> Rows:
    """The frame of a site under four values, of which one alone was followed before the crawl was cut short."""
    rows: Rows = [("/", "front", [f"/enter{n}" for n in range(len(values))])]
    for one in values:
        menus = [f"/menu.php?m={n}&s={one}" for n in range(MENUS)]
        rows.append((f"/enter{values.index(one)}", f"enter {one}", menus))
        for n, path in enumerate(menus):
            back = path.replace("?", "%3F").replace("=", "%3D").replace("&", "%26")
            more = [f"/day.php?m={n}&d={d}&s={one}" for d in range(10)] + [f"/add.php?url={back}&s={one}"]
            rows.append((path, f"menu {n}", more))
            if one == values[0]:
                rows += [(link, f"day {n} {k}", []) for k, link in enumerate(more)]
    return rows


@pytest.mark.parametrize(("values", "stays"), [(SESSIONS, True), (list("abcd"), False)], ids=["sessions", "words"])
def test_few_pages_say_enough_of_a_session(values: list[str], *, stays: bool) -> None:
    """Where another one begins, the frame of the site alone is met under both."""
    replay, proof, rule = proved(rows_of(frames(values)), "s")
    rule.evidence.agree = MENUS
    assert not proof.is_finished
    Court(replay, proof, lambda _: frozenset()).settle()
    assert (rule in replay.accepted) is stays


@pytest.mark.parametrize(("texts", "apart"), [("day 1", 0), ("day {s}", 1)], ids=["the same", "another page"])
def test_what_a_rule_leaves_two_and_says_the_same_is_not_elsewhere(texts: str, apart: int) -> None:
    """The menus of two sessions lead to one page, in a folder for which the rule does not hold."""
    rows: Rows = [("/", "front", ["/menu?s=1", "/menu?s=2"])]
    for one in "12":
        rows += [(f"/menu?s={one}", "menu", [f"/day/?s={one}"]), (f"/day/?s={one}", texts.format(s=one), [])]
    replay, _, _ = proved(rows_of(rows), "s")
    pages, graph = replay.site.pages, graph_of(replay.site.pages, replay.site.ids)
    assert graph is not None
    keys = [page.key if "/day/" in page.key else key for page, key in zip(pages, replay.keys, strict=True)]
    menus = [n for n, page in enumerate(pages) if "/menu" in page.key]
    assert Ways(pages, graph.links, keys).apart(menus)[1:] == (apart, 0)
