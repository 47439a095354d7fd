"""What the rules say of a request besides its key: never send it, or send it last."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.http.request import NO_CALLBACK

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.statscollectors import StatsCollector

    from scrapy_urinorm.normalizer import Normalizer

#: Deferred requests go behind everything that a spider is likely to use.
DEFER_BY = 1_000_000


def exempt(request: Request) -> bool:
    """Whether the rules have no say in a request: media and files, ``verbatim_url``, ``urinorm`` False."""
    meta = request._meta or {}
    return request.callback is NO_CALLBACK or meta.get("urinorm") is False or bool(meta.get("verbatim_url"))


class Verdicts:
    """The rules ``skip`` and ``defer``, put into effect and counted."""

    def __init__(self, normalizer: Normalizer, stats: StatsCollector):
        self._verdict = normalizer.verdict
        self._stats = stats
        self._deferred: Request | None = None
        self.by_priority = True
        """Whether a deferred request gets a low priority here; a scheduler that knows better asks ``was_deferred``."""

    def was_deferred(self, request: Request) -> bool:
        """Whether the request is the one that was deferred last."""
        if request is not self._deferred:
            return False
        self._deferred = None
        return True

    def skipped(self, request: Request) -> bool:
        """Whether a rule says never to send the request; one to be deferred goes behind the others."""
        self._deferred = None
        skip, defer = self._verdict(request.url)
        if not (skip or defer) or exempt(request):
            return False
        if skip:
            self._stats.inc_value("urinorm/skipped")
        elif not self.by_priority:
            self._deferred = request
            self._stats.inc_value("urinorm/deferred")
        elif request.priority > -DEFER_BY // 2:
            request.priority -= DEFER_BY
            self._stats.inc_value("urinorm/deferred")
        return skip
