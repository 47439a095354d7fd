"""What a row of the file of requests says of its request."""

from __future__ import annotations

from enum import StrEnum

from scrapy_urinorm.tuples import NamedTuple


class State(StrEnum):
    """What a request of the file is waiting for."""

    QUEUED = "queued"
    """Its turn in Scrapy's own queue."""
    FLYING = "flying"
    """Its end: it was handed to the engine."""
    RELEASED = "released"
    """Its turn here, beside Scrapy's queue."""
    LATER = "later"
    """Its turn here, when nothing else is waiting."""
    PARKED = "parked"
    """A decision: it is not served until `release`."""
    UNREADABLE = "unreadable"
    """A version of the spider that can read it."""


#: The greatest number that SQLite can hold.
MOST = (1 << 63) - 1
#: The states that are served from here.
SERVED = (State.RELEASED, State.LATER)


class Row(NamedTuple):
    """One request. `data` is its serialized form; `fingerprint` None where the duplicate filter was not asked.

    `slot` is the download slot it will use. `class_key` names the class of pages that a parked request was taken
    for, `generation` the rules that took it so.
    """

    id: int
    state: State
    priority: int
    slot: str
    data: bytes
    fingerprint: bytes | None = None
    class_key: bytes | None = None
    generation: int = 0
