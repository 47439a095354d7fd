"""The Redis of a fleet as its workers ask it: commands and scripts, one by one or in a pipeline, and the answers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.fleet_scripts import ONCE, SCRIPTS
from scrapy_urinorm.seen.protocol import SeenStoreError
from scrapy_urinorm.seen.redis_connection import RedisConnection

if TYPE_CHECKING:
    import threading

    from scrapy_urinorm.seen import OnLost

    Call = tuple[Any, ...]

_SECONDS = 900
"""How long a Redis that is started again just then is waited for, as later on."""


class FleetConnection(RedisConnection):
    """A worker's connection; `base` begins the keys of live rules, beside those of the seen store.

    It is used by one thread. A question is asked again after a broken connection, though it may have arrived: calls of
    which two are not as one have numbers, by which the server knows them.
    """

    def __init__(self, url: str, prefix: str, on_lost: OnLost) -> None:
        super().__init__(url, prefix, on_lost)
        self.base = f"{self.address.prefix}:live"
        self._name = uuid.uuid4().hex
        self._asked = 0

    def open_until(self, ended: threading.Event) -> None:
        """Connect, with a second between two tries where a lost Redis is waited for, until `ended`.

        Raises SeenStoreError.
        """
        for number in range(_SECONDS):
            try:
                self.open()
            except SeenStoreError:
                if not self._waits or number == _SECONDS - 1 or ended.wait(1.0):
                    raise
            else:
                return

    def script(self, script: str, *args: Any) -> Any:
        """The answer of a script."""
        (answer,) = self.piped([(script, *args)])
        return answer

    def piped(self, calls: Sequence[Call]) -> list[Any]:
        """The answers of commands and scripts, in one round trip; a script is `(PUBLISH, arguments...)`."""
        self._asked += 1

        def question(_again: bool) -> list[Any]:
            pipeline = self.client.pipeline(transaction=False)
            for number, (name, *args) in enumerate(calls):
                if name in SCRIPTS:
                    numbered = [self._name, self._asked, number] if name in ONCE else []
                    self.run(name, [self.base], args + numbered, pipeline)
                else:
                    pipeline.execute_command(name, *args)  # type: ignore[no-untyped-call]  # redis-py's
            return list(pipeline.execute())

        return self.ask(question) if calls else []


# what redis-py answers under either protocol


def text(name: bytes) -> str:
    """The name of a site."""
    return name.decode("utf-8", "surrogatepass")


def pairs(found: Any) -> dict[bytes, bytes]:
    """A hash, which comes as a dict or as a flat list."""
    return found if isinstance(found, dict) else dict(zip(found[::2], found[1::2], strict=True))


def scores(found: Any) -> list[tuple[bytes, float]]:
    """Members of a sorted set with their scores."""
    if found and not isinstance(found[0], tuple | list):
        found = list(zip(found[::2], found[1::2], strict=True))
    return [(name, float(score)) for name, score in found]


def streams(found: Any) -> Iterator[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """What XREAD has found, by stream."""
    for name, entries in found.items() if isinstance(found, dict) else found:
        if entries and entries[0] and isinstance(entries[0][0], list | tuple):
            entries = entries[0]
        yield text(name), [(at, pairs(fields)) for at, fields in entries]
