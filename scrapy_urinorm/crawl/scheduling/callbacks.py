"""Callbacks that are still at work: the links that they bring are served before the requests that come last."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.core.engine import ExecutionEngine

_WAIT_SECONDS = 5
"""The engine's own heartbeat. Most links come at once; a callback may await what waits here."""


class Callbacks:
    """Says how long what comes last has to wait for links of pages that are at their callbacks."""

    def __init__(self) -> None:
        self._since: float | None = None

    def others_came(self) -> None:
        """Another request was served: the next wait may be as long as the first."""
        self._since = None

    def may_bring_others(self, engine: ExecutionEngine | None) -> bool:
        """Whether a page is at its callback; no longer believed after some seconds without another request."""
        slot = engine.scraper.slot if engine is not None else None
        if slot is None or not (slot.queue or slot.active):
            self._since = None
            return False
        now = time.monotonic()
        if self._since is None:
            self._since = now
        return now - self._since < _WAIT_SECONDS
