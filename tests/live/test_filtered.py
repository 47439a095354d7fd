"""Lists with more than one filter: what closes them together, what of them goes all the same, what opens them again."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm.live import yields as yields_module
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.filtered import is_filtered, shown, whole_of
from scrapy_urinorm.live.groups import AGAIN, group_of
from scrapy_urinorm.live.patterns import LONGEST, Patterns
from scrapy_urinorm.live.questions import CLOSED, LATER, SiteDesk, filters_of
from scrapy_urinorm.live.yields import CLOSE, Yields
from tests.live.resumed import rows

FILTERS = frozenset("abcdef")
# pairs of the names of six filters: no group of them has pages enough to be closed by itself
PAIRS = [f"http://shop.example/c/{{}}/?{a}=red&{b}=red" for n, a in enumerate("abcdef") for b in "abcdef"[n + 1 :]]
WHOLE = whole_of(PAIRS[0])
THREE = "http://shop.example/c/1/?a=red&c=red&e=red"


def of_many_names(blank: int, filters: frozenset[str] = FILTERS) -> Yields:
    """Yields after so many pages without news of lists with two filters."""
    yields = Yields(filters=lambda _: filters)
    for n in range(blank):
        yields.learned(PAIRS[n % len(PAIRS)].format(n // len(PAIRS) % 4), False)
    return yields


@pytest.mark.parametrize(
    ("blank", "filters", "closed"),
    [
        (CLOSE, FILTERS, True),
        (CLOSE - 1, FILTERS, False),
        (CLOSE, frozenset(), False),
        (CLOSE, frozenset("a"), False),
    ],
    ids=["enough", "too few", "nobody says that they are filters", "only one of them is a filter"],
)
def test_they_are_closed_together(blank: int, filters: frozenset[str], closed: bool) -> None:
    """Ten filters have a thousand sets of names, each of which would have pages of its own fetched first."""
    yields = of_many_names(blank, filters)
    for pattern in (PAIRS[0].format(3), THREE):
        place = yields.place(pattern, combined=True)
        assert (place.turn is Turn.CLOSED) is closed
        assert (place.name == WHOLE) is closed


UNTRIED = {
    "a category that nobody has seen": ("http://shop.example/c/new/?a=red&b=red", True),
    "a filter that nobody has seen": ("http://shop.example/c/1/?a=red&new=red", True),
    "a value that nobody has seen": ("http://shop.example/c/1/?a=red&b=new", True),
    "not told to be a list of that kind": (PAIRS[0].format(1), False),
    "one of its parameters may name anything": (PAIRS[0].format(1) + "&id=#", True),
    "another folder": ("http://shop.example/books/1/?a=red&b=red", True),
    "another host": ("http://other.example/c/1/?a=red&b=red", True),
}


@pytest.mark.parametrize(("pattern", "combined"), UNTRIED.values(), ids=UNTRIED)
def test_what_of_them_is_fetched_all_the_same(pattern: str, combined: bool) -> None:
    assert of_many_names(CLOSE).place(pattern, combined=combined).turn is not Turn.CLOSED


def test_two_facets_of_one_name_are_closed_with_them() -> None:
    """`selected_facets` of a shop is there once for each; lists with one of them are judged by themselves."""
    yields = Yields(filters=lambda _: frozenset(("facets", "sort")))
    patterns = Patterns()
    for n in range(CLOSE):
        items = ("facets=brand:a&facets=size:b", "facets=brand:a&sort=up", "facets=brand:a&sort=down")[n % 3]
        yields.learned(patterns.of(f"http://shop.example/c/kind{n // 3 % 6}/?{items}"), False)
    two = patterns.of("http://shop.example/c/kind1/?facets=brand:new&facets=size:b&facets=size:c")
    assert two == "http://shop.example/c/kind1/?facets=*&facets=*"
    assert yields.place(two, combined=True).name == WHOLE
    one = patterns.of("http://shop.example/c/kind1/?facets=brand:new")
    assert one == "http://shop.example/c/kind1/?facets=*"
    assert yields.place(one, combined=True).turn is not Turn.CLOSED


def test_one_that_brings_something_is_judged_by_itself() -> None:
    yields = of_many_names(CLOSE)
    pattern = PAIRS[0].format(1)
    own = yields.of[pattern]
    own.news = own.pages
    assert yields.place(pattern, combined=True).name == pattern


def test_what_may_name_anything_closes_none_of_them_and_is_not_closed_with_them() -> None:
    yields = Yields(filters=lambda _: FILTERS)
    for n in range(2 * CLOSE):
        yields.learned(PAIRS[n % len(PAIRS)].format(n // len(PAIRS) % 4) + "&id=#", False)
    assert WHOLE not in yields.of
    yields = of_many_names(CLOSE)
    one = PAIRS[0].format(1) + "&id=#"
    for _ in range(AGAIN):
        yields.learned(one, False)
    assert yields.place(one, combined=True).turn is not Turn.CLOSED


def test_few_shapes_close_nothing() -> None:
    yields = Yields(filters=lambda _: FILTERS)
    for n in range(3 * CLOSE):
        yields.learned(PAIRS[n % 5].format(1), False)
    assert yields.of[WHOLE].turn is Turn.LATER


def test_shapes_that_were_fetched_before_anybody_knew_the_filters_count() -> None:
    filters: set[str] = set()
    yields = Yields(filters=lambda _: filters)
    for known in (frozenset(), FILTERS):
        filters |= known
        for n in range(CLOSE):
            yields.learned(PAIRS[n % len(PAIRS)].format(n // len(PAIRS) % 4), False)
    assert yields.of[WHOLE].turn is Turn.CLOSED


OPENED = {
    "one of them": PAIRS[0].format(0),
    "one that nobody has asked for": "http://shop.example/c/3/?a=red&b=blue&d=red",
    "one with a parameter that has many values by now": "http://shop.example/c/1/?a=*&b=red",
}


@pytest.mark.parametrize("again", [False, True], ids=["in this run", "in the next run"])
@pytest.mark.parametrize("how", ["news", "a few words", "what it has led to"])
@pytest.mark.parametrize("pattern", OPENED.values(), ids=OPENED)
def test_news_of_any_of_them_opens_all(pattern: str, how: str, again: bool) -> None:
    yields = of_many_names(CLOSE)
    if again:
        kept = rows(yields)
        yields = Yields(filters=lambda _: FILTERS)
        yields.load(kept)
    assert list(yields.closed()) == [WHOLE]
    if how == "what it has led to":
        reopened = yields.credited(pattern)
    else:
        reopened = yields.learned(pattern, how == "news", few=how != "news")
    assert reopened == [WHOLE]
    assert yields.place(PAIRS[1].format(1), combined=True).turn is not Turn.CLOSED


def test_parts_that_had_news_are_tried_longer() -> None:
    yields = of_many_names(CLOSE)
    yields.learned(PAIRS[0].format(0), True)
    one = "http://shop.example/c/2/?a=red&d=red&f=red"
    for n in range(2 * CLOSE):
        assert yields.place(one, combined=True).turn is not Turn.CLOSED
        # by other filters than that which had news
        yields.learned(PAIRS[5 + n % 10].format(n % 4), False)
    for _ in range(AGAIN):
        yields.learned(PAIRS[1].format(3), False)
    assert yields.place(one, combined=True).turn is Turn.CLOSED


def test_closing_is_turned_off_for_them_too() -> None:
    off = Yields(0, lambda _: FILTERS)
    off.load(rows(of_many_names(CLOSE)))
    assert not off.closed()


def test_more_patterns_than_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yields_module, "_MOST", 5)
    yields = of_many_names(2 * CLOSE)
    assert len(yields.of) <= 5


SHOWN = {
    WHOLE: "http://shop.example/c, lists with more than one filter",
    "http://shop.example ?a&b": "",
    "http://shop.example ?+ a": "http://shop.example, whatever a is added to",
}


@pytest.mark.parametrize(("name", "text"), SHOWN.items())
def test_how_people_are_told(name: str, text: str) -> None:
    assert shown(name) == (text or name)


FILTERED = {
    "http://a.example/c/*?color=red&size=xl": True,
    "http://a.example/c/*?color=red&page=#&size=xl": True,
    "http://a.example/c/*?PHPSESSID=#&color=red&size=xl": True,
    "http://a.example/c/*?color=red&size=": False,
    "http://a.example/c/*?brand=#&color=red&size=xl": False,
    "http://a.example/?cat=x&lang=de&p=#": False,
    "http://a.example/git.cgi?a=blob&f=*&p=site": False,
    "http://a.example/?lang=de&q=node/#&view=full": False,
    "http://a.example/c/*": False,
    # of a filter all values are filters, be they as many as they may, and two facets of one name are two
    "http://a.example/c/*?facets=*&sort=up": True,
    "http://a.example/c/*?facets=*&page=#&sort=*": True,
    "http://a.example/c/*?facets=*&facets=*": True,
    "http://a.example/c/*?facets=*": False,
    "http://a.example/c/*?facets=*&id=#&sort=up": False,
}


@pytest.mark.parametrize(("pattern", "filtered"), FILTERED.items())
def test_what_may_be_such_a_list(pattern: str, filtered: bool) -> None:
    """What has many values may be a page."""
    assert is_filtered(pattern, frozenset(("facets", "sort"))) is filtered


def test_what_was_cut_off_may_name_anything() -> None:
    whole = "http://a.example/c?" + "&".join(f"filter_{n:02}=red" for n in range(40))
    assert len(whole) > LONGEST
    assert not is_filtered(whole[:LONGEST], FILTERS)
    # nor is the group of what was cut that of all lists
    assert group_of("http://a.example/c?a=b&") != whole_of("http://a.example/c?a=b&")


def test_what_filters_the_lists_of_a_script_may_name_the_pages_of_another() -> None:
    site = SiteDesk()
    limit = {"of": ["host", "style"], "at_most": 1, "defer": True}
    site.take_later({"site": {"a.example": {"where": [{"path": "/c/status.cgi", "max_params": limit}]}}})
    other = {"of": ["sort"], "at_most": 1, "defer": True}
    site.take_later({"site": {"a.example": {"where": [{"path": "/shop/**", "max_params": other}]}}})
    assert filters_of(site, "http://a.example/c/status.cgi") == {"host", "style", "sort"}
    assert filters_of(site, "http://a.example/c/info.cgi") == filters_of(site, "http://a.example") == {"sort"}
    one, two = (whole_of(f"http://a.example/c/{name}.cgi?host=*&style=*") for name in ("status", "info"))
    assert one != two
    assert shown(one) == "http://a.example/c/status.cgi, lists with more than one filter"


def test_the_desk_closes_them_by_what_the_student_says() -> None:
    desk = Desk([], "safe")
    limit = {"of": ["a", "b", "c", "d", "e", "f"], "at_most": 1, "defer": True}
    later: dict[str, Any] = {"site": {"shop.example": {"where": [{"path": "/c/**", "max_params": limit}]}}}
    message = {"do": "rules", "site": "shop.example", "version": 1, "rules": [], "likely": {}, "source": {}}
    desk.take({**message, "later": later})
    urls = [pair.format(f"kind-{kind}") for pair in PAIRS for kind in "abcd"]
    one = THREE.replace("/1/", "/kind-b/")
    assert desk.decide(one, 0).verdict == LATER
    for n in range(CLOSE):
        desk.take({"do": "news", "pattern": desk.pattern(urls[n % len(urls)], 0), "news": False, "same": False})
    assert desk.decide(one, 0).verdict == CLOSED
    # one filter alone is as it was
    assert desk.decide("http://shop.example/c/kind-b/?a=red", 0).verdict not in (CLOSED, LATER)
    # without what the student has said of late they are what they were
    desk.take({**message, "later": {}})
    assert desk.decide(one, 0).verdict != CLOSED


SESSION = "http://shop.example/?osCsid=fhp4ke36z5i403eykx71d5m31r"


@pytest.mark.parametrize(
    ("name", "left"),
    [
        (SESSION, "http://shop.example/?osCsid="),
        (f"{SESSION}&sort=price", "&sort=price"),
        (whole_of(SESSION), "http://shop.example/, lists with more than one filter"),
        (group_of(f"{SESSION}&sort=price"), "osCsid"),
        ("http://shop.example/?sort=price&page=*", "http://shop.example/?sort=price&page=*"),
    ],
)
def test_a_session_that_looks_like_a_word_is_not_in_the_log(name: str, left: str) -> None:
    assert "fhp4ke36z5i403eykx71d5m31r" not in shown(name)
    assert left in shown(name)
