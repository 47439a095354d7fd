"""Tables to rows of our columns: CSV in the encodings and headers of the tools that write it, and Parquet."""

from __future__ import annotations

import codecs
import csv
from typing import TYPE_CHECKING

from scrapy_urinorm.errors import MissingExtraError, UrinormError
from scrapy_urinorm.visits.record import COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

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


class ColumnError(UrinormError, ValueError):
    """A table has no column of addresses, or a column that the mapping names is absent."""


def _names(header: Iterable[str], columns: Mapping[str, str], path: str) -> dict[str, str]:
    """Map each of their headers that we want to our column."""
    given = list(header)
    absent = [f"{ours}={theirs}" for ours, theirs in columns.items() if theirs not in given]
    unknown = [ours for ours in columns if ours not in COLUMNS]
    if absent or unknown:
        raise ColumnError(
            f"{path}: columns {', '.join(absent + unknown)} do not exist; there are {', '.join(given[:20])};"
            f" ours are {', '.join(COLUMNS)}"
        )
    names = {theirs: ours for ours, theirs in columns.items()}
    for theirs in given:
        plain = theirs.strip().lower()
        ours = plain if plain in COLUMNS else KNOWN_HEADERS.get(plain)
        if ours and ours not in names.values():
            names.setdefault(theirs, ours)
    if "url" not in names.values():
        raise ColumnError(f"{path}: no column of addresses among {', '.join(given[:20])} (--columns url=NAME)")
    return names


def renamed(row: Mapping[str, object], columns: Mapping[str, str]) -> dict[str, object]:
    """Return the row under our names; what the mapping does not name keeps its own."""
    out = dict(row)
    out.update({ours: row.get(theirs) for ours, theirs in columns.items()})
    return out


def url_column(header: str) -> bool:
    """Whether a line looks like the header of a table with a column of addresses."""
    for delimiter in ",\t;":
        for name in header.split(delimiter):
            plain = name.strip().strip('"').lower()
            if plain == "url" or KNOWN_HEADERS.get(plain) == "url":
                return True
    return False


def csv_rows(path: str, lines: Iterable[bytes], columns: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Yield the rows of a CSV or TSV file; UTF-8 and UTF-16, comma, semicolon and tab are recognized."""
    csv.field_size_limit(CSV_FIELD_LIMIT)
    text = _decoded(lines)
    header_line = next(text, "")
    delimiter = max(",\t;", key=header_line.count)
    header = next(csv.reader([header_line], delimiter=delimiter), [])
    names = _names(header, columns, path)
    wanted = [(i, names[theirs]) for i, theirs in enumerate(header) if theirs in names]
    for record in csv.reader(text, delimiter=delimiter):
        if record:
            yield {ours: record[i] for i, ours in wanted if i < len(record)}


def _decoded(lines: Iterable[bytes]) -> Iterator[str]:
    decoder: codecs.IncrementalDecoder | None = None
    tail = ""
    for line in lines:
        data = line if line.endswith(b"\n") else line + b"\n"
        if decoder is None:
            encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
            decoder = codecs.getincrementaldecoder(encoding)("surrogateescape" if encoding != "utf-16" else "replace")
        *whole, tail = (tail + decoder.decode(data)).split("\n")
        for text in whole:
            yield text.rstrip("\r") + "\n"
    if tail.strip():
        yield tail


def parquet_rows(path: str, columns: Mapping[str, str]) -> Iterator[dict[str, object]]:
    """Yield the rows of a Parquet file in batches; only the columns that we know are read."""
    try:
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError("Reading Parquet", "learn") from None
    with parquet.ParquetFile(path) as file:
        names = _names(file.schema_arrow.names, columns, path)
        for batch in file.iter_batches(columns=list(names)):
            for row in batch.to_pylist():
                yield {names[theirs]: value for theirs, value in row.items()}
