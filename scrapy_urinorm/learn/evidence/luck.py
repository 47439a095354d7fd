"""Values that make no difference by luck alone, as others of their kind make none to most pages.

A film is shown in a few towns, and its page says the same for all others. Of eight towns one may have none of twenty
films, and is no name of the page without a town all the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, NEAR

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Evidence, Group

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
