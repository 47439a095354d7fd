"""Visits to a file: one JSON line each, readable up to the last line whenever the process is killed."""

from __future__ import annotations

import gzip
import io
import os
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from scrapy_urinorm.visits.record import Visit


COMPRESSED = (".gz",)


def private(name: str, flags: int) -> int:
    """Open a file that, where it is made, only its user may read: an `opener` of `open`."""
    return os.open(name, flags, 0o600)


class VisitWriter:
    """Append visits to `path`; gzip when the name ends in `.gz`.

    Every line reaches the operating system before `write` returns (a killed crawl keeps it; gzip by a sync flush).
    A file that a killed crawl left with a torn end is repaired first. When `rotate` is given and a file has grown to
    that many bytes, the next one is begun: `visits.jsonl.gz`, `visits.1.jsonl.gz`, ... Raises `OSError` as files do.
    """

    def __init__(self, path: str | Path, *, rotate: int | None = None) -> None:
        self.path = Path(path)
        self.rotate = rotate
        self.written = 0
        self.files: list[Path] = []
        self._part = 0
        self._stream: _Stream | None = None
        self._open()

    def write(self, visit: Visit) -> None:
        """Write one visit as one line."""
        self.write_line(visit.to_json().encode("utf-8", "surrogatepass"))

    def write_line(self, line: bytes) -> None:
        """Write what is the JSON of a visit."""
        if self._stream is None:
            raise ValueError(f"{self.path}: the writer is closed")
        if self.rotate is not None and self._stream.size >= self.rotate:
            self._stream.close()
            self._part += 1
            self._open()
        self._stream.write(line + b"\n")
        self.written += 1

    def close(self) -> None:
        """Close the file; more than once is fine."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _open(self) -> None:
        path = self._part_path()
        while self.rotate is not None and path.exists() and path.stat().st_size >= self.rotate:
            self._part += 1
            path = self._part_path()
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists() and path.stat().st_size:
            repair(path)
        self._stream = _Stream(path)
        self.files.append(path)

    def _part_path(self) -> Path:
        if not self._part:
            return self.path
        stem, dot, rest = self.path.name.partition(".")
        return self.path.with_name(f"{stem}.{self._part}{dot}{rest}")


class _Stream:
    """A file open for appending whole lines."""

    def __init__(self, path: Path) -> None:
        # addresses of others' pages: for the user alone
        self._file = open(path, "ab", buffering=0, opener=private)  # noqa: SIM115  closed by `close`
        self.size = path.stat().st_size
        # level 1: the hashes do not compress, and what does is at the same place on every page
        self._gzip = zlib.compressobj(1, zlib.DEFLATED, 31) if path.suffix == ".gz" else None

    def write(self, line: bytes) -> None:
        if self._gzip is not None:
            line = self._gzip.compress(line) + self._gzip.flush(zlib.Z_SYNC_FLUSH)
        self._file.write(line)
        self.size += len(line)

    def close(self) -> None:
        if self._gzip is not None:
            self._file.write(self._gzip.flush())
        self._file.close()


def repair(path: Path) -> None:
    """Cut the torn end off a visits file, so that lines can be appended to it."""
    if path.suffix != ".gz":
        with path.open("rb+") as file:
            data_end = _last_newline(file)
            file.truncate(data_end)
        return
    if _is_whole_gzip(path):
        return
    saved = path.with_name(path.name + ".repair")
    with gzip.open(saved, "wb", compresslevel=1) as out:
        tail = b""
        for chunk in gunzipped(path):
            head, newline, tail_of_chunk = (tail + chunk).rpartition(b"\n")
            out.write(head + newline)
            tail = tail_of_chunk
    saved.replace(path)


def _last_newline(file: io.BufferedRandom) -> int:
    position = file.seek(0, io.SEEK_END)
    while position:
        step = min(position, 1 << 16)
        file.seek(position - step)
        found = file.read(step).rfind(b"\n")
        if found >= 0:
            return position - step + found + 1
        position -= step
    return 0


def _is_whole_gzip(path: Path) -> bool:
    try:
        with gzip.open(path, "rb") as file:
            while file.read(1 << 20):
                pass
    except (OSError, EOFError, zlib.error):
        return False
    return True


def gunzipped(path: Path) -> Iterator[bytes]:
    """Yield what can be decompressed of a gzip file of one or more members; a torn or damaged end ends it."""
    decoder = zlib.decompressobj(31)
    with path.open("rb") as file:
        data = file.read(1 << 18)
        while data:
            try:
                chunk = decoder.decompress(data)
            except zlib.error:
                return
            if chunk:
                yield chunk
            data = decoder.unused_data
            if decoder.eof:
                decoder = zlib.decompressobj(31)
            data = data or file.read(1 << 18)
