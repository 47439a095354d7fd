"""How long pages of a few words wait behind those with news: where these have no end, their turn would never come."""

from __future__ import annotations

PATIENCE = 1_000
"""Pages of the crawl after which a pattern is served in its turn again: the exports of a database, with news each, have
no end, and its rows are pages. Settled with a shop, whose 649 reviews are sooner seen without its 240 forms."""


MOST = 20_000
"""Patterns that are remembered, as many as are counted; of others what is doubted waits to the end."""


class Patience:
    """The patterns that wait for nothing but their turn, in pages of the crawl: each `once`, or one after the other."""

    def __init__(self, *, once: bool = True) -> None:
        self._once = once
        self._pages = self._last = 0
        self._since: dict[str, int] = {}
        self._over: set[str] = set()

    def waits(self, name: str) -> None:
        """A pattern comes later, or had a page fetched since it does."""
        # the one that has waited longest stands first
        self._since.pop(name, None)
        self._since[name] = self._pages

    def holds(self, name: str) -> None:
        """A pattern comes later; it waits since it first did, or since it last had its turn."""
        if len(self._since) < MOST:
            self._since.setdefault(name, self._pages)

    def is_over(self, name: str) -> bool:
        """Whether a pattern has waited once: it does not again."""
        return name in self._over

    def page(self) -> str | None:
        """Count a page of the crawl; return a pattern that has waited long enough."""
        self._pages += 1
        name = next(iter(self._since), None)
        if name is None or self._pages - max(self._since[name], self._last) < PATIENCE:
            return None
        del self._since[name]
        if self._once:
            self._over.add(name)
        else:
            self._since[name] = self._last = self._pages
        return name
