"""URLs in bulk: lines and table columns of files and of standard input, streamed in blocks of whole lines."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import select
import sys
import zlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, cast

import typer

from scrapy_urinorm.errors import MissingExtraError, UrinormError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

#: Bytes of a block: some hundred milliseconds of work at the most, so that passing it on costs little.
BLOCK = 1 << 19
#: A longer line is no URL; what is kept of it would not be either.
MAX_LINE = 4 << 20
FORMATS = ("lines", "csv", "tsv", "jsonl", "parquet")
#: Seconds to wait for more before a block that is not full is worked on: `tail -f` shall not wait for its block.
_PATIENCE = 0.05
_SUFFIXES = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}
_MAGIC = {b"\x1f\x8b": "gz", b"\x28\xb5\x2f\xfd": "zst"}

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Files of URLs, a line each, or tables; `.gz` and `.zst` are read. None or `-`: stdin.",
    ),
]
Column = Annotated[
    str | None,
    typer.Option("--column", "-c", metavar="NAME", help="Column of a CSV, JSONL or Parquet file that holds the URL."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format", "-f", metavar="KIND", help=f"{', '.join(FORMATS)}; without it: as the name of the file says."
    ),
]


class InputError(UrinormError):
    """An input cannot be read: absent, broken in the middle, or without the column that is asked for."""


class Inputs:
    """The URLs of files, as blocks of lines: each block is UTF-8 text of whole lines, the last one ended too.

    A row without a URL gives an empty line, so that every row has one. `counts` counts what was odd: `too_long` lines
    and `bad_rows` of tables, both of which are empty lines too.
    """

    def __init__(self, names: Sequence[str] | None, kind: str | None = None, column: str | None = None):
        if kind is not None and kind not in FORMATS:
            raise InputError(f"there is no format {kind!r}: {', '.join(FORMATS)}")
        self.names = list(names or ["-"])
        self.kind = kind
        self.column = column
        self.counts: Counter[str] = Counter()
        #: Bytes read and bytes there are (0 where that is not known), for progress.
        self.read = 0
        self.size = sum(Path(n).stat().st_size for n in self.names if n != "-" and Path(n).is_file())
        for name in self.names:
            if name != "-" and not Path(name).exists():
                raise InputError(f"{name}: there is no such file")
            if name != "-" and Path(name).is_dir():
                raise InputError(f"{name}: is a folder")

    def blocks(self) -> Iterator[bytes]:
        """Blocks of about `BLOCK` bytes, or fewer where the input is slow."""
        for name in self.names:
            label = "standard input" if name == "-" else name
            kind = self.kind or self._kind(name)
            try:
                if kind == "parquet":
                    yield from self._joined(_parquet_urls(name, self.column))
                    continue
                with _opened(name) as stream:
                    if kind == "lines":
                        yield from self._lines(stream, label)
                    else:
                        yield from self._joined(self._rows(stream, kind, label))
            except (EOFError, zlib.error) as error:
                raise InputError(f"{label}: the compressed data are damaged or cut off: {error}") from error
            except OSError as error:
                if isinstance(error, BrokenPipeError):
                    raise
                raise InputError(f"{label}: cannot be read: {error.strerror or error}") from error

    def _kind(self, name: str) -> str:
        path = Path(name)
        if path.suffix in (".gz", ".zst"):
            path = path.with_suffix("")
        found = _SUFFIXES.get(path.suffix.lower(), "lines")
        return "csv" if found == "lines" and self.column is not None else found

    def _lines(self, stream: BinaryIO, label: str) -> Iterator[bytes]:
        parts: list[bytes] = []
        held = 0
        first = True
        while chunk := _chunk(stream):
            if first:
                _refuse_compressed(chunk, label)
                first = False
            self.read += len(chunk)
            cut = chunk.rfind(b"\n") + 1
            if cut:
                yield b"".join([*parts, chunk[:cut]])
                parts, held = [chunk[cut:]], len(chunk) - cut
            elif held <= MAX_LINE:
                parts.append(chunk)
                held += len(chunk)
            if held > MAX_LINE:
                # drop the line and go on after its end: an empty line stands for it
                self.counts["too_long"] += 1
                parts, held = [_after_line(stream)], 0
        if rest := b"".join(parts):
            yield rest if rest.endswith(b"\n") else rest + b"\n"

    def _rows(self, stream: BinaryIO, kind: str, label: str) -> Iterator[str]:
        text = io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape", newline="")
        try:
            yield from self._json_urls(text) if kind == "jsonl" else self._csv_urls(text, kind, label)
        finally:
            text.detach()  # whose stream it is closes it

    def _json_urls(self, lines: Iterable[str]) -> Iterator[str]:
        column = self.column or "url"
        for line in lines:
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                row = None
            url = row.get(column) if isinstance(row, dict) else row if isinstance(row, str) else None
            if not isinstance(url, str):
                self.counts["bad_rows"] += 1
                url = ""
            yield url

    def _csv_urls(self, text: io.TextIOWrapper, kind: str, label: str) -> Iterator[str]:
        csv.field_size_limit(MAX_LINE)
        head = text.readline()
        delimiter = "\t" if kind == "tsv" else max(",;\t|", key=head.count)
        try:
            header = next(csv.reader([head], delimiter=delimiter), [])
        except csv.Error as error:
            raise InputError(f"{label}: is not a table: {error}") from error
        at = _column(header, self.column, label)
        rows = csv.reader(text, delimiter=delimiter)
        while True:
            try:
                row = next(rows, None)
            except csv.Error:
                self.counts["bad_rows"] += 1
                yield ""
                continue
            if row is None:
                return
            if len(row) <= at:
                self.counts["bad_rows"] += 1
            yield row[at] if len(row) > at else ""

    def _joined(self, urls: Iterable[str]) -> Iterator[bytes]:
        lines: list[str] = []
        size = 0
        for url in urls:
            # the URL Standard removes line breaks inside a URL
            line = url.replace("\n", "").replace("\r", "") if "\n" in url or "\r" in url else url
            lines.append(line)
            size += len(line) + 1
            if size >= BLOCK:
                yield _block(lines)
                lines, size = [], 0
        if lines:
            yield _block(lines)

    def complaints(self) -> list[str]:
        """What was odd, in words."""
        said = {
            "too_long": "of the lines are longer than 4 MiB and were left empty",
            "bad_rows": "of the rows have no URL and were left empty",
        }
        return [f"{self.counts[name]:,} {words}" for name, words in said.items() if self.counts[name]]


def as_utf8(block: bytes) -> tuple[bytes, int]:
    """A block as UTF-8, and how many of its lines are not: their odd octets are percent-encoded, as a URL has them."""
    if block.isascii():
        return block, 0
    try:
        block.decode()
    except UnicodeDecodeError:
        text = block.decode("utf-8", "surrogateescape")
        odd = sum(any("\udc80" <= c <= "\udcff" for c in line) for line in text.split("\n") if not line.isascii())
        text = "".join(f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in text)
        return text.encode(), odd
    return block, 0


def lines_of(block: bytes) -> list[str]:
    """The lines of a block, without their ends."""
    text = as_utf8(block)[0].decode("utf-8", "surrogatepass")
    lines = text.split("\n")
    lines.pop()  # a block ends with a line end
    return [line.removesuffix("\r") for line in lines] if "\r" in text else lines


def _block(lines: list[str]) -> bytes:
    lines.append("")
    return "\n".join(lines).encode("utf-8", "surrogateescape" if all(map(_encodable, lines)) else "replace")


def _encodable(line: str) -> bool:
    return line.isascii() or not any("\ud800" <= c <= "\udc7f" or "\udd00" <= c <= "\udfff" for c in line)


def _column(header: list[str], wanted: str | None, label: str) -> int:
    from scrapy_urinorm.visits.table import KNOWN_HEADERS

    names = [name.strip() for name in header]
    if wanted is not None:
        if wanted in names:
            return names.index(wanted)
        raise InputError(f"{label}: there is no column {wanted!r} among {_listed(names)}")
    for at, name in enumerate(names):
        if name.lower() == "url" or KNOWN_HEADERS.get(name.lower()) == "url":
            return at
    raise InputError(f"{label}: which column holds the URL? --column with one of {_listed(names)}")


def _listed(names: list[str]) -> str:
    return ", ".join(name[:30] for name in names[:12]) + (", ..." if len(names) > 12 else "")


def _parquet_urls(name: str, column: str | None) -> Iterator[str]:
    if name == "-":
        raise InputError("standard input: Parquet is read from files only")
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "learn") from error
    try:
        file = parquet.ParquetFile(name)
        names = file.schema_arrow.names
        at = names[_column(names, column, name)]
        for batch in file.iter_batches(columns=[at]):
            for value in batch.column(0).to_pylist():
                yield (
                    value
                    if isinstance(value, str)
                    else value.decode("utf-8", "replace")
                    if isinstance(value, bytes)
                    else ""
                )
    except ArrowException as error:
        raise InputError(f"{name}: is not a Parquet file: {error}") from error


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        if sys.stdin is None or sys.stdin.closed:
            raise InputError("standard input is closed")
        # without a buffer of ours, so that a partial block is seen as one
        yield io.FileIO(sys.stdin.fileno(), closefd=False)
        return
    with Path(name).open("rb", buffering=0) as raw:
        kind = _compression(raw.read(4)) if raw.seekable() else None
        if raw.seekable():
            raw.seek(0)
        if kind == "gz":
            import gzip

            with gzip.GzipFile(fileobj=raw) as stream:
                yield cast("BinaryIO", stream)
        elif kind == "zst":
            with _zstd_reader(raw) as stream:
                yield stream
        else:
            yield raw


def _zstd_reader(raw: Any) -> Any:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdFile
    else:
        try:
            from backports.zstd import ZstdFile
        except ImportError as error:
            raise InputError("reading .zst needs an optional dependency: pip install backports.zstd") from error
    return ZstdFile(raw)


def _compression(head: bytes) -> str | None:
    return next((kind for magic, kind in _MAGIC.items() if head.startswith(magic)), None)


def _refuse_compressed(chunk: bytes, label: str) -> None:
    if (kind := _compression(chunk)) is not None:
        tool = "zcat" if kind == "gz" else "zstdcat"
        raise InputError(f"{label} is compressed: give the file's name, or pipe it through {tool}")
    if chunk.startswith(b"PAR1"):
        raise InputError(f"{label} is a Parquet file: say --format parquet")


def _chunk(stream: BinaryIO) -> bytes:
    first = stream.read(BLOCK)
    if not first or len(first) == BLOCK:
        return first
    parts, size = [first], len(first)
    while size < BLOCK and _more(stream):
        more = stream.read(BLOCK - size)
        if not more:
            break
        parts.append(more)
        size += len(more)
    return b"".join(parts)


def _more(stream: BinaryIO) -> bool:
    try:
        return bool(select.select([stream], [], [], _PATIENCE)[0])
    except (OSError, ValueError):
        return True  # Windows, where only sockets can be asked


def _after_line(stream: BinaryIO) -> bytes:
    """Read to the end of the current line; what follows it, after a line break that stands for the line."""
    while chunk := stream.read(BLOCK):
        at = chunk.find(b"\n")
        if at >= 0:
            return b"\n" + chunk[at + 1 :]
    return b"\n"
