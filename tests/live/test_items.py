"""Items of an API that show one of a few states are not closed; what shows the same again and again is."""

from __future__ import annotations

import pytest

from scrapy_urinorm.live import items
from scrapy_urinorm.live.items import Items
from scrapy_urinorm.live.novelty import Novelty
from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.record import Visit

HOST = "http://a.example"
LIST, ITEM = "a.example/list?page=*", "a.example/items/#"


def data(path: str, text: str, referer: str = "", links: bytes | None = None) -> Visit:
    url = HOST + path
    from_ = HOST + referer if referer else None
    return Visit(url=url, id=url_hash(url), status=200, text_digest=text, words=4, referer=from_, links=links)


@pytest.mark.parametrize(
    ("states", "pattern", "list_", "one"),
    [
        (["free", "sold"], ITEM, None, True),
        (["gone"], ITEM, None, False),
        (["free", "sold"], "a.example/items?id=*", None, False),
        (["free", "sold"], LIST, None, False),
        (["free", "sold"], ITEM, b"", False),
    ],
    ids=["states", "one state", "a query", "its own kind", "a list that has links"],
)
def test_items_in_a_few_states_are_no_views(states: list[str], pattern: str, list_: bytes | None, one: bool) -> None:
    novelty = Novelty()
    novelty.brought(data("/list?page=1", "a list", links=list_), LIST)
    said = [
        novelty.brought(data(f"/items/{n}", states[n % len(states)], "/list?page=1"), pattern)[0] for n in range(10)
    ]
    assert [news.news for news in said] == [n < len(states) for n in range(10)]
    assert {news.few for news in said[3:]} == {one}


def test_a_list_without_news_says_nothing_of_its_items() -> None:
    """Two kinds of data that lead to each other without end are closed."""
    novelty = Novelty()
    for n in range(10):
        novelty.brought(data(f"/list?page={n}", "a list"), LIST)
        state = "free" if n % 2 else "sold"
        news, _ = novelty.brought(data(f"/items/{n}", state, f"/list?page={n}"), ITEM)
    assert (news.news, news.few) == (False, False)


def test_lists_and_shapes_without_end_are_not_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(items, "MOST", 10)
    monkeypatch.setattr(items, "MOST_PLACES", 10)
    known = Items()
    for n in range(100):
        known.listed(data(f"/list?page={n}", f"list {n}"), LIST)
        known.is_one(data(f"/items/{n}", "free", "/list?page=0"), f"a.example/{n}/#")
    assert (len(known._lists), len(known._last)) == (10, 10)
