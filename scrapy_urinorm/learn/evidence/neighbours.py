"""Neighbours: addresses that one edit makes equal, found by sorting part rows.

Every family of rules is an edit of a URL. A *part row* says: this edit (`name`) turns this page into the URL with
hash `key`; `value` hashes what the edit took away. Pages of equal (name, key), and the page whose own hash is that
key, are neighbours: they differ in nothing but what the edit takes away.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from scrapy_urinorm.extras import MissingExtraError

MEMBER_CAP = 64
"""Members of a group that are looked at one by one: four times the weight of the largest disagreement. Counts are of
all."""
ABSENT = 0

Row = tuple[int, int, int, int]
"""(name, key, value, page); the value is never 0, which stands for absence."""


class Neighbours(NamedTuple):
    """One group: `members` are (value, page), the page that the edit leads to first, as many as were asked for.

    `size` counts members, `labels` distinct known labels, `known` members with one, `values` distinct values;
    `absent` is the page that the edit leads to, -1 where it was not visited, and is a member with value 0 too;
    `home_differs` says that it shows what is known, and that none of the others shows it.
    """

    name: int
    size: int
    known: int
    labels: int
    values: int
    absent: int
    members: list[tuple[int, int]]
    home_differs: bool


class Parts:
    """Part rows of the pages of one site, column by column."""

    def __init__(self) -> None:
        self._columns: tuple[array[int], ...] = tuple(array("q") for _ in range(4))

    def extend(self, rows: Iterable[Row]) -> None:
        """Add part rows."""
        for column, values in zip(self._columns, zip(*rows, strict=True), strict=False):
            column.extend(values)

    def __len__(self) -> int:
        return len(self._columns[0])

    def neighbours(self, hashes: Sequence[int], labels: Sequence[int], most: int = MEMBER_CAP) -> Iterator[Neighbours]:
        """Yield the groups of two members and more, ordered by name and key, with `most` members each.

        `hashes` and `labels` are those of all pages by number. Raises `MissingExtraError` without NumPy.
        """
        try:
            import numpy as np
        except ImportError:
            raise MissingExtraError("Learning", "learn") from None
        if not len(self):
            return
        name, key, value, page = (np.frombuffer(column, np.int64) for column in self._columns)
        order = np.lexsort((page, value, key, name))
        name, key, value, page = name[order], key[order], value[order], page[order]
        starts = np.flatnonzero(np.concatenate(([True], (name[1:] != name[:-1]) | (key[1:] != key[:-1]))))
        ends = np.append(starts[1:], len(name))
        own = np.array(hashes, np.int64)
        by_hash = np.argsort(own, kind="stable")
        own = own[by_hash]
        at = np.minimum(np.searchsorted(own, key[starts]), len(own) - 1)
        homes = np.where(own[at] == key[starts], by_hash[at], -1)
        kept = np.flatnonzero(ends - starts + (homes >= 0) > 1)
        for group in kept.tolist():
            first, last, home = int(starts[group]), int(ends[group]), int(homes[group])
            values, pages = value[first:last].tolist(), page[first:last].tolist()
            members = list(zip(values, pages, strict=True))
            if home >= 0:
                members.insert(0, (ABSENT, home))
            known = [label for _, number in members if (label := labels[number]) >= 0]
            yield Neighbours(
                int(name[first]),
                len(members),
                len(known),
                len(set(known)),
                len(set(values)) + (home >= 0),
                home,
                members[:most],
                home >= 0 and known.count(labels[home]) == 1,
            )
