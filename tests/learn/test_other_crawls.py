"""Two crawls are learned from together: a visitor who is logged in sees more than one who is not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from tests.content.test_telling import HOST, prose, visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.visits.record import Visit

TEASER = "To read on you have to be a member of our society, please log in or ask for a trial month."
ASKED = "Please log in to see the price and what we have in our store today"


def article(number: int, part: int, *, member: bool) -> str:
    """Of which only a member sees the parts."""
    text = prose((number, part)) if member else f"{prose((number, 0), 30)}</p><p>{TEASER}"
    return f"<h1>Article {number}</h1><p>{text}</p>"


def product(number: int, part: int, *, member: bool) -> str:
    """Whose price for a colour only a member sees."""
    said = prose((number, part), 18) if member else ASKED
    return f"<h1>Chair {number}</h1><div><p>{prose(number)}</p></div><section>{said}</section>"


def edited(number: int, part: int, *, member: bool) -> str:
    """One page whatever the parameter is, but it was edited since."""
    return f"<h1>Page {number}</h1><p>{prose((number, member and number % 3))}</p>"


def crawled(body: Callable[..., str], *, member: bool) -> list[Visit]:
    addresses = [(n, part) for n in range(40) for part in range(3)]
    said = (visit(f"/a/{n}?part={part}", body(n, part, member=member), f"Page {n}") for n, part in addresses)
    return [replace(one, crawl=f"2026010{1 + member}T000000Z-00000000") for one in said]


@pytest.mark.parametrize("first", [False, True], ids=["logged in later", "logged in before"])
@pytest.mark.parametrize(("body", "pages"), [(article, 3), (product, 3), (edited, 1)])
@pytest.mark.thorough
def test_what_one_crawl_tells_apart_is_not_one(body: Callable[..., str], pages: int, first: bool) -> None:
    visits = [one for member in (first, not first) for one in crawled(body, member=member)]
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(f"{HOST}/a/99?part={part}") for part in range(3)}) == pages
