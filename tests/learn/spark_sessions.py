"""Visits that Spark and one process learn from, and sessions of Spark that end with their Java."""

from __future__ import annotations

import gzip
import itertools
import os
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn import Options, learn_file, to_toml
from tests.learn.sites import blog, docs, forum, shop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_urinorm.visits import Visit

ROOT = Path(__file__).resolve().parents[2]
CRAWL = "20260101T000000Z-00000000"


def visits() -> list[Visit]:
    """Those of four sites, their rows mixed as in a broad crawl; with a crawl, as what is secret keeps its value."""
    sites = [blog(posts=60).visits(), shop(products=60).visits(), docs(pages=20).visits(), forum(threads=40).visits()]
    mixed = [visit for row in itertools.zip_longest(*sites) for visit in row if visit is not None]
    for visit in mixed:
        visit.crawl = CRAWL
    return mixed


def written(folder: Path) -> Path:
    """The visits as a folder of files, compressed and not; the order of their names is that of the visits."""
    folder.mkdir()
    lines = [visit.to_json() + "\n" for visit in visits()]
    third = len(lines) // 3
    (folder / "a.jsonl").write_text("".join(lines[:third]))
    (folder / "b.jsonl.gz").write_bytes(gzip.compress("".join(lines[third : 2 * third]).encode()))
    (folder / "c.jsonl").write_text("".join([*lines[2 * third :], "\n", "{torn", '\n{"url": "mailto:nobody"}\n']))
    return folder


def toml(path: Path | str, **given: Any) -> str:
    """What one process writes of a folder, or of a file."""
    return to_toml(learn_file([path], None, given.pop("options", Options(jobs=1)), **given)[0])


@contextmanager
def environment(**values: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(values, PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextmanager
def started(master: str, **settings: str) -> Iterator[Any]:
    """A session of Spark, stopped at the end with its Java."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).config("spark.ui.enabled", "false")
    for name, value in settings.items():
        builder = builder.config("spark." + name.replace("_", "."), value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    try:
        yield session
    finally:
        gateway = SparkContext._gateway
        session.stop()
        if gateway is not None:
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(280)
            SparkContext._gateway = SparkContext._jvm = None
