"""How long pages of a few words wait behind those with news: where these have no end, their turn would never come."""

from __future__ import annotations

from collections import Counter

PATIENCE = 1_000
"""Pages of the crawl after which a pattern is served in its turn again: the exports of a database, with news each, have
no end, and its rows are pages. Settled with a shop, whose 649 reviews are sooner seen without its 240 forms."""


class Patience:
    """The patterns that wait for nothing but their turn, in pages of the crawl, once each."""

    def __init__(self) -> None:
        self._pages = 0
        self._since: dict[str, int] = {}
        self._over: set[str] = set()

    def waits(self, name: str) -> bool:
        """A pattern comes later, or had a page fetched since it does; whether it has to: once, and not for ever."""
        if name in self._over:
            return False
        # the one that has waited longest stands first
        self._since.pop(name, None)
        self._since[name] = self._pages
        return True

    def is_over(self, name: str) -> bool:
        """Whether a pattern has waited once: it does not again."""
        return name in self._over

    def page(self) -> str | None:
        """Count a page of the crawl; return a pattern that has waited long enough."""
        self._pages += 1
        name = next(iter(self._since), None)
        if name is None or self._pages - self._since[name] < PATIENCE:
            return None
        del self._since[name]
        self._over.add(name)
        return name


TESTS = 40
"""Requests for pages that are likely known which go each time: as many as a rule is believed for, and some more."""
MOST = 20_000
"""Patterns whose doubted requests are counted; those of others wait for the end."""
# no address has a space
_DOUBTED = " ~"


def doubted(pattern: str) -> str:
    """Return the name under which likely duplicates of a pattern wait."""
    return pattern + _DOUBTED


class Doubts:
    """How many requests of each pattern of pages are doubted: those of which most are go first."""

    def __init__(self) -> None:
        self.waiting: Counter[str] = Counter()
        self._pages = 0

    def waits(self, name: str) -> None:
        """A request of a pattern comes after all else, as its page is likely known."""
        if name in self.waiting or len(self.waiting) < MOST:
            self.waiting[name] += 1

    def page(self) -> str | None:
        """Count a page of the crawl; return, once in `PATIENCE` pages, a pattern of which `TESTS` requests go."""
        self._pages += 1
        if self._pages < PATIENCE or not self.waiting:
            return None
        self._pages = 0
        name = max(self.waiting, key=lambda one: (self.waiting[one], one))
        self.waiting[name] -= TESTS
        if self.waiting[name] <= 0:
            del self.waiting[name]
        return name

    def load(self, name: str, row: list[float]) -> bool:
        """Take up a row; whether it was one of these."""
        if not name.endswith(_DOUBTED):
            return False
        self.waiting[name.removesuffix(_DOUBTED)] = int(row[0])
        return True
