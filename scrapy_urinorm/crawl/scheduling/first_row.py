"""The row of a request that is written before its fingerprint is, as the store of fingerprints cannot wait for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy_urinorm.seen.protocol import AsksOthers

if TYPE_CHECKING:
    from scrapy import Request


class FirstRow:
    """The row of the request that is being enqueued; `write` and `drop` are those of a journal.

    `number` is None where there is no row: as none is needed, or as the request cannot be written.
    """

    def __init__(self, write: Callable[[Request], int | None], drop: Callable[[int], object]):
        self._write = write
        self._drop = drop
        self._offered: Request | None = None
        self._when_asked = False
        self.needed = False
        """Whether the row comes first; otherwise it is written with its fingerprint."""
        self.tried = False
        self.number: int | None = None

    def begin(self, store: object) -> None:
        """From now on it is needed; a store that knows most by itself says when, where it is the one of the crawl."""
        self.needed = True
        if isinstance(store, AsksOthers):
            self._when_asked = True
            store.before = self._now

    def offer(self, request: Request) -> None:
        """A request is about to be enqueued."""
        self.number, self.tried = None, False
        if self.needed:
            self._offered = request
            if not self._when_asked:
                self._now()

    def _now(self) -> None:
        request, self._offered = self._offered, None
        if request is not None:
            self.tried = True
            self.number = self._write(request)

    def end(self, *, taken: bool) -> None:
        """What was offered is enqueued, or not after all."""
        self._offered = None
        if not taken and self.number is not None:
            self._drop(self.number)
