"""Spark learns what one process learns, byte for byte: from pieces of files, of every kind that it reads."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.learn import Options, learn_file, spark, to_toml
from scrapy_urinorm.learn.sites import spool
from scrapy_urinorm.learn.sites.spool import row_of, streamed_sites
from scrapy_urinorm.visits import VisitsError
from tests.learn.sites import blog, docs, shop
from tests.learn.spark_sessions import CRAWL, ROOT, environment, started, toml, visits, written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

with_spark = pytest.mark.system("java")
quiet = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("max_urls", [300, 100_000])
@pytest.mark.parametrize("in_memory", [100, 100_000])
def test_sites_of_a_stream_are_those_of_a_spool(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, max_urls: int, in_memory: int
) -> None:
    given = visits()
    store = spool.Spool()
    for visit in given:
        store.add(visit)
    expected = {site.name: (site.rows, site.sampled_from) for site in store.sites(max_urls)}
    monkeypatch.setattr(spool, "IN_MEMORY", in_memory)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    rows = [row_of(host.partition(".")[2], host, visit) for visit in given if (host := visit.url.split("/")[2])]
    rows.sort(key=lambda row: row[0])
    assert {site.name: (site.rows, site.sampled_from) for site in streamed_sites(rows, max_urls)} == expected
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def local() -> Iterator[Any]:
    pytest.importorskip("pyspark")
    # files are cut into pieces that end anywhere
    small = {"sql_files_maxPartitionBytes": "100000", "sql_shuffle_partitions": "3"}
    with environment(PYTHONPATH=str(ROOT)), started("local[2]", **small) as session:
        yield session


@with_spark
@quiet
@pytest.mark.parametrize("max_urls", [500, 100_000])
def test_the_same_rules_as_one_process_and_a_pool(
    local: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, max_urls: int
) -> None:
    folder = written(tmp_path / "visits")
    options = Options(jobs=1, max_urls=max_urls)
    result, read = spark.learn_on_spark(local, [folder], options)
    assert to_toml(result) == toml(folder, options=options)
    assert result.active
    assert (read.rows, read.bad, read.skipped, result.skipped) == (len(visits()) + 1, 1, 1, 1)
    assert read.crawls == {CRAWL: len(visits())}
    assert "Expecting property name" in read.problems[0]
    monkeypatch.setattr(spool, "IN_MEMORY", 100)
    assert to_toml(result) == toml(folder, options=Options(jobs=2, max_urls=max_urls))


@with_spark
@quiet
def test_parquet_indexes_and_lists(local: Any, tmp_path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    rows = [{"Address": row["url"], **row} for site in (blog(posts=60), docs(pages=20)) for row in site.rows()]
    for row in rows:
        del row["url"]
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "table.parquet", row_group_size=100)
    digests = {url: identity for url, (identity, _) in shop(products=40).pages.items()}
    capture = "- 20260101000000 {} text/html 200 {} - - 100 0 a.warc.gz"
    index = [capture.format(url, identity.replace(" ", "")) for url, identity in digests.items()]
    # the letters are not those that are usual: only the legend says which field is which
    (tmp_path / "index.cdx").write_text("\n".join([" CDX N b a m s k r M S V g", *index, ""]))
    (tmp_path / "urls.txt").write_text("\n".join(digests))
    for name in ("table.parquet", "index.cdx", "urls.txt"):
        result, read = spark.learn_on_spark(local, [tmp_path / name], Options())
        assert to_toml(result) == toml(tmp_path / name), name
        assert read.rows > 100, name


@with_spark
@quiet
def test_what_was_learned_before_stays_and_rules_need_not_be_on_the_executors(
    local: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder = written(tmp_path / "visits")
    learn_file([folder / "a.jsonl"], tmp_path / "learned.toml")
    (tmp_path / "rules.toml").write_text('[site."blog.example.org"]\nremove_params = ["replytocom"]\n')
    sources = [folder / "b.jsonl.gz", tmp_path / "learned.toml"]
    given: dict[str, Any] = {"rules": [tmp_path / "rules.toml"], "only": {str(sources[0]): CRAWL}, "force": True}
    in_one = to_toml(learn_file(sources, None, **given)[0])
    monkeypatch.setattr("scrapy_urinorm.learn.files.session", lambda: local)
    result, read = learn_file(sources, tmp_path / "out.toml", **given, engine="spark")
    assert (tmp_path / "out.toml").read_text() == in_one
    assert read.rows == len(visits()) // 3
    none, _ = spark.learn_on_spark(local, [folder / "c.jsonl"], crawl="another")
    assert (none.visits, none.active) == (0, [])
    assert result.visits


@with_spark
@quiet
def test_what_cannot_be_read(local: Any, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_text("url,status\nhttp://a.example/,200\n")
    for path, kind, said in (
        (tmp_path / "nothing", "auto", "does not exist"),
        (tmp_path / "table.csv", "auto", "not visits"),
        (tmp_path / "table.csv", "csv", "Spark reads"),
    ):
        with pytest.raises(VisitsError, match=said):
            spark.learn_on_spark(local, [path], format=kind)
    with pytest.raises(VisitsError, match="no visits"):
        spark.learn_on_spark(local, [])


def test_no_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    command = [sys.executable, "-m", "scrapy_urinorm", "learn", "x.jsonl", "-o", "y.toml", "--engine", "spark"]
    outcome = subprocess.run(
        command, cwd=tmp_path, env={"PYTHONPATH": str(ROOT), "PATH": ""}, capture_output=True, text=True, timeout=280
    )
    assert outcome.returncode
    assert "Java" in outcome.stderr
    assert "Traceback" not in outcome.stderr
