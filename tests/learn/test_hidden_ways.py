"""What is skipped takes its links along: of those that a crawl which was cut short never followed nothing is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from tests.learn.test_numbered import OPTIONS, Shown, crawled
from tests.learn.test_strict import HOST

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.visits.record import Visit

THINGS = 150
LIBRARIES, BOOKS = 12, 30
SHELVES = ["/shelf?id={}&lib={}", "/record?id={}&lib={}&view=shelf"]


def museum(path: str) -> Shown:
    """Things whose two addresses say the same, of which one alone leads to a further page of its own."""
    kind, _, rest = path[1:].partition("/")
    if kind == "list":
        return Shown(path, [f"/item/{n}" for n in range(10 * int(rest), 10 * int(rest) + 10)])
    if kind == "item":
        number, _, view = rest.partition("?")
        return Shown(f"item {number}", [f"/extra/{number}" if view else f"/item/{number}?view=all"])
    return Shown(path, [f"/list/{n}" for n in range(THINGS // 10)])


@pytest.mark.parametrize("cap", [250, 300, 316])
def test_a_view_that_alone_leads_to_pages_is_not_skipped(cap: int) -> None:
    found = learn(crawled(museum, cap)[0], OPTIONS)
    assert not any(one.rule == "skip" for one in found.active)
    shown = crawled(museum, 10_000, found.rules)[1]
    assert shown == crawled(museum, 10_000)[1]
    assert sum(one.startswith("/extra/") for one in shown) == THINGS


def test_a_view_is_skipped_where_what_it_leads_to_was_seen_to_be_known() -> None:
    """The other view leads to the same further pages, which the crawl had not come to, either."""

    def answer(path: str) -> Shown:
        found = museum(path)
        if path.startswith("/item/"):
            number = path[6:].partition("?")[0]
            return found._replace(links=[f"/item/{number}?view=all", f"/extra/{number}"])
        return found

    assert any(one.rule in ("default_params", "skip") for one in learn(crawled(answer, 450)[0], OPTIONS).active)


def without_pictures(visits: list[Visit]) -> list[Visit]:
    """As if the crawl had been cut short before them."""
    return [one for one in visits if "/picture/" not in one.url]


def album(path: str) -> Shown:
    """Sixty days with a text, and then days without one, each with pictures of its own."""
    kind, _, number = path[1:].partition("?at=")
    if kind == "day":
        at = int(number)
        pictures = [f"/picture/{at}-{n}" for n in range(3)]
        return Shown(path if at < 60 else "no text", [f"/day?at={at + 1}"] * (at < 200) + pictures)
    if path.startswith("/note/"):
        # met in between: of a server that has had enough nothing else is answered
        at = int(path[6:])
        return Shown(path, [f"/note/{at + 1}"] * (at < 200))
    return Shown(path, ["/day?at=1", "/note/1"])


def diary(path: str) -> Shown:
    """The same by months, back to a time without a text."""
    kind, *rest = path[1:].split("/")
    if kind != "days":
        return Shown(path, ["/days/2026/12/"])
    at = 12 * int(rest[0]) + int(rest[1]) - 1
    before = [f"/days/{(at - 1) // 12}/{(at - 1) % 12 + 1}/"] * (at > 12 * 2010)
    return Shown(path if at >= 12 * 2025 else "no text", before + [f"/picture/{at}-{n}" for n in range(3)])


@pytest.mark.parametrize(
    ("answer", "beyond"), [(album, "/day?at=150"), (diary, "/days/2012/5/")], ids=["parameter", "calendar"]
)
def test_days_without_a_text_are_not_skipped_with_their_pictures(answer: Callable[[str], Shown], beyond: str) -> None:
    visits = crawled(answer, 2_000)[0]
    decision = Normalizer(learn(without_pictures(visits), OPTIONS).rules).decide(HOST + beyond)
    assert decision.defer
    assert not decision.skip


def test_days_without_anything_are_skipped() -> None:
    def bare(path: str) -> Shown:
        found = album(path)
        return found._replace(links=[link for link in found.links if "/picture/" not in link])

    assert Normalizer(learn(crawled(bare, 2_000)[0], OPTIONS).rules).decide(f"{HOST}/day?at=150").skip


def test_the_last_days_of_a_crawl_that_was_cut_short_lead_to_further_days() -> None:
    """From each day links go to the next one, the next week and the next month, of which the last were not followed."""

    def answer(path: str) -> Shown:
        found = album(path)
        if path.startswith("/day"):
            at = int(path.partition("=")[2])
            return found._replace(links=[f"/day?at={at + more}" for more in (1, 7, 30)])
        return found

    visits = crawled(answer, 200)[0]
    decision = Normalizer(learn(visits, OPTIONS).rules).decide(HOST + "/day?at=150")
    assert decision.skip


KEYS = "7c9e6679a3d94e5b{:02}"
"""Of libraries, drawn by chance as a token is."""


def catalogue(shelf: str, library: str) -> Callable[[str], Shown]:
    """Books that each library shows under its own name, all in the same words; behind each are shelves of its own, or
    of all libraries where its name is but the way back.
    """

    def answer(path: str) -> Shown:
        query = dict(item.split("=", 1) for item in path.partition("?")[2].split("&") if item)
        number, name = query.get("id"), query.get("lib", "")
        if path == "/":
            return Shown("front", [f"/list?lib={library.format(n)}" for n in range(LIBRARIES)])
        if number is None:
            return Shown("list", [f"/record?id={n}&lib={name}" for n in range(BOOKS)])
        if path.startswith(shelf.partition("?")[0]) and ("view" in query) is ("view" in shelf):
            return Shown(f"shelf {number} {'' if name.startswith('/') else name}", ["/"])
        return Shown(f"record {number}", [shelf.format(number, name)])

    return answer


@pytest.mark.parametrize(
    ("shelf", "library", "cap"),
    [
        (SHELVES[0], "10{}", 200),
        (SHELVES[0], "lib{}", 385),
        (SHELVES[1], "10{}", 385),
        (SHELVES[1], "lib{}", 375),
        (SHELVES[0], KEYS, 385),
        (SHELVES[1], KEYS, 385),
    ],
)
def test_what_equal_pages_lead_to_is_not_taken_for_equal_where_nobody_was(shelf: str, library: str, cap: int) -> None:
    site = catalogue(shelf, library)
    rules = learn(crawled(site, cap)[0], OPTIONS).rules
    assert crawled(site, 10_000, rules)[1] == crawled(site, 10_000)[1]


@pytest.mark.parametrize("shelf", SHELVES, ids=["another page", "another view"])
def test_the_way_back_changes_nothing_where_nobody_was_either(shelf: str) -> None:
    site = catalogue(shelf, "/l/{}")
    visits = crawled(site, 385)[0]
    assert len(crawled(site, 10_000, learn(visits, OPTIONS).rules)[0]) < 2 * BOOKS + 20
