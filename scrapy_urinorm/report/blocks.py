"""Files of visits in blocks: whole lines of JSON as they stand, and rows of what other readers read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from scrapy_urinorm import compression, inputs
from scrapy_urinorm.visits.reader import LONGEST_LINE, PROBLEMS_KEPT, json_object, read_visits
from scrapy_urinorm.visits.record import COLUMNS, Visit

BLOCK, LARGEST = 4 << 20, 16 << 20
"""Bytes of JSON that are worked on at a time: few, so that each core has some, then more."""
# chosen: of 16 MB a visit is read and written in 2.9 us, of 4 MB in 4.5
_BLOCKS = 16
ROWS = 20_000
"""Rows of another kind of file that are worked on at a time."""
_NAMES = (".jsonl", ".ndjson")

Block = tuple[str, int, "tuple[bytes, ...] | list[dict[str, Any]]"]
"""Its file, the number of its first row, and whole lines of JSON, in pieces as they were read, or rows."""


def blocks_of(
    paths: Iterable[str | Path],
    kind: str,
    columns: dict[str, str],
    base: str | None,
    *,
    refused: Callable[[int, list[str]], None],
) -> Iterator[Block]:
    """The blocks of all files; `refused` is told how many rows other readers could not read, and why of some."""
    for path in read_visits(paths, format=kind, columns=columns, base=base).paths:
        if not columns and (kind == "jsonl" or (kind == "auto" and _is_json(path))):
            yield from _json_blocks(path)
            continue
        one = read_visits([path], format=kind, columns=columns, base=base)
        rows: list[dict[str, Any]] = []
        start = 1
        for visit in one:
            rows.append(_row(visit))
            if len(rows) == ROWS:
                yield path, start, rows
                start += len(rows)
                rows = []
        if rows:
            yield path, start, rows
        refused(one.bad, one.problems)


def _is_json(path: str) -> bool:
    name = path[: -len(suffix)] if (suffix := Path(path).suffix) in compression.SUFFIXES else path
    if name.endswith(_NAMES):
        return True
    if name.endswith((".parquet", ".pq", ".csv", ".tsv")):
        return False
    with inputs.opened(path, strict=False) as source:
        return source.head.lstrip().startswith(b"{")


def _json_blocks(path: str) -> Iterator[Block]:
    pieces: list[bytes] = []
    line, size, read = 1, BLOCK, 0
    # the torn end of a killed crawl's file ends them
    with inputs.opened(path, strict=False) as source:
        for chunk in source.chunks():
            pieces.append(chunk)
            held = sum(map(len, pieces))
            if held < size:
                continue
            last = next((n for n in reversed(range(len(pieces))) if b"\n" in pieces[n]), None)
            if last is not None:
                cut = pieces[last].rfind(b"\n") + 1
                block = (*pieces[:last], pieces[last][:cut])
                yield path, line, block
                line += sum(piece.count(b"\n") for piece in block)
                read += held
                size = max(BLOCK, min(LARGEST, read // _BLOCKS))
                pieces = [pieces[last][cut:], *pieces[last + 1 :]]
            elif held > LONGEST_LINE:
                # no URL is so long: what is read of the line makes one bad row
                yield path, line, (b"".join(pieces)[:100], b"\n")
                pieces = []
    if any(pieces):
        yield path, line, tuple(pieces)


def _row(visit: Visit) -> dict[str, Any]:
    return {name: value for name in COLUMNS if (value := getattr(visit, name)) is not None and value != ()}


def rows_of(path: str, start: int, data: Iterable[bytes]) -> tuple[list[dict[str, Any]], int, list[str]]:
    """The rows of a block one by one, the number of those that cannot be read, and why."""
    rows: list[dict[str, Any]] = []
    problems: list[str] = []
    bad = 0
    for number, line in enumerate(b"".join(data).decode("utf-8", "surrogateescape").split("\n"), start):
        try:
            row = json_object(line.lstrip("\ufeff") if number == 1 else line)
            if row is None:
                continue
            if not row.get("url") or type(row["url"]) is not str:
                raise ValueError("url: missing or not a text")
        except inputs.ROW_ERRORS as error:
            bad += 1
            if len(problems) < PROBLEMS_KEPT:
                problems.append(f"{path}:{number}: {error}")
            continue
        # of a request that came to no response, or of the end of the crawl
        if not row.get("failure"):
            rows.append(row)
    return rows, bad, problems
