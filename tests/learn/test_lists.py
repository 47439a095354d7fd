"""Orders of lists, and filters upon filters, come last where all that they lead to is known from others."""

from __future__ import annotations

from itertools import combinations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://shop.example"
ORDERS = ("price", "name", "rank", "age")
CATEGORIES = 30
ITEMS = 5


def page(path: str, text: str, links: list[str], depth: int = 1) -> Visit:
    row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": depth}
    return visit_from_row(row | {"links": [HOST + link for link in links]})


def item(category: int, n: int) -> str:
    return f"/c/item/{category}-{n}"


def ordered(private: bool) -> list[Visit]:
    """Categories in four orders, whose first rows are those of others; `private`: each leads to an item of its own."""
    lists = [f"/c/?cat={c}" for c in range(CATEGORIES)]
    visits = [page("/", "front", [*lists, *(f"{one}&sort={o}" for one in lists for o in ORDERS)], depth=0)]
    for c, one in enumerate(lists):
        items = [item(c, n) for n in range(ITEMS)]
        visits += [page(one, f"list {c}", items), *(page(path, path, []) for path in items)]
        for order in ORDERS:
            more = [f"/c/item/{c}-{order}"] if private else []
            visits.append(page(f"{one}&sort={order}", f"list {c % 5} by {order}", items + more))
            visits += [page(path, path, []) for path in more]
    return visits


@pytest.mark.parametrize("private", [False, True], ids=["nothing new", "items of their own"])
def test_orders_that_lead_to_nothing_new_come_last(private: bool) -> None:
    normalizer = Normalizer(learn(ordered(private)).rules)
    assert normalizer.decide(f"{HOST}/c/?cat=new&sort=price").defer is not private
    for path in ("/c/?cat=new", "/c/item/new"):
        assert not normalizer.decide(HOST + path).defer, path


def filtered(private: bool) -> list[Visit]:
    """A list under one filter, and under two; `private`: two at once lead to an item of their own."""
    values = range(15)
    ones = [f"/c/?f=a{n}" for n in values]
    twos = [f"/c/?f=a{n}&f=a{m}" for n, m in combinations(values, 2)]
    visits = [page("/", "front", ["/c/", *ones, *twos], depth=0)]
    items = [item(n, 0) for n in values]
    visits += [page("/c/", "all", items), *(page(path, path, []) for path in items)]
    visits += [page(one, one, [items[n]]) for n, one in enumerate(ones)]
    for two in twos:
        more = [f"/c/item/{two[4:]}"] if private else []
        visits += [page(two, two, [items[0], *more]), *(page(path, path, []) for path in more)]
    return visits


@pytest.mark.parametrize("private", [False, True], ids=["nothing new", "items of their own"])
def test_filters_upon_filters_come_last(private: bool) -> None:
    normalizer = Normalizer(learn(filtered(private)).rules)
    assert normalizer.decide(f"{HOST}/c/?f=new&f=a1").defer is not private
    assert not normalizer.decide(f"{HOST}/c/?f=new").defer
    assert not any(normalizer.decide(f"{HOST}/c/?f=new{more}").skip for more in ("", "&f=a1"))


def test_items_that_a_parameter_names_are_no_filters() -> None:
    """A wiki: each page is named by a parameter, and links to others."""
    names = [f"/w?id=p{n}" for n in range(120)]
    visits = [page("/w", "front", names, depth=0)]
    visits += [page(name, name, [names[(7 * n + k) % 120] for k in range(9)]) for n, name in enumerate(names)]
    normalizer = Normalizer(learn(visits).rules)
    assert not normalizer.decide(f"{HOST}/w?id=new").defer


def test_items_whose_files_redirect_to_them_are_no_lists() -> None:
    """A gallery: a visitor who asks for the file of a picture is sent to its page."""
    visits = [page("/", "front", [f"/g?album={a}" for a in range(12)], depth=0)]
    for a in range(12):
        pictures = [f"/g?album={a}&image={a}-{n}" for n in range(10)]
        visits.append(page(f"/g?album={a}", f"album {a}", pictures))
        for n, picture in enumerate(pictures):
            visits.append(page(picture, f"picture {a} {n}", [f"/g?album={a}", f"/file?of={a}&i={n}"]))
            led = {"status": 302, "redirects": [[302, HOST + picture]], "final_url": HOST + picture}
            shown = {"text_digest": f"picture {a} {n}", "words": 100, "depth": 3, "links": []}
            visits.append(visit_from_row({"url": f"{HOST}/file?of={a}&i={n}"} | led | shown))
    normalizer = Normalizer(learn(visits).rules)
    assert not normalizer.decide(f"{HOST}/g?album=3&image=new").defer
