"""Tables to rows of our columns: CSV in the encodings and headers of the tools that write it, and Parquet."""

from __future__ import annotations

import contextlib
import csv
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from scrapy_urinorm.extras import MissingExtraError
from scrapy_urinorm.inputs import InputError, Source
from scrapy_urinorm.visits.record import COLUMNS

#: Headers of crawlers and log exports, lower case, that mean one of our columns.
KNOWN_HEADERS = {
    "address": "url", "adresse": "url", "dirección": "url", "indirizzo": "url", "uri": "url", "page": "url",
    "loc": "url", "request_url": "url", "url_requested": "url", "original": "url",
    "status code": "status", "status-code": "status", "status_code": "status", "http status code": "status",
    "statuscode": "status", "código de respuesta": "status",
    "canonical link element 1": "canonical", "canonical url": "canonical", "rel=canonical": "canonical",
    "redirect url": "final_url", "redirect uri": "final_url", "redirect": "final_url", "final url": "final_url",
    "hash": "body_digest", "digest": "body_digest", "sha1": "body_digest", "checksum": "body_digest",
    "fp_text": "text_digest", "fp_main": "main_digest", "n_words": "words", "word count": "words",
    "main_words": "words", "size (bytes)": "size", "bytes": "size", "length": "size",
    "content type": "content_type", "mime": "content_type", "ts": "time", "timestamp": "time",
    "crawl depth": "depth",
}  # fmt: skip
CSV_FIELD_LIMIT = 16 << 20
"""Characters of a field, which Python would limit to 131,072: the column of a page's lines is longer."""


URL_HEADERS = frozenset(["url", *(theirs for theirs, ours in KNOWN_HEADERS.items() if ours == "url")])


def check_columns(ours: Iterable[str]) -> None:
    """Raise InputError where one of some names is none of our columns."""
    for name in ours:
        if name not in COLUMNS:
            raise InputError(f"{name!r} is not one of our columns: {', '.join(COLUMNS)}")


def names_of(header: Iterable[str], columns: Mapping[str, str], path: str) -> dict[str, str]:
    """Map each of their headers that we want to our column."""
    given = [name.strip() for name in header]
    for theirs in columns.values():
        if theirs not in given:
            raise InputError(f"{path}: there is no column {theirs!r} among {_listed(given)}")
    names = {theirs: ours for ours, theirs in columns.items()}
    for theirs in given:
        plain = theirs.lower()
        known = plain if plain in COLUMNS else KNOWN_HEADERS.get(plain)
        if known and known not in names.values():
            names.setdefault(theirs, known)
    if "url" not in names.values():
        raise InputError(
            f"{path}: which column holds the URL? say it (--column NAME, or --columns url=NAME): {_listed(given)}"
        )
    return names


def _listed(names: list[str]) -> str:
    return ", ".join(name[:30] for name in names[:12]) + (", ..." if len(names) > 12 else "")


def renamed(row: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
    """Return the row under our names; what the mapping does not name keeps its own."""
    out = dict(row)
    out.update({ours: row.get(theirs) for ours, theirs in columns.items()})
    return out


def csv_rows(path: str, lines: Iterable[bytes | None], columns: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Yield the rows of a CSV or TSV file; comma, semicolon, tab and bar are recognized.

    A row that cannot be read is empty, so that every row has its place.
    """
    text = ((line or b"").decode("utf-8", "surrogateescape").rstrip("\r") + "\n" for line in lines)
    header_line = next(text, "")
    delimiter = max(",\t;|", key=header_line.count)
    try:
        header = _next_row(csv.reader([header_line], delimiter=delimiter)) or []
    except csv.Error as error:
        raise InputError(f"{path}: is not a table: {error}") from error
    names = names_of(header, columns, path)
    wanted = [(i, names[theirs.strip()]) for i, theirs in enumerate(header) if theirs.strip() in names]
    records = csv.reader(text, delimiter=delimiter)
    while True:
        try:
            record = _next_row(records)
        except csv.Error:
            yield {}
            continue
        if record is None:
            return
        yield {ours: record[i] for i, ours in wanted if i < len(record)}


def _next_row(records: Iterator[list[str]]) -> list[str] | None:
    """The next row, with room for our columns: the limit is the whole process's, who has us read may need another."""
    before = csv.field_size_limit(CSV_FIELD_LIMIT)
    try:
        return next(records, None)
    finally:
        csv.field_size_limit(before)


def parquet_rows(source: Source, columns: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Yield the rows of a Parquet file in batches; only the columns that we know are read."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise MissingExtraError("reading Parquet", "learn") from None
    with contextlib.ExitStack() as stack:
        place: Any = source.name
        if source.name == "-" or source.compression:
            # it is read from its end, so it must stand somewhere
            place = stack.enter_context(tempfile.TemporaryFile())
            for chunk in source.chunks():
                place.write(chunk)
        try:
            file = stack.enter_context(parquet.ParquetFile(place))
            names = names_of(file.schema_arrow.names, columns, source.label)
            wanted = [theirs for theirs in file.schema_arrow.names if theirs.strip() in names]
            for batch in file.iter_batches(columns=wanted):
                for row in batch.to_pylist():
                    yield {names[theirs.strip()]: value for theirs, value in row.items()}
        except (ArrowException, OSError) as error:
            raise InputError(f"{source.label}: is not a Parquet file: {error}") from error
