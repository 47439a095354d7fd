"""What a student remembers of a site between studies."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from sys import getsizeof
from typing import TYPE_CHECKING, Protocol

from scrapy_urinorm.learn.proof.replay import host_of_key
from scrapy_urinorm.live.priors import Priors

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.live.study import Studied
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.visits.record import Visit

FIRST_STUDY = 50
"""Pages of a site before it is studied: of fewer the learner accepts hardly anything."""
SOONER = 1.1
"""A rule that comes to be believed has its site studied when it has grown by a tenth: still linear work in all."""
REPEATS = 31
"""Pages that show again what another address has shown, by no rule, for which a site is studied sooner, too: as many
pairs as a rule is believed for. Breadth first all duplicates of a kind may be the last half of a crawl."""

MOST_WAITING = 128 << 20
"""Octets of the addresses met in a crawl that are remembered until they are fetched: half a million of usual length."""
_ENTRY = 150
"""What a table takes for one of them, and the hash that it stands under."""
_NEWS = 100_000
"""Pages with something new since the latest study that are remembered; 6 MB."""
_TOLD = 500
"""Stopgaps of which a crawl is told at a time: it looks for what waits for each, while nothing else is done."""


def octets_of(url: str) -> int:
    """Return what it takes to remember an address that was met."""
    return _ENTRY + getsizeof(url)


class Store(Protocol):
    """Where the visits of a site wait for a study."""

    def add(self, site: str, visit: Visit) -> None:
        """Keep a visit."""

    def visits(self, site: str, first: int = 0) -> Iterable[Visit]:
        """Return those of a site, in their order, without the `first` ones."""


@dataclass(slots=True)
class Standing:
    """What stands for a class of pages: the first one that was fetched."""

    page: Page
    url: str


@dataclass(slots=True)
class Trying:
    """A rule that is not believed yet."""

    name: str
    alone: Normalizer
    counts: list[int]
    proven: bool
    classes: dict[str, Page] = field(default_factory=dict)
    news: bool = True


@dataclass
class Watched:
    """A site: how much was seen of it, and what is believed."""

    name: str
    learned: Sequence[Candidate] = ()
    """The rules of learned files."""
    pages: int = 0
    due: int = FIRST_STUDY
    studied: int = 0
    version: int = 0
    found: Studied | None = None
    normalizer: Normalizer | None = None
    alone: dict[str, Normalizer] = field(default_factory=dict)
    classes: dict[bytes, Standing] = field(default_factory=dict)
    counts: dict[str, list[int]] = field(default_factory=dict)
    """Pairs that agreed and did not since a rule is believed, by rule."""
    struck: set[str] = field(default_factory=set)
    """Rules that were taken back: they do not come again in this crawl."""
    since: dict[str, str] = field(default_factory=dict)
    """The page that spoke against a rule, the latest one, by what the rule was about."""
    repeats: int = 0
    """Pages since the latest study that show again what others have shown."""
    enough: int = REPEATS
    """For so many it is studied sooner: twice as many after each study for their sake that changed nothing."""
    repeated: bool = False
    """Whether the latest study was one of these."""
    doubted: bool = False
    doubts: int = 0
    """How often a page has spoken against its rules."""
    stopgaps: dict[bytes, str] = field(default_factory=dict)
    """Of the latest study, see `Work`; `told` are those that the crawl knows of."""
    told: set[bytes] = field(default_factory=set)
    unsaid: bool = False
    """Whether the crawl may have rules that an earlier student has found: the next study says what holds instead."""
    news: set[int] = field(default_factory=set)
    """Hashes of the addresses that have brought something new since the latest study began: of a long page a paragraph
    of its own is a small part, and it is not near to another one for all that."""
    trials: list[Trying] = field(default_factory=list)
    priors: Priors = field(default_factory=Priors)
    waiting: dict[bytes, str] = field(default_factory=dict)
    """Addresses that were met and not fetched, by the hash that links name them by."""

    @property
    def noise(self) -> frozenset[int]:
        """The slots of its pages that were seen to vary where nothing else does."""
        frame = self.found.frame if self.found is not None else None
        return frame.noise if frame is not None else frozenset()

    def sooner(self) -> None:
        """Have the site studied when it has grown by a tenth since the latest study."""
        self.due = min(self.due, max(self.pages, int(self.studied * SOONER)))

    def repeats_itself(self, page: Page) -> None:
        """A page shows again what another address has shown, and no rule that is believed says so."""
        if self.found is not None and page.label not in self.found.soft:
            self.repeats += 1
            if self.repeats >= self.enough:
                self.sooner()

    def begun(self, growth: float) -> None:
        """A study begins: the next one is due when the site has grown by so much."""
        self.due, self.studied = max(FIRST_STUDY, int(self.pages * growth)), self.pages
        self.repeated, self.repeats = self.repeats >= self.enough, 0
        self.news.clear()

    def brought(self, url: str) -> None:
        """A page of an address has words that none before had."""
        if len(self.news) < _NEWS:
            self.news.add(hash(url))

    def ended(self, *, changed: bool) -> None:
        """A study has ended, and has changed what holds or not."""
        self.doubted = self.unsaid = False
        if self.repeated and not changed:
            self.enough *= 2

    def movers(self, page: Page, other: Page) -> list[str]:
        """Return the rules that change the key of one of two pages; of pages with one key, that which splits queries,
        should it alone have made them one.
        """
        found = self.found
        if page.key != other.key:
            return [name for name, alone in self.alone.items() if any(alone.key(p.key) != p.key for p in (page, other))]
        mark = found.splits.get(host_of_key(page.key)) if found is not None and found.splits else None
        if mark is None or found is None or found.unsplit is None:
            return []
        return [mark] if found.unsplit.key(page.url) != found.unsplit.key(other.url) else []

    def untold(self) -> list[str]:
        """Return some of the addresses of stopgaps, each once."""
        found = dict(islice(((key, url) for key, url in self.stopgaps.items() if key not in self.told), _TOLD))
        self.told.update(found)
        return [*found.values()]

    def spoke_against(self, rule: str, page: Page) -> None:
        """A page shows that a rule is wrong: for another one on the same subject what was before is no evidence."""
        if self.found is not None:
            self.since |= dict.fromkeys(self.found.subjects[rule], page.key)
