"""What a crawl would still find: links followed over the log, with some addresses never requested."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page


class Reach:
    """The links of a log: of each page the addresses first found there, and those it redirected to."""

    def __init__(self, pages: Sequence[Page], keys: Sequence[str]) -> None:
        self._pages = pages
        self._keys = keys
        number = {page.key: n for n, page in enumerate(pages)}
        self._links: dict[int, list[int]] = defaultdict(list)
        self._targets: dict[int, list[int]] = defaultdict(list)
        self._alike: dict[int, list[int]] = defaultdict(list)
        self._members: dict[str, list[int]] = defaultdict(list)
        self._roots = []
        for n, page in enumerate(pages):
            self._members[keys[n]].append(n)
            if page.label >= 0:
                self._alike[page.label].append(n)
            sources = [number[source] for source in page.sources if source in number and source != page.key]
            for source in sources:
                self._targets[source].append(n)
            known = [number[referer] for referer in page.referers if referer in number and referer != page.key]
            for referer in known:
                self._links[referer].append(n)
            if not known and not sources:
                self._roots.append(n)
        if pages and not self._roots:
            self._roots.append(0)

    def labels(self, skipped: AbstractSet[int] = frozenset()) -> set[int]:
        """Return the content classes that a crawl sees which skips these pages and fetches a key once.

        A page of equal content has equal links, so a class that was seen gives the links of all its pages.
        """
        fetched: set[str] = set()
        seen: set[int] = set()
        found = set(self._roots)
        queue = deque(self._roots)

        def discover(numbers: list[int]) -> None:
            for n in numbers:
                if n not in found:
                    found.add(n)
                    queue.append(n)

        while queue:
            n = queue.popleft()
            key = self._keys[n]
            if n in skipped or key in fetched:
                continue
            fetched.add(key)
            for member in self._members[key]:
                discover(self._links[member])
                discover(self._targets[member])
            label = self._pages[n].label
            # what a redirect leads to is seen where that is fetched
            if label >= 0 and label not in seen and not self._targets[n]:
                seen.add(label)
                for twin in self._alike[label]:
                    discover(self._links[twin])
        return seen
