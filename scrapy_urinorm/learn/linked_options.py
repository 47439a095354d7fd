"""What the links of pages ask for together, where no visited address does so far.

The first pages of a crawl, breadth first, are those with one option each: a car with another engine, or with other
wheels. Their links lead to the cars with both. Links are known by their hashes: those of addresses that a page would
link to are looked for.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.links import HASH, url_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_urinorm.content.differences import Asked
    from scrapy_urinorm.visits.record import Visit

TRIED = 5
"""Pages on which a further parameter is looked for beside those that their addresses have; chosen."""
MAX_LOOKED = 5_000
"""Addresses that are looked for: a tenth of a second."""
MAX_NAMES = 16
"""Parameters of a path that are put together, the first ones."""


def note_linked(visits: Sequence[Visit], asked: Asked) -> None:
    """Note which parameters links have together that the address of their page and another of its path have."""
    items: dict[str, dict[str, str]] = defaultdict(dict)
    for visit in visits:
        path, _, query = visit.url.partition("#")[0].partition("?")
        known = items[path] if query else {}
        for item in query.split("&"):
            if "=" in item and len(known) < MAX_NAMES:
                known.setdefault(item.partition("=")[0], item)
    tried: Counter[tuple[frozenset[str], str]] = Counter()
    looked = 0
    for visit in visits:
        url = visit.url.partition("#")[0]
        path, _, query = url.partition("?")
        names = frozenset(item.partition("=")[0] for item in query.split("&"))
        links: frozenset[bytes] | None = None
        for name, item in items[path].items() if query and visit.links else ():
            if name in names or tried[names, name] >= TRIED or asked.are_together(names | {name}):
                continue
            if links is None:
                links = _each(visit.links or b"")
            tried[names, name] += 1
            looked += 1
            if url_hash(further := f"{url}&{item}") in links:
                asked.add(further)
        if looked >= MAX_LOOKED:
            return


def _each(links: bytes) -> frozenset[bytes]:
    return frozenset(links[at : at + HASH] for at in range(0, len(links), HASH))
