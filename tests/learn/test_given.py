"""What goes with a request: an item that several requests fill is finished at each address of one page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import GIVEN_OWN, Visit

if TYPE_CHECKING:
    from collections.abc import Callable

HOST = "http://shop.example"
SELLERS, PRODUCTS = 4, 300

GIVEN = [
    pytest.param(lambda _: None, True, id="nothing"),
    pytest.param(lambda n: f"item {n}", False, id="an item"),
    pytest.param(lambda _: GIVEN_OWN, False, id="what cannot be compared"),
    pytest.param(lambda n: f"level {n % 3}", True, id="a level"),
    pytest.param(lambda n: f"link text {n // 2}", True, id="the text of links, of which there are two each"),
]


def sellers(given: Callable[[int], str | None], *, status: int = 200) -> list[Visit]:
    """Sellers, each asked for with the product that led to them."""
    rows = [(f"{HOST}/seller/{n % SELLERS}?p={n}", f"seller {n % SELLERS}", n) for n in range(PRODUCTS)]
    found = [Visit(url=url, status=status, text_digest=text, words=100, given=given(n)) for url, text, n in rows]
    return [Visit(url=f"{HOST}/{n}", status=200, text_digest=f"{n}", words=100) for n in range(9)] + found


@pytest.mark.parametrize(("given", "learned"), GIVEN)
@pytest.mark.thorough
def test_pages_that_were_asked_for_with_something_of_their_own_teach_nothing(
    given: Callable[[int], str | None], learned: bool
) -> None:
    result = learn(sellers(given))
    key = Normalizer(result.rules).key
    assert (key(f"{HOST}/seller/3?p=171") == key(f"{HOST}/seller/3?p=175")) is learned
    assert (result.given, result.given_like) == ((0, "") if learned else (PRODUCTS, f"{HOST}/seller/0?p=0"))


def test_an_address_that_was_asked_for_without_it_too_is_known() -> None:
    visits = [*sellers(lambda n: f"item {n}"), *sellers(lambda _: None)]
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/seller/3?p=171") == key(f"{HOST}/seller/3?p=175")


@pytest.mark.parametrize(("given", "counted"), [(lambda _: None, PRODUCTS), (lambda n: f"item {n}", 0)])
def test_errors_that_finish_an_item_do_not_count(given: Callable[[int], str | None], counted: int) -> None:
    """An errback yields the item without what is not there."""
    site = Site("shop.example")
    for visit in sellers(given, status=404):
        site.add(visit, "shop.example")
    site.build("safe")
    assert sum(page.refused > 0 for page in site.pages) == counted


def test_what_redirects_twice_is_asked_for_with_something_of_its_own_all_the_same() -> None:
    visits = []
    for visit in sellers(lambda n: f"item {n}"):
        if visit.given is not None:
            path = visit.url.removeprefix(HOST)
            for one, after in ((f"/go{path}", f"/to{path}"), (f"/to{path}", path)):
                visits.append(Visit(url=HOST + one, status=301, final_url=HOST + after, given=visit.given))
        visits.append(visit)
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/seller/3?p=171") != key(f"{HOST}/seller/3?p=175")
