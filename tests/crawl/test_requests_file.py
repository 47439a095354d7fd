"""The file of requests: what a killed process finds again, and in which order it serves."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import stat
import sys
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.core.downloader import Slot

from scrapy_urinorm.crawl.requests.database import RequestsFileError
from scrapy_urinorm.crawl.requests.file import FILE_NAME, RequestsFile
from scrapy_urinorm.crawl.requests.rows import SERVED, Row, State
from scrapy_urinorm.crawl.scheduling.kept_back import KeptBack

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def file(tmp_path: Path) -> Iterator[RequestsFile]:
    """An opened file of a job."""
    file = RequestsFile(tmp_path)
    file.open()
    yield file
    file.close()


def row(
    file: RequestsFile, state: State = State.QUEUED, *, priority: int = 0, slot: str = "a", key: bytes = b""
) -> Row:
    number = file.new_id()
    return Row(number, state, priority, slot, b"data %d" % number, b"fp %d" % number, key or None, 1 if key else 0)


def after_a_kill(folder: Path) -> RequestsFile:
    """The file as the next process finds it, while the one that is to be killed still has it open."""
    copy = folder / "killed"
    copy.mkdir()
    for path in folder.glob(f"{FILE_NAME}*"):
        shutil.copy(path, copy)
    file = RequestsFile(copy)
    file.open()
    return file


def numbers(file: RequestsFile, state: State) -> list[int]:
    return [row.id for row in file.rows(state)]


def test_a_kill_costs_what_was_not_committed_and_nothing_else(tmp_path: Path, file: RequestsFile) -> None:
    kept, ended, flying = row(file), row(file), row(file)
    for each in (kept, ended, flying):
        file.put(each)
    file.set_marks(running="1")
    file.end(ended.id)
    file.fly(flying.id)
    file.commit()
    file.put(row(file))
    file.end(kept.id)
    found = after_a_kill(tmp_path)
    assert found.unclean
    assert list(found.rows(State.QUEUED)) == [kept]
    assert list(found.rows(State.FLYING)) == [flying._replace(state=State.FLYING)]
    found.close()


def test_a_good_end_is_known_and_numbers_go_on(tmp_path: Path, file: RequestsFile) -> None:
    last = row(file)
    file.put(last)
    file.set_marks(running="1")
    file.set_marks(running="", queue="note")
    file.close()
    again = RequestsFile(tmp_path)
    again.open()
    assert not again.unclean
    assert again.mark("queue") == "note"
    assert again.new_id() > last.id
    again.close()


def test_a_row_that_ended_before_it_was_committed_is_never_written(file: RequestsFile) -> None:
    short = row(file)
    file.put(short)
    file.fly(short.id)
    file.end(short.id)
    assert file.count(*State) == 0


@pytest.mark.parametrize(("newest_first", "expected"), [(True, [5, 4, 2, 3, 1]), (False, [4, 5, 2, 1, 3])])
def test_requests_are_served_by_priority_then_by_age(
    file: RequestsFile, newest_first: bool, expected: list[int]
) -> None:
    for priority in (0, 5, 0, 9, 9):
        file.put(row(file, State.RELEASED, priority=priority))
    kept = KeptBack(file, {}, newest_first=newest_first)
    assert len(kept) == 5
    assert [served.id for served in iter(lambda: kept.pop(State.RELEASED), None)] == expected
    assert len(kept) == 0
    assert numbers(file, State.FLYING) == [1, 2, 3, 4, 5]


def slot(concurrency: int) -> Slot:
    try:
        return Slot(concurrency, 0)
    except TypeError:  # Scrapy 2.13
        return Slot(concurrency, 0, False)


def test_a_slot_gets_no_more_than_it_may_send_at_a_time(file: RequestsFile) -> None:
    for _ in range(3):
        file.put(row(file, State.RELEASED, slot="busy"))
        file.put(row(file, State.RELEASED, slot="free"))
    busy, free = slot(1), slot(2)
    busy.active.add(Request("https://a.example/1"))
    free.active.add(Request("https://a.example/2"))
    kept = KeptBack(file, {"busy": busy, "free": free}, newest_first=True)
    served = kept.pop(State.RELEASED)
    assert served is not None
    assert served.slot == "free"
    free.active.add(Request("https://a.example/3"))
    assert kept.pop(State.RELEASED) is None
    assert len(kept) == 5
    busy.active.clear()
    served = kept.pop(State.RELEASED)
    assert served is not None
    assert served.slot == "busy"


class Looked(dict[str, Slot]):
    """Slots that count how often one is looked at."""

    times = 0

    def get(self, key: str, default: Any = None) -> Any:
        self.times += 1
        return super().get(key, default)


def test_a_request_costs_the_same_however_many_slots_wait(file: RequestsFile) -> None:
    """A broad crawl that was killed has a row of each of its hosts to serve."""
    for n in range(1_000):
        file.put(row(file, State.RELEASED, slot=f"{n}.example"))
    slots = Looked()
    kept = KeptBack(file, slots, newest_first=True)
    served = set()
    for _ in range(16):
        assert kept.has(State.RELEASED)
        found = kept.pop(State.RELEASED)
        assert found is not None
        served.add(found.slot)
        slots[found.slot] = slot(1)
        slots[found.slot].active.add(Request("https://a.example/"))
    assert len(served) == 16
    assert slots.times <= 16 * 17


def test_what_was_read_and_not_served_goes_back(file: RequestsFile) -> None:
    for _ in range(5):
        file.put(row(file, State.LATER))
    kept = KeptBack(file, {}, newest_first=False)
    kept.pop(State.LATER)
    kept.put_back()
    assert numbers(file, State.LATER) == [2, 3, 4, 5]
    assert len(kept) == 4


WHICH = {
    "all": ({}, [1, 2, 3]),
    "a class": ({"class_key": b"x"}, [1, 3]),
    "one of a class": ({"class_key": b"x", "limit": 1}, [1]),
    "a generation": ({"generation": 2}, []),
}


@pytest.mark.parametrize(("which", "expected"), WHICH.values(), ids=WHICH.keys())
def test_parked_requests_are_served_when_they_are_released(
    file: RequestsFile, which: dict[str, int | bytes], expected: list[int]
) -> None:
    for key in (b"x", b"y", b"x"):
        file.put(row(file, State.PARKED, key=key))
    kept = KeptBack(file, {}, newest_first=False)
    assert kept.pop(State.RELEASED) is None
    assert file.release(State.PARKED, **which) == len(expected)  # type: ignore[arg-type]  # of a table
    assert [served.id for served in iter(lambda: kept.pop(State.RELEASED), None)] == expected


def test_of_what_comes_later_some_go_in_the_order_in_which_all_would(file: RequestsFile) -> None:
    put = [row(file, State.LATER, priority=priority, key=b"x") for priority in (3, 9, 5, 9)]
    for each in (*put, row(file, State.LATER, priority=99, key=b"y")):
        file.put(each)
    assert file.release(State.LATER, class_key=b"x", limit=3) == 3
    assert numbers(file, State.RELEASED) == [put[1].id, put[2].id, put[3].id]


@pytest.mark.skipif(sys.platform == "win32", reason="lacks POSIX permissions")
def test_only_its_owner_reads_what_a_spider_gave_to_its_requests(tmp_path: Path, file: RequestsFile) -> None:
    file.put(row(file))
    file.commit()
    written = [path for path in tmp_path.iterdir() if path.is_file()]
    assert len(written) > 1
    assert {stat.S_IMODE(path.stat().st_mode) for path in written} == {0o600}


def test_a_second_crawl_on_a_folder_is_refused(tmp_path: Path, file: RequestsFile) -> None:
    second = RequestsFile(tmp_path)
    with pytest.raises(RequestsFileError, match="in use by another crawl"):
        second.open()
    file.put(row(file))
    file.commit()


def test_whoever_was_refused_leaves_the_name_of_the_crawl_that_has_the_folder(tmp_path: Path) -> None:
    holder = tmp_path / f"{FILE_NAME}.pid"
    # of a process that was killed, with more digits
    holder.write_text("123456789012\n")
    first = RequestsFile(tmp_path)
    first.open()
    for _ in range(2):
        second = RequestsFile(tmp_path)
        with pytest.raises(RequestsFileError, match=rf"in use by another crawl \(process {os.getpid()}\)"):
            second.open()
        assert not second.is_open
        second.close()
    first.close()
    assert not holder.exists()


def test_a_damaged_file_is_said_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(RequestsFileError, match="is damaged: restore a copy, or delete it"):
        RequestsFile(tmp_path).open()
    assert path.read_bytes() == b"no database" * 1000


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / FILE_NAME)
    database.execute("pragma user_version = 9")
    database.close()
    with pytest.raises(RequestsFileError, match="has format 9, this version reads 1"):
        RequestsFile(tmp_path).open()


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="lacks permissions that bind this user")
def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RequestsFileError, match="cannot open"):
        RequestsFile(tmp_path).open()
    tmp_path.chmod(0o700)


def test_without_a_folder_nothing_is_left_behind() -> None:
    file = RequestsFile(None)
    file.open()
    folder = file._base.folder
    assert folder is not None
    file.put(row(file, State.LATER))
    assert file.count(State.LATER) == 1
    file.close()
    assert not folder.exists()


@contextlib.contextmanager
def plans(file: RequestsFile) -> Iterator[list[str]]:
    """What SQLite does for each question that is asked within."""
    found: list[str] = []
    # asked of a second, empty file: the one that is watched must not be asked meanwhile
    other = RequestsFile(None)
    other.open()

    def explain(statement: str) -> None:
        if statement.startswith(("select", "update")):
            with other._base.explained("read") as database:
                found.extend(step for *_, step in database.execute(f"explain query plan {statement}"))

    with file._base.explained("read") as database:
        database.set_trace_callback(explain)
        yield found
        database.set_trace_callback(None)
    other.close()


@pytest.mark.parametrize("newest_first", [True, False])
def test_no_request_costs_a_look_at_all_that_wait(file: RequestsFile, newest_first: bool) -> None:
    for priority in (3, 3, 5, 3):
        for state in SERVED:
            file.put(row(file, state, priority=priority, key=b"k"))
        file.put(row(file, State.PARKED, key=b"k"))
    file.commit()
    with plans(file) as found:
        file.release(class_key=b"k", limit=1)
        file.release(State.LATER, class_key=b"k", limit=2)
        file.release(State.LATER, class_key=b"k")
        file.release(State.PARKED, to=State.LATER, class_key=b"k")
        for state in SERVED:
            file.take(state, "a", 3, newest_first=newest_first)
        file.parked(1, 0, 10)
    assert found
    # by the index that holds them in their order
    assert [step for step in found if step.startswith("SCAN") or "ORDER BY" in step] == []
    assert file.waiting == {
        State.RELEASED: {"a": file.count(State.RELEASED)},
        State.LATER: {"a": file.count(State.LATER)} if file.count(State.LATER) else {},
    }
