"""Parquet in, Parquet out: what the rules say of a column of URLs stands beside all other columns."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.display import say
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.extras import require
from scrapy_urinorm.inputs import InputError, expanded
from scrapy_urinorm.report.writing import make_place
from scrapy_urinorm.whole_files import replacing
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer

Output = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FILE",
        help="Write Parquet: all columns of Parquet files, and the new ones beside them.",
    ),
]


def with_texts(
    files: Sequence[str] | None, column: str | None, output: str, normalizer: Normalizer, *, key: bool
) -> None:
    """Write the files with a further column, `canonical` or `key`, and say how many rows they have."""
    require("Parquet", "learn")
    from scrapy_urinorm import arrow

    name, function = ("key", arrow.key) if key else ("canonical", arrow.normalize)
    _write(files, column, output, lambda urls: {name: function(urls, normalizer)})


def with_groups(files: Sequence[str] | None, column: str | None, output: str, normalizer: Normalizer) -> None:
    """Write the files with the `key` of each row and how many rows have it, `group_size`, and say how many rows."""
    require("Parquet", "learn")
    import pyarrow as pa

    from scrapy_urinorm import arrow

    sizes: Counter[str] = Counter()
    for urls, _ in _batches(files, column):
        sizes.update(arrow.key(urls, normalizer).to_pylist())

    def added(urls: Any) -> dict[str, Any]:
        keys = arrow.key(urls, normalizer)
        counts = [None if one is None else sizes[one] for one in keys.to_pylist()]
        return {"key": keys, "group_size": pa.array(counts, pa.int64())}

    _write(files, column, output, added)


def _write(
    files: Sequence[str] | None, column: str | None, output: str, added: Callable[[Any], dict[str, Any]]
) -> None:
    """Write the batches with what is added; the file is there as a whole or not at all."""
    import pyarrow as pa
    from pyarrow import parquet

    path = Path(output)
    make_place(path)
    with replacing(path) as partial, contextlib.ExitStack() as opened:
        writer: Any = None
        with Progress("rows", streams=False) as progress:
            for urls, batch in _batches(files, column):
                new = added(urls)
                if taken := [name for name in new if name in batch.schema.names]:
                    raise UrinormError(f"there is already a column {taken[0]!r}: rename it first")
                table = pa.Table.from_batches([batch])
                for name, values in new.items():
                    table = table.append_column(name, values)
                if writer is None:
                    writer = opened.enter_context(parquet.ParquetWriter(partial, table.schema))
                elif table.schema != writer.schema:
                    raise UrinormError("the files have different columns: write them one by one")
                writer.write_table(table)
                progress.add(table.num_rows)
        if writer is None:
            raise UrinormError("there are no rows to write")
    say(f"{output}: {count(progress.done, 'row')}", "green")


def _batches(files: Sequence[str] | None, column: str | None) -> Iterator[tuple[Any, Any]]:
    """The column of URLs and all columns, batch by batch."""
    from pyarrow import ArrowException, parquet

    for name in expanded(files or ["-"]):
        if name == "-":
            raise InputError("Parquet is read from its end: give a file instead of standard input")
        try:
            with parquet.ParquetFile(name) as file:
                chosen = _column(name, file.schema_arrow.names, column)
                for batch in file.iter_batches():
                    yield batch.column(chosen), batch
        except (ArrowException, OSError, ValueError) as error:
            if isinstance(error, UrinormError):
                raise
            raise InputError(f"{name}: is not a Parquet file, and --output works with these only: {error}") from error


def _column(file: str, names: Sequence[str], wanted: str | None) -> str:
    from scrapy_urinorm.visits.table import URL_HEADERS

    if wanted is not None:
        if wanted not in names:
            raise InputError(f"{file}: there is no column {wanted!r} among {', '.join(names)}")
        return wanted
    found = [name for name in names if name.strip().lower() in URL_HEADERS]
    if not found:
        raise InputError(f"{file}: which column holds the URL? Give --column with one of {', '.join(names)}")
    return found[0]
