"""What the patterns of a site still bring: those that bring nothing come after the others, and are closed in the end.

Neither loses anything by itself: what comes later is fetched when nothing else waits, and what a closed pattern keeps
back stays in the file of requests, is sampled until the end, and goes on when a sample brings something new.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

LOW = 20
"""Pages in a row without news that make a pattern low: one that has news on a tenth of its pages gets there once in
eight times, and loses nothing but its turn."""
CLOSE = 200
"""Pages in a row without news, fetched when nothing else was waiting, that close a pattern; `URINORM_LIVE_CLOSE`."""
ONE_PAGE = 31
"""Redirects in a row to one and the same page that close a pattern instead, be they in their turn or later: so many
pairs as a rule is believed for, and the site itself says that they are one."""
REOPEN = 0.2
"""The share of news among a low pattern's latest pages from which it is served in its turn again."""
KNOWN_CLOSE = 3
"""So many for a line of a recognized platform that was proven on real installations of it, counted when they are sent:
until their news come, a crawl would send hundreds."""
_KEEP = 0.95
"""How much of the share each further page leaves: it looks back some twenty pages."""
_MOST = 20_000
"""Patterns that are counted: as many places as `patterns` tells apart."""
_SAMPLES = 20.0
"""So many samples in the first thousand that a closed pattern keeps back, and some sixty more in each e-fold."""
_SAMPLE_SHARE = 0.05
"""The most that is sampled: what links to nineteen of its kind still dies out."""
_KNOWN_SAMPLES = 0.1
"""Of what was proven on real installations a tenth of that, as of canaries."""


class Turn(IntEnum):
    """When requests of a pattern are served."""

    OPEN = 0
    LATER = 1
    CLOSED = 2


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

    def sampled(self, chance: float) -> bool:
        """Whether a request of a closed pattern is fetched all the same; `chance` is its own, from 0 to 1.

        The share falls with what was kept back: what links to thirty of its kind would otherwise never end.
        """
        self.kept += 1
        return chance < min(_SAMPLE_SHARE, _SAMPLES / self.kept) * (_KNOWN_SAMPLES if self.known else 1)


class Yields:
    """The patterns of a crawl; `close` = 0 turns closing off."""

    def __init__(self, close: int = CLOSE) -> None:
        self.close = close
        self.of: dict[str, Yield] = {}

    def __getitem__(self, pattern: str) -> Yield | None:
        return self.of.get(pattern)

    def learned(self, pattern: str, news: bool, *, same: bool = False) -> bool:
        """Count a page of a pattern; return whether its closing ended: what it keeps back is to be served later.

        `same`: a redirect that led to the page that the one before led to.
        """
        found = self.of.get(pattern)
        if found is None:
            if len(self.of) >= _MOST:
                return False
            found = self.of[pattern] = Yield()
        found.pages += 1
        found.share = found.share * _KEEP + (1 - _KEEP) * news
        found.same = found.same + 1 if same else 0
        if not news:
            found.blank += 1
            if found.turn is Turn.OPEN and found.blank >= LOW:
                found.turn, found.blank = Turn.LATER, 0
            elif self._is_enough(found):
                found.turn = Turn.CLOSED
            return False
        return self.credit(found)

    def _is_enough(self, found: Yield) -> bool:
        if not self.close or found.turn is not Turn.LATER:
            return False
        return found.blank >= self.close or found.same >= min(self.close, ONE_PAGE)

    def sent(self, found: Yield | None) -> None:
        """A request that came later is sent: of what is known to lead nowhere a few are enough."""
        if found is not None and found.known and found.turn is Turn.LATER:
            found.tries += 1
            if self.close and found.tries >= KNOWN_CLOSE:
                found.turn = Turn.CLOSED

    def warned(self, pattern: str, *, proven: bool) -> None:
        """A recognized platform is known to answer such addresses with nothing new: they come later from now on."""
        found = self.of.setdefault(pattern, Yield())
        found.known = found.known or proven
        if found.turn is Turn.OPEN and not found.news:
            found.turn = Turn.LATER

    def credit(self, found: Yield | None) -> bool:
        """A page of the pattern has brought something, itself or by what it led to; return as `learned`."""
        if found is None:
            return False
        found.news += 1
        found.blank = found.tries = 0
        found.share = max(found.share, found.share * _KEEP + (1 - _KEEP))
        was = found.turn
        if was is Turn.CLOSED:
            found.turn = Turn.LATER
            found.late_news += 1
        elif was is Turn.LATER and found.share >= REOPEN:
            found.turn = Turn.OPEN
        return was is Turn.CLOSED

    def closed(self) -> dict[str, Yield]:
        """Return the patterns that keep requests back."""
        return {name: one for name, one in self.of.items() if one.turn is Turn.CLOSED}

    def dump(self) -> dict[str, list[float]]:
        """Return all that a later run needs."""
        return {
            name: [
                one.pages,
                one.news,
                one.blank,
                one.share,
                one.turn,
                one.kept,
                one.late_news,
                one.known,
                one.tries,
                one.same,
            ]
            for name, one in self.of.items()
        }

    def load(self, rows: dict[str, list[float]]) -> None:
        """Take up what a run before has dumped."""
        for name, (pages, news, blank, share, turn, kept, late, known, tries, same) in rows.items():
            whole = int(pages), int(news), int(blank), share, Turn(int(turn)), int(kept), int(late)
            self.of[name] = Yield(*whole, bool(known), int(tries), int(same))
