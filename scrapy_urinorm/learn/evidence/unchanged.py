"""Constant views that are so by luck: a page that has not changed yet, among others that change now and then.

A file that is the same in twenty versions is no log-in form: the other files of its folder say how often one changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from statistics import median
from typing import TYPE_CHECKING

from scrapy_urinorm.content import DIFFERENT

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Group
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.pages.view import View

LUCK = 1e-4
"""The chance from which a page is taken to be one that has not changed yet. Chosen on cgit: of a file 60 versions alike
are asked for where others change in every seventh, of a log-in form beside pages that differ by every value none."""
FEWEST = 3
"""Known pages that say how often one changes."""

_Place = tuple[str, str, bool, frozenset[str]]


class Siblings:
    """How often the siblings of the pages of a constant view change: those of the same folder with the same parameters.

    `support` are the numbers of the groups that speak for the view, `names` the parameters that are to be dropped.
    """

    def __init__(
        self,
        near: Sequence[Neighbours],
        groups: Sequence[Group],
        support: Iterable[int],
        views: Sequence[View],
        names: Collection[str],
    ) -> None:
        self._near = near
        self._places = {n: _place(views, near[n], names) for n in support}
        self._rates: dict[_Place, list[float]] = {place: [] for place in self._places.values()}
        for n, group in enumerate(groups):
            if group.outcome == DIFFERENT and near[n].known >= FEWEST and near[n].labels > 1:
                rate = (near[n].labels - 1) / (near[n].known - 1)
                self._rates.get(_place(views, near[n], names), []).append(rate)

    def luck(self) -> float:
        """Return the chance that one of the pages of the view would look so, did it change as its siblings do."""
        known = ((rates, self._near[n].known) for n, place in self._places.items() if (rates := self._rates[place]))
        return max(((1 - median(rates)) ** (pages - 1) for rates, pages in known), default=0.0)

    def change(self) -> float:
        """Return how often they change, from 0 to 1; 0 where one of the pages has none."""
        rates = map(self._rates.__getitem__, self._places.values())
        return min((median(of) if of else 0.0 for of in rates), default=0.0)


def _place(views: Sequence[View], near: Neighbours, names: Collection[str]) -> _Place:
    view = views[near.members[-1][1]]
    path = view.path.rstrip("/")
    left = frozenset(name for name, _ in view.items if name not in names)
    return view.host, path.rpartition("/")[0], path != view.path, left
