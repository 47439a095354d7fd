"""Whether a page brings news: lines that no page had so far, or links that led to such a page.

A list in another order, a facet, the next empty month: other texts than those before, of lines that are all known.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from scrapy_urinorm.visits.links import HASH

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

NEWS_WORDS = 10
"""Words in lines that no page had: a heading that says its own date, or a counter, has fewer."""
BITS = 1 << 25
"""The lines known, as a Bloom filter of 4 MB: at five million lines one in fifteen looks known and is not."""
LINKERS = 400_000
"""Links that wait for their page, to be credited to who named them first; some 40 MB."""
PATTERNS = 20_000
"""Patterns of which it is remembered where their redirects lead; as many as are counted."""


class Novelty:
    """What the pages of a crawl have brought so far."""

    def __init__(self) -> None:
        self._bits = bytearray(BITS // 8)
        self._texts: set[str] = set()
        self._linkers: dict[bytes, str] = {}
        self._led_to: dict[str, str | None] = {}

    def news(self, visit: Visit) -> bool:
        """Return whether a page has something that none before had, and note what it has."""
        if visit.status not in (None, 200):
            return False
        if visit.lines is None:
            # a file, or a page that was not read
            digest = visit.text_digest or visit.body_digest
            if digest is None or digest in self._texts:
                return digest is None
            if len(self._texts) < LINKERS:
                self._texts.add(digest)
            return True
        words = visit.line_words or b""
        new = 0
        seen = set()
        for n, line in enumerate(array("Q", visit.lines)[1::2]):
            if line not in seen and not self._known(line):
                new += words[n] if n < len(words) else 1
            seen.add(line)
        return new >= NEWS_WORDS

    def _known(self, line: int) -> bool:
        """Whether a line was there; it is from now on."""
        known = True
        for at in (line % BITS, (line >> 32) * 2654435761 % BITS):
            bit = 1 << (at & 7)
            if not self._bits[at >> 3] & bit:
                self._bits[at >> 3] |= bit
                known = False
        return known

    def again(self, visit: Visit, pattern: str) -> bool:
        """Return whether a redirect of a pattern led to the very page that the last one led to."""
        digest = visit.text_digest if visit.status in (None, 200) else None
        before = self._led_to.get(pattern)
        if before is not None or len(self._led_to) < PATTERNS:
            self._led_to[pattern] = digest
        return digest is not None and digest == before

    def linked(self, visit: Visit, pattern: str) -> None:
        """Note the links of a page of a pattern: what they lead to is its merit, if nobody named them before."""
        links = visit.links or b""
        for at in range(0, len(links), HASH):
            if len(self._linkers) >= LINKERS:
                return
            self._linkers.setdefault(links[at : at + HASH], pattern)

    def linker(self, visit: Visit) -> str | None:
        """Return the pattern of the page that first named this one."""
        if visit.id is None:
            return None
        first = self._linkers.get(visit.id)
        if first is not None:
            # known from now on: a later link to it is nobody's merit
            self._linkers[visit.id] = ""
        return first or None
