"""Files of many kinds to visits: streamed, bad rows counted, the kind found out by name and first line."""

from __future__ import annotations

import contextlib
import glob
import json
import re
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_urinorm import compression
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.visits import access_log, archive_index, table
from scrapy_urinorm.visits.record import Visit, visit_from_row
from scrapy_urinorm.visits.redaction import Redaction, redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Row = TypeVar("Row")
FORMATS = ("auto", "jsonl", "csv", "parquet", "cdx", "cdxj", "crawl-log", "access-log", "urls")
PROBLEMS_KEPT = 5


class VisitsError(UrinormError, ValueError):
    """A file of visits cannot be read at all: absent, of an unknown kind, or without a column of addresses."""


class VisitReader:
    """The visits of one or more files, as an iterable that counts.

    What is secret in addresses that others have recorded is masked; rows that bear a crawl are our own. `crawls` counts
    the visits of each crawl, `rows` the visits given, `bad` the rows that could not be read, `skipped` those that say
    nothing about pages (HEAD, DNS, failed hits of an access log); `problems` keeps the first few as `file:row: reason`.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        *,
        format: str = "auto",  # noqa: A002  the option's name
        columns: Mapping[str, str] | None = None,
        base: str | None = None,
        only: Mapping[str, str | None] | None = None,
    ) -> None:
        if format not in FORMATS:
            raise VisitsError(f"format {format!r} is not one of {', '.join(FORMATS)}")
        self.paths = _expanded(paths)
        self.format = format
        self.columns = dict(columns or {})
        self.base = base
        self.only = dict(only or {})
        self.crawls: Counter[str] = Counter()
        self.rows = self.bad = self.skipped = 0
        self._redact = Redaction()
        self.problems: list[str] = []

    def __iter__(self) -> Iterator[Visit]:
        for path in self.paths:
            yield from self._file(path)

    def _file(self, path: str) -> Iterator[Visit]:
        kind = self.format
        if kind == "parquet" or (kind == "auto" and path.endswith((".parquet", ".pq"))):
            rows: Iterable[Mapping[str, object]] = table.parquet_rows(path, self.columns)
            yield from self._each(path, rows, lambda row: (visit_from_row(row),))
            return
        if kind == "csv" or (kind == "auto" and _plain_name(path).endswith((".csv", ".tsv"))):
            rows = table.csv_rows(path, _binary_lines(path), self.columns)
            yield from self._each(path, rows, lambda row: (visit_from_row(row),))
            return
        lines = (line.decode("utf-8", "surrogateescape") for line in _binary_lines(path))
        head = [line for _, line in zip(range(20), lines, strict=False)]
        if kind == "auto":
            kind = _kind_of(path, head)
        if kind == "csv":
            rows = table.csv_rows(path, _binary_lines(path), self.columns)
            yield from self._each(path, rows, lambda row: (visit_from_row(row),))
            return
        yield from self._each(path, _chained(head, lines), self._parser(kind))

    def _parser(self, kind: str) -> Callable[[str], Collection[Visit]]:
        if kind == "cdx":
            return archive_index.CdxParser()
        if kind == "access-log":
            return access_log.parser(self.base)
        if kind == "jsonl" and self.columns:
            return self._mapped_json
        return {
            "jsonl": _json_visit,
            "cdxj": archive_index.cdxj_visits,
            "crawl-log": archive_index.crawl_log_visits,
            "urls": _plain_url,
        }[kind]

    def _mapped_json(self, line: str) -> Collection[Visit]:
        row = _json_object(line)
        return (visit_from_row(table.renamed(row, self.columns)),) if row is not None else ()

    def _each(self, path: str, rows: Iterable[Row], parse: Callable[[Row], Collection[Visit]]) -> Iterator[Visit]:
        for number, row in enumerate(rows, 1):
            try:
                visits = parse(row)
            except (ValueError, TypeError, KeyError, IndexError) as error:
                self.bad += 1
                if len(self.problems) < PROBLEMS_KEPT:
                    self.problems.append(f"{path}:{number}: {error}")
                continue
            if not visits:
                self.skipped += 1
            for visit in visits:
                if path in self.only and visit.crawl != self.only[path]:
                    continue
                self.rows += 1
                if visit.crawl is not None:
                    self.crawls[visit.crawl] += 1
                yield redacted(visit, self._redact)


def read_visits(
    paths: Iterable[str | Path],
    *,
    format: str = "auto",  # noqa: A002
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    only: Mapping[str, str | None] | None = None,
) -> VisitReader:
    """Return the visits of files, streamed; see :class:`VisitReader` for the counts.

    Paths may be globs, `-` is standard input; what is compressed (gzip, zstd, bzip2, xz) is known by its
    first octets. `columns` maps our column
    names to theirs (`{"url": "Address", "text_digest": "Hash"}`); well-known headers are found without it. `base` is
    the address that the targets of an access log are resolved against; `only` says for files which crawl's visits are
    wanted (None: those that bear none). Raises :class:`VisitsError`.
    """
    return VisitReader(paths, format=format, columns=columns, base=base, only=only)


def _plain_name(path: str) -> str:
    """A name without the suffix of a compression."""
    return path[: -len(suffix)] if (suffix := Path(path).suffix) in compression.SUFFIXES else path


def _expanded(paths: Iterable[str | Path]) -> list[str]:
    found: list[str] = []
    for path in map(str, paths):
        if path == "-" or Path(path).exists():
            found.append(path)
            continue
        matches = sorted(glob.glob(path, recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
        if not matches:
            raise VisitsError(f"{path}: no such file")
        found += matches
    return found


def _binary_lines(path: str) -> Iterator[bytes]:
    tail = b""
    with _opened(path) as file:
        for chunk in compression.decompressed(file.read1 if path == "-" else file.read, strict=False):
            *lines, tail = (tail + chunk).split(b"\n")
            yield from lines
    if tail:
        yield tail


@contextlib.contextmanager
def _opened(path: str) -> Iterator[Any]:
    if path == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        yield file


_CRAWL_LOG = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z\s+-?\d+\s+(?:-|\d+)\s+\S+")
_CDX_ROW = re.compile(r"\S+ (?:\d{14}|-) \S+ \S+ (?:\d{3}|-) \S+")
_CDXJ = re.compile(r"\S+ \d{14} \{")
_ACCESS = re.compile(r'(?:\S+ )?\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:')  # fmt: skip
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+\s*$")


def _kind_of(path: str, head: list[str]) -> str:
    for line in head:
        text = line.lstrip("\ufeff").strip()
        if not text:
            continue
        if text.startswith("{"):
            return "jsonl"
        if line.startswith(" CDX ") or text.startswith("CDX "):
            return "cdx"
        for pattern, kind in (
            (_CDXJ, "cdxj"), (_CRAWL_LOG, "crawl-log"), (_ACCESS, "access-log"), (_URL, "urls"), (_CDX_ROW, "cdx"),
        ):  # fmt: skip
            if pattern.match(text):
                return kind
        if table.url_column(text) or "\0" in text:
            return "csv"
    if not any(line.strip() for line in head):
        return "urls"
    raise VisitsError(
        f"{path}: not visits, CDX, crawl.log, access log, CSV or a list of URLs"
        f" (say which with --format: {', '.join(FORMATS[1:])})"
    )


def _chained(head: list[str], rest: Iterator[str]) -> Iterator[str]:
    yield from head
    yield from rest


def _json_object(line: str) -> Mapping[str, object] | None:
    if not line or line.isspace():
        return None
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    return row


def _json_visit(line: str) -> Collection[Visit]:
    row = _json_object(line)
    return (visit_from_row(row),) if row is not None else ()


def _plain_url(line: str) -> Collection[Visit]:
    text = line.strip()
    if not text or text.startswith("#"):
        return ()
    return (Visit(url=text),)
