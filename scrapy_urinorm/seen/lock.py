"""One process per folder."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from scrapy_urinorm.seen.protocol import SeenStoreError

if TYPE_CHECKING:
    from pathlib import Path


class FolderLock:
    """A lock on a file that the system releases when the process dies, however it dies; the file names its holder."""

    def __init__(self, path: Path):
        self._path = path
        self._lock = FileLock(path, blocking=False, thread_local=False)

    def acquire(self) -> None:
        """Raises SeenStoreError when another process holds it or the file cannot be written."""
        try:
            self._lock.acquire()
        except Timeout as error:
            raise SeenStoreError(
                f"{self._path.parent} is in use by another crawl{self._holder()}: wait until it ends, "
                "give this crawl its own JOBDIR, or share one store between processes with URINORM_SEEN = 'redis://...'"
            ) from error
        except OSError as error:
            raise SeenStoreError(
                f"cannot write in {self._path.parent}: {error.strerror}; the seen store needs a writable folder"
            ) from error
        # cosmetic, so a full disk must not matter here, nor Windows, where a locked file cannot be written by its name
        with contextlib.suppress(OSError):
            self._path.write_text(f"{os.getpid()}\n", "ascii")

    def release(self) -> None:
        """Let go; does nothing when it is not held. The file stays: removing it would race with the next holder."""
        self._lock.release()

    def _holder(self) -> str:
        with contextlib.suppress(OSError):
            if found := self._path.read_text("ascii", "replace").strip():
                return f" (process {found})"
        # it looks the same from here
        return ", or its disk lends no locks"
