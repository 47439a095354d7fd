"""What "the same content" means: exact, near, different, unknown; only the first speaks for a rule by itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from struct import pack
from typing import Any

import pytest

from scrapy_urinorm.content import (
    DIFFERENT,
    EXACT,
    NEAR,
    NOTHING,
    UNKNOWN,
    are_one,
    compare,
    plain_content,
    resemblance,
)
from scrapy_urinorm.visits.record import Visit


@dataclass
class Page:
    key: str
    label: int
    weak: bool = False
    sketches: tuple[bytes, ...] = ()
    words: int | None = None
    data: int = 0
    canonical: str | None = None
    day: int | None = None
    own: int = 0


def sketch(different: int) -> bytes:
    """A sketch that differs in so many of its 32 bins from `sketch(0)`."""
    return pack("<32I", *(n + 1000 * (n < different) for n in range(32)))


def like(share: float, **said: Any) -> Page:
    """A page that resembles `ONE` by about a share."""
    return replace(Page("/b", 2, sketches=(sketch(round(32 * (1 - share))),), words=100), **said)


ONE = Page("/a", 1, sketches=(sketch(0),), words=100)

COMPARED = {
    "equal text": (ONE, replace(ONE, key="/b"), EXACT),
    "equal text is equal though each names itself": (
        replace(ONE, canonical="/a"), Page("/b", 1, canonical="/b"), EXACT,
    ),
    "nothing known of one": (ONE, Page("/b", -1), UNKNOWN),
    "each drawn from data of its own": (Page("/a", -1, data=1), Page("/b", -1, data=2), DIFFERENT),
    "drawn from the same data": (Page("/a", -1, data=1), Page("/b", -1, data=1), UNKNOWN),
    "drawn from data of its own, beside a text": (replace(ONE, data=1), Page("/b", -1, data=2), UNKNOWN),
    "bodies say when and for whom they were made": (Page("/a", 1, weak=True), Page("/b", 2), UNKNOWN),
    "no sketch: other text is another page": (Page("/a", 1), Page("/b", 2), DIFFERENT),
    "nearly equal": (ONE, like(0.95), NEAR),
    "alike by three quarters is a contradiction": (ONE, like(0.75), DIFFERENT),
    "alike by half is a contradiction": (ONE, like(0.55), DIFFERENT),
    "nothing in common": (ONE, like(0.1), DIFFERENT),
    "nearly equal, longer by half": (ONE, like(0.95, words=151), DIFFERENT),
    "nearly equal, longer by less": (ONE, like(0.95, words=149), NEAR),
    "nearly equal, and the site says that they are one": (
        replace(ONE, canonical="/c"), like(0.95, canonical="/c"), EXACT,
    ),
    "one names the other as canonical": (ONE, like(0.95, canonical="/a"), EXACT),
    "the site's word on versions of a page": (replace(ONE, canonical="/c"), like(0.6, canonical="/c"), NEAR),
    "the site's word alone: everything canonical to the front page": (
        replace(ONE, canonical="/"), like(0.3, canonical="/"), DIFFERENT,
    ),
    "nearly equal, but each names an address of its own": (
        replace(ONE, canonical="/a"), like(0.95, canonical="/b"), DIFFERENT,
    ),
    "nearly equal, and each names another, neither itself": (
        replace(ONE, canonical="/x"), like(0.95, canonical="/y"), DIFFERENT,
    ),
    "nearly equal, with a paragraph of its own": (ONE, like(0.95, own=12), DIFFERENT),
    "nearly equal, with the name of who is answered": (ONE, like(0.95, own=11), NEAR),
    "nearly equal, with a paragraph of its own that the site does not count": (
        replace(ONE, canonical="/c"), like(0.95, canonical="/c", own=12), EXACT,
    ),
    "other text, half a year apart": (replace(ONE, day=0), like(0.1, day=180), UNKNOWN),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other", "outcome"), COMPARED.values(), ids=COMPARED)
def test_outcome(one: Page, other: Page, outcome: int) -> None:
    assert compare(one, other) == compare(other, one) == outcome


WITHOUT_A_DOUBT = {
    "equal text": (ONE, replace(ONE, key="/b"), True),
    "nothing known of either": (Page("/a", -1), Page("/b", -1), False),
    "nearly equal": (ONE, like(0.97), False),
    "nearly equal, and the site says that they are one": (ONE, like(0.97, canonical="/a"), True),
    "what a sketch of a text nearly equal may show by chance": (ONE, like(0.82, canonical="/a"), True),
    "what it may not": (ONE, like(0.78, canonical="/a"), False),
    "nearly equal, and the site says that they are two": (
        replace(ONE, canonical="/a"), like(0.97, canonical="/b"), False,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other", "is_one"), WITHOUT_A_DOUBT.values(), ids=WITHOUT_A_DOUBT)
def test_pages_that_are_one_without_a_doubt(one: Page, other: Page, is_one: bool) -> None:
    assert are_one(one, other) == are_one(other, one) == is_one


def test_resemblance_of_sketches() -> None:
    assert resemblance(sketch(0), sketch(0)) == 1
    assert resemblance(sketch(0), sketch(8)) == 0.75
    assert resemblance(sketch(0), sketch(32)) == 0


@pytest.mark.parametrize(
    ("visit", "known"),
    [
        pytest.param(Visit(url="/", status=200, text_digest="a", words=50), True, id="text"),
        pytest.param(
            Visit(url="/", status=200, main_digest="0" * 32, text_digest="a", words=50), False, id="a feed of no entry"
        ),
        pytest.param(Visit(url="/", status=404, text_digest="a", words=50), False, id="an error shows no page"),
        pytest.param(Visit(url="/", status=203, text_digest="a", words=50), True, id="what a proxy has changed does"),
        pytest.param(Visit(url="/", status=299, text_digest="a", words=50), True, id="an unknown success does"),
        pytest.param(Visit(url="/", status=202, text_digest="a", words=50), False, id="please wait for it"),
        pytest.param(Visit(url="/", status=206, text_digest="a", words=50), False, id="a part of it"),
        pytest.param(Visit(url="/", status=200, text_digest="a", words=0), False, id="no visible text proves nothing"),
        pytest.param(Visit(url="/", status=200), False, id="nothing recorded"),
    ],
)
def test_what_a_visit_without_lines_tells(visit: Visit, known: bool) -> None:
    assert (plain_content(visit) != NOTHING) is known
