"""Numbers that count versions: of one host nothing has changed yet, of another some files have; the latest of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_urinorm.learn.learner import LearnResult

FILES, BACKUPS = 40, 4


def backups(changes: int, *, always: bool = False, numbers: Sequence[int] = range(BACKUPS)) -> tuple[LearnResult, bool]:
    """Files of two hosts in some backups, half of those of `beta` change at so many, or `always` all; and whether those
    of `alpha` are one.
    """
    site = Site("http://backup.example")
    for n in range(FILES):
        for at, number in enumerate(numbers):
            version = at if always else min(at, changes) * (n % 2)
            site.add(f"/get?host=alpha&num={number}&f=a{n}", f"alpha {n}")
            site.add(f"/get?host=beta&num={number}&f=b{n}", f"beta {n} {version}")
    result = learn(site.visits(), Options(jobs=1))
    key = Normalizer([result.rules]).key
    first, second, *_ = numbers
    return result, key(f"{site.origin}/get?host=alpha&num={first}&f=a1") == key(
        f"{site.origin}/get?host=alpha&num={second}&f=a1"
    )


def test_a_host_whose_files_have_not_changed_yet_says_nothing_of_the_next_backup() -> None:
    result, is_one = backups(1)
    assert not is_one
    (proposed,) = (one for one in result.others if one.rule == "remove_params" and one.value == ["num"] and one.where)
    assert (proposed.status, proposed.needs_word) == ("proposed", True)
    assert "under other values of `host`" in proposed.why


def test_nor_where_nothing_has_changed_anywhere_is_anything_refused() -> None:
    assert backups(0)[1]


def test_pages_that_differ_by_each_number_are_none_of_versions() -> None:
    """As those of a list that has several."""
    assert backups(0, always=True)[1]


def test_numbers_with_gaps_count_nothing() -> None:
    assert backups(1, numbers=range(0, 400, 100))[1]


PAGES = 60


def numbered(spelling: str, numbers: int, several: int, *, edits: int = 3) -> bool:
    """Whether pages of a wiki are one with and without a number, which was seen to make no difference: for each page
    one of so many `numbers`, and for `several` pages a second one.
    """
    site = Site("http://wiki.example")
    for n in range(PAGES):
        latest = 2 + n % edits % numbers
        site.add(f"/w?p=page-{n}x", f"page {n}")
        for number in (latest, *([1] if n < several else [])):
            site.add(f"/w?p=page-{n}x&version={spelling.format(number)}", f"page {n}")
    key = Normalizer([learn(site.visits(), Options(jobs=1)).rules]).key
    ones = [f"{site.origin}/w?p=page-3x", f"{site.origin}/w?p=page-3x&version={spelling.format(2)}"]
    return key(ones[0]) == key(ones[1])


@pytest.mark.parametrize(
    ("spelling", "numbers", "several", "is_one"),
    [
        pytest.param("{}", 3, 0, False, id="one each: it may be the latest version"),
        pytest.param("{:06}", 3, 0, False, id="with zeros"),
        pytest.param("{}", 3, 1, False, id="one page has two: an edit may have changed nothing"),
        pytest.param("{}", 3, 20, True, id="pages have two"),
        pytest.param("{}", 1, 0, True, id="the same for all: it is the default"),
    ],
)
def test_the_number_of_each_page_says_nothing_of_its_others(
    spelling: str, numbers: int, several: int, is_one: bool
) -> None:
    assert numbered(spelling, numbers, several) is is_one
