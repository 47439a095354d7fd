"""Shapes whose queries have the same names, judged together: filters, orders and categories of a shop multiply.

A group has no more to show than one with fewer names, which is the same list unfiltered; and what a shape may bring is
told by its parts, its path and each of its parameters, in the other shapes of its group.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from itertools import combinations

from scrapy_urinorm.importers.facets import is_script

MOST_NAMES = 6
"""Of a group with more names only those with one name less are looked at: of six there are 62 with fewer."""
AGAIN = 31
"""Pages in a row without news of a part that had news once: as many pairs as a rule is believed for."""
_SHAPES = 1_000
"""Shapes of which it is remembered what they are without each of their parameters; 3 MB."""
_REMEMBERED = 500
"""Queries whose groups with fewer names are remembered: more than a shop has, and 20 MB where each has 150 names."""
PARTS = 100_000
"""Parts of shapes that are counted; 16 MB, whatever their names. What is new then has to be tried by itself."""


def group_of(pattern: str) -> str:
    """Return the group of a pattern: all of its origin, or script, whose queries have the same names.

    It is empty where there is no query; lines of packs have none.
    """
    head, _, query = pattern.partition("?")
    if not query or " " in head:
        return ""
    origin = head if is_script(head.rpartition("/")[2]) else "/".join(head.split("/", 3)[:3])
    return f"{origin} ?{'&'.join(item.partition('=')[0] for item in query.split('&'))}"


def is_group(name: str) -> bool:
    """Whether a name is that of a group, not of a pattern."""
    return " ?" in name


@lru_cache(_REMEMBERED)
def _fewer(query: str) -> tuple[str, ...]:
    names = query.split("&")
    sizes = range(1, len(names)) if len(names) <= MOST_NAMES else (len(names) - 1,)
    return tuple(dict.fromkeys("&".join(some) for size in sizes for some in combinations(names, size)))


def subgroups(name: str) -> list[str]:
    """Return the groups of the same origin with some of the names of a group, but not all."""
    origin, _, query = name.partition(" ?")
    return [f"{origin} ?{names}" for names in _fewer(query)]


# no parameter has a space
_ADDED = " ?+ "


@lru_cache(_SHAPES)
def _without_each(pattern: str) -> tuple[tuple[str, str], ...]:
    origin, mark, names = group_of(pattern).partition(" ?")
    head, _, query = pattern.partition("?")
    each = dict.fromkeys(names.split("&")) if mark else {}
    if len(each) > MOST_NAMES:
        return ()
    found = []
    for name in each:
        others = "&".join(item for item in query.split("&") if item.partition("=")[0] != name)
        found.append((f"{origin}{_ADDED}{name}", f"{head}?{others}" if others else head))
    return tuple(found)


def added_to(pattern: str, known: Container[str] | None = None) -> list[str]:
    """Return, of each parameter that a pattern adds to one that is `known`, the name of all such patterns of its
    origin; of each parameter where it is not said what is known.

    Sorted lists of a shop have many sets of names, and in none of them an order says anything new.
    """
    return [name for name, other in _without_each(pattern) if known is None or other in known]


def parts_of_added(name: str) -> list[str]:
    """Return the origin and the parameter of the name of all patterns that add one; nothing of another name."""
    return name.split(_ADDED) if _ADDED in name else []


class ShapeParts:
    """What the parts of the shapes of groups have brought: of each its pages in a row without news."""

    def __init__(self) -> None:
        self._blank: dict[int, int] = {}
        self._had_news: set[int] = set()

    def count(self, group: str, pattern: str, *, news: bool) -> None:
        """Note a page of a pattern, or that one before has led to something new."""
        for part in _parts(group, pattern):
            if part in self._blank or len(self._blank) < PARTS:
                self._blank[part] = 0 if news else self._blank.get(part, 0) + 1
                if news:
                    self._had_news.add(part)

    def are_tried(self, group: str, pattern: str, times: float) -> bool:
        """Whether each part of a pattern brought nothing so many times; a part that once had news `AGAIN` times."""
        return all(
            self._blank.get(part, 0) >= (max(times, AGAIN) if part in self._had_news else times)
            for part in _parts(group, pattern)
        )


def _parts(group: str, pattern: str) -> list[int]:
    """Return the hashes of the parts: of their names a site could make any length."""
    path, _, query = pattern.partition("?")
    return [hash((group, part)) for part in (path, *query.split("&"))]
