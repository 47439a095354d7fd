"""One process per folder."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from scrapy_urinorm.seen.protocol import SeenStoreError

if TYPE_CHECKING:
    from pathlib import Path

# Beyond anything written: Windows forbids others to read a locked range, and the process id must stay readable.
_LOCK_OFFSET = 1 << 30


class FolderLock:
    """An advisory lock on a file that the system releases when the process dies, however it dies."""

    def __init__(self, path: Path):
        self._path = path
        self._fd = -1

    def acquire(self) -> None:
        """Raises SeenStoreError when another process holds it or the file cannot be written."""
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        except OSError as error:
            raise SeenStoreError(
                f"cannot write in {self._path.parent}: {error.strerror}; the seen store needs a writable folder"
            ) from error
        try:
            _lock(fd)
        except OSError as error:
            holder = os.read(fd, 64).decode("ascii", "replace").strip()
            os.close(fd)
            raise SeenStoreError(
                f"{self._path.parent} is in use by another crawl (process {holder or 'unknown'}): wait until it ends, "
                "give this crawl its own JOBDIR, or share one store between processes with URINORM_SEEN = 'redis://...'"
            ) from error
        # cosmetic, so a full disk must not matter here
        with contextlib.suppress(OSError):
            os.ftruncate(fd, 0)
            os.write(fd, f"{os.getpid()}\n".encode("ascii"))
        self._fd = fd

    def release(self) -> None:
        """Let go; does nothing when it is not held. The file stays: removing it would race with the next holder."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        os.lseek(fd, _LOCK_OFFSET, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        os.lseek(fd, 0, os.SEEK_SET)
else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
