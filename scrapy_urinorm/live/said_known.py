"""Pages that name another address as canonical which has shown their very text: the site itself says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.content import is_answer
from scrapy_urinorm.url import resolve

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

MOST_PAGES = 200_000
"""Pages whose texts are remembered, the first ones: some 25 MB."""


class SaidKnown:
    """What the pages of a crawl have shown."""

    def __init__(self) -> None:
        self._shown: dict[int, int] = {}

    def __call__(self, visit: Visit) -> bool:
        """Return whether a page names another as canonical that has shown the same text, and note what it has shown."""
        if visit.text_digest is None or not is_answer(visit.status):
            return False
        url, text = visit.final_url or visit.url, hash(visit.text_digest)
        if len(self._shown) < MOST_PAGES:
            self._shown.setdefault(hash(url), text)
        if not visit.canonical or (named := resolve(visit.canonical, url)) == url:
            return False
        return self._shown.get(hash(named)) == text
