"""Pages that name another address as canonical which has shown their very text: the site itself says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.url import resolve

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

MOST_PAGES = 200_000
"""Pages whose texts are remembered, the first ones: some 25 MB."""
MOST_NAMED = 20_000
"""Patterns whose canonical addresses are: as many as are counted."""


class SaidKnown:
    """What the pages of a crawl have shown, and what those of each pattern name."""

    def __init__(self) -> None:
        self._shown: dict[int, int] = {}
        self._named: dict[str, int] = {}

    def __call__(self, visit: Visit, pattern: str) -> bool:
        """Return whether a page of a pattern names another as canonical that has shown the same text.

        Not while all of the pattern name one and the same: a template may name the front page everywhere, and the
        text may be a frame that a script fills.
        """
        if visit.text_digest is None or not is_answer(visit.status):
            return False
        url, text = visit.final_url or visit.url, hash(visit.text_digest)
        if len(self._shown) < MOST_PAGES:
            self._shown.setdefault(hash(url), text)
        if not visit.canonical or (named := resolve(visit.canonical, url)) == url:
            return False
        if pattern not in self._named and len(self._named) >= MOST_NAMED:
            return False
        first = self._named.setdefault(pattern, hash(named))
        if first != hash(named):
            # several, from now on
            first = self._named[pattern] = 0
        return not first and self._shown.get(hash(named)) == text
