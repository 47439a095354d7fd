"""For which addresses what was seen speaks: not for those with fewer parameters.

A list that a filter has narrowed to one row is the same in any order: that says nothing of the whole list, which may
never have been seen in two orders. So a rule is for all addresses of a place only where it was seen without further
parameters, or where none without them is known; else for those that have the parameters under which it was seen.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.pages.contexts import QUERY_PATH, Atom, Context, Contexts
from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits.links import url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

    Names = frozenset[str]

NARROW_SHARE = 0.05
"""Of what speaks for a rule so much may come from places where it was only seen under further parameters: as much as
`Options.risk` allows to be wrong."""
MAX_PARTS = 8
MAX_NAMES = 2
"""Parts of a rule, and parameters that one asks for: what a person still reads. Chosen."""
ASKED = 2_000
"""Addresses of a place for which others without their parameters are looked for: most of these are the same few."""
NONE: frozenset[str] = frozenset()


class Ground:
    """The places of a site's addresses, and the parameters that they have.

    `linked` gives the hashes of all addresses that pages link to, None where links were not recorded.
    """

    def __init__(
        self, views: Sequence[View], contexts: Contexts, linked: Callable[[], AbstractSet[bytes] | None]
    ) -> None:
        self._views = views
        self._contexts = contexts
        self._linked = linked
        self._names = [_names(view) for view in views]
        self._places = [contexts.place(view) for view in views]
        self._at: dict[str, list[int]] = defaultdict(list)
        for n, place in enumerate(self._places):
            self._at[place].append(n)

    def parts(self, context: Context, support: Collection[int], edited: AbstractSet[str]) -> list[Context]:
        """Return the parts of a context for which the views that support it speak, by their numbers.

        The parameters that are `edited` are not asked for.
        """
        # what all of them have becomes a condition of the rule
        asked = frozenset.intersection(*(self._names[n] for n in support)) if support else NONE
        asked |= {atom.name for atom in context if atom.kind == "query" and atom.value is not False}
        seen: dict[str, Counter[Names]] = defaultdict(Counter)
        there: Counter[str] = Counter()
        for n in support:
            seen[self._places[n]][self._names[n] - asked - edited] += 1
            there[self._places[n]] += 1
        narrow: Counter[Names] = Counter()
        for place, sets in seen.items():
            if NONE not in sets and self._has_wider(place, sets, asked - edited, edited):
                narrow.update(sets)
                del there[place]
        if narrow.total() <= NARROW_SHARE * len(support):
            return [context]
        found: Counter[Context] = Counter()
        for names in _least(narrow):
            part = (*context, *(Atom("query", name) for name in sorted(names)))
            found[part] = sum(n for other, n in narrow.items() if names <= other)
        for place, n in there.items():
            path, below, query_path = place.partition("?")
            atom = Atom(QUERY_PATH, query_path) if below else Atom("path", path)
            if atom in self._contexts.atoms(self._at[place][0]):
                found[*(other for other in context if other.kind != atom.kind), atom] = n
        return [part for part, _ in sorted(found.items(), key=lambda one: (-one[1], str(one[0])))[:MAX_PARTS]]

    def _has_wider(self, place: str, seen: Collection[Names], asked: Names, edited: AbstractSet[str]) -> bool:
        """Whether a place has addresses that a rule is for without any of the parameters that it was seen under."""

        def is_wider(names: Names) -> bool:
            return asked <= names and not any(further <= names for further in seen)

        linked = self._linked()
        if linked is None or any(is_wider(self._names[n]) for n in self._at[place]):
            return True
        urls = set()
        for n in self._at[place][:ASKED]:
            further = self._names[n] - asked - edited
            for less in (further, *(frozenset((name,)) for name in further)):
                if is_wider(self._names[n] - less):
                    urls |= {self._views[n].without(names) for names in (less, less | edited)}
        return any(url_hash(url) in linked for url in urls)


def _names(view: View) -> Names:
    """Return the parameters of a view. In `?/album/7&order=2` the path stands in the query: each page has its own, and
    that another lacks it narrows nothing.
    """
    return frozenset(name for name, value in view.items if value or "/" not in decoded(name))


def _least(sets: Iterable[Names]) -> list[Names]:
    """Return the sets of names that hold no other, those of many names left out."""
    kept: list[Names] = []
    for names in sorted(sets, key=lambda names: (len(names), sorted(names))):
        if len(names) <= MAX_NAMES and not any(one <= names for one in kept):
            kept.append(names)
    return kept
