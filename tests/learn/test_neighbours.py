"""Neighbours come from sorting part rows: the same groups in any order of rows, capped but counted whole."""

from __future__ import annotations

import sys
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.extras import MissingExtraError
from scrapy_urinorm.learn.evidence.neighbours import ABSENT, MEMBER_CAP, Neighbours, Parts

if TYPE_CHECKING:
    import random

    Rows = list[tuple[int, int, int, int]]

small = st.integers(0, 3)
pages = st.lists(st.tuples(st.integers(-2, 9), st.integers(-1, 4)), min_size=1, max_size=12, unique_by=lambda p: p[0])
part_rows = st.lists(st.tuples(small, st.integers(-2, 9), st.integers(1, 3), st.integers(0, 11)), max_size=60)


def groups(rows: Rows, of_pages: list[tuple[int, int]], most: int = MEMBER_CAP) -> list[Neighbours]:
    parts = Parts()
    parts.extend([row for row in rows if row[3] < len(of_pages)])
    return list(parts.neighbours([hashed for hashed, _ in of_pages], [label for _, label in of_pages], most))


def expected(rows: Rows, of_pages: list[tuple[int, int]]) -> dict[tuple[int, int], set[tuple[int, int]]]:
    """The same by dictionaries: (name, key) -> members."""
    homes = {hashed: n for n, (hashed, _) in enumerate(of_pages)}
    found: dict[tuple[int, int], set[tuple[int, int]]] = defaultdict(set)
    for name, key, value, page in rows:
        if page < len(of_pages):
            found[name, key].add((value, page))
            if key in homes:
                found[name, key].add((ABSENT, homes[key]))
    return {at: members for at, members in found.items() if len(members) > 1}


@given(part_rows, pages)
def test_groups_are_those_that_dictionaries_give(rows: Rows, of_pages: list[tuple[int, int]]) -> None:
    rows = list(dict.fromkeys(rows))
    wanted = expected(rows, of_pages)
    assert [set(group.members) for group in groups(rows, of_pages)] == [wanted[at] for at in sorted(wanted)]


@given(part_rows, pages, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: Rows, of_pages: list[tuple[int, int]], rng: random.Random) -> None:
    assert groups(rows, of_pages) == groups(rng.sample(rows, len(rows)), of_pages)


def test_skewed_groups_are_capped_and_counted_whole() -> None:
    of_pages = [(page + 1, page % 7) for page in range(1000)] + [(0, 3)]
    (group,) = groups([(0, 0, page + 1, page) for page in range(1000)], of_pages)
    assert (group.size, group.known, group.labels, group.values, group.absent) == (1001, 1001, 7, 1001, 1000)
    assert len(group.members) == MEMBER_CAP
    assert group.members[0] == (ABSENT, 1000)
    # of mirrors each is looked at
    assert len(groups([(0, 0, page + 1, page) for page in range(1000)], of_pages, most=500)[0].members) == 500


def test_without_its_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(MissingExtraError, match=r"pip install .*\[learn\]"):
        groups([(0, 0, 1, 0)], [(1, 1)])
