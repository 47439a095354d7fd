"""One page of a site: what was seen at an address; and what the canonical links of all are worth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from scrapy_urinorm.content import EXACT, NEAR, Content, are_one, compare, is_error
from scrapy_urinorm.content.compare import SOFT_PAGES, SOFT_SHARE

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

TEMPORARY = frozenset((302, 303, 307))
"""Redirects that say where a page is today, not that it is another one's address (RFC 9110, 15.4)."""
MANY_PATHS = 10
"""Paths of one page: with a slash, an index, a print view and translations of each there are fewer; chosen."""
NOBODY: frozenset[str] = frozenset()


@dataclass(slots=True, eq=False)
class Page:
    """One canonical URL and what was seen there.

    `label` numbers the content class, -1 = unknown; `final` is the key that a redirect led to, `passing` where it led
    there for the time being (`TEMPORARY`); `referers` are the keys of pages that link here, `sources` those that
    redirect here. `links` are the hashes of what the first visit linked to; `order` tells apart the orders in which the
    lines of one content were shown, 0 = unknown.
    `contested`: pages of other texts name its canonical address, too.
    `title` is the hash of a title that does not count for the label, `data` that of what the page hands to its scripts,
    0 = none. `own` counts the words that no other page says, of one that resembles another.
    `refused`: where it answered that there is nothing, or nothing for this visitor (`denied`), 1 + the number of pages
    that were answered before.
    """

    key: str
    url: str
    label: int = -1
    weak: bool = False
    sketches: tuple[bytes, ...] = ()
    words: int | None = None
    order: int = 0
    title: int = 0
    data: int = 0
    own: int = 0
    canonical: str | None = None
    contested: bool = False
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
        self.words, self.order, self.title, self.data = content.words, content.order, content.title, content.data

    def refer(self, key: str) -> None:
        """Note that a page links here."""
        self.referers = _with(self.referers, key)

    def lead(self, key: str) -> None:
        """Note that a page redirects here."""
        self.sources = _with(self.sources, key)


def doubt_canonicals(pages: Iterable[Page]) -> None:
    """Forget the canonical links that pages at many paths share: a template that names the front page everywhere.

    A page has few paths, and what its canonical link makes one of it differs in the query.
    """
    named = [page for page in pages if page.canonical is not None and page.canonical != page.key]
    paths: dict[str, set[str]] = {}
    for page in named:
        known = paths.setdefault(page.canonical or "", set())
        if len(known) < MANY_PATHS:
            known.add(page.key.partition("?")[0].partition("://")[2].partition("/")[2])
    for page in named:
        if len(paths[page.canonical or ""]) >= MANY_PATHS:
            page.canonical = None


def contest_canonicals(pages: Iterable[Page]) -> None:
    """Note which canonical addresses pages of different texts name: the newest version of a chapter, which all others
    name, and which is another one tomorrow.
    """
    known = {page.key: page for page in pages if page.label >= 0}
    naming = [page for page in known.values() if page.canonical is not None]
    of: dict[str | None, Page] = {}
    contested = set()
    for page in naming:
        other = known.get(page.canonical or "") or of.setdefault(page.canonical, page)
        if other.label != page.label and compare(other, page) < EXACT:
            contested.add(page.canonical)
    for page in naming:
        page.contested = page.canonical in contested


class Word:
    """What the canonical links of a site say of its pages, by their numbers.

    A link is a word of this page only where it names a page like it: a template that names the front page everywhere
    says nothing of two pages. What nobody visited must not be named by as many as share an error.
    """

    def __init__(self, pages: Sequence[Page]) -> None:
        self._pages = pages
        self._number = {page.key: n for n, page in enumerate(pages) if page.label >= 0}
        self._named = Counter(page.canonical for page in pages)
        self._many = max(SOFT_PAGES, SOFT_SHARE * len(pages))

    def are_one(self, one: int, other: int) -> bool:
        """Whether two pages are one without a doubt."""
        page = self._pages[one]
        if not are_one(page, self._pages[other]):
            return False
        if page.label == self._pages[other].label:
            return True
        said = page.canonical or page.key
        home = self._number.get(said)
        return self._named[said] <= self._many if home is None else compare(page, self._pages[home]) >= NEAR


def describe(page: Page, visit: Visit) -> None:
    """Note of a page what its visit says by itself."""
    if is_error(visit.status):
        page.failed = True
    if page.size is None:
        page.size = visit.size
    if visit.depth is not None:
        page.depth = visit.depth if page.depth is None else min(page.depth, visit.depth)
    if visit.time and visit.time[:10].count("-") == 2:
        page.day = _day(visit.time)


def _day(time: str) -> int | None:
    try:
        return date(*map(int, time[:10].split("-"))).toordinal()
    except ValueError:
        return None


def _with(keys: set[str] | frozenset[str], key: str) -> set[str]:
    if isinstance(keys, frozenset):
        return {key}
    keys.add(key)
    return keys
