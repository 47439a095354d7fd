"""The site's own word that two addresses show one page, where their texts are near: canonical links, checked."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scrapy_urinorm.content import NEAR, are_one, compare
from scrapy_urinorm.content.compare import SOFT_PAGES, SOFT_SHARE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_urinorm.learn.pages.page import Page


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
