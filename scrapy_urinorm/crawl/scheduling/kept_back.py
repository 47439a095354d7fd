"""The source of requests beside Scrapy's queue: those that were kept back in the file and are to be served now."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.requests.rows import SERVED, Row, State

if TYPE_CHECKING:
    from scrapy_urinorm.crawl.requests.file import RequestsFile

#: Rows are read so many at a time: one query and one write for all of them.
_BATCH = 50


def serves_newest_first(queue: object) -> bool:
    """Whether a class of queues serves the newest request first, as Scrapy's default does."""
    # the first name that says it: one of queuelib's is derived from the other
    names = [base.__name__ for base in getattr(queue, "__mro__", ()) if re.search("[LF]ifo", base.__name__)]
    return not names or "Lifo" in names[0]


class KeptBack:
    """Serves the released and the later rows of a file, the slot with the least to do first, as Scrapy's queue does.

    `slots` are the downloader's: nothing is served to one that has as many requests as it may send at a time, since
    the others would wait behind them.
    """

    def __init__(self, file: RequestsFile, slots: Mapping[str, Any], *, newest_first: bool):
        self._file = file
        self._slots = slots
        self.newest_first = newest_first
        self.closed: frozenset[State] = frozenset()
        """States of which nothing is served, as more is on its way into them."""
        self._taken: dict[State, dict[str, deque[Row]]] = {state: {} for state in SERVED}

    def __len__(self) -> int:
        taken = (len(rows) for slots in self._taken.values() for rows in slots.values())
        return sum(self._file.waiting[state].total() for state in SERVED) + sum(taken)

    def __bool__(self) -> bool:
        return any(map(self.has, SERVED))

    def has(self, state: State) -> bool:
        """Whether requests of a state are to be served: asked for each request, however many slots wait."""
        return bool(self._file.waiting[state] or self._taken[state])

    def pop(self, state: State) -> Row | None:
        """The next request of a state; None where there is none, or none that its slot has room for."""
        taken = self._taken[state]
        slot = None if state in self.closed else self._idlest(chain(taken, self._file.waiting[state]))
        if slot is None:
            return None
        rows = taken.get(slot)
        if rows is None:
            rows = taken[slot] = deque(self._file.take(state, slot, _BATCH, newest_first=self.newest_first))
        row = rows.popleft() if rows else None
        if not rows:
            del taken[slot]
        return row

    def _idlest(self, slots: Iterable[str]) -> str | None:
        """The slot with the least under way, the first with nothing: a broad crawl has a hundred thousand of these."""
        least, found = math.inf, None
        for slot in slots:
            active = self._active(slot)
            if active is not None and active < least:
                least, found = active, slot
                if not active:
                    break
        return found

    def _active(self, slot: str) -> int | None:
        """How many requests a slot has under way; None where it has no room for another one."""
        found = self._slots.get(slot)
        if found is None:
            return 0
        active = len(found.active)
        return active if active < found.concurrency else None

    def taken(self) -> list[Row]:
        """What was read and not served."""
        return [row for slots in self._taken.values() for rows in slots.values() for row in rows]

    def put_back(self) -> None:
        """Give back to the file what was read and not served."""
        for state, slots in self._taken.items():
            for rows in slots.values():
                for row in rows:
                    self._file.put(row._replace(state=state))
            slots.clear()
