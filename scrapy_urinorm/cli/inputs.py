"""URLs in bulk: those of files and of standard input, a line for each row, streamed in blocks of whole lines."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from scrapy_urinorm.cli.display import completing
from scrapy_urinorm.inputs import BLOCK, ROW_ERRORS, InputError, Source, expanded, kind_of, lines, opened
from scrapy_urinorm.url import split
from scrapy_urinorm.wording import count

#: A longer line is no URL; what is kept of it would not be either.
MAX_LINE = 4 << 20
FORMATS = ("lines", "csv", "tsv", "jsonl", "parquet", "cdx", "cdxj", "crawl-log", "access-log")

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[FILE]...",
        help="Files with one URL per line, tables or logs, compressed or not; folders, globs. None or `-`: stdin.",
    ),
]
Column = Annotated[
    str | None,
    typer.Option("--column", "-c", metavar="NAME", help="Column of a CSV, JSONL or Parquet file that holds the URL."),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        metavar="KIND",
        help=f"{', '.join(FORMATS)}; without it, the first lines decide.",
        autocompletion=completing(lambda: FORMATS),
    ),
]


class Inputs:
    """The URLs of files, as blocks of lines: each block is UTF-8 text of whole lines, the last one ended too.

    A row without a URL gives an empty line, so that every row has one. `counts` counts what was odd: `too_long` lines
    and `bad_rows` of tables, both of which are empty lines too, and what whoever normalizes the blocks has `note`d.
    """

    def __init__(self, names: Sequence[str] | None, kind: str | None = None, column: str | None = None):
        if kind is not None and kind not in FORMATS:
            raise InputError(f"there is no format {kind!r}: {', '.join(FORMATS)}")
        self.names = expanded(names or ["-"])
        self.kind = "csv" if kind == "tsv" else kind
        self.column = column
        self.counts: Counter[str] = Counter()
        self._size = sum(Path(n).stat().st_size for n in self.names if n != "-" and Path(n).is_file())
        self._done = 0
        self._source: Source | None = None
        self._broken_at: int | None = None

    @property
    def share(self) -> float:
        """How much of the files is read, for progress; 0 where it is not known how much there is."""
        return (self._done + (self._source.read if self._source is not None else 0)) / self._size if self._size else 0.0

    def blocks(self) -> Iterator[bytes]:
        """Blocks of about `BLOCK` bytes, or fewer where the input is slow."""
        for name in self.names:
            with opened(name) as source:
                self._source = source
                kind = self.kind or self._kind(source)
                yield from self._lines(source.chunks()) if kind == "lines" else self._joined(self._urls(source, kind))
                self._done, self._source = self._done + source.read, None

    def _kind(self, source: Source) -> str:
        from scrapy_urinorm.visits.table import URL_HEADERS

        found = kind_of(source, URL_HEADERS)
        if found not in (None, "urls"):
            return str(found)
        return "lines" if self.column is None else "csv"

    def _lines(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        parts: list[bytes] = []
        held = 0
        dropping = False
        for chunk in chunks:
            if dropping:
                at = chunk.find(b"\n")
                if at < 0:
                    continue
                # an empty line stands for the one that is dropped
                chunk = chunk[at:]
                dropping = False
            cut = chunk.rfind(b"\n") + 1
            if cut:
                yield b"".join([*parts, chunk[:cut]])
                parts, held = [chunk[cut:]], len(chunk) - cut
            else:
                parts.append(chunk)
                held += len(chunk)
            if held > MAX_LINE:
                self.counts["too_long"] += 1
                parts, held, dropping = [], 0, True
        if rest := b"".join(parts) or b"\n" * dropping:
            yield rest if rest.endswith(b"\n") else rest + b"\n"

    def _urls(self, source: Source, kind: str) -> Iterator[str]:
        from scrapy_urinorm.visits import table

        columns = {} if self.column is None else {"url": self.column}
        if kind == "parquet":
            yield from map(self._url, table.parquet_rows(source, columns))
            return
        rows = lines(source.chunks(), MAX_LINE)
        if kind == "csv":
            yield from map(self._url, table.csv_rows(source.label, rows, columns))
        elif kind == "jsonl":
            yield from self._json_urls(rows)
        else:
            yield from self._log_urls(rows, kind)

    def _url(self, row: dict[str, object]) -> str:
        url = row.get("url")
        if isinstance(url, bytes):
            url = url.decode("utf-8", "replace")
        return self._page(url)

    def _page(self, url: object) -> str:
        from scrapy_urinorm.visits.record import END

        if not isinstance(url, str):
            self.counts["bad_rows"] += 1
            return ""
        # the last row of recorded visits says that the crawl has ended
        return "" if url == END else url

    def _log_urls(self, rows: Iterable[bytes | None], kind: str) -> Iterator[str]:
        from scrapy_urinorm.visits.reader import line_parser

        parse = line_parser(kind)
        for row in rows:
            try:
                visits = parse((row or b"").decode("utf-8", "surrogateescape"))
            except ROW_ERRORS:
                self.counts["bad_rows"] += 1
                visits = ()
            yield next((visit.url for visit in visits), "")

    def _json_urls(self, rows: Iterable[bytes | None]) -> Iterator[str]:
        column = self.column or "url"
        for line in rows:
            try:
                # octets that are no UTF-8 are kept, as in lines of URLs
                row = json.loads((line or b"").decode("utf-8-sig", "surrogateescape"))
            except ROW_ERRORS:
                row = None
            yield self._page(row.get(column) if isinstance(row, dict) else row)

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

    def note(self, counts: Mapping[str, int], broken_at: int | None = None) -> None:
        """Note what became of the `lines` of the next block; the first of them that is no URL is at `broken_at`."""
        if self._broken_at is None and broken_at is not None:
            self._broken_at = self.counts["lines"] + broken_at
        self.counts.update(counts)

    def complaints(self) -> list[str]:
        """What was odd, in words."""
        lines = count(self.counts["lines"], "line")
        first = "" if self._broken_at is None else f"; the first is line {self._broken_at + 1:,}"
        said = {
            "too_long": " of the lines are longer than 4 MiB and were left empty",
            "bad_rows": " of the rows have no URL and were left empty",
            "unparsable": f" of {lines}: not a URL that rules apply to, left as it is{first}",
            "not_utf8": f" of {lines}: not UTF-8, odd octets percent-encoded",
            "unstable": f" of {lines}: the rules do not settle, see `check`",
            "error": f" of {lines}: a rule failed, no rule applied",
        }
        return [f"{self.counts[name]:,}{words}" for name, words in said.items() if self.counts[name] > 0]


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


def first_broken(lines: Iterable[str]) -> int | None:
    """Where the first line is that is no URL, from 0; None where none is."""
    return next((at for at, line in enumerate(lines) if line and split(line) is None), None)


def _block(lines: list[str]) -> bytes:
    lines.append("")
    return "\n".join(lines).encode("utf-8", "surrogateescape" if all(map(_encodable, lines)) else "replace")


def _encodable(line: str) -> bool:
    return line.isascii() or not any("\ud800" <= c <= "\udc7f" or "\udd00" <= c <= "\udfff" for c in line)
