"""Variants that a page names in short lines, with a price of their own: live rules wait until they are known apart."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.content.echoes import BESIDE, echoed
from scrapy_urinorm.learn.options import Options
from tests.live.sites import Answer, identities_of, prose, record

if TYPE_CHECKING:
    from collections.abc import Callable

COLOURS, SIZES, SHELVES = ("black", "white", "red", "blue", "green", "navy"), ("s", "m", "l", "xl"), 5


@dataclass
class Shop:
    """Products in two to four colours and four sizes; of every third the size makes a price."""

    products: int = 60
    host: str = "shop.example"
    start: str = "http://shop.example/"

    def answer(self, target: str) -> Answer:
        parts, asked = urlsplit(target), dict(parse_qsl(urlsplit(target).query))
        first, *rest = parts.path.strip("/").split("/")
        if first == "shelf":
            here = range(int(rest[0]), self.products, SHELVES)
            return Answer(200, prose(f"shelf {rest[0]}", 20), tuple(f"/p/{n}?ref=list" for n in here), identity=target)
        if first != "p":
            return Answer(200, prose("home"), tuple(f"/shelf/{n}" for n in range(SHELVES)), identity="home")
        n = int(rest[0])
        colours = [COLOURS[(n + k) % 6] for k in range(2 + n % 3)]
        colour, size = asked.get("color", colours[0]), asked.get("size", "m")
        price = 19 + n * 37 % 30 + 2 * SIZES.index(size) * (n % 3 == 0)
        text = f"<h1>Thing {n}</h1><p>{price}.99 EUR</p><p>Colour: {colour}</p><p>Size: {size}</p>"
        links = [
            *(f"/p/{n}?color={one}" + f"&size={size}" * ("size" in asked) for one in colours),
            *(f"/p/{n}?" + f"color={colour}&" * ("color" in asked) + f"size={one}" for one in SIZES),
            *(f"/p/{(n * 7 + k) % self.products}?ref=rel" for k in (1, 2, 3)),
        ]
        told = prose(f"thing {n}", 90).replace("</p><p>", " ")
        return Answer(200, text + told, tuple(links), identity=f"thing {n} {colour} {price}", title=f"Thing {n}")


def test_variants_that_the_page_names_are_fetched_or_named() -> None:
    """Breadth first, in which the pages of a product come long before its variants."""
    visits, identities = record(Shop())
    live = Simulator(visits, Options(skip=False)).crawl()
    named = [*live.fetched, *live.parked, *live.closed]
    assert set(identities.values()) - {None} <= set(identities_of(named, identities))


SLOT = 7


def lines(text: str) -> bytes:
    return array("Q", [1, 2, SLOT, hash(text) & 0xFFFF_FFFF]).tobytes()


@pytest.mark.parametrize(
    ("said", "is_one"),
    [
        (lambda n, v: f"shown is {v}", True),
        (lambda n, v: f"thing {n}", False),
        (lambda n, v: f"visitor {n} {v}", False),
        (lambda n, v: "shown is all", False),
    ],
    ids=["its value", "what the page is called", "a counter", "always the same"],
)
def test_what_is_an_echo(said: Callable[[int, str], str], is_one: bool) -> None:
    pages = [(f"http://a.example/{n}?v={v}", lines(said(n, v))) for n in range(BESIDE) for v in "ab"]
    assert echoed(pages, {SLOT}) == (frozenset({"v"}) if is_one else frozenset())
    assert not echoed(pages, {SLOT + 1})
    assert not echoed(pages[:-2], {SLOT}), "fewer than it takes"


def test_a_token_is_none() -> None:
    """Each has a page of its own, and so each text one value."""
    pages = [(f"http://a.example/{n // 2}?t={n}x", lines(f"page {n}")) for n in range(40)]
    assert not echoed(pages, {SLOT})


@pytest.mark.parametrize(
    "said",
    [lambda n, v: "one size" if n == 3 else f"size {v}", lambda _, v: f"colour {v.replace('d', 'c')}"],
    ids=["a product of one size", "two values of one name"],
)
def test_what_is_otherwise_of_a_few_is_still_one(said: Callable[[int, str], str]) -> None:
    pages = [(f"http://a.example/{n}?v={v}", lines(said(n, v))) for n in range(20) for v in "abcd"]
    assert echoed(pages, {SLOT}) == frozenset({"v"})
