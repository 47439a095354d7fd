"""Charts say the same names each week, in another order: what a number asks for, where it asks for many orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.learn import learn
from tests.content.test_frame import visit
from tests.learn.test_few_values import BOTH, HOST, normalizer_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn import Options
    from scrapy_urinorm.visits.record import Visit

SONGS = 12


def charts(form: str, values: list[str], orders: int, shows: int = 3) -> list[Visit]:
    """The same songs for each value of a show, each time with another one first, as far as there are orders."""
    visits = []
    for show in range(shows):
        names = [("song", f"the song of show {show} that is called number {n}") for n in range(SONGS)]
        for at, value in enumerate(values):
            first = at % orders
            visits.append(visit([("menu", "home"), *names[first:], *names[:first]], HOST + form.format(show, value)))
    return visits


WEEKS = [f"w{n}" for n in range(20, 40)]
NUMBERS = [str(n) for n in range(20, 40)]
WORDS = ["by-" + "abcdefghijklmnopqrst"[n] for n in range(20)]


@BOTH
@pytest.mark.parametrize(
    ("form", "values", "orders", "are_one"),
    [
        ("/charts/{}/{}", WEEKS, SONGS, False),
        ("/charts/{}?w={}", NUMBERS, SONGS, False),
        # one order, or few: that by the column
        ("/charts/{}/{}", WEEKS, 1, True),
        ("/charts/{}?w={}", NUMBERS, 2, True),
        ("/charts/{}/{}", WORDS, SONGS, True),
    ],
)
def test_charts_of_each_week_are_pages(
    form: str, values: list[str], orders: int, options: Options, *, are_one: bool
) -> None:
    normalizer = normalizer_of(charts(form, values, orders, 3 if "?" not in form else 14), options)
    keys = {normalizer.key(HOST + form.format(1, value)) for value in values}
    assert len(keys) == (1 if are_one else len(values))


@BOTH
def test_what_is_refused_for_that_says_so(options: Options) -> None:
    found = learn(charts("/charts/{}/{}", WEEKS, SONGS), options)
    assert any("in many orders" in row.why for row in found.others)
