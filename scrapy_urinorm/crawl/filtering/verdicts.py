"""What the rules say of a request besides its key: never send it, or send it last."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector


#: Deferred requests go behind everything that a spider is likely to use; live rules tell them apart by less.
DEFER_BY = 1_000_000_000


class Verdicts:
    """The rules `skip` and `defer`, put into effect and counted."""

    def __init__(self, stats: StatsCollector):
        self._stats = stats
        self._deferred: Request | None = None
        self.by_priority = True
        """Whether a deferred request gets a low priority here; a scheduler that knows better asks `was_deferred`."""

    def was_deferred(self, request: Request) -> bool:
        """Whether the request is the one that was deferred last."""
        if request is not self._deferred:
            return False
        self._deferred = None
        return True

    def forget(self) -> None:
        """Another request is asked about."""
        self._deferred = None

    def skips(self, request: Request, skip: bool) -> bool:
        """Whether a request of which the rules say `skip`, or else `defer`, is never sent.

        One to be deferred goes behind the others.
        """
        if skip:
            self._stats.inc_value("urinorm/skipped")
        elif not self.by_priority:
            self._deferred = request
            self._stats.inc_value("urinorm/deferred")
        elif request.priority > -DEFER_BY // 2:
            request.priority -= DEFER_BY
            self._stats.inc_value("urinorm/deferred")
        return skip
