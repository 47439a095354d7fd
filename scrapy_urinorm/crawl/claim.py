"""What is known of the request that speaks for a key, and of its variants."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.crawl.crowd import Entry, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request

#: How many further variants of one key may be requested after failures.
MAX_CHANCES = 2
#: The digest of a text that is not known: of a request that an earlier run has left in the queue.
UNKNOWN = bytes(len(text_digest("")))


#: A variant to schedule now: the fingerprint of its key, the request, the number of its chance.
Chance = tuple[bytes, "Request", int]


class Claim:
    """The request of a key of which more is known than its URL text.

    `last` is the URL text under way, or its digest where the text was given up; `tried` are the texts or digests
    that were requested, `held` filtered requests of other texts, as many as may still be needed. `failed` is set
    when the outcome was bad and no variant was at hand. `followers` are claims whose chain of redirects ended at this
    key: they share its fate.
    """

    __slots__ = ("chances", "failed", "followers", "held", "last", "tried")

    def __init__(self, last: str | bytes):
        self.last = last
        self.tried = [last]
        self.held: list[Request] = []
        self.followers: list[tuple[bytes, str]] = []
        self.chances = 0
        self.failed = False


def most_chances(tried: Iterable[str | bytes]) -> int:
    """How many further variants may be requested: a text that is not known may be found again and be one of them."""
    return MAX_CHANCES + (UNKNOWN in tried)


def unfolded(entry: Entry, last: str | None = None) -> Claim:
    """The claim that was kept in short, its last text being known or not."""
    claim = Claim(entry.digest if last is None else last)
    claim.tried += entry.tried
    claim.chances = entry.chances
    return claim
