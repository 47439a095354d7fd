"""What a second crawl shows at addresses that the first one found to be one page.

A visitor who is not logged in sees the same teaser at each part of an article; one who is sees the parts. The content
of an address is what the first visit showed, unless a visit of another crawl tells pages apart that are one by it.
"""

from __future__ import annotations

from collections import Counter, defaultdict

from scrapy_urinorm.content import DIFFERENT, Content, compare
from scrapy_urinorm.learn.pages.page import Page

_Shown = tuple[Page, int, Content | None]


class OtherCrawls:
    """What later visits have shown: by what the first one did, by their crawl, and how often that had come before."""

    def __init__(self) -> None:
        self._times: Counter[tuple[str, str]] = Counter()
        self._shown: dict[tuple[int, str, int], dict[str, _Shown]] = defaultdict(dict)

    def add(self, page: Page, number: int, content: Content, crawl: str | None) -> None:
        """Note what a later visit has shown; `number` is that of its label."""
        self._times[page.key, crawl or ""] += 1
        seen = self._shown[page.label, crawl or "", self._times[page.key, crawl or ""]]
        seen[page.key] = page, number, content if number != page.label else None

    def tell_apart(self) -> list[Page]:
        """Have pages show what later visits have seen where that tells some of one content apart, and return them."""
        changed = []
        for seen in self._shown.values():
            if len({number for _, number, _ in seen.values()}) < 2:
                continue
            first, *others = (_as_shown(*one) for one in seen.values())
            if any(compare(first, other) == DIFFERENT for other in others):
                for page, number, content in seen.values():
                    if content is not None:
                        page.show(number, content)
                        changed.append(page)
        self._shown.clear()
        self._times.clear()
        return changed


def _as_shown(page: Page, number: int, content: Content | None) -> Page:
    if content is None:
        return page
    other = Page(page.key, page.url, canonical=page.canonical, day=page.day)
    other.show(number, content)
    return other
