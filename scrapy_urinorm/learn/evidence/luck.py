"""Values that make no difference by luck alone, as others of their kind make none to most pages.

A film is shown in a few towns, and its page says the same for all others. Of eight towns one may have none of twenty
films, and is no name of the page without a town all the same. So of constant views: a file that is the same in twenty
versions is no log-in form, and the other files of its folder say how often one changes.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from itertools import chain, islice
from statistics import median
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, NEAR

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Evidence, Group
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.pages.view import View

LUCKY = "its siblings, too, make no difference to most pages, and one to others, so that this may be luck"
OTHERS = 2
"""Other values that must change some page: two views of a page, of which one is a page of its own now and then, say
nothing of each other. Chosen."""
MOST_BESIDE = 10_000
"""Groups of other values that are looked at beside one; chosen: of a hundred pages with as many views."""


def by_luck(evidence: Evidence, value: Hashable, every: Mapping[Any, Sequence[Group]], most: float) -> bool:
    """Whether among `every` value `most` or more would be expected that make no difference to as many pages as this
    one, if each made none as often as those others that do change some page.
    """
    others = [[group.outcome for group in groups] for one, groups in every.items() if one != value]
    changing = [outcomes for outcomes in others if DIFFERENT in outcomes]
    if len(changing) < OTHERS:
        return False
    agree = sum(outcome >= NEAR for outcomes in changing for outcome in outcomes)
    differ = sum(outcome == DIFFERENT for outcomes in changing for outcome in outcomes)
    return len(every) * (agree / (agree + differ)) ** evidence.agree >= most


class Beside:
    """The groups of neighbours of each value, found again by the page that is compared with them."""

    def __init__(self, every: Iterable[tuple[str, Iterable[Group]]]) -> None:
        self._at: dict[int, list[tuple[str, Group]]] = defaultdict(list)
        for value, groups in every:
            for group in groups:
                self._at[group.page].append((value, group))

    def of(self, groups: Iterable[Group]) -> dict[str, list[Group]]:
        """Return the groups of each value at the pages of some groups."""
        found: dict[str, list[Group]] = defaultdict(list)
        pages = dict.fromkeys(group.page for group in groups)
        for value, group in islice(chain.from_iterable(self._at.get(page, ()) for page in pages), MOST_BESIDE):
            found[value].append(group)
        return found


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
