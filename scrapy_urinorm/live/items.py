"""Items of an API that say which of a few states they are in, and not which item: that stands in the address alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.live.patterns import MOST_PLACES, is_plain
from scrapy_urinorm.visits.links import url_hash

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

MOST = 100_000
"""Pages of data with news that are remembered, as what was asked from them is known by their hashes: lists of a
hundred items each for an API of ten million."""


class Items:
    """Which data were asked from other data that had news, and what each pattern showed last."""

    def __init__(self) -> None:
        # by hashes: a shape is a text of up to 300 letters
        self._lists: dict[bytes, int] = {}
        self._last: dict[str, str | None] = {}

    def listed(self, visit: Visit, pattern: str) -> None:
        """Note a page with news, if it is data: such has a text and no list of links."""
        if visit.links is None and visit.text_digest is not None and visit.id is not None and len(self._lists) < MOST:
            self._lists.setdefault(visit.id, hash(pattern))

    def is_one(self, visit: Visit, pattern: str) -> bool:
        """Whether data that say what others have said are one of a list of things in a few states.

        They are asked from data of another kind, which had news, so that they come to an end, and the one before was in
        another state: what shows the same again and again, as an error does, is closed as it ever was.
        """
        if visit.links is not None or visit.text_digest is None or visit.referer is None or not is_plain(pattern):
            return False
        if self._lists.get(url_hash(visit.referer), hash(pattern)) == hash(pattern):
            return False
        before = self._last.get(pattern)
        if pattern in self._last or len(self._last) < MOST_PLACES:
            self._last[pattern] = visit.text_digest
        return before is not None and before != visit.text_digest
