"""Files of many kinds to visits: streamed, bad rows counted, the kind found out by name and first line."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from scrapy_urinorm.inputs import ROW_ERRORS, InputError, Paths, Source, expanded, kind_of, lines, opened
from scrapy_urinorm.visits import access_log, archive_index, table
from scrapy_urinorm.visits.record import Visit, visit_from_row
from scrapy_urinorm.visits.redaction import Redaction, redacted

if TYPE_CHECKING:
    from pathlib import Path

Row = TypeVar("Row")
FORMATS = ("auto", "jsonl", "csv", "parquet", "cdx", "cdxj", "crawl-log", "access-log", "urls")
PROBLEMS_KEPT = 5
"""Rows that cannot be read are counted; so many are quoted, which is what fits beside a summary."""
_TOLD = 500  # visits at a time, some milliseconds of reading
#: A record of a page has some hundred kilobytes at the most; a longer line is counted as bad.
LONGEST_LINE = 16 << 20
#: What callers of this module know it by.
VisitsError = InputError


@dataclass
class ReadCounts:
    """What was read: `crawls` counts the visits of each crawl, `rows` those given, `bad` the rows that cannot be read.

    `skipped` rows say nothing about pages (HEAD, DNS, failed hits of an access log); `problems` keeps the first few bad
    ones as `file:row: reason`.
    """

    rows: int = 0
    bad: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    crawls: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    """How many visits each crawl has recorded that says of itself that it came to its end."""

    @property
    def whole(self) -> frozenset[str]:
        """The crawls that came to their end and of which all visits were read: not of a part of a file, or one site."""
        return frozenset(crawl for crawl, visits in self.ended.items() if self.crawls[crawl] >= visits)

    def add(self, other: ReadCounts) -> None:
        """Add what was read elsewhere."""
        self.rows += other.rows
        self.bad += other.bad
        self.skipped += other.skipped
        self.problems = [*self.problems, *other.problems][:PROBLEMS_KEPT]
        self.crawls += other.crawls
        self.ended |= other.ended

    def problem(self, text: str) -> None:
        """Note what is wrong, if there is room."""
        if len(self.problems) < PROBLEMS_KEPT:
            self.problems.append(text)


class VisitReader(ReadCounts):
    """The visits of one or more files, as an iterable that counts.

    What is secret in addresses that others have recorded is masked; rows that bear a crawl are our own.
    """

    def __init__(
        self,
        paths: Paths,
        *,
        format: str = "auto",  # noqa: A002  the option's name
        columns: Mapping[str, str] | None = None,
        base: str | None = None,
        only: Mapping[str, str | None] | None = None,
        progress: Callable[[int], None] | None = None,
        salt: bytes | None = None,
        failures: bool = False,
    ) -> None:
        super().__init__()
        if format not in FORMATS:
            raise VisitsError(f"format {format!r} is not one of {', '.join(FORMATS)}")
        table.check_columns(columns or ())
        self.paths = expanded(paths)
        self.format = format
        self.columns = dict(columns or {})
        self.base = base
        self.only = dict(only or {})
        self._redact = Redaction(salt)
        self._progress = progress
        self._failures = failures

    def __iter__(self) -> Iterator[Visit]:
        for path in self.paths:
            yield from self._file(path)

    def _file(self, path: str) -> Iterator[Visit]:
        with opened(path, strict=False) as source:
            kind = self.format
            if kind == "auto":
                kind = kind_of(source, table.URL_HEADERS) or self._unknown(source)
            if kind == "parquet":
                yield from self._each(path, table.parquet_rows(source, self.columns), row_visit)
            elif kind == "csv":
                rows = table.csv_rows(path, lines(source.chunks(), LONGEST_LINE), self.columns)
                yield from self._each(path, rows, row_visit)
            else:
                yield from self._each(path, lines(source.chunks(), LONGEST_LINE), self.line_parser(kind))
            if source.torn:
                self.problem(f"{path}: ends in the middle of its compressed data, where its writer was stopped")

    def _unknown(self, source: Source) -> NoReturn:
        raise InputError(
            f"{source.label}: not visits, CDX, crawl.log, access log, CSV or a list of URLs"
            f" (say which with --format: {', '.join(FORMATS[1:])})"
        )

    def line_parser(self, kind: str) -> Callable[[bytes | None], Collection[Visit]]:
        """The function from the octets of a line (None: one that is too long) to its visits."""
        return _of_line(self._mapped_json if kind == "jsonl" and self.columns else line_parser(kind, self.base))

    def _mapped_json(self, line: str) -> Collection[Visit]:
        row = json_object(line)
        return (visit_from_row(table.renamed(row, self.columns)),) if row is not None else ()

    def _each(self, path: str, rows: Iterable[Row], parse: Callable[[Row], Collection[Visit]]) -> Iterator[Visit]:
        for number, row in enumerate(rows, 1):
            yield from self.taken(path, number, row, parse)

    def taken(self, path: str, number: int, row: Row, parse: Callable[[Row], Collection[Visit]]) -> Iterator[Visit]:
        """Yield the visits of one row of a file, and count."""
        try:
            visits = parse(row)
        except ROW_ERRORS as error:
            self.bad += 1
            self.problem(f"{path}:{number}: {error}")
            return
        if not visits:
            self.skipped += 1
        for visit in visits:
            if path in self.only and visit.crawl != self.only[path]:
                continue
            if visit.ended is not None or (visit.failure and not self._failures):
                self.skipped += 1
                if visit.ended is not None and visit.crawl is not None:
                    self.ended[visit.crawl] = max(self.ended[visit.crawl], visit.ended)
                continue
            self.rows += 1
            if self._progress is not None and self.rows % _TOLD == 0:
                self._progress(_TOLD)
            if visit.crawl is not None:
                self.crawls[visit.crawl] += 1
            yield redacted(visit, self._redact)


def read_visits(
    paths: str | Path | Iterable[str | Path],
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    only: Mapping[str, str | None] | None = None,
    progress: Callable[[int], None] | None = None,
    failures: bool = False,
) -> VisitReader:
    """Return the visits of files, streamed; see `VisitReader` for the counts.

    `paths` is one or several, which may be folders and globs; `-` is standard input. What they are (gzip, zstd, bzip2,
    xz, and the formats) is known by their first octets. `columns` maps our column names to theirs
    (`{"url": "Address", "text_digest": "Hash"}`); well-known headers are found without it. `base` is
    the address that the targets of an access log are resolved against; `only` says for files which crawl's visits are
    wanted (None: those that bear none); `progress` is told of visits as they are read. With `failures` the lines of
    requests that came to no response are given, too. Raises `VisitsError`.
    """
    return VisitReader(
        paths, format=format, columns=columns, base=base, only=only, progress=progress, failures=failures
    )


def crawl_ids(paths: Paths, which: str, *, format: str = "auto") -> dict[str, str | None]:  # noqa: A002  as above
    """What `read_visits` takes as `only` for `all`, the `newest` crawl of each file, or the crawl of an id.

    The newest one is known when a file was read to its end, once more. Raises `VisitsError` for the newest of standard
    input, which can be read once.
    """
    if which == "all":
        return {}
    files = expanded(paths)
    if which != "newest":
        return dict.fromkeys(files, which)
    if "-" in files:
        raise InputError(
            "only the end of standard input tells which crawl is the newest: give a file, or the id of a crawl"
        )
    out: dict[str, str | None] = {}
    for path in files:
        reader = read_visits([path], format=format)
        for _ in reader:
            pass
        if reader.crawls:
            out[path] = max(reader.crawls)
    return out


def line_parser(kind: str, base: str | None = None) -> Callable[[str], Collection[Visit]]:
    """The function from a line of one of the formats that have lines to its visits; it raises what parsing raises."""
    if kind == "cdx":
        return archive_index.CdxParser()
    if kind == "access-log":
        return access_log.parser(base)
    return {
        "jsonl": _json_visit,
        "cdxj": archive_index.cdxj_visits,
        "crawl-log": archive_index.crawl_log_visits,
        "urls": _plain_url,
    }[kind]


def row_visit(row: Mapping[str, object]) -> Collection[Visit]:
    """The visit of a row of a table, under our names; none of an empty row."""
    return (visit_from_row(row),) if row else ()


def _of_line(parse: Callable[[str], Collection[Visit]]) -> Callable[[bytes | None], Collection[Visit]]:
    def visits(line: bytes | None) -> Collection[Visit]:
        if line is None:
            raise ValueError(f"longer than {LONGEST_LINE >> 20} MiB")
        return parse(line.decode("utf-8", "surrogateescape").removeprefix("\ufeff"))

    return visits


def json_object(line: str) -> dict[str, Any] | None:
    """The row that a line of JSON holds, None of an empty line; raises one of `ROW_ERRORS`."""
    if not line or line.isspace():
        return None
    row = json.loads(line)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    return row


def _json_visit(line: str) -> Collection[Visit]:
    row = json_object(line)
    return (visit_from_row(row),) if row is not None else ()


def _plain_url(line: str) -> Collection[Visit]:
    text = line.strip()
    if not text or text.startswith("#"):
        return ()
    return (Visit(url=text),)
