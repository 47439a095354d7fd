"""One page of a site: what was seen at an address."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True, eq=False)
class Page:
    """One canonical URL and what was seen there.

    `label` numbers the content class, -1 = unknown; `final` is the key that a redirect led to; `referers` are the keys
    of pages that link here, `sources` those that redirect here. `links` are the hashes of what
    the first visit linked to; `order` tells apart the orders in which the lines of one content were shown, 0 = unknown.
    """

    key: str
    url: str
    label: int = -1
    weak: bool = False
    sketches: tuple[bytes, ...] = ()
    words: int | None = None
    order: int = 0
    canonical: str | None = None
    final: str | None = None
    failed: bool = False
    depth: int | None = None
    links: bytes | None = None
    day: int | None = None
    size: int | None = None
    referers: set[str] = field(default_factory=set)
    sources: set[str] = field(default_factory=set)
