"""Parameters that stand beside others at paths of one form, and beside which an edit was never seen.

`status=open` may be the default at `/dept/7`, and not at `/dept/7?year=2011`, which names other lists. Where all is at
one path, contexts know the parameters that were not there; numbers and names in the path make each path another.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.pages.contexts import NAMES_PER_PATH, Contexts

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

LOOKED_AT = 50
"""Addresses with a parameter that are held against those without it: of one that makes a difference to fewer than one
in seventeen of them, one of these shows it nineteen times in twenty."""

MOST_NAMES = 4 * NAMES_PER_PATH
"""Parameters that one rule asks not to be there, the commonest ones; chosen: each is looked for in each address that
the rule may be for, and categories with attributes of their own have hundreds."""


class Companions:
    """The parameters of a site, by the forms of the paths at which they stand."""

    def __init__(self, views: Sequence[View], contexts: Contexts) -> None:
        self._views = views
        self._contexts = contexts

    @cached_property
    def _having(self) -> dict[str, dict[str, list[int]]]:
        found: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
        for n, view in enumerate(self._views):
            at = found[self._contexts.place(view)]
            # a name without a value may be that of a page, of which there are many
            for name in {name for name, value in view.items if value}:
                at[name].append(n)
        return found

    @cached_property
    def _labels(self) -> dict[str, int]:
        return {view.key: view.page.label for view in self._views}

    def never_beside(self, support: Iterable[int], edited: AbstractSet[str]) -> set[str]:
        """Return the commonest parameters at paths like those of some views, by their numbers, that none of these has,
        unless they make no difference themselves.

        Those that are `edited` are none of them.
        """
        views = [self._views[n] for n in support]
        seen = {name for view in views for name, _ in view.items}.union(edited)
        found: Counter[str] = Counter()
        for place in {self._contexts.place(view) for view in views}:
            at = self._having.get(place, {})
            others = sorted(at.keys() - seen, key=lambda name: (-len(at[name]), name))[:NAMES_PER_PATH]
            found.update({name: len(at[name]) for name in others if self._differs(at[name], {name, *edited})})
        return set(sorted(found, key=lambda name: (-found[name], name))[:MOST_NAMES])

    def _differs(self, having: Sequence[int], names: AbstractSet[str]) -> bool:
        """Whether one of some views is not known to be what its address without some parameters is."""
        step = len(having) // LOOKED_AT + 1
        looked_at = (self._views[n] for n in having[::step])
        return any(not 0 <= view.page.label == self._labels.get(view.without(names), -1) for view in looked_at)
