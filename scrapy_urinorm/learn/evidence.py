"""Neighbours: addresses that one edit makes equal, found by one group-by over part rows.

Every family of rules is an edit of a URL. A *part row* says: this edit (`name`) turns this page into the URL with
hash `key`; `value` hashes what the edit took away. Pages of equal (name, key), and the page whose own hash is that
key, are neighbours: they differ in nothing but what the edit takes away.

Engines: Python for small inputs, and one Ibis expression on DuckDB or Spark. All give the same groups in the same
order, which a test checks.
"""

from __future__ import annotations

import tempfile
import warnings
from array import array
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.errors import MissingExtraError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MEMBER_CAP = 64
"""Members of a group that are looked at one by one; the counts are of all."""
PYTHON_ROWS = 400_000
"""Up to this many part rows `auto` counts in Python."""
ABSENT = 0


Row = tuple[int, int, int, int, int, int]


class Neighbours(NamedTuple):
    """One group: `members` are (value, page) in order, the first `MEMBER_CAP`; the counts are of all members.

    `size` counts members, `labels` distinct known labels, `known` members with one, `values` distinct values;
    `absent` is the page that the edit leads to, -1 where it was not visited, and is a member with value 0 too.
    """

    site: int
    name: int
    size: int
    known: int
    labels: int
    values: int
    absent: int
    members: list[tuple[int, int]]


class Parts:
    """Part rows (site, name, key, value, page, label), and the pages they are about.

    Rows are kept as they come while they are few enough to be counted in Python, and column by column above that.
    """

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.page_rows: list[tuple[int, int, int, int]] = []
        self._columns: tuple[array[int], ...] = tuple(array("q") for _ in range(6))

    def add(self, site: int, name: int, key: int, value: int, page: int, label: int) -> None:
        """Add a part row; `value` must not be 0, which stands for absence."""
        self.extend([(site, name, key, value or 1, page, label)])

    def extend(self, rows: Iterable[Row]) -> None:
        """Add part rows."""
        self.rows += rows
        if len(self.rows) > PYTHON_ROWS:
            self._pack()

    def add_page(self, site: int, page: int, key: int, label: int) -> None:
        """Add a page by its own hash."""
        self.page_rows.append((site, page, key, label))

    def _pack(self) -> None:
        for column, values in zip(self._columns, zip(*self.rows, strict=True), strict=False):
            column.extend(values)
        self.rows = []

    def columns(self) -> dict[str, array[int]]:
        """Return all rows by column."""
        self._pack()
        return dict(zip(("site", "name", "key", "value", "page", "label"), self._columns, strict=True))

    def all_rows(self) -> Iterable[Row]:
        """Return all rows."""
        if not self._columns[0]:
            return self.rows
        return zip(*self.columns().values(), strict=True)

    def __len__(self) -> int:
        return len(self._columns[0]) + len(self.rows)


def neighbours(parts: Parts, engine: str = "auto", master: str = "local[*]") -> Iterator[Neighbours]:
    """Yield the groups of two members and more, ordered by site, name and key.

    Raises `MissingExtraError` where the engine asked for is not installed.
    """
    if engine == "python" or (engine == "auto" and len(parts) <= PYTHON_ROWS):
        return _in_python(parts)
    return _in_ibis(parts, "duckdb" if engine == "auto" else engine, master)


def _in_python(parts: Parts) -> Iterator[Neighbours]:
    homes = {(site, key): (page, label) for site, page, key, label in parts.page_rows}
    groups: dict[tuple[int, int, int], list[Row]] = {}
    for row in parts.all_rows():
        key = row[:3]
        rows = groups.get(key)
        if rows is None:
            groups[key] = [row]
        else:
            rows.append(row)
    found = [key for key, rows in groups.items() if len(rows) > 1 or (key[0], key[2]) in homes]
    for site, name, hashed in sorted(found):
        neighbours = [row[3:] for row in groups[site, name, hashed]]
        home = homes.get((site, hashed))
        if home is not None:
            neighbours.append((ABSENT, *home))
        yield _group(site, name, neighbours)


def _group(site: int, name: int, members: list[tuple[int, int, int]]) -> Neighbours:
    labels = {label for _, _, label in members if label >= 0}
    known = sum(label >= 0 for _, _, label in members)
    values = len({value for value, _, _ in members})
    absent = next((page for value, page, _ in members if value == ABSENT), -1)
    kept = sorted((value, page) for value, page, _ in members)[:MEMBER_CAP]
    return Neighbours(site, name, len(members), known, len(labels), values, absent, kept)


