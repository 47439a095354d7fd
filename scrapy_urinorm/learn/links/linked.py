"""The link graph of a site out of its visits, for `graph`."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.links.graph import Graph
from scrapy_urinorm.visits.links import each_hash, named_together, url_hash
from scrapy_urinorm.visits.programs import is_page

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.visits.record import Visit

CONCURRENT = 16
"""Responses that may come in another order than their requests were sent: those that Scrapy has under way at once."""

USES_OF_A_KEY = 4
"""Addresses of each value of a parameter in the mean from which the values come again; as many as of a session."""


def graph_of(pages: Sequence[Page], ids: Mapping[bytes, Page]) -> Graph | None:
    """Return the graph of the pages, by their number; None where nothing tells what they lead to.

    `ids` are the hashes of the addresses of the pages, by which links name them, none in that case. What was linked and
    not visited has numbers from `len(pages)` on. What a page was requested from leads to it, too. The recorded crawl
    began at the pages of depth 0, or else at those that nothing refers to, where anything does.
    """
    if not ids:
        return None
    number = {id(page): n for n, page in enumerate(pages)}
    numbers: dict[bytes, int] = {hashed: number[id(page)] for hashed, page in ids.items()}
    by_key = {page.key: n for n, page in enumerate(pages)}
    # what was not visited is numbered as it comes, after the pages
    links = [
        array("i", [numbers.setdefault(hashed, len(pages) + len(numbers)) for hashed in each_hash(page.links)])
        for page in pages
    ]
    add_asked(links, pages, by_key)
    return Graph(links, _starts(pages), hops_of(pages, by_key), {n for n, page in enumerate(pages) if page.failed})


def asked_for(pages: Sequence[Page], by_key: Mapping[str, int]) -> dict[int, set[int]]:
    """Return which pages were requested from which: what a callback asked for is no link.

    Data behind a shell has no other way to it, and a crawl that leaves out the shell never asks for them.
    """
    asked: dict[int, set[int]] = {}
    for n, page in enumerate(pages):
        for key in page.referers:
            at = by_key.get(key, n)
            if at != n:
                asked.setdefault(at, set()).add(n)
    return asked


def untold(pages: Sequence[Page], asked: Mapping[int, AbstractSet[int]]) -> frozenset[int]:
    """Return the pages, by their numbers, that are data (JSON, XML) of which it is not known whether anything would be
    asked from them.

    Data have no links, and what is asked for is known when it has come. Breadth first that is after all that was asked
    for before: of a crawl that was cut short the records of a list are all alike, and what each has behind it never
    came. `asked` has what was requested from each. Nothing is doubted where nothing was asked from data: nobody reads
    them.

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


def add_asked(links: Sequence[array[int]], pages: Sequence[Page], by_key: Mapping[str, int]) -> None:
    """Have each page lead to what was requested from it."""
    for at, found in asked_for(pages, by_key).items():
        links[at].extend(sorted(found.difference(links[at])))


def hops_of(pages: Sequence[Page], by_key: dict[str, int]) -> dict[int, int]:
    """Return which pages redirect, each with where it leads to."""
    return {n: by_key[page.final] for n, page in enumerate(pages) if page.final in by_key and page.final != page.key}


def tell_ways(visits: Iterable[Visit]) -> bool:
    """Whether visits say what pages lead to: by links, or, where all is data (JSON, XML), which has none, by referers.

    Of an API that is crawled as such these are all there is, and what a callback asks for is asked for once. Where the
    links of markup were not recorded, as in logs, referers name one of many.
    """
    asked = markup = False
    for visit in visits:
        if visit.links is not None:
            return True
        asked = asked or visit.referer is not None
        markup = markup or is_page(visit)
    return asked and not markup


def linked_hashes(pages: Sequence[Page]) -> frozenset[bytes]:
    """Return the hashes of all addresses that pages link to."""
    return frozenset(hashed for page in pages for hashed in each_hash(page.links))


def keys_are_listed(name: str, pages: Sequence[Page]) -> bool:
    """Whether the values of a parameter, as it stands in addresses, each come again at many, and pages link to several
    of most of them: the schools of a portal by their keys.

    A token is another in each link, and a page has its own session in all of them.
    """
    values: dict[bytes, str] = {}
    rests: dict[str, set[int]] = defaultdict(set)
    for page in pages:
        path, _, query = page.key.partition("?")
        items = query.split("&")
        found = next((item for item in items if item.startswith(f"{name}=")), None)
        if found is not None:
            values[url_hash(page.url)] = found
            items.remove(found)
            rests[found].add(hash((path, *items)))
    if sum(map(len, rests.values())) < USES_OF_A_KEY * len(rests):
        return False
    return 2 * len(named_together(values, (page.links for page in pages))) > len(rests)


def _starts(pages: Sequence[Page]) -> list[int]:
    at_top = [n for n, page in enumerate(pages) if page.depth == 0]
    if at_top:
        return at_top
    if any(page.referers for page in pages):
        return [n for n, page in enumerate(pages) if not page.referers and not page.sources]
    return []
