"""Pages that are at their callbacks: their links come before the requests that are to come last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine

_WAIT_SECONDS = 5
"""The engine's own heartbeat. Most links come at once; a callback may await what waits here."""


class Callbacks:
    """Whether those of a crawl that are at work may bring requests that come before others; not for ever."""

    def __init__(self) -> None:
        self._since: float | None = None

    def others_came(self) -> None:
        """There was something to do: what is waited for from now on is waited for anew."""
        self._since = None

    def may_bring_others(self, engine: ExecutionEngine | None) -> bool:
        """Whether a page is at its callback; asked again and again, no more after some seconds."""
        slot = engine.scraper.slot if engine is not None else None
        if slot is None or not (slot.queue or slot.active):
            self._since = None
            return False
        now = time.monotonic()
        if self._since is None:
            self._since = now
        return now - self._since < _WAIT_SECONDS
