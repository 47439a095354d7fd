"""A disk that fails below the scheduler, without an engine: what is raised, what is said, and what is left to serve."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.requests.database import RequestsDatabase, RequestsFileError
from tests.crawl.test_scheduler import LEFT_OPEN, SITE, Crawl

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

pytestmark = LEFT_OPEN


def full(*_: Any) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def full_stop(*_: Any) -> None:
    """There is no engine that could end the crawl."""


def test_a_queue_that_cannot_be_written_is_said_once_and_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("scrapy_urinorm.crawl.scheduling.journal.close_spider", full_stop)
    first = Crawl(tmp_path / "job")
    first.add("a")
    assert first.take(1) == ["a"]
    queue = type(first.scheduler.dqs)
    with monkeypatch.context() as patched:
        patched.setattr(queue, "push", full)
        patched.setattr(queue, "close", full)
        first.add("b", "c")
        first.close()
    said = [record.getMessage() for record in caplog.records if record.levelname == "CRITICAL"]
    assert len(said) == 1
    assert said[0].startswith("The crawl stops: cannot write the queue in ")
    assert "No space left on device; make room" in said[0]
    # the page that named the others has not ended, and those are no duplicates
    second = Crawl(tmp_path / "job")
    second.add("b", "c")
    assert sorted(second.rest()) == ["a", "b", "c"]
    second.close()


def test_what_was_put_off_goes_where_its_temporary_file_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    run = Crawl(tmp_path / "job", JOBDIR=None)
    run.add("a", "late/1", "late/2")
    run.scheduler.journal.commit()
    run.add("late/3")

    def failing(_: RequestsDatabase) -> None:
        raise RequestsFileError("the disk is full")

    monkeypatch.setattr(RequestsDatabase, "transaction", failing)
    found = [request for _ in range(9) if (request := run.scheduler.next_request()) is not None]
    run.add("late/4", "b")
    found += [request for _ in range(9) if (request := run.scheduler.next_request()) is not None]
    names = [request.url.removeprefix(SITE) for request in found]
    assert sorted(names) == ["a", "b", "late/1", "late/2", "late/3", "late/4"]
    assert names.index("b") < names.index("late/4")
    run.close()
    said = [record.getMessage() for record in caplog.records if record.levelno > 20]
    assert said == ["Requests that were put off are fetched in their turn: the disk is full"]
