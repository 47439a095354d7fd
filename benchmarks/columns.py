"""`python -m benchmarks.columns [--count N]`: a column of URLs through Arrow, Polars, DuckDB and Spark; CPU of each.

Each way is a process of its own that reads the same Parquet file and makes the keys of its URLs. What it costs before
its first URL, and reading the column (but for Spark), are no part of the figure; a way without its package is left out.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.inputs import read_urls
from benchmarks.processes import module
from scrapy_urinorm.inputs import BLOCK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COUNT = 10_000_000
_TICKS = os.sysconf("SC_CLK_TCK")


def lines(path: str) -> Callable[[], int]:
    from pyarrow import parquet

    from scrapy_urinorm import Normalizer

    text = "\n".join([*parquet.read_table(path)["url"].to_pylist(), ""]).encode()
    normalizer = Normalizer()

    def work() -> int:
        done = start = 0
        while start < len(text):
            end = text.find(b"\n", min(start + BLOCK, len(text) - 1)) + 1
            done += normalizer.lines(text[start:end], keys=True).count(b"\n")
            start = end
        return done

    return work


def can_ada(path: str) -> Callable[[], int]:
    from can_ada import parse
    from pyarrow import parquet

    urls = parquet.read_table(path)["url"].to_pylist()

    def work() -> int:
        for url in urls:
            with contextlib.suppress(ValueError):
                parse(url).href  # noqa: B018  what is timed is that it is made
        return len(urls)

    return work


def arrow(path: str) -> Callable[[], int]:
    from pyarrow import parquet

    from scrapy_urinorm import arrow

    column = parquet.read_table(path)["url"]
    return lambda: len(arrow.key(column))


def polars(path: str) -> Callable[[], int]:
    import polars as pl

    from scrapy_urinorm import Normalizer, arrow

    rules = Normalizer()
    table = pl.read_parquet(path)
    key = pl.col("url").map_batches(lambda one: pl.Series(arrow.key(one.to_arrow(), rules)), return_dtype=pl.String)
    return lambda: table.select(key).height


def duckdb(path: str) -> Callable[[], int]:
    import duckdb

    from scrapy_urinorm import Normalizer, arrow

    rules = Normalizer()
    base = duckdb.connect()
    base.execute("create table urls as select url from read_parquet(?)", [path])
    base.create_function("url_key", lambda urls: arrow.key(urls, rules), ["VARCHAR"], "VARCHAR", type="arrow")
    return lambda: base.sql("select count(url_key(url)), count(*) from urls").fetchall()[0][1]


def spark(path: str) -> Callable[[], int]:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else Spark takes the python3 of the path
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")

    def with_keys(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        from scrapy_urinorm import Normalizer, arrow

        rules = Normalizer()
        for batch in batches:
            keys = arrow.key(batch.column("url"), rules).cast(pa.string())
            yield pa.RecordBatch.from_arrays([keys], ["page"])

    def work() -> int:
        # every key is made and goes back to Spark, as into a table
        keys = session.read.parquet(path).mapInArrow(with_keys, "page string")
        return int(keys.selectExpr("count(page)").collect()[0][0])

    session.read.parquet(path).limit(1).mapInArrow(with_keys, "page string").collect()
    return work


WAYS: dict[str, Callable[[str], Callable[[], int]]] = {
    "lines": lines, "can_ada": can_ada, "arrow": arrow, "polars": polars, "duckdb": duckdb, "spark": spark,
}  # fmt: skip
_PACKAGES = {"polars": "polars", "duckdb": "duckdb", "spark": "pyspark"}


def spent() -> float:
    """CPU seconds of this process and all below it, Java included."""
    parents, used = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError):
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
                used[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS
    mine, size = {os.getpid()}, 0
    while size != len(mine):
        size = len(mine)
        mine |= {child for child, parent in parents.items() if parent in mine}
    return sum(used[number] for number in mine)


def one(way: str, path: str, rounds: int) -> None:
    work = WAYS[way](path)
    figures = []
    for _ in range(rounds):
        before, began = spent(), time.perf_counter()
        done = work()
        figures.append({"cpu": spent() - before, "wall": time.perf_counter() - began, "urls": done})
    print(json.dumps(sorted(figures, key=lambda run: run["cpu"])[len(figures) // 2]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        one(*given.one, given.rounds)
        return
    import pyarrow as pa
    from pyarrow import parquet

    urls, name = read_urls(None, 100_000)
    urls = [url for url in urls if url.isascii()]
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "urls.parquet"))
        with parquet.ParquetWriter(path, pa.schema([("url", pa.string())])) as writer:
            for start in range(0, given.count, len(urls)):
                writer.write_table(pa.table({"url": urls[: given.count - start]}))
        print(f"{given.count:,} URLs ({name}), median of {given.rounds}; load {os.getloadavg()[0]:.1f}")
        per_url = {}
        for way in given.ways.split(","):
            if find_spec(_PACKAGES.get(way, "sys")) is None:
                continue
            run = module("benchmarks.columns", "--one", way, path, "--rounds", str(given.rounds)).json()
            per_url[way] = run["cpu"] / given.count * 1e6
            rate, ratio = given.count / run["cpu"], per_url[way] / per_url["lines"]
            print(f"{way:8} {rate:12,.0f} URLs a CPU second, {per_url[way]:.2f} us, {ratio:.2f} x lines", flush=True)


if __name__ == "__main__":
    sys.exit(main())
