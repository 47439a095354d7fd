"""A value that has made no difference so far, among others that make one to a page now and then, is no default."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.evidence.luck import LUCKY
from tests.learn.test_few_values import BOTH, HOST, normalizer_of, page

if TYPE_CHECKING:
    from scrapy_urinorm.learn import Options
    from scrapy_urinorm.visits.record import Visit

TOWNS = ("leeds", "york", "hull", "bath", "ely", "ripon", "wells", "truro")
FORMS = ["/film/{}?city={}", "/film/{}/{}", "/film/no-{}-{}"]


def cinemas(form: str, *, share: float, of: tuple[str, ...] = TOWNS, films: int) -> list[Visit]:
    """Films, each with a page for each town, which is that of the film where it is not shown; in the last town none is
    shown so far.
    """
    lot, visits = random.Random(7), []
    for n in range(films):
        visits.append(page(form.partition("{}")[0] + str(n), f"film {n}"))
        for town in of:
            shown = town != of[-1] and lot.random() < share
            visits.append(page(form.format(n, town), f"film {n} {town if shown else ''}".strip()))
    return visits


@BOTH
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("share", "of", "films", "is_default"),
    [
        (0.1, TOWNS, 15, False),
        (0.2, TOWNS, 15, False),
        # where the others are pages of their own, none has had none by luck
        (0.9, TOWNS, 20, True),
        (0.0, TOWNS, 20, True),
        # nor does one view that is a page of its own now and then say anything of another
        (0.1, ("gallery", "print"), 20, True),
    ],
)
@pytest.mark.thorough
def test_what_makes_no_difference_by_luck_is_no_default(
    form: str, share: float, of: tuple[str, ...], films: int, options: Options, *, is_default: bool
) -> None:
    normalizer = normalizer_of(cinemas(form, share=share, of=of, films=films), options)
    last, bare = HOST + form.format(3, of[-1]), HOST + form.partition("{}")[0] + "3"
    assert (normalizer.key(last) == normalizer.key(bare)) is is_default


@BOTH
@pytest.mark.parametrize("form", FORMS)
def test_what_is_refused_for_that_says_so(form: str, options: Options) -> None:
    found = learn(cinemas(form, share=0.2, films=15), options)
    assert any(LUCKY in row.why for row in found.others)
