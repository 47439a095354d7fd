"""A queue of Scrapy's that was filled, or emptied, without our journal: its requests are taken over into rows."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.requests.file import COMMIT_CHANGES
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.crawl.scheduling.journal import Journal, Kept

if TYPE_CHECKING:
    from scrapy import Request


def queue_stamp(folder: str | None) -> str:
    """What tells whether somebody else has used Scrapy's queue files: their index's time and size."""
    if folder is None:
        return ""
    try:
        status = Path(folder, "active.json").stat()
    except OSError:
        return ""
    return f"{status.st_mtime_ns} {status.st_size}"


class TakingOver:
    """Takes the requests of the queue in `folder` over, once; a kill meanwhile costs none.

    All methods raise UrinormError, or OSError, at the start of a crawl.
    """

    def __init__(self, journal: Journal, folder: Path):
        self._journal = journal
        self._folder = folder
        self._copy = folder.with_name(folder.name + ".before")

    def finish(self, *, trusted: bool) -> None:
        """Before the queue is opened: bring it back where a kill has cut its taking over short, else empty a torn one.

        A queue that is not `trusted` was torn by the kill: Scrapy cannot read it, and may notice only when it comes to
        push.
        """
        if self._copy.exists():
            self._bring_back()
        if not trusted:
            shutil.rmtree(self._folder)
            self._folder.mkdir()

    def _bring_back(self) -> None:
        file = self._journal.file
        if file.is_open and (first := file.mark("taking_over")):
            file.delete_from(int(first))
            shutil.rmtree(self._folder)
            self._copy.rename(self._folder)
        else:
            shutil.rmtree(self._copy)

    def begin(self, queue: str) -> bool:
        """Whether its requests are to be taken over; `queue` is what it looks like now. A copy is made first."""
        file = self._journal.file
        if not self._journal.in_force or file.mark("queue") == queue:
            return False
        file.delete(State.QUEUED, State.FLYING)
        shutil.rmtree(self._copy, ignore_errors=True)
        shutil.copytree(self._folder, self._copy)
        file.set_marks(taking_over=str(file.new_id()))
        return True

    def take(self, count: int, pop: Callable[[], Request | None], *, newest_first: bool) -> None:
        """Take all requests out of Scrapy's queue into rows, which serve them in the order that it had."""
        file = self._journal.file
        numbers = [file.new_id() for _ in range(count)]
        for number in reversed(numbers) if newest_first else numbers:
            request = pop()
            if request is None:
                break
            self._journal.put(request, Kept(State.RELEASED), number)
            if file.changes >= COMMIT_CHANGES:
                file.commit()
        if count:
            own.logger.info("Journal: %d requests of Scrapy's own queue were taken over", count)

    def done(self) -> None:
        """The journal has begun: the copy is no longer needed."""
        shutil.rmtree(self._copy, ignore_errors=True)
