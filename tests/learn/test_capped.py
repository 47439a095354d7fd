"""Crawls of endless sites that were cut short: each link has a token of its own, or the path grows without an end."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urljoin, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.links.graph import Graph
from scrapy_urinorm.learn.links.ways import SAME_WAYS
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.proof.proof import Proof
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from collections.abc import Sequence

ITEMS = 60


class Endless:
    """Sixty items, each with links to three others; subclasses say by which addresses, which never come to an end."""

    cap = 2_500
    host = "endless.example"
    start = "http://endless.example/"

    def answer(self, target: str) -> Answer:
        last = urlsplit(target).path.rpartition("/")[2]
        number = int(last) if last else 0
        others = [(2 * number + 1) % ITEMS, (2 * number + 2) % ITEMS, (number + 1) % ITEMS]
        return Answer(200, prose(f"item {number}"), tuple(self.links(target, others)), identity=f"item {number}")

    def links(self, target: str, others: Sequence[int]) -> list[str]:
        raise NotImplementedError


class Tokens(Endless):
    """Each link has a token that was never there before."""

    def links(self, target: str, others: Sequence[int]) -> list[str]:
        return [f"/{n}?tk={hashlib.md5(f'{target} {n}'.encode()).hexdigest()[:16]}" for n in others]


class Nested(Endless):
    """Each link carries the address of its page, which carries that of the one before."""

    cap = 1_000

    def links(self, target: str, others: Sequence[int]) -> list[str]:
        return [f"/{n}?back={quote(target[:900], safe='')}" for n in others]


class Deeper(Endless):
    """Links that are relative by mistake, of a server that looks at the last segment alone."""

    def links(self, target: str, others: Sequence[int]) -> list[str]:
        return [urlsplit(urljoin(self.start + target[1:], f"news/{n}")).path for n in others]


OPTIONS = [
    pytest.param(Options(jobs=1), id="default"),
    pytest.param(Options(jobs=1).strict(), id="strict", marks=pytest.mark.slow),
]


ENDLESS = [(Tokens(), [pytest.mark.slow]), (Nested(), []), (Deeper(), [pytest.mark.slow])]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("site", [pytest.param(one, id=type(one).__name__, marks=marks) for one, marks in ENDLESS])
def test_what_a_capped_crawl_has_seen_of_an_endless_site_is_enough(site: Endless, options: Options) -> None:
    visits, identities = record(site, site.cap)
    normalizer = Normalizer(learn(visits, options).rules)
    shown: dict[str, set[str]] = {}
    for url, identity in identities.items():
        shown.setdefault(normalizer.key(url), set()).add(identity)
    assert all(len(pages) == 1 for pages in shown.values()), "what differs stays apart"
    assert len(shown) < 1.2 * ITEMS


WAYS: dict[str, tuple[dict[str, Any], bool]] = {
    "the same way, not followed": ({}, False),
    "too few pairs have shown that": ({"pairs": SAME_WAYS - 2}, True),
    "a pair leads elsewhere": ({"elsewhere": True}, True),
    "a pair leads to what says something else": ({"other": 9}, True),
    "fewer links": ({"links": []}, True),
    "another link where it is known": ({"links": ["/other", "/unseen"]}, True),
    "a link that was followed": ({"links": ["/known", "/other"]}, True),
    "another text": ({"label": 7}, True),
    "what the rule leaves as it is": ({"next": "/c"}, True),
    "pages that nobody could read": ({"label": -1, "instead": -1, "pairs": SAME_WAYS}, True),
    "another page under its key": ({"known": {"/c?t=3": (6, [])}}, True),
    "a page of its text under its key": ({"known": {"/c?t=3": (4, [])}}, False),
}


@pytest.mark.parametrize(("change", "is_lost"), WAYS.values(), ids=WAYS)
def test_a_way_goes_on_where_nobody_followed_it(change: dict[str, Any], is_lost: bool) -> None:
    """`/b?t=2` is fetched for `/b?t=1`, and its link was never requested: one pair of 31 that lead to the same."""
    after = change.get("next", "/c?t=1")
    site: dict[str, tuple[int, list[str]]] = {
        "/b?t=2": (change.get("label", 1), change.get("links", ["/known", "/unseen"])),
        "/b?t=1": (change.get("instead", 1), ["/known", after]),
        "/known": (2, []),
        "/other": (3, []),
        after: (4, []),
    }
    for n in range(change.get("pairs", SAME_WAYS - 1)):
        for turn in "12":
            site[f"/pair{n}?t={turn}"] = (10 + n, ["/known", f"/end?t={turn}"])
            site[f"/end?t={turn}"] = (change.get("other", 5) if turn == "2" else 5, [])
    if "elsewhere" in change:
        site["/pair0?t=2"] = (10, ["/other", "/end?t=2"])
    site = {"/": (0, [*site, *change.get("known", ())]), **site, **change.get("known", {})}
    # what stands in is met first, and the way beyond is no link of the front page
    site["/"][1].remove(after)
    assert (4 in lost_of(site)) is is_lost


def lost_of(site: dict[str, tuple[int, list[str]]]) -> dict[int, set[str]]:
    """What a crawl under a rule without any parameter would lose of a site, and where the ways to it end."""
    names = list(site)
    pages = [Page(f"http://a.example{name}", f"http://a.example{name}") for name in names]
    for page, (label, _) in zip(pages, site.values(), strict=True):
        page.label, page.links = label, b""
    links = [[names.index(one) if one in names else len(names) for one in of] for _, of in site.values()]
    proof = Proof(pages, Graph(links, [0]), frozenset())
    found: dict[int, set[str]] = {}
    for loss in proof.losses([page.key.partition("?")[0] for page in pages]):
        found.setdefault(loss.label, set()).add(names[loss.node])
    return found


def behind(there: Sequence[str], **beyond: Any) -> dict[str, tuple[int, list[str]]]:
    """A site where `/b?t=1` leads to some pages, and `/b?t=2` is fetched for it, whose links were not followed."""
    pairs = {f"/pair{n}?t={t}": (10 + n, ["/known"]) for n in range(SAME_WAYS) for t in (1, 2)}
    site = {"/b?t=2": (1, ["/known", *("/unseen" for _ in there)]), "/b?t=1": (1, ["/known", *there]), **pairs}
    return {"/": (0, [*site, *beyond.get("met", ())]), **site, "/known": (2, []), **beyond["pages"]}


def test_a_way_that_goes_on_may_end_at_another_merge() -> None:
    """`/c?v=2` was fetched, which does not lead where `/c?t=1&v=1` does: of the two rules that of `v` is wrong."""
    pages = {"/c?t=1&v=1": (5, ["/d?t=1"]), "/d?t=1": (6, [])}
    assert lost_of(behind(["/c?t=1&v=1"], pages=pages)) == {}
    pages["/c?v=2"] = (5, [])
    assert lost_of(behind(["/c?t=1&v=1"], pages=pages, met=["/c?v=2"])) == {6: {"/c?t=1&v=1"}}
    pages["/c?v=2"] = (4, [])
    assert lost_of(behind(["/c?t=1&v=1"], pages=pages, met=["/c?v=2"])) == {5: {"/c?t=1&v=1"}, 6: {"/c?t=1&v=1"}}


def test_of_two_pages_that_a_rule_makes_one_one_is_lost_wherever_they_stand() -> None:
    there = ["/c?t=1&id=1", "/c?t=1&id=2"]
    assert lost_of(behind(there, pages={there[0]: (4, []), there[1]: (5, [])}))


@pytest.mark.parametrize(("leads", "is_lost"), [("/a?t=2", False), ("/other", True)])
def test_a_page_that_links_to_itself_under_one_more_address(leads: str, is_lost: bool) -> None:
    """Depth first the way to the others is through all of them, and the link of the first to the next was followed."""
    pairs = {f"/pair{n}?t={t}": (10 + n, ["/known"]) for n in range(SAME_WAYS) for t in (1, 2)}
    site = {
        "/a?t=1": (1, [leads, "/unseen"]),
        "/a?t=2": (1, ["/a?t=3", "/unseen"]),
        "/a?t=3": (1, ["/unseen", "/x?t=3"]),
        "/x?t=3": (4, []),
        "/other": (5, []),
        "/known": (2, []),
        **pairs,
    }
    linked = ["/a?t=1", "/a?t=2"] if is_lost else ["/a?t=1"]
    assert (4 in lost_of({"/": (0, [*linked, "/known", *pairs]), **site})) is is_lost
