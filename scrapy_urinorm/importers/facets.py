"""Filters of lists, which multiply: told by the addresses alone, and so never more than a proposal."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from collections.abc import Sequence

MIN_URLS, MIN_SETS, MIN_DEPTH = 50, 6, 3
"""Addresses of a part of a site, different sets of parameters among them, and parameters in one: fewer need no rule."""
OFTEN, ALWAYS = 0.03, 0.9
"""A filter is in so many of the addresses at least, and in fewer than this: what is always there names a page."""
# bounds of memory, far above what a site of filters needs to be seen as one
_MAX_PARTS = 2_000
_MAX_SETS = 5_000
_MAX_FILTERS = 20
LIMIT = "max_params"
"""The rule that ends them."""
# what turns the pages of a list narrows nothing
_PAGING = re.compile(r"(?i)(page|paged|p|pg|start|offset|from|limit|per_?page|pos|first|skip|seite|cursor)$")


def turns_pages(name: str) -> bool:
    """Whether a decoded name is one of those that say which page of a list is meant."""
    return _PAGING.match(name) is not None


def limit_of(path: str, filters: Sequence[str], at_most: int = 1) -> dict[str, Any]:
    """The `where` table that requests so many filters at a time on the paths of a glob."""
    return {"path": path, LIMIT: {"of": [*filters], "at_most": at_most}}


class Facets(NamedTuple):
    """The filters of a part of a site: a glob for its paths, their decoded names, and what was seen of them.

    `sets` counts the different combinations of parameters, `most` is the highest number of them in one of `urls`
    addresses.
    """

    path: str
    filters: tuple[str, ...]
    urls: int
    sets: int
    most: int

    def table(self, at_most: int = 1) -> dict[str, Any]:
        """The `where` table that requests so many filters at a time."""
        return limit_of(self.path, self.filters, at_most)

    def __str__(self) -> str:
        return f"{self.sets:,} combinations of parameters, up to {self.most} at once, in {self.urls:,} URLs"


class FacetCount:
    """Counts the parameters of the addresses of one host, by the first segment of the path; memory is bounded."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def add(self, path: str, names: Sequence[str]) -> None:
        """Count an address: its path, and the name of each of its parameters, all in the key spelling."""
        if names:
            part = part_of(path)
            if part in self._parts or len(self._parts) < _MAX_PARTS:
                self._parts.setdefault(part, _Part()).add(path, names)

    def found(self) -> list[Facets]:
        """The parts whose parameters look like filters, those of most addresses first."""
        found = [facets for part, counts in self._parts.items() if (facets := counts.facets(part)) is not None]
        return sorted(found, key=lambda one: (-one.urls, one.path))


def part_of(path: str) -> str:
    """The part of a site that a path belongs to: its first segment, or the path itself where that is all of it."""
    head, slash, rest = path[1:].partition("/")
    return f"/{head}/" if slash and (rest or head) else path


class _Part:
    def __init__(self) -> None:
        self.urls = self.most = 0
        self.paths: set[str] = set()
        self.sets: set[frozenset[str]] = set()
        self.names: Counter[str] = Counter()

    def add(self, path: str, names: Sequence[str]) -> None:
        own = frozenset(names)
        filters = [name for name in names if not turns_pages(decoded(name))]
        self.urls += 1
        self.most = max(self.most, len(filters))
        self.names.update(own)
        if len(self.paths) < 2:
            self.paths.add(path)
        if len(self.sets) < _MAX_SETS:
            self.sets.add(own)

    def facets(self, part: str) -> Facets | None:
        if self.urls < MIN_URLS or len(self.sets) < MIN_SETS or self.most < MIN_DEPTH:
            return None
        filters = [
            decoded(name)
            for name, uses in sorted(self.names.items(), key=lambda item: (-item[1], item[0]))[:_MAX_FILTERS]
            if OFTEN * self.urls <= uses < ALWAYS * self.urls and not turns_pages(decoded(name))
        ]
        # a star is a glob in lists of names
        filters = [name for name in filters if name and "*" not in name]
        if not filters:
            return None
        path = f"{part}**" if len(self.paths) > 1 else next(iter(self.paths))
        return Facets(path, tuple(filters), self.urls, len(self.sets), self.most) if "*" not in part else None
