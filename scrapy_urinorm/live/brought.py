"""What one pattern of a site has brought so far, and when its requests are served for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum
from operator import attrgetter
from typing import Any, NamedTuple

from scrapy_urinorm.live.patterns import is_plain

_ALONE = 0.1
"""The share of news from which a pattern is judged by itself, not with the others of its group."""
_USUAL = 31
"""Pages of a pattern, as many as pairs that a rule is believed for: those are mostly of the pattern that it is for."""
_SAMPLES = 20.0
"""So many samples in the first thousand that a closed pattern keeps back, and some sixty more in each e-fold."""
_SAMPLE_SHARE = 0.05
"""The most that is sampled: what links to nineteen of its kind still dies out."""
KNOWN_CLOSE = 3
"""Pages in a row without news that close a line of a recognized platform which was proven on real installations of it,
counted when they are sent: until their news come, a crawl would send hundreds."""
_KNOWN_SAMPLES = 0.1
"""Of what was proven on real installations a tenth of that, as of canaries."""


class Turn(IntEnum):
    """When requests of a pattern are served."""

    OPEN = 0
    LATER = 1
    CLOSED = 2


class Brought(NamedTuple):
    """What a page has brought, as `Yields.learned` is told."""

    news: bool
    same: bool = False
    few: bool = False
    kin: bool = False
    shows: str = ""
    said: bool = False


@dataclass(slots=True)
class Yield:
    """What a pattern has brought: pages, those with news, how many since the last news, and the share of late."""

    pages: int = 0
    news: int = 0
    blank: int = 0
    share: float = 1.0
    turn: Turn = Turn.OPEN
    kept: int = 0
    late_news: int = 0
    """News after the pattern was closed once."""
    known: bool = False
    """Whether the pattern is a line of a pack that was proven on real installations."""
    tries: int = 0
    """Of a known one, those sent since it led to something new."""
    same: int = 0
    """Redirects in a row to one page."""
    shapes: int = 0
    """Of a group, how many shapes of it were fetched."""
    asked: int = 0
    """Of a shape that is served with its group, how many requests were put off; the first hundred count."""
    shows: str = ""
    """What the latest page without news has shown: its text by a few letters, or its status."""
    alike: int = 0
    """Pages without news in a row that have shown that."""
    retried: bool = False
    """Whether a few of those that it keeps back are to go once more before the end, or have gone."""
    enough: int = KNOWN_CLOSE
    """How many `tries` close it."""
    said: int = 0
    """Pages in a row that name as canonical what has shown their text."""

    @property
    def is_alone(self) -> bool:
        """Whether it brings so much that it is judged by itself."""
        return self.news > 0 and self.news >= _ALONE * self.pages

    @property
    def is_usual(self) -> bool:
        """Whether the crawl has fetched many of its pages: a further one does nothing that was not done."""
        return self.pages >= _USUAL

    def blanks(self, shows: str) -> None:
        """Count a page without news, and what it has shown."""
        self.blank += 1
        self.alike = self.alike + 1 if shows and shows == self.shows else 0
        self.shows = shows

    def sampled(self, chance: float) -> bool:
        """Whether a request of a closed pattern is fetched all the same; `chance` is its own, from 0 to 1.

        The share falls with what was kept back: what links to thirty of its kind would otherwise never end.
        """
        self.kept += 1
        return chance < min(_SAMPLE_SHARE, _SAMPLES / self.kept) * (_KNOWN_SAMPLES if self.known else 1)


columns_of = attrgetter(*(field.name for field in fields(Yield)))


def row_of(found: Yield) -> list[Any]:
    """Return a pattern as JSON can hold it."""
    return list(columns_of(found))


def yield_of(row: Sequence[Any]) -> Yield:
    """Return the pattern of a row."""
    found = Yield(*row)
    found.turn = Turn(int(found.turn))
    return found


TURNS = 100
"""Requests of a shape that are told apart by their turn, where what they bring is the same to a thousandth."""
_PLAIN = 0.4
"""Addresses without a query, of what comes later, go before all that has just become low (0.95^20 = 0.36): they are
pages, whose words a list may have shown, where queries make orders of lists without end."""


class Rank(NamedTuple):
    """By what a request is served, the name of that, a pattern or a group, and when."""

    found: Yield
    name: str
    turn: Turn

    @property
    def priority(self) -> int:
        """That of what comes later."""
        return priority(self.found, self.name)


def priority(found: Yield, name: str) -> int:
    """Return the priority of what comes later, by what its pattern or group of this name brings.

    What is likely a duplicate has 0, and comes last of all.
    """
    return TURNS * int(1000 * (max(found.share, _PLAIN) if is_plain(name) else found.share))
