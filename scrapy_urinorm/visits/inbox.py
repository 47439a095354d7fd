"""Messages out of a pipe, as many at a time as are there: what follows each other is dealt with together."""

from __future__ import annotations

import io
import select
from typing import TYPE_CHECKING

from scrapy_urinorm.visits import messages

if TYPE_CHECKING:
    from scrapy_urinorm.visits.messages import Message

MOST = 16
"""Messages taken together: a crawl hands over about as many pages of 40 kB at a time (`crawl.recording.outbox`)."""
OCTETS = 1 << 20
"""Octets after which no further one is taken: what is in memory meanwhile does not grow with a site's pages."""


class Inbox:
    """The pipe of this descriptor, which nobody else reads."""

    def __init__(self, pipe: int) -> None:
        self._file = io.FileIO(pipe, closefd=False)
        self._ready = None
        if hasattr(select, "poll"):
            # not Windows
            self._ready = select.poll()
            self._ready.register(pipe, select.POLLIN)

    def some(self) -> list[Message]:
        """Wait for a message, and return it with those that have come meanwhile; none at the end.

        Raises `ValueError` on what is no message.
        """
        found: list[Message] = []
        octets = 0
        while not found or (len(found) < MOST and octets < OCTETS and self._waits()):
            message = messages.received(self._read)
            if message is None:
                break
            found.append(message)
            octets += len(message[1])
        return found

    def _waits(self) -> bool:
        return self._ready is not None and bool(self._ready.poll(0))

    def _read(self, count: int) -> bytes:
        """Return so many octets, fewer at the end alone."""
        found = self._file.read(count) or b""
        if len(found) == count or not found:
            return found
        whole = bytearray(found)
        while len(whole) < count and (more := self._file.read(count - len(whole))):
            whole += more
        return bytes(whole)
