"""Filters of lists, which multiply: told by the addresses alone, and so never more than a proposal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from scrapy_urinorm.url import decoded

MIN_URLS, MIN_SETS, MIN_DEPTH = 50, 6, 3
"""Addresses of a part of a site, different sets of parameters among them, and parameters in one: fewer need no rule."""
OFTEN, ALWAYS = 0.03, 0.9
"""A filter is in so many of the addresses at least, and in fewer than this: what is always there names a page."""
ITEMS = 20
"""Values of a parameter named like an id from which it names items, whose pages are no lists: a shop has more articles
than it has brands."""
_IDS = re.compile(r"(?i:id|.*[_-]id)|.*[a-z](?:Id|ID)").fullmatch
_script = re.compile(
    r"[\w~-]{1,40}\.(?:aspx?|cfm|f?cgi|do|action|exe|dll|ashx|seam|js[fp]x?|php\d?|phtml|p[ly]|rb)", re.IGNORECASE
).fullmatch
# bounds of memory, far above what a site of filters needs to be seen as one
_MAX_PARTS = 2_000
_MAX_SETS = 5_000
_MAX_FILTERS = 20
LIMIT = "max_params"
"""The rule that ends them."""
# what turns the pages of a list narrows nothing
_PAGING = re.compile(
    r"(?i)(c?page|paged|p|pg|start|offset|from|limit|per_?page|pos|first|skip|cursor"
    r"|seite|pagina|strana|stranka|sida|sivu|sayfa|halaman)$"
)
FIRST = frozenset(("", "0", "1"))
"""The values by which it says the first one."""
_MADE_OF_ONE = re.compile(
    r"(?:.*[^a-z])?(?:(?:cur|current|next|this)?c?pages?|paged|pg|offset|start|limit|cursor|skip)"
    r"(?:(?:[^a-z]|index|no|nr|num|id).*)?"
    r"|(?:.*[^a-z])?(?:after|before|since|until|older|newer)(?:_?id)?|(?:max|min)_?id"
)
_humps = re.compile("(?<=[a-z])(?=[A-Z])").sub


def turns_pages(name: str) -> bool:
    """Whether a decoded name is one of those that say which page of a list is meant."""
    return _PAGING.match(name) is not None


def may_turn_pages(name: str) -> bool:
    """Whether a decoded name is one of those, or made of one: `page_ObjectView`, `pageNo`, `page[number]`."""
    return turns_pages(name) or _MADE_OF_ONE.fullmatch(_humps("_", name).lower()) is not None


def is_id(name: str) -> bool:
    """Whether a decoded name is like that of an id: `id`, `product_id`, `productId`."""
    return _IDS(name) is not None


def names_items(name: str, values: set[int]) -> bool:
    """Whether a decoded name that is like that of an id names items, with so many values: `id` alone does with few."""
    return len(values) >= ITEMS or name.lower() == "id"


def count_ids(known: dict[str, set[int]], items: Iterable[tuple[str, str]]) -> None:
    """Note the values of the parameters of an address that are named like ids, as many as name items."""
    for name, value in items:
        if is_id(decoded(name)) and len(values := known.setdefault(name, set())) < ITEMS:
            values.add(hash(value))


def limit_of(path: str, filters: Sequence[str], at_most: int = 1, items: Sequence[str] = ()) -> dict[str, Any]:
    """The `where` table that requests so many filters at a time on the paths of a glob, save for pages of `items`."""
    return {**where_of(path, items), LIMIT: {"of": [*filters], "at_most": at_most}}


def where_of(path: str, items: Sequence[str]) -> dict[str, Any]:
    """The conditions for the lists on the paths of a glob: `items` are parameters that name a page which is none."""
    return {"path": path, **({"query": dict.fromkeys(items, False)} if items else {})}


class Facets(NamedTuple):
    """The filters of a part of a site: a glob for its paths, their decoded names, and what was seen of them.

    `sets` counts the different combinations of parameters, `most` is the highest number of them in one of `urls`
    addresses. `items` are decoded names that pages of items have, which are not counted.
    """

    path: str
    filters: tuple[str, ...]
    urls: int
    sets: int
    most: int
    items: tuple[str, ...] = ()

    def table(self, at_most: int = 1) -> dict[str, Any]:
        """The `where` table that requests so many filters at a time."""
        return limit_of(self.path, self.filters, at_most, self.items)

    def __str__(self) -> str:
        return f"{self.sets:,} combinations of parameters, up to {self.most} at once, in {self.urls:,} URLs"


class FacetCount:
    """Counts the parameters of the addresses of one host, by the first segment of the path; memory is bounded."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def add(self, path: str, items: Sequence[tuple[str, str]]) -> None:
        """Count an address: its path, and the name and value of each of its parameters, all in the key spelling."""
        if items:
            part = part_of(path)
            if part in self._parts or len(self._parts) < _MAX_PARTS:
                self._parts.setdefault(part, _Part()).add(path, items)

    def found(self) -> list[Facets]:
        """The parts whose parameters look like filters, those of most addresses first."""
        found = [facets for part, counts in self._parts.items() if (facets := counts.facets(part)) is not None]
        return sorted(found, key=lambda one: (-one.urls, one.path))


