"""The requests of a job, a row each, in one SQLite file: what is queued, under way, or kept back."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.requests.database import SELECT, RequestsDatabase, in_states, rows_of
from scrapy_urinorm.crawl.requests.rows import MOST, SERVED, Row, State

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

FILE_NAME = "urinorm.requests"
COMMIT_CHANGES = 500
"""Changes in memory after which there is a commit, which takes 3 ms then."""
_LEAST = -MOST - 1


class RequestsFile:
    """The file of one job, for one process; in a temporary folder where there is no `folder` (None).

    Changes are held in memory until `commit`, which writes them in one transaction: a killed process finds the last
    commit. Rows hold what the spider gave to its requests, cookies and the like, so only its owner can read the file.
    All methods but `close` raise RequestsFileError where the disk does not do its part.
    """

    def __init__(self, folder: Path | None, name: str = FILE_NAME):
        self._base = RequestsDatabase(folder, name)
        self.name = name
        self._new: dict[int, Row] = {}
        self._flying: dict[int, None] = {}
        self._ended: list[int] = []
        self._notes: dict[bytes, str | None] = {}
        self._pieces: dict[bytes, str | None] = {}
        self._served: list[tuple[str, int, str]] = []
        self._next = 1
        self._changes = (self._new, self._flying, self._ended, self._notes, self._pieces, self._served)
        self.unclean = False
        """Whether the run before came to no good end: Scrapy's queue is then not to be trusted, these rows are."""
        self.gather: Callable[[], None] | None = None
        """Asked for notes before anything is written: no row without what is known of its key."""
        self.seen: Callable[[], int] | None = None
        """How many fingerprints the seen store has; the mark `seen` says with what number the last changes came."""
        self._seen = -1
        self.waiting: dict[State, Counter[str]] = {state: Counter() for state in SERVED}
        """How many requests wait here, by state and slot."""

    # ------------------------------------------------------------------ open and close

    def open(self, *, begun: bool = False) -> None:
        """Open or make the file, as `RequestsDatabase.open` does."""
        self._base.open(begun=begun)
        with self._base.explained("open") as database:
            self._next = 1 + (database.execute("select max(id) from requests").fetchone()[0] or 0)
            self.unclean = bool(self.mark("running"))
            self._count_waiting()

    def close(self) -> None:
        """Let go, changes that were not committed being dropped; may be called twice."""
        self._base.close()

    @property
    def is_open(self) -> bool:
        """Whether it was opened and not closed."""
        return self._base.is_open

    # ------------------------------------------------------------------ one request

    def new_id(self) -> int:
        """A number for a further row; later requests have higher ones."""
        self._next += 1
        return self._next - 1

    def put(self, row: Row) -> None:
        """Write a row, in the place of the one with its number, which does not wait here."""
        self._flying.pop(row.id, None)
        self._new[row.id] = row
        if row.state in self.waiting:
            self.waiting[row.state][row.slot] += 1

    def fly(self, number: int) -> None:
        """A queued request was handed to the engine."""
        if (row := self._new.get(number)) is not None:
            self._new[number] = row._replace(state=State.FLYING)
        else:
            self._flying[number] = None

    def end(self, number: int) -> None:
        """A request that does not wait here has come to its end: its row goes."""
        self._new.pop(number, None)
        self._flying.pop(number, None)
        self._ended.append(number)

    @property
    def changes(self) -> int:
        """How many changes wait for `commit`."""
        return sum(len(one) for one in self._changes)

    def commit(self) -> None:
        """Write all changes, in one transaction, and what the seen store has by now."""
        if self.changes or (self.seen is not None and self.seen() != self._seen):
            with self._transaction():
                pass

    # ------------------------------------------------------------------ requests that wait here

    def take(self, state: State, slot: str, limit: int, *, newest_first: bool) -> list[Row]:
        """The next requests of a slot, by priority, then by age; they are flying from now on."""
        order = "desc" if newest_first else "asc"
        where = f"{in_states(state)} and slot = ?"
        with self._transaction() as database:
            # in two parts, as the index holds priorities one after the other: never all that wait are sorted
            last = f"select priority from requests where {where} order by priority desc limit 1 offset ?"
            found = database.execute(last, (slot, limit - 1)).fetchone()
            least = found[0] if found is not None else _LEAST
            rows = rows_of(database.execute(f"{SELECT} where {where} and priority > ?", (slot, least)))
            rows.sort(key=lambda row: (-row.priority, -row.id if newest_first else row.id))
            if found is not None:
                query = f"{SELECT} where {where} and priority = ? order by id {order} limit ?"
                rows += rows_of(database.execute(query, (slot, least, limit - len(rows))))
            numbers = [(row.id,) for row in rows]
            database.executemany("update requests set state = 'flying' where id = ?", numbers)
        self._gone(state, {slot: len(rows) or self.waiting[state][slot]})
        return rows

    def release(
        self,
        state: State = State.PARKED,
        *,
        to: State = State.RELEASED,
        class_key: bytes | None = None,
        generation: int | None = None,
        limit: int | None = None,
        in_order: bool = True,
    ) -> int:
        """Let requests of one state go, all of them or those of a class or generation; how many.

        With a `limit` the oldest, of what comes later those that come first; any, where they are not to be `in_order`,
        which costs the same whatever waits. `to` may be any state.
        """
        # a class has an index of its own
        where = in_states(state) if class_key is None else f"state = '{state}'"
        values: list[str | bytes | int] = []
        if class_key is not None:
            where, values = f"{where} and class = ?", [*values, class_key]
        if generation is not None:
            where, values = f"{where} and generation = ?", [*values, generation]
        with self._transaction() as database:
            if limit is None:
                query = f"select slot, count(*) from requests where {where} group by slot"
                if moved := dict(database.execute(query, values)):
                    database.execute(f"update requests set state = ? where {where}", (str(to), *values))
            else:
                # found once: without an order a second search may find others
                order = "priority desc, id" if state is State.LATER else "id"
                some = f"{where} order by {order}" if in_order else where
                found = database.execute(f"select id, slot from requests where {some} limit {limit}", values).fetchall()
                moved = Counter(slot for _, slot in found)
                going = [(str(to), number) for number, _ in found]
                database.executemany("update requests set state = ? where id = ?", going)
        if to in self.waiting:
            self.waiting[to].update(moved)
        if state in self.waiting:
            self._gone(state, moved)
        return sum(moved.values())

    def _gone(self, state: State, moved: Mapping[str, int]) -> None:
        """So many of each slot wait no more; a slot that has none is not named, and the others are not looked at."""
        counts = self.waiting[state]
        counts.subtract(moved)
        for slot in [slot for slot in moved if counts[slot] <= 0]:
            del counts[slot]

    def rows(self, state: State) -> Iterator[Row]:
        """All requests of a state, oldest first; the file may be changed meanwhile."""
        after = 0
        query = f"{SELECT} where state = ? and id > ? order by id limit 1000"
        while found := rows_of(self._read(query, state, after)):
            yield from found
            after = found[-1].id

    def count(self, *states: State) -> int:
        """How many requests are in any of these states."""
        return int(self._read(f"select count(*) from requests where {in_states(*states)}")[0][0])

    def delete_from(self, number: int) -> None:
        """Forget all requests that have this number or a higher one."""
        with self._transaction() as database:
            database.execute("delete from requests where id >= ?", (number,))
        self._count_waiting()

    def delete(self, *states: State) -> None:
        """Forget all requests of these states."""
        with self._transaction() as database:
            database.executemany("delete from requests where state = ?", [(state,) for state in states])
        self._count_waiting()

    def _count_waiting(self) -> None:
        with self._base.explained("read") as database:
            for state, counts in self.waiting.items():
                query = f"select slot, count(*) from requests where {in_states(state)} group by slot"
                counts.clear()
                counts.update(dict(database.execute(query).fetchall()))

    # ------------------------------------------------------------------ what live rules ask for

    def serve(self, site: str, kind: int, url: str) -> None:
        """Note an address whose page was delivered."""
        self._served.append((site, kind, url))

    def served(self, site: str, after: int, limit: int) -> list[tuple[int, int, str]]:
        """Return further addresses of a site whose pages were delivered, each with its number and kind."""
        query = "select id, kind, url from served where site = ? and id > ? order by id limit ?"
        return self._read(query, site, after, limit)

    def parked(self, generation: int, after: int, limit: int) -> list[Row]:
        """Return further parked requests of a generation, by their number."""
        query = f"{SELECT} where state = 'parked' and generation = ? and id > ? order by id limit ?"
        return rows_of(self._read(query, generation, after, limit))

    def generations(self) -> list[int]:
        """Return the generations that anything is parked under."""
        found = self._read("select distinct generation from requests where state = 'parked'")
        return [generation for (generation,) in found]

    def mark(self, name: str) -> str:
        """A note of the file; empty where there is none."""
        with self._base.explained("read") as database:
            found = database.execute("select value from marks where name = ?", (name,)).fetchone()
            return str(found[0]) if found else ""

    def set_marks(self, **values: str) -> None:
        """Write notes, and all changes with them, in one transaction."""
        with self._transaction() as database:
            database.executemany("insert or replace into marks values (?, ?)", values.items())

    def piece(self, key: bytes, text: str | None) -> None:
        """Write a piece of the state of live rules in the place of the one with its key; None takes it away."""
        self._pieces[key] = text

    def pieces(self) -> list[tuple[bytes, str]]:
        """All pieces."""
        return self._read("select key, text from pieces")

    def note(self, key: bytes, text: str | None) -> None:
        """Write a note in the place of the one with its key; None takes it away."""
        self._notes[key] = text

    def notes(self) -> list[tuple[bytes, str]]:
        """All notes."""
        return self._read("select key, text from notes")

    def forget_notes(self) -> None:
        """Take all notes away."""
        with self._transaction() as database:
            database.execute("delete from notes")

    def in_hand(self) -> tuple[list[Row], set[int], RequestsDatabase]:
        """Of a file that cannot be written any more: rows that it lacks, all that have changed since, and the base."""
        return [*self._new.values()], {*self._new, *self._flying, *self._ended}, self._base

    def _read(self, query: str, *values: str | int) -> list[Any]:
        """What a query finds, when all changes are written."""
        self.commit()
        with self._base.explained("read") as database:
            return database.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        """A transaction that begins with the changes held in memory; they are kept where it fails."""
        if self.gather is not None:
            self.gather()
        with self._base.transaction() as database:
            self._write_changes(database)
            yield database
        for changes in self._changes:
            changes.clear()

    def _write_changes(self, database: sqlite3.Connection) -> None:
        database.executemany("delete from requests where id = ?", [(number,) for number in self._ended])
        database.executemany(
            "insert or replace into requests (id, state, priority, slot, data, fingerprint, class, generation)"
            " values (?, ?, ?, ?, ?, ?, ?, ?)",
            self._new.values(),
        )
        for table, changes in (("notes", self._notes), ("pieces", self._pieces)):
            gone = [(key,) for key, text in changes.items() if text is None]
            database.executemany(f"delete from {table} where key = ?", gone)
            kept = [one for one in changes.items() if one[1] is not None]
            database.executemany(f"insert or replace into {table} values (?, ?)", kept)
        database.executemany("insert into served (site, kind, url) values (?, ?, ?)", self._served)
        flying = [(number,) for number in self._flying]
        database.executemany("update requests set state = 'flying' where id = ?", flying)
        if self.seen is not None:
            self._seen = self.seen()
            database.execute("insert or replace into marks values ('seen', ?)", (str(self._seen),))
