"""What waits in a temporary file that cannot be written any more: it is read, and goes."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.requests.database import SELECT, in_states, rows_of
from scrapy_urinorm.crawl.requests.rows import SERVED, Row, State
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy.statscollectors import StatsCollector

    from scrapy_urinorm.crawl.requests.file import RequestsFile

_BATCH = 200
"""Rows that are read at once: of half a kilobyte each they take 1.3 ms."""
_WAITING = (*SERVED, State.PARKED)


class Stranded:
    """Serves all that waited in a file, in the place of its `KeptBack`, as released; `taken` are rows that had.

    A job on a full disk stops and goes on with room. Without one nothing would be there to go on with, so what the file
    held is fetched in this run. Nothing is written: what was served is known by the place in the file.
    """

    def __init__(self, taken: Iterable[Row], file: RequestsFile, stats: StatsCollector | None):
        self._stats = stats
        rows, self._elsewhere, self._base = file.in_hand()
        self._rows = deque([*taken, *(row for row in rows if row.state in _WAITING)])
        self._after = 0
        self._ends = not self._base.is_open

    def __len__(self) -> int:
        self._read_on()
        return len(self._rows)

    def has(self, state: State) -> bool:
        """Whether requests of a state are to be served: all are released."""
        return state is State.RELEASED and bool(self)

    def pop(self, state: State) -> Row | None:
        """The next request."""
        if not self.has(state):
            return None
        row = self._rows.popleft()
        if row.state is State.PARKED and self._stats is not None:
            self._stats.inc_value("urinorm/live/released")
        return row

    def put_back(self) -> None:
        """Nothing is written any more."""

    def rest(self) -> Iterator[Row]:
        """What was not served; it can be asked for more than once. Raises UrinormError."""
        yield from list(self._rows)
        after = self._after
        while not self._ends and (found := self._read(after)):
            yield from self._of_the_file(found)
            after = found[-1].id

    def _read_on(self) -> None:
        while not self._rows and not self._ends:
            try:
                found = self._read(self._after)
            except UrinormError as error:
                own.logger.error("The rest of the requests that were kept back is lost to this crawl: %s", error)
                found = []
            self._rows += self._of_the_file(found)
            self._ends = not found
            self._after = found[-1].id if found else self._after

    def _read(self, after: int) -> list[Row]:
        with self._base.explained("read") as database:
            query = f"{SELECT} where {in_states(*_WAITING)} and id > ? order by id limit {_BATCH}"
            return rows_of(database.execute(query, (after,)).fetchall())

    def _of_the_file(self, found: list[Row]) -> list[Row]:
        """Without those that have changed since the file was written."""
        return [row for row in found if row.id not in self._elsewhere]
