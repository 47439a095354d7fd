"""Shapes whose queries have the same names: what closes them together, and what of them is fetched all the same."""

from __future__ import annotations

import tracemalloc

import pytest

from scrapy_urinorm.live import groups
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.groups import AGAIN, ShapeParts, group_of, subgroups
from scrapy_urinorm.live.yields import LOW, SHAPES, Yields

GROUPS = [
    ("http://a.example/c/*?b=x&a=", "http://a.example ?b&a"),
    ("http://a.example/?a=*", "http://a.example ?a"),
    ("http://a.example/c/*", ""),
    ("a line of a pack http://a.example/?a=1", ""),
]


@pytest.mark.parametrize(("pattern", "group"), GROUPS)
def test_groups(pattern: str, group: str) -> None:
    assert group_of(pattern) == group


def test_groups_with_fewer_names() -> None:
    assert subgroups("o ?a") == []
    assert subgroups("o ?a&b&c") == ["o ?a", "o ?b", "o ?c", "o ?a&b", "o ?a&c", "o ?b&c"]
    # of many names there are too many
    assert len(subgroups("o ?a&b&c&d&e&f")) == 62
    assert len(subgroups("o ?a&b&c&d&e&f&g")) == 7


SHOP = "http://shop.example/{}/?color=*&sort={}"
ORDERS = ("age", "name", "price", "rating")


def shop(blank: int, *, of: tuple[str, ...] = ("color=*", "sort=name"), kinds: int = SHAPES) -> Yields:
    """Yields after so many pages without news of lists with each one parameter alone."""
    yields = Yields()
    for item in of:
        for n in range(blank):
            yields.learned(f"http://shop.example/{n % kinds}/?{item}", False)
    return yields


# pages without news of each list with one parameter, and of those with both; whether these are closed
SOONER = {
    "enough together": (120, 60, True),
    "the others are closed themselves": (300, 60, True),
    "too few of its own": (300, 50, False),
    "too few together": (60, 100, False),
    "those with fewer are still fetched in their turn": (19, 60, False),
}


@pytest.mark.parametrize(("fewer", "own", "closed"), SOONER.values(), ids=SOONER)
def test_a_list_with_more_filters_is_closed_sooner(fewer: int, own: int, closed: bool) -> None:
    """It shows a part of what the same list shows with fewer, or the same in another order."""
    yields = shop(fewer)
    for n in range(own):
        yields.learned(SHOP.format(n % SHAPES, "name"), False)
    turn = yields.of["http://shop.example ?color&sort"].turn
    assert turn is (Turn.CLOSED if closed else Turn.LATER)


def test_news_of_lists_with_fewer_filters_keep_the_others_from_that() -> None:
    yields = shop(120)
    yields.credited("http://shop.example/3/?sort=name")
    for n in range(60):
        yields.learned(SHOP.format(n % SHAPES, "name"), False)
    assert yields.of["http://shop.example ?color&sort"].turn is Turn.LATER


def test_few_shapes_are_not_closed_sooner() -> None:
    yields = shop(300)
    for n in range(150):
        yields.learned(SHOP.format(n % (SHAPES - 1), "name"), False)
    assert yields.of["http://shop.example ?color&sort"].turn is Turn.LATER


def closed() -> Yields:
    """Yields with a closed group, of which not every order was fetched in every category."""
    yields = Yields()
    for n in range(400):
        yields.learned(SHOP.format(n % 20, ORDERS[n // 20 % 3 + n % 2]), False)
    return yields


def test_what_every_part_has_shown_to_bring_nothing_is_not_fetched() -> None:
    """Twenty categories in four orders are eighty shapes: three pages of each were more than what closed them."""
    yields = closed()
    assert SHOP.format(8, "rating") not in yields.of
    assert yields.place(SHOP.format(8, "rating")).turn is Turn.CLOSED
    # of an order that nobody has seen, or in a category that nobody has seen, nothing is known
    assert yields.place(SHOP.format(8, "new")).turn is Turn.LATER
    assert yields.place(SHOP.format("new", "price")).turn is Turn.LATER
    for n in range(3):
        assert yields.place(SHOP.format("new", "price")).turn is Turn.LATER
        yields.learned(SHOP.format("new", ORDERS[n]), False)
    assert yields.place(SHOP.format("new", "price")).turn is Turn.CLOSED


@pytest.mark.parametrize("how", ["news", "few words", "what it has led to"])
def test_parts_that_had_news_are_tried_longer(how: str) -> None:
    yields = closed()
    pattern = SHOP.format(8, "age")
    if how == "what it has led to":
        yields.credited(pattern)
    else:
        yields.learned(pattern, how == "news", few=how != "news")
    for n in range(300):
        yields.learned(SHOP.format(n % 6, ORDERS[1 + n % 3]), False)
    # a category with news that has had none for a while, in orders that never had any
    for turn in [Turn.LATER] * AGAIN + [Turn.CLOSED]:
        assert yields.place(SHOP.format(8, "new")).turn is Turn.LATER
        assert yields.place(SHOP.format(8, "rating")).turn is turn
        yields.learned(SHOP.format(8, "price"), False)


def test_a_shape_that_once_had_news_is_tried_longer_than_one_that_never_had() -> None:
    """As its parts are: it had 220 pages to itself, of a shop's nine such shapes 600 requests brought six pages."""
    yields = closed()
    pattern = SHOP.format(3, "price")
    yields.learned(pattern, True)
    for n in range(300):
        yields.learned(SHOP.format(n % 2, "name"), False)
    turns = []
    for _ in range(100):
        turns.append(yields.place(pattern).turn)
        yields.learned(pattern, False)
    later = turns.index(Turn.CLOSED)
    assert AGAIN <= later <= LOW + AGAIN
    assert set(turns[later:]) == {Turn.CLOSED}
    # what it brings after all opens it again
    assert yields.credited(pattern)
    assert yields.place(pattern).turn is not Turn.CLOSED


def test_parts_are_counted_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.live.groups.PARTS", 3)
    parts = ShapeParts()
    for _ in range(9):
        parts.count("g", "p?a=1&b=2", news=False)
        parts.count("g", "q?a=1", news=False)
    assert parts.are_tried("g", "p?a=1&b=2", 9)
    # what is beyond it is never taken for tried
    assert not parts.are_tried("g", "q?a=1", 1)


def test_what_is_counted_takes_as_much_where_names_are_long() -> None:
    parts = ShapeParts()
    tracemalloc.start()
    for n in range(2_000):
        parts.count("g" * 300, f"{'p' * 300}?{'a' * 300}{n}=1&{'b' * 300}{n}=2", news=n % 2 == 0)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < 4_001 * 160


def test_names_of_queries_are_remembered_up_to_a_bound() -> None:
    """A site may answer whatever names it is asked for, and link to others."""
    for n in range(3_000):
        assert subgroups(f"o ?a{n}&b") == [f"o ?a{n}", "o ?b"]
    known = groups._fewer.cache_info()
    assert known.maxsize is not None
    assert known.currsize <= known.maxsize < 3_000
