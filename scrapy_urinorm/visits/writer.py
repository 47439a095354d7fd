"""Visits to a file: one JSON line each, readable up to the last line whenever the process is killed."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Self

from scrapy_urinorm import compression
from scrapy_urinorm.whole_files import replacing

if sys.platform != "win32":
    from fcntl import LOCK_EX, LOCK_NB, LOCK_SH, LOCK_UN, flock

if TYPE_CHECKING:
    from types import TracebackType

    from scrapy_urinorm.visits.record import Visit


def private(name: str, flags: int) -> int:
    """Open a file that, where it is made, only its user may read: an `opener` of `open`."""
    return os.open(name, flags, 0o600)


class VisitWriter:
    """Append visits to `path`; compressed when the name ends in `.zst` or `.gz`.

    Every line reaches the operating system, whole, before `write` returns: a killed crawl keeps it.
    A file that a killed crawl left with a torn end is repaired first. When `rotate` is given and a file has grown to
    that many bytes, the next one is begun: `visits.jsonl.zst`, `visits.1.jsonl.zst`, ... Raises `OSError` as files do.

    Several processes may append to one file of plain lines. Compressed data cannot be shared: of a file that another
    process writes the next one is taken, and `beside` is true (not on Windows, where nothing tells).
    """

    def __init__(self, path: str | Path, *, rotate: int | None = None) -> None:
        self.path = Path(path)
        self.rotate = rotate
        self.written = 0
        self.beside = False
        self.files: list[Path] = []
        self._part = 0
        self._closed = False
        self._stream: _Stream | None = None
        self._open()

    def write(self, visit: Visit) -> None:
        """Write one visit as one line."""
        self.write_line(visit.to_json().encode("utf-8", "surrogatepass"))

    def write_line(self, line: bytes) -> None:
        """Write what is the JSON of a visit.

        A line that a full disk refuses with an `OSError` is not counted. A plain file is then as it was before; of a
        compressed one the rest of the line goes before the next one, or at the end.
        """
        if self._closed:
            raise ValueError(f"{self.path}: the writer is closed")
        # none where the next file could not be begun when its turn came, which may be over
        stream = self._stream or self._open()
        if self.rotate is not None and stream.size >= self.rotate:
            stream = self._begin_next(stream)
        stream.write(line + b"\n")
        self.written += 1

    def close(self) -> None:
        """Close the file; more than once is fine, also where a full disk has refused its end."""
        self._closed = True
        stream, self._stream = self._stream, None
        if stream is not None:
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _begin_next(self, full: _Stream) -> _Stream:
        self._part += 1
        self._stream = None
        try:
            full.close()
        finally:
            # without its end it is read to its last line; the next line has a file in any case
            following = self._open()
        return following

    def _open(self) -> _Stream:
        while True:
            path = self._part_path()
            if self.rotate is None or not path.exists() or path.stat().st_size < self.rotate:
                path.parent.mkdir(parents=True, exist_ok=True)
                if (file := _claimed(path)) is not None:
                    break
                self.beside = True
            self._part += 1
        self._stream = _Stream(path, file)
        self.files.append(path)
        return self._stream

    def _part_path(self) -> Path:
        if not self._part:
            return self.path
        stem, dot, rest = self.path.name.partition(".")
        return self.path.with_name(f"{stem}.{self._part}{dot}{rest}")


class _Stream:
    """A file open for appending whole lines.

    A disk that fills up takes a part of what it is given, and refuses the next. A line that is not whole is taken back,
    so that the next one does not begin in its middle. Of compressed data nothing can be taken back, since all that
    follows builds on it: the rest waits, and goes first the next time.
    """

    def __init__(self, path: Path, file: io.FileIO) -> None:
        self._file = file
        self.size = path.stat().st_size
        kind = compression.SUFFIXES.get(path.suffix)
        self._compressor = compression.Compressor(kind) if kind else None
        self._rest = b""

    def write(self, line: bytes) -> None:
        if self._compressor is not None:
            self._hand_over()
            self._rest = self._compressor.flushed(line)
            self._hand_over()
            return
        before, self._rest = self.size, line
        try:
            self._hand_over()
        except OSError:
            self._take_back(self.size - before)
            raise

    def _hand_over(self) -> None:
        """Give the system what is left to be written."""
        while self._rest:
            taken = self._file.write(self._rest)
            if not taken:
                raise OSError(errno.EIO, "Nothing is taken any more")
            self._rest = self._rest[taken:]
            self.size += taken

    def _take_back(self, taken: int) -> None:
        """Cut off so much of the end, unless it is a pipe, or another process has written behind it."""
        self._rest = b""
        with contextlib.suppress(OSError):
            end = self._file.tell()
            if taken and end == os.fstat(self._file.fileno()).st_size:
                self._file.truncate(end - taken)
                self.size -= taken

    def close(self) -> None:
        with self._file:
            try:
                if self._compressor is not None:
                    self._rest += self._compressor.end()
                self._hand_over()
            finally:
                # a fork, which has the file open as well, holds it no longer
                _unlocked(self._file)


def _claimed(path: Path) -> io.FileIO | None:
    """Return a file to append to, its torn end cut off; None where another process writes compressed data into it.

    Of plain lines each is a write of its own: who comes second appends, too, and leaves the end to the first. A pipe
    has no end to be mended, and is whose it is.
    """
    is_plain = path.suffix not in compression.SUFFIXES
    while True:
        file = io.FileIO(path, "ab", opener=private)
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            return file
        if not _locked(file, alone=True):
            if is_plain:
                _locked(file, alone=False)
                return file
            file.close()
            return None
        # who was first may have put a repaired file into its place since
        if os.path.samestat(found, path.stat()) and not (found.st_size and repair(path)):
            if is_plain:
                _locked(file, alone=False)
            return file
        file.close()


def _locked(file: io.FileIO, *, alone: bool) -> bool:
    """Whether a file is this process's, or that of those who append to it, until it is closed; where the system cannot
    tell it is.
    """
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            try:
                flock(file, (LOCK_EX if alone else LOCK_SH) | LOCK_NB)
            except BlockingIOError:
                return False
    return True


def _unlocked(file: io.FileIO) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(OSError):
            flock(file, LOCK_UN)


def repair(path: Path) -> bool:
    """Cut the torn end off a visits file, so that lines can be appended to it; whether another file is there now."""
    kind = compression.SUFFIXES.get(path.suffix)
    if kind is None:
        cut_torn(path)
        return False
    if _is_whole(path):
        return False
    compressor = compression.Compressor(kind)
    # the file itself, whatever its name: behind what is torn nothing can be read
    with replacing(path.resolve()) as saved, open(saved, "wb", opener=private) as out:
        tail = b""
        for chunk in compression.chunks(path, strict=False):
            head, newline, tail = (tail + chunk).rpartition(b"\n")
            out.write(compressor.flushed(head + newline))
        out.write(compressor.end())
    return True


def cut_torn(path: Path) -> None:
    """Take away the end of a plain file that a kill has cut off within a line: what comes next begins one."""
    with path.open("rb+") as file:
        position, found = file.seek(0, io.SEEK_END), -1
        while position and found < 0:
            # a visit with 2,000 links has 30,000 octets
            step = min(position, 1 << 16)
            position -= step
            file.seek(position)
            found = file.read(step).rfind(b"\n")
        file.truncate(position + found + 1)


def _is_whole(path: Path) -> bool:
    try:
        for _ in compression.chunks(path):
            pass
    except compression.DamagedError:
        return False
    return True
