"""What commands read: files, folders, globs and standard input, decompressed, cut into lines, their kind found out.

Names are only believed where the content does not tell: what a file is, its first octets say.
"""

from __future__ import annotations

import codecs
import contextlib
import glob
import io
import itertools
import os
import re
import select
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from scrapy_urinorm import compression
from scrapy_urinorm.errors import UrinormError

#: Octets that are waited for, so that passing them on costs little: some ten milliseconds of work at the most. Twice as
#: many take two processes 4 to 9 MB more, and no less time (ten million URLs).
BLOCK = 1 << 18
#: Seconds to wait for more before fewer are passed on: `tail -f` shall not wait for its block.
_PATIENCE = 0.05
#: Lines from which the kind is found out: a log may begin with some comments.
_HEAD = 20
_SUFFIXES = {
    ".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet", ".pq": "parquet",
    ".cdx": "cdx", ".cdxj": "cdxj",
}  # fmt: skip
#: What no command reads, by the first octets, and what to do about it.
_OTHERS = {
    b"PK\x03\x04": "a zip archive: unpack it",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive: unpack it",
    b"Rar!": "a RAR archive: unpack it",
    b"\x1f\x9d": "compressed by `compress`: use `zcat`",
    b"\x04\x22\x4d\x18": "compressed by LZ4: use `lz4 -d`",
    b"SQLite format 3": "an SQLite database: export a table as CSV",
    b"%PDF-": "a PDF document",
    b"\x89PNG": "a picture",
}