def _expression(parts: Any, pages: Any) -> Any:
    """The evidence stage as one Ibis expression: the members of every group of two and more, with its counts."""
    import ibis

    wanted = parts.select("site", "name", "key").distinct()
    homes = wanted.join(pages, [wanted.site == pages.page_site, wanted.key == pages.page_key])
    absent = homes.select(
        "site", "name", "key", value=ibis.literal(ABSENT, "int64"), page=homes.page_id, label=homes.page_label
    )
    members = parts.select("site", "name", "key", "value", "page", "label").union(absent)
    label = (members.label >= 0).ifelse(members.label, ibis.null("int64"))
    counts = members.group_by(["site", "name", "key"]).aggregate(
        count=members.count(),
        # not a sum, which DuckDB makes a HUGEINT and Parquet a double
        known=members.count(where=members.label >= 0),
        labels=label.nunique(),
        values=members.value.nunique(),
        home=(members.value == ABSENT).ifelse(members.page, -1).max(),
    )
    counts = counts.filter(counts["count"] > 1)
    joined = members.join(counts, ["site", "name", "key"])
    window = ibis.window(group_by=["site", "name", "key"], order_by=["value", "page"])
    ranked = joined.mutate(rank=ibis.row_number().over(window))
    return ranked.filter(ranked["rank"] < MEMBER_CAP).select(
        "site", "name", "key", "value", "page", "count", "known", "labels", "values", "home"
    )


def _in_ibis(parts: Parts, engine: str, master: str) -> Iterator[Neighbours]:
    extra = "learn" if engine == "duckdb" else "spark"
    try:
        import ibis
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise MissingExtraError(f"Learning with {engine}", extra) from None

    def table(**columns: array[int]) -> Any:
        return pa.table({name: pa.array(memoryview(column), pa.int64()) for name, column in columns.items()})

    with tempfile.TemporaryDirectory(prefix="urinorm-learn-") as folder:
        # files, since create_table of Ibis 12 fails on DuckDB 2, and Spark reads them in parallel
        parquet.write_table(table(**parts.columns()), Path(folder) / "parts.parquet")
        names = ("page_site", "page_id", "page_key", "page_label")
        columns = [array("q", [row[n] for row in parts.page_rows]) for n in range(4)]
        parquet.write_table(table(**dict(zip(names, columns, strict=True))), Path(folder) / "pages.parquet")
        with _deprecations_ignored():
            connection = _connected(ibis, engine, master, extra)
            expression = _expression(
                connection.read_parquet(f"{folder}/parts.parquet"), connection.read_parquet(f"{folder}/pages.parquet")
            )
            # a file again: what Ibis 12 fetches batches with is gone from DuckDB 2
            connection.to_parquet(expression, f"{folder}/groups.parquet")
        yield from _from_rows(_rows(f"{folder}/groups.parquet"))


@contextmanager
def _deprecations_ignored() -> Iterator[None]:
    """Ibis 12 calls what DuckDB 2 deprecates, and PySpark what pandas 3 does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", FutureWarning)
        warnings.filterwarnings("ignore", category=UserWarning, module="pyspark")
        yield


def _connected(ibis: Any, engine: str, master: str, extra: str) -> Any:
    try:
        if engine == "duckdb":
            return ibis.duckdb.connect()
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtraError(f"Learning with {engine}", extra) from None
    session = (
        SparkSession.builder.master(master)
        .appName("urinorm learn")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .getOrCreate()
    )
    return ibis.pyspark.connect(session)


def _from_rows(rows: Iterable[tuple[int, ...]]) -> Iterator[Neighbours]:
    for _, group in groupby(rows, key=lambda row: row[:3]):
        members = list(group)
        site, name, _key, _value, _page, size, known, labels, values, home = members[0]
        yield Neighbours(site, name, size, known, labels, values, home, [(row[3], row[4]) for row in members])


def _rows(path: str) -> Iterator[tuple[int, ...]]:
    from pyarrow import dataset

    # Spark writes a folder of files, each in order
    table = dataset.dataset(path, format="parquet").to_table()
    table = table.sort_by([(name, "ascending") for name in ("site", "name", "key", "value", "page")])
    for batch in table.to_batches(max_chunksize=65_536):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
