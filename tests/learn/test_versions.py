"""A number that counts versions: of one host nothing has changed yet, of another some files have."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
