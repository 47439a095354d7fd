"""Shapes whose queries have the same names: what closes them together, and what of them is fetched all the same."""

from __future__ import annotations

import tracemalloc

import pytest

from scrapy_urinorm.live import groups
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.groups import AGAIN, ShapeParts, added_to, group_of, subgroups
from scrapy_urinorm.live.yields import CLOSE, LOW, SHAPES, Yields

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


ADDED = [
    ("http://a.example/c/?a=x&b=*&b=y", ["http://a.example ?+ a", "http://a.example ?+ b"]),
    ("http://a.example/c/?a=", ["http://a.example ?+ a"]),
    ("http://a.example/list.php?a=x", ["http://a.example/list.php ?+ a"]),
    ("http://a.example/c/", []),
    ("a line of a pack http://a.example/?a=1", []),
    # each of many parameters would be counted with each of its own
    ("http://a.example/?a=&b=&c=&d=&e=&f=&g=", []),
]


@pytest.mark.parametrize(("pattern", "names"), ADDED)
def test_what_each_parameter_is_added_to(pattern: str, names: list[str]) -> None:
    assert added_to(pattern) == names
    assert added_to(pattern, ()) == []
    without = pattern.partition("?")[0]
    assert added_to(pattern, {without}) == (names if len(names) == 1 else [])


FILTERS = ("", "color=*&", "size=*&", "color=*&size=*&")


def sorted_lists(times: int, *, unsorted: bool = True, yields: Yields | None = None) -> Yields:
    """Yields after so many rounds without news of sorted lists, with some filters or none, each unsorted one before.

    They are too few of each set of names to close these.
    """
    yields = yields or Yields()
    for n in range(times * len(FILTERS) * (SHAPES - 1)):
        kept, chosen = FILTERS[n % len(FILTERS)], n // len(FILTERS)
        if unsorted:
            yields.learned(f"http://shop.example/{chosen % (SHAPES - 1)}/?{kept}".rstrip("?&"), True)
        order = ORDERS[chosen % len(ORDERS)]
        yields.learned(f"http://shop.example/{chosen % (SHAPES - 1)}/?{kept}sort={order}", False)
    return yields


def test_what_a_parameter_is_added_to_is_closed_whatever_else_is_there() -> None:
    """A shop with four filters has sixteen sets of names, and an order that brings nothing in one does so in each."""
    yields = sorted_lists(4)
    assert all(one.turn is not Turn.CLOSED for name, one in yields.of.items() if "+" not in name)
    assert yields.place("http://shop.example/3/?color=*&size=*&sort=price").turn is Turn.CLOSED
    # one that nobody has seen beside an order, or an unsorted one that nobody has seen, says nothing yet
    assert yields.place("http://shop.example/3/?brand=*&sort=price").turn is not Turn.CLOSED
    assert yields.place("http://shop.example/new/?color=*&sort=price").turn is not Turn.CLOSED
    del yields.of["http://shop.example/3/?color=*&size=*"]
    assert yields.place("http://shop.example/3/?color=*&size=*&sort=price").turn is not Turn.CLOSED


def test_too_few_pages_of_what_a_parameter_is_added_to_close_nothing() -> None:
    rounds = (LOW + CLOSE) // (len(FILTERS) * (SHAPES - 1))
    assert sorted_lists(rounds).place("http://shop.example/3/?color=*&size=*&sort=price").turn is not Turn.CLOSED


def test_a_parameter_that_is_added_to_nothing_closes_nothing() -> None:
    """Of a site that says its language in every address the language would close whatever is there."""
    yields = sorted_lists(4, unsorted=False)
    for kept in FILTERS:
        yields.learned(f"http://shop.example/3/?{kept}".rstrip("?&"), True)
    assert yields.place("http://shop.example/3/?color=*&size=*&sort=price").turn is not Turn.CLOSED


@pytest.mark.parametrize("how", ["news", "few words", "what it has led to", "news where it is added to nothing"])
def test_news_of_what_a_parameter_is_added_to_open_all(how: str) -> None:
    yields = sorted_lists(4)
    pattern = "http://shop.example/3/?color=*&size=*&sort=price"
    assert yields.place(pattern).turn is Turn.CLOSED
    other = "http://shop.example/new/?sort=age" if how.endswith("nothing") else "http://shop.example/5/?sort=age"
    if how == "what it has led to":
        reopened = yields.credited(other)
    else:
        reopened = yields.learned(other, how != "few words", few=how == "few words")
    assert "http://shop.example ?+ sort" in reopened
    assert yields.place(pattern).turn is not Turn.CLOSED


def test_one_that_brings_something_is_not_closed_with_what_its_parameter_is_added_to() -> None:
    yields, pattern = Yields(), "http://shop.example/3/?color=*&size=*&sort=price"
    for n in range(70):
        yields.learned(pattern, n < 10)
    sorted_lists(6, yields=yields)
    assert yields.place("http://shop.example/4/?color=*&size=*&sort=price").turn is Turn.CLOSED
    assert yields.of[pattern].is_alone
    assert yields.place(pattern).turn is Turn.LATER


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
