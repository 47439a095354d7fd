"""Where a student in memory keeps its visits: for simulated crawls, and tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.record import visit_from_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_urinorm.visits.record import Visit


class InMemory:
    """The visits of a simulated crawl."""

    def __init__(self) -> None:
        self._rows: dict[str, list[str]] = {}

    def add(self, site: str, visit: Visit) -> None:
        """Keep a visit."""
        self._rows.setdefault(site, []).append(visit.to_json())

    def visits(self, site: str, first: int = 0) -> Iterator[Visit]:
        """Return those of a site, without the `first` ones; whoever gets them may change them."""
        return (visit_from_row(json.loads(row)) for row in self._rows.get(site, ())[first:])
