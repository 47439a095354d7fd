"""Where a student in memory keeps its visits: for simulated crawls, and tests."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_urinorm.visits.record import Visit


class InMemory:
    """The visits of a simulated crawl."""

    def __init__(self) -> None:
        self._visits: dict[str, list[Visit]] = {}

    def add(self, site: str, visit: Visit) -> None:
        """Keep a visit as it is now."""
        self._visits.setdefault(site, []).append(copy(visit))

    def visits(self, site: str, first: int = 0) -> Iterator[Visit]:
        """Return those of a site, without the `first` ones; whoever gets them may change them."""
        return map(copy, self._visits.get(site, ())[first:])
