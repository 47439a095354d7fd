"""One page of a site: what was seen at an address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.content import Content

TEMPORARY = frozenset((302, 303, 307))
"""Redirects that say where a page is today, not that it is another one's address (RFC 9110, 15.4)."""
NOBODY: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Page:
    """One canonical URL and what was seen there.

    `label` numbers the content class, -1 = unknown; `final` is the key that a redirect led to, `passing` where it led
    there for the time being (`TEMPORARY`); `referers` are the keys of pages that link here, `sources` those that
    redirect here. `links` are the hashes of what the first visit linked to; `order` tells apart the orders in which the
    lines of one content were shown, 0 = unknown.
    `title` is the hash of a title that does not count for the label, 0 = none. `refused`: where it answered that there
    is nothing, or nothing for this visitor (`denied`), 1 + the number of pages that were answered before.
    """

    key: str
    url: str
    label: int = -1
    weak: bool = False
    sketches: tuple[bytes, ...] = ()
    words: int | None = None
    order: int = 0
    title: int = 0
    canonical: str | None = None
    final: str | None = None
    passing: bool = False
    failed: bool = False
    refused: int = 0
    denied: bool = False
    depth: int | None = None
    links: bytes | None = None
    day: int | None = None
    size: int | None = None
    # an empty set of its own would be a fifth of what a page takes, and most pages have no use for one of the two
    referers: set[str] | frozenset[str] = NOBODY
    sources: set[str] | frozenset[str] = NOBODY

    def show(self, label: int, content: Content) -> None:
        """Note what was seen here, whose label has this number."""
        self.label, self.weak, self.sketches = label, content.weak, content.sketches
        self.words, self.order, self.title = content.words, content.order, content.title

    def refer(self, key: str) -> None:
        """Note that a page links here."""
        self.referers = _with(self.referers, key)

    def lead(self, key: str) -> None:
        """Note that a page redirects here."""
        self.sources = _with(self.sources, key)


def _with(keys: set[str] | frozenset[str], key: str) -> set[str]:
    if isinstance(keys, frozenset):
        return {key}
    keys.add(key)
    return keys
