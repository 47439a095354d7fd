"""Data (JSON, XML) of which a crawl does not tell whether its callbacks ask for more.

It has no links, and what is asked for is known when it has come. Breadth first that is after all that was asked for
before: of a crawl that was cut short the records of a list are all alike, and what each has behind it never came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from scrapy_urinorm.learn.pages.page import Page

CONCURRENT = 16
"""Responses that may come in another order than their requests were sent: those that Scrapy has under way at once."""


def untold(pages: Sequence[Page], asked: Mapping[int, AbstractSet[int]]) -> frozenset[int]:
    """Return the pages, by their numbers, of which it is not known whether anything would be asked from them.

    `asked` has what was requested from each. Nothing is doubted where nothing was asked from data: nobody reads them.

    A page leads nowhere where something came later that was asked for later, which a crawl breadth first requests after
    what the page would have asked for, and something that was asked for before, which one depth first does.
    """
    data = {n for n, page in enumerate(pages) if page.label >= 0 and page.links is None and page.final is None}
    if not any(n in asked and not _is_sitemap(pages[n].key) for n in data):
        return frozenset()
    size = len(pages)
    latest = max(asked)
    first = [size] * size
    for at, found in asked.items():
        for n in found:
            first[n] = min(first[n], at)
    # of all that came after a page the earliest that any of it was asked for
    before = [size] * (size + CONCURRENT + 1)
    for n in reversed(range(size)):
        before[n] = min(before[n + 1], first[n])
    return frozenset(
        n for n in data if n not in asked and not (n + CONCURRENT < latest and before[n + CONCURRENT + 1] < n)
    )


def _is_sitemap(key: str) -> bool:
    """Whether an address is that of a sitemap: what was asked for from it says of no other data that more is."""
    return "sitemap" in key.partition("?")[0].rpartition("/")[2].lower()
