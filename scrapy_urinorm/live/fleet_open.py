"""How a worker connects to its fleet: a Redis that is started again just then is waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.seen.protocol import SeenStoreError

if TYPE_CHECKING:
    import threading

    from scrapy_urinorm.seen.redis_connection import RedisConnection

_SECONDS = 900
"""How long, as later on."""


def opened(connection: RedisConnection, ended: threading.Event, *, waits: bool) -> None:
    """Connect, with a second between two tries, until `ended`. Raises SeenStoreError."""
    for number in range(_SECONDS):
        try:
            connection.open()
        except SeenStoreError:
            if not waits or number == _SECONDS - 1 or ended.wait(1.0):
                raise
        else:
            return
