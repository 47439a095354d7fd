"""Constant views that are so by luck: a page that has not changed yet, among others that change now and then.

A file that is the same in twenty versions is no log-in form: the other files of its folder say how often one changes.
"""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from scrapy_urinorm.content import DIFFERENT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from scrapy_urinorm.learn.evidence.judge import Group
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.pages.view import View

LUCK = 1e-4
"""The chance from which a page is taken to be one that has not changed yet. Chosen on cgit: of a file 60 versions alike
are asked for where others change in every seventh, of a log-in form beside pages that differ by every value none."""
FEWEST = 3
"""Known pages that say how often one changes."""

_Place = tuple[str, str, bool, frozenset[str]]


def by_luck(
    near: Sequence[Neighbours],
    groups: Sequence[Group],
    support: Iterable[int],
    views: Sequence[View],
    names: Collection[str],
) -> float:
    """Return the chance that one of the pages of a constant view would look so, did it change as its siblings do.

    Siblings are the pages of the same folder with the same parameters; `names` are those that are to be dropped.
    """
    rates, places = _rates(near, groups, support, views, names)
    return max(
        ((1 - median(rates[place])) ** (near[n].known - 1) for n, place in places.items() if rates[place]), default=0.0
    )


def change_beside(
    near: Sequence[Neighbours],
    groups: Sequence[Group],
    support: Iterable[int],
    views: Sequence[View],
    names: Collection[str],
) -> float:
    """Return how often the siblings of the pages of a constant view change, from 0 to 1; 0 where one has none."""
    rates, places = _rates(near, groups, support, views, names)
    return min((median(rates[place]) if rates[place] else 0.0 for place in places.values()), default=0.0)


def _rates(
    near: Sequence[Neighbours],
    groups: Sequence[Group],
    support: Iterable[int],
    views: Sequence[View],
    names: Collection[str],
) -> tuple[dict[_Place, list[float]], dict[int, _Place]]:
    """Return how often the siblings in each place change, and the places of what supports a constant view."""
    rates: dict[_Place, list[float]] = {}
    places = {}
    for n in support:
        places[n] = _place(views, near[n], names)
        rates[places[n]] = []
    for n, group in enumerate(groups):
        if group.outcome == DIFFERENT and near[n].known >= FEWEST and near[n].labels > 1:
            rates.get(_place(views, near[n], names), []).append((near[n].labels - 1) / (near[n].known - 1))
    return rates, places


def _place(views: Sequence[View], near: Neighbours, names: Collection[str]) -> _Place:
    view = views[near.members[-1][1]]
    path = view.path.rstrip("/")
    left = frozenset(name for name, _ in view.items if name not in names)
    return view.host, path.rpartition("/")[0], path != view.path, left
