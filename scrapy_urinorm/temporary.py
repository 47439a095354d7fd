"""Temporary folders, of which a process that is killed leaves one behind: the next one removes it.

What a crawl without a JOBDIR has there, and what `learn` sorts there, may be gigabytes, and nobody reads it again.
"""

from __future__ import annotations

import contextlib
import functools
import os
import shutil
import sys
import tempfile
from pathlib import Path

if sys.platform != "win32":
    # nothing is swept on Windows: what a process has open there cannot be removed, nor is it told from what none has
    import fcntl

_PREFIX = "urinorm-"
_HELD = ".held"
"""The file of a folder that is locked while its process lives, and names the machine: on a file system that machines
share, a lock may be unknown to the others."""
_made: dict[Path, tuple[int, int | None]] = {}
"""The process that made each folder, and the file that it has locked there."""


def make_temporary(kind: str) -> Path:
    """Make a folder `urinorm-KIND-...` below `TMPDIR` that only its owner reads, and remove those of killed processes.

    It is removed by `remove_temporary`, or by the next process that makes one, as soon as this one has died. Raises
    OSError.
    """
    _sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-"))
    _made[folder] = os.getpid(), None
    if sys.platform != "win32":
        # a full disk: a folder without the file stays after a kill
        with contextlib.suppress(OSError):
            lock = os.open(folder / _HELD, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            _made[folder] = os.getpid(), lock
            # locked before it names a machine: until then nobody takes it for one of a process that has died
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.write(lock, _machine())
    return folder


def remove_temporary(folder: Path) -> None:
    """Remove a folder in which another process may still write: by the name that it has there it is gone first.

    A process that was forked from the one which made it ends with what that was to do in the end: it removes nothing.
    """
    maker, lock = _made.get(folder, (None, None))
    if maker != os.getpid():
        return
    del _made[folder]
    with contextlib.suppress(OSError):
        folder = folder.rename(f"{folder}.gone")
    shutil.rmtree(folder, ignore_errors=True)
    if lock is not None:
        os.close(lock)


@functools.cache
def _sweep() -> None:
    """Remove, once, what processes that have died on this machine left behind."""
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            if entry.name.startswith(_PREFIX) and entry.is_dir(follow_symlinks=False):
                _sweep_one(Path(entry.path))


def _sweep_one(folder: Path) -> None:
    if sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        if folder.lstat().st_uid != os.geteuid():
            return
        lock = os.open(folder / _HELD, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.read(lock, 1024) == _machine():
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def _machine() -> bytes:
    return f"{os.uname().nodename}\n".encode("utf-8", "surrogateescape")
