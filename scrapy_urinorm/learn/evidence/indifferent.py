"""Pages that say nothing of which value was asked for, as those of values without anything: no offers in this town.

That two professions have none there makes them no spellings of one. Such a page is shown for three values and more of
a parameter, or segment, of which two show different pages elsewhere.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.edits import Name
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.pages.view import View

VALUES = 3
"""Values that show one page: two may be spellings of one. Chosen."""
MOST_PAIRS = 100_000
"""Pairs of values of one edit of which it is remembered that they differ; 20 MB."""


def indifferent(groups: Mapping[Name, Sequence[Neighbours]], views: Sequence[View]) -> frozenset[int]:
    """Return the labels of such pages, by the neighbours of what takes a parameter, segment or piece of a name away."""
    found: set[int] = set()
    for name, neighbours in groups.items():
        if (name[0] == "drop" and len(name) == 2) or name[0] in ("mask", "piece"):
            found |= _of_one(neighbours, views)
    return frozenset(found - {-1})


def _of_one(neighbours: Sequence[Neighbours], views: Sequence[View]) -> set[int]:
    shared: list[tuple[int, list[int]]] = []
    several: list[list[list[int]]] = []
    for group in neighbours:
        values: dict[int, list[int]] = defaultdict(list)
        for value, page in group.members:
            if (label := views[page].page.label) >= 0:
                values[label].append(value)
        shared += [(label, sorted(same)) for label, same in values.items() if len(same) >= VALUES]
        if len(values) > 1:
            several.append([*values.values()])
    if not shared:
        return set()
    # of most parameters no page is shown for so many values, and of the others few values are
    asked = {value for _, same in shared for value in same}
    differ: set[tuple[int, int]] = set()
    for labels in several:
        if len(differ) >= MOST_PAIRS:
            break
        known = [[value for value in same if value in asked] for same in labels]
        for one, other in combinations(filter(None, known), 2):
            differ.update((min(a, b), max(a, b)) for a in one for b in other)
    return {label for label, same in shared if any(pair in differ for pair in combinations(same, 2))}
