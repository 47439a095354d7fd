"""Helpers for link extractors and crawl-spider rules: links that need not become requests."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.filtering.claims import MAX_CHANCES
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rewriting import Rewriter

if TYPE_CHECKING:
    from scrapy.link import Link


class Links:
    """`LinkExtractor(process_value=links.process_value)` and `Rule(..., process_links=links.process_links)`.

    `rules` and `preset` are those of `Normalizer`; name the file that the crawl uses. It can be pickled as that can.
    """

    def __init__(self, rules: Any = None, preset: str | None = None):
        self.normalizer = Normalizer(rules, preset)
        self._rewriter = Rewriter(self.normalizer)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_rewriter"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._rewriter = Rewriter(self.normalizer)

    def process_value(self, value: str) -> str | None:
        """The absolute URL of a link as it should be requested, or None where a rule says to skip it.

        Only the rules that `rewrite_requests` names edit the URL; without such it stays as it is.
        """
        if self.normalizer.verdict(value)[0]:
            return None
        return self._rewriter.rewrite(value)

    def process_links(self, links: list[Link]) -> list[Link]:
        """The links of one page without those to skip, and with at most three spellings of an equal key.

        More than one, since the first may fail where another serves the page: the filter holds them in hand.
        """
        spellings: defaultdict[str, set[str]] = defaultdict(set)
        kept = []
        for link in links:
            seen = spellings[self.normalizer.key(link.url)]
            spelling = self.normalizer.key(link.url, lossy=False)
            if spelling in seen or len(seen) > MAX_CHANCES or self.normalizer.verdict(link.url)[0]:
                continue
            seen.add(spelling)
            kept.append(link)
        return kept
