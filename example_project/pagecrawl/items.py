"""What the crawl keeps of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Page:
    """A page as it was first found: `url` is the address it answered at, `text` its visible main part."""

    url: str
    title: str
    canonical: str | None
    text: str