def is_script(segment: str) -> bool:
    """Whether a segment of a path is the name of a script: `item.php`."""
    return _script(segment) is not None


def part_of(path: str) -> str:
    """The part of a site that a path belongs to: its first segment, or the path itself where that is all of it or names
    a script, as `host` narrows the lists of `/cgi-bin/status.cgi` and names the page of `/cgi-bin/host.cgi`.
    """
    head, slash, rest = path[1:].partition("/")
    if is_script(path.rpartition("/")[2]):
        return path
    return f"/{head}/" if slash and (rest or head) else path


class _Set:
    """A combination of parameters: its addresses, and the most filters that one of them has, repeated ones too."""

    __slots__ = ("most", "urls")

    def __init__(self) -> None:
        self.urls = self.most = 0


class _Part:
    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.sets: dict[frozenset[str], _Set] = {}
        self.ids: dict[str, set[int]] = {}

    def add(self, path: str, items: Sequence[tuple[str, str]]) -> None:
        names = frozenset(name for name, _ in items)
        if len(self.paths) < 2:
            self.paths.add(path)
        if names not in self.sets and len(self.sets) >= _MAX_SETS:
            return
        found = self.sets.setdefault(names, _Set())
        found.urls += 1
        found.most = max(found.most, sum(not turns_pages(decoded(name)) for name, _ in items))
        count_ids(self.ids, items)

    def facets(self, part: str) -> Facets | None:
        named = self._named()
        lists = {names: found for names, found in self.sets.items() if named.isdisjoint(names)}
        urls, most = sum(one.urls for one in lists.values()), max((one.most for one in lists.values()), default=0)
        if urls < MIN_URLS or len(lists) < MIN_SETS or most < MIN_DEPTH:
            return None
        counts = _uses(lists)
        filters = [
            decoded(name)
            for name, uses in sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:_MAX_FILTERS]
            if OFTEN * urls <= uses < ALWAYS * urls and not turns_pages(decoded(name))
        ]
        # a star is a glob in lists of names
        filters = [name for name in filters if name and "*" not in name]
        items = sorted(map(decoded, named))
        if not filters or "*" in part or any(not one.isprintable() for one in items):
            # a name that no rule can say would leave the pages of its items out of account
            return None
        path = f"{part}**" if len(self.paths) > 1 else next(iter(self.paths))
        return Facets(path, tuple(filters), urls, len(lists), most, tuple(items))

    def _named(self) -> set[str]:
        """Return the parameters that name items; what is nearly always there names the lists."""
        uses, urls = _uses(self.sets), sum(one.urls for one in self.sets.values())
        return {
            name
            for name, values in self.ids.items()
            if names_items(decoded(name), values) and uses[name] < ALWAYS * urls and "*" not in decoded(name)
        }


def _uses(sets: Mapping[frozenset[str], _Set]) -> Counter[str]:
    counts: Counter[str] = Counter()
    for names, one in sets.items():
        counts.update(dict.fromkeys(names, one.urls))
    return counts
