"""Files that are written whole or not at all: what is made stands beside its place until it is complete."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

_IN_PLACE = frozenset({errno.EBUSY, errno.EXDEV, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENAMETOOLONG})
"""What open(2) and rename(2) say where nothing can be made beside a file, or put into its place, though it may be
written: a file that is mounted by itself, as containers have them; a folder without write permission.
"""
_NAMED = 40
"""Letters of a place's name in that of what is made for it: of four octets each they are within the 255 of NAME_MAX."""


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a file to write, which is put into the place of `path` at the end, and removed after an error.

    Who may read a file that is there may read the new one; a link goes on pointing to it. What is no file, as a pipe or
    a device, cannot be replaced, and is written as it is. A file that may be written but not replaced is written when
    all is made: a full disk or a kill at that moment may leave a part. So is the file that `/dev/stdout` or
    `/dev/stderr` leads to, behind what others have written there. Of two who write at once, the last one to end stays.
    Raises OSError.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        # nothing else is left of links that go in a circle; `resolve` raises RuntimeError up to Python 3.12
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    stream = _stream_of(path)
    partial = _made_for(place, goes_out=stream is not None)
    try:
        yield partial
        if stream is None:
            _put(partial, place)
        else:
            _send(partial, stream)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str, errors: str = "strict") -> None:
    """Write a text as UTF-8; `errors` as for `str.encode`. Raises OSError."""
    with replacing(path) as partial:
        partial.write_text(text, "utf-8", errors)


def _made_for(place: Path, *, goes_out: bool) -> Path:
    """Make an empty file of a name that nobody else writes to: two may write one place at once."""
    partial = place.with_name(f"{place.name[:_NAMED]}.{os.urandom(6).hex()}.partial")
    # what nobody else may read in its place is not shown on the way there; a new file is as the user's umask has it
    mode = 0o600 if place.exists() else 0o666
    try:
        os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    except OSError as error:
        if goes_out or (error.errno in _IN_PLACE and place.is_file() and os.access(place, os.W_OK)):
            return _made_elsewhere()
        # a name that the user knows
        error.filename = str(place)
        raise
    return partial


def _made_elsewhere() -> Path:
    import tempfile  # rarely needed, and every crawl imports this module

    number, name = tempfile.mkstemp(suffix=".partial")
    os.close(number)
    return Path(name)


def _stream_of(path: Path) -> TextIO | None:
    """Return the stream of this process that a link as `/dev/stdout` leads to; None for all else.

    Who names the file itself wants it to be whole. Python's own streams are asked, not descriptors: of a process that
    was started without, these may be any file.
    """
    if path.is_symlink():
        for stream in (sys.__stdout__, sys.__stderr__):
            # one that is closed; a link to what is not there yet
            with contextlib.suppress(OSError, ValueError):
                if stream is not None and os.path.samestat(os.fstat(stream.fileno()), path.stat()):
                    return stream
    return None


def _send(partial: Path, stream: TextIO) -> None:
    """Write what is made behind all that has gone to a stream: others have its file open, and go on there."""
    stream.flush()
    with partial.open("rb") as made, open(stream.fileno(), "wb", closefd=False) as out:
        shutil.copyfileobj(made, out)
    partial.unlink()


def _put(partial: Path, place: Path) -> None:
    try:
        if place.exists():
            shutil.copymode(place, partial)
        partial.replace(place)
    except OSError as error:
        if error.errno not in _IN_PLACE or not place.is_file():
            raise
        shutil.copyfile(partial, place)
        partial.unlink()