#: What begins a JSON array, as Scrapy's feeds write it and others do.
_is_array = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*[{\"\]]").match
ROW_ERRORS = (ValueError, TypeError, AttributeError, LookupError, OverflowError, RecursionError)
"""What a row that others have written can have raised when it is read: such a row is counted, and the next one read.

`OverflowError` where a number is infinite or a time before year 1, `AttributeError` where a list stands for an object.
"""


Paths = str | Path | Iterable[str | Path]
"""One file, folder or glob, or several."""


class InputError(UrinormError, ValueError):
    """An input cannot be read: absent, damaged, of an unknown kind, or without the column that is asked for."""


def several(names: Paths) -> list[str | Path]:
    """Names of files, or the one that was given: of a text, each letter would be a name, and `/` is all files."""
    return [names] if isinstance(names, (str, Path)) else [*names]


def expanded(names: Paths) -> list[str]:
    """The files that names stand for: a folder for all in it, a glob for its matches; `-` is standard input.

    Files whose name begins with a dot are left out of folders. Raises InputError where there are none.
    """
    found: list[str] = []
    for name in map(str, several(names)):
        if not name:
            # of a shell's variable that is not set: as a path it is the working directory
            raise InputError("the name of a file is empty; `.` is the folder that you are in")
        path = Path(name)
        if name == "-" or (path.exists() and not path.is_dir()):
            found.append(name)
        elif path.is_dir():
            files = sorted(str(file) for file in path.rglob("*") if file.is_file() and file.name[0] != ".")
            if not files:
                raise InputError(f"{name}: the folder is empty")
            found += files
        else:
            matches = sorted(glob.glob(name, recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
            if not matches:
                raise InputError(f"{name}: there is no such file")
            files = [match for match in matches if not Path(match).is_dir()]
            if not files:
                raise InputError(f"{name}: there are only folders; name one of them to read all that is in it")
            found += files
    return found


class Source:
    """One open input: `head` are its first decompressed octets, `chunks` yields all of it once, those included.

    With `strict` an end in the middle of compressed data is an InputError; else it is where a killed crawl stopped
    writing: it ends the input and sets `torn`. Damage is always an InputError.
    """

    def __init__(self, name: str, raw: Any, *, strict: bool) -> None:
        self.label = "standard input" if name == "-" else name
        self.name = name
        self.torn = False
        #: Octets read of the file itself, for progress.
        self.read = 0
        self._raw = raw
        self._strict = strict
        first = self._octets(BLOCK)
        self.compression = compression.kind_of(first)
        self._pending = [first]
        self._pieces = _as_utf8(self._decompressed())
        self.head = b""
        # a line at least, unless it is none
        while b"\n" not in self.head and len(self.head) < BLOCK and (piece := next(self._pieces, b"")):
            self.head += piece
        for magic, what in _OTHERS.items():
            if self.head.startswith(magic):
                raise InputError(f"{self.label} is {what}")
        if _is_array(self.head):
            raise InputError(f"{self.label} is one JSON array: write an object a line (`scrapy crawl -O items.jsonl`)")

    def chunks(self) -> Iterator[bytes]:
        """All octets, in pieces of at most a megabyte, as soon as they are there."""
        if self.head:
            yield self.head
        yield from self._pieces

    def _octets(self, size: int) -> bytes:
        data = _patiently(self._raw, min(size, BLOCK))
        self.read += len(data)
        return data

    def _next(self, size: int) -> bytes:
        return self._pending.pop() if self._pending else self._octets(size)

    def _decompressed(self) -> Iterator[bytes]:
        try:
            yield from compression.decompressed(self._next, kind=self.compression)
        except compression.DamagedError as error:
            if not self._strict and isinstance(error, compression.CutOffError):
                self.torn = True
                return
            raise InputError(f"{self.label}: the compressed data are damaged or cut off: {error}") from error
        except OSError as error:
            raise InputError(f"{self.label}: cannot be read: {error.strerror or error}") from error


@contextlib.contextmanager
def opened(name: str, *, strict: bool = True) -> Iterator[Source]:
    """An input, open as long as the context is; raises InputError."""
    if name == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("standard input is closed")
        # without a buffer of ours, so that a partial block is seen as one
        try:
            raw: Any = io.FileIO(sys.stdin.fileno(), closefd=False)
        except (OSError, ValueError, AttributeError):
            raw = sys.stdin.buffer  # a program has put something else in its place
        yield Source(name, raw, strict=strict)
        return
    try:
        file = Path(name).open("rb", buffering=0)  # noqa: SIM115  closed below
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or error}") from error
    with file:
        if _is_output(file):
            raise InputError(
                f"{name}: is what standard output goes to, and would never end; write that to another folder"
            )
        yield Source(name, file, strict=strict)


def _is_output(file: io.FileIO) -> bool:
    """Whether a file that is to be read is the one that standard output is written to, as by `COMMAND . > ./out`."""
    try:
        return stat.S_ISREG(os.fstat(file.fileno()).st_mode) and os.path.sameopenfile(
            file.fileno(), sys.stdout.fileno()
        )
    except (OSError, ValueError, AttributeError):
        return False


def _as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The pieces without the mark that Windows puts before a text; UTF-16, which its shell writes, as UTF-8."""
    first = b""
    for piece in pieces:
        first += piece
        if len(first) >= len(codecs.BOM_UTF8):
            break
    if first[:2] in _BYTE_ORDER:
        decoder = codecs.getincrementaldecoder("utf-16")("replace")
        for piece in itertools.chain([first], pieces):
            if text := decoder.decode(piece):
                yield text.encode("utf-8", "surrogatepass")
        return
    if first := first.removeprefix(codecs.BOM_UTF8):
        yield first
    yield from pieces


def lines(chunks: Iterable[bytes], longest: int) -> Iterator[bytes | None]:
    """The lines of some chunks without their ends; None stands for one of more than `longest` octets."""
    parts: list[bytes] = []
    held = 0
    for chunk in chunks:
        first, *others = chunk.split(b"\n")
        held += len(first)
        if held <= longest:
            parts.append(first)
        else:
            parts.clear()
        if others:
            yield b"".join(parts) if held <= longest else None
            *whole, last = others
            for line in whole:
                yield line if len(line) <= longest else None
            parts, held = [last], len(last)
    if held > longest:
        yield None
    elif held:
        yield b"".join(parts)


_CRAWL_LOG = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z\s+-?\d+\s+(?:-|\d+)\s+\S+")
_CDX_ROW = re.compile(r"\S+ (?:\d{14}|-) \S+ \S+ (?:\d{3}|-) \S+")
_CDXJ = re.compile(r"\S+ \d{14} \{")
_ACCESS = re.compile(r'(?:\S+ )?\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:')  # fmt: skip
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+\s*$")
_BYTE_ORDER = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def kind_of(source: Source, url_headers: Iterable[str]) -> str | None:
    """The kind of an input: jsonl, csv, parquet, cdx, cdxj, crawl-log, access-log, urls; None where nothing tells.

    `url_headers` are the headers, lower case, by which a table has a column of addresses.
    """
    return kind_of_head(source.head, source.name, url_headers)


def kind_of_head(octets: bytes, name: str, url_headers: Iterable[str]) -> str | None:
    """What `kind_of` says of an input of this name that begins so."""
    if octets.startswith(b"PAR1"):
        return "parquet"
    head = octets.decode("utf-8-sig", "replace").splitlines()
    suffixes = [suffix.lower() for suffix in Path(name).suffixes[-2:]]
    if suffixes and suffixes[-1] in compression.SUFFIXES:
        suffixes.pop()
    named = _SUFFIXES.get(suffixes[-1]) if suffixes else None
    for line in head[:_HEAD]:
        text = line.strip()
        found = _kind_of_line(text, url_headers) if text and not text.startswith("#") else None
        if found is not None:
            # the first line of a table without headers looks like a URL
            return named or found if found == "urls" else found
    return named or (None if any(line.strip() and line[0] != "#" for line in head[:_HEAD]) else "urls")


def _kind_of_line(text: str, url_headers: Iterable[str]) -> str | None:
    if text.startswith("{"):
        return "jsonl"
    if text.startswith("CDX "):
        return "cdx"
    for pattern, kind in (
        (_CDXJ, "cdxj"), (_CRAWL_LOG, "crawl-log"), (_ACCESS, "access-log"), (_URL, "urls"), (_CDX_ROW, "cdx"),
    ):  # fmt: skip
        if pattern.match(text):
            return kind
    names = [name.strip().strip('"').lower() for name in re.split("[,\t;|]", text)]
    # `page` alone on a line may be anything
    return "csv" if (len(names) > 1 and set(names) & set(url_headers)) or names == ["url"] else None


def _patiently(raw: Any, size: int) -> bytes:
    """Up to `size` octets: what there is, and what comes in the next moment."""
    first: bytes = raw.read(size) or b""
    if not first or len(first) == size:
        return first
    parts, held = [first], len(first)
    while held < size and _more(raw):
        more = raw.read(size - held)
        if not more:
            break
        parts.append(more)
        held += len(more)
    return b"".join(parts)


def _more(raw: Any) -> bool:
    try:
        return bool(select.select([raw], [], [], _PATIENCE)[0])
    except (OSError, ValueError, TypeError):
        return True  # Windows, where only sockets can be asked
