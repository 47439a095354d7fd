"""What pages link to of that which two of their options choose together, where nobody has been there so far.

The first pages of a crawl, breadth first, are those with one option each: a car with another engine, or with other
wheels. Their links lead to the cars with both. Links are known by their hashes: the address is made, and looked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.links import holds, url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit


class LinkedOptions:
    """The links of visits, asked for what their addresses choose together."""

    def __init__(self, visits: Iterable[Visit]) -> None:
        self._links = {visit.url: visit.links for visit in visits if visit.links and "?" in visit.url}
        self._found: dict[tuple[str, str, str], bool] = {}

    def __call__(self, first: str, one: str, other: str) -> bool:
        """Whether one of two addresses links to that which differs from the first as both do."""
        key = first, one, other
        if key not in self._found:
            self._found[key] = self._look(*key)
        return self._found[key]

    def _look(self, first: str, one: str, other: str) -> bool:
        links = [found for url in (one, other) if (found := self._links.get(url))]
        if not links:
            return False
        path, _, query = one.partition("#")[0].partition("?")
        before, after = _items(first), _items(other)
        items = [item for item in query.split("&") if item and (item in after or item not in before)]
        both = "&".join((*items, *(item for item in after if item not in before and item not in items)))
        hashed = url_hash(f"{path}?{both}")
        return any(holds(of, hashed) for of in links)


def _items(url: str) -> list[str]:
    return [item for item in url.partition("#")[0].partition("?")[2].split("&") if item]
