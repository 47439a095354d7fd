"""Learning by Spark: it reads the visits and brings those of a site to one task, which learns as one process does.

Nothing but the package is wanted on the executors, and nothing but the visits is read by more than one machine: rows
go from task to task through Spark, and what was learned comes back to the driver as rows.
"""

from __future__ import annotations

import marshal
import pickle
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.inputs import InputError, kind_of_head
from scrapy_urinorm.learn.learner import LearnResult, by_site, learn_sites
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.output import told
from scrapy_urinorm.learn.sites.spool import Row, row_of, streamed_sites
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.suffixes import host_of, site_of
from scrapy_urinorm.visits.reader import FORMATS, LONGEST_LINE, ReadCounts, VisitReader, row_visit
from scrapy_urinorm.visits.table import URL_HEADERS, check_columns, names_of

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.learner import Known

_BATCH = 1_000
"""Rows that Spark hands over at a time: of pages with lines and links some ten megabytes."""
_HEAD = 20
"""Lines from which the kind of a file is found out, as many as of a local file."""
_COUNTS = b""
"""What stands for a site in the rows that say what a task has read."""
_PLACE = "path int, file string, block long, number long"
"""Where a visit stood: the order of visits decides which one speaks for a page, and Spark keeps none."""
_VISITS = f"site binary, visit binary, {_PLACE}"


@dataclass(frozen=True)
class _Files:
    """How the rows of one of the given paths become visits; it goes to the tasks that read them."""

    number: int
    path: str
    kind: str
    columns: Mapping[str, str]
    base: str | None
    crawl: str | None
    salt: bytes
    legends: Mapping[str, bytes] = field(default_factory=dict)


def session() -> Any:
    """Return Spark's session: the one that there is, or one set up by `spark-submit` and Spark's own files."""
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    try:
        return SparkSession.builder.appName("urinorm learn").getOrCreate()
    except (PySparkException, RuntimeError) as error:
        raise UrinormError(f"Spark does not start, most likely because Java is missing (JAVA_HOME): {error}") from error


def learn_on_spark(
    spark: Any,
    paths: Iterable[str | Path],
    options: Options | None = None,
    rules: Sequence[Any] = (),
    earlier: Sequence[Candidate] = (),
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    crawl: str | None = None,
) -> tuple[LearnResult, ReadCounts]:
    """Learn the rules that `learn` would from the files at `paths`, any that Spark knows, and count what was read.

    The files of one path are of one kind: Parquet, or one of the kinds made of lines. The other arguments are those of
    `learn` and `read_visits`; `crawl` says which crawl's visits are wanted. Raises `VisitsError` for paths that
    cannot be read, `RuleFileError` for wrong rule sources.
    """
    options = options or Options()
    # the executors may lack the files that rules stand in
    sources = [source if isinstance(source, dict) else RuleSet.load(source).to_dict(pairs=True) for source in rules]
    Normalizer(list(rules) or None, options.preset)
    known = by_site(earlier)
    own = spark.newSession()  # what is set here is not the caller's
    own.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", _BATCH)
    own.conf.set("spark.sql.session.timeZone", "UTC")
    salt = secrets.token_bytes(16)
    visits = None
    for number, path in enumerate(map(str, paths)):
        of_path = _read(own, _Files(number, path, format, dict(columns or {}), base, crawl, salt))
        visits = of_path if visits is None else visits.union(of_path)
    if visits is None:
        raise InputError("there are no visits to read")
    tasks = int(own.conf.get("spark.sql.shuffle.partitions"))
    parts = (
        visits.repartition(tasks, "site")
        .sortWithinPartitions("site", "path", "file", "block", "number")
        .select("site", "visit")
        .mapInArrow(partial(_learned, options, sources, dict(known)), "part binary")
    )
    result, counts = LearnResult(options), ReadCounts()
    for (part,) in parts.collect():
        of_part, read = pickle.loads(part)
        result.add(of_part)
        result.skipped += of_part.skipped
        counts.add(read)
    result.visits = counts.rows
    result.complete(known, sources)
    return result, counts


def _read(spark: Any, files: _Files) -> Any:
    """The visits of one path as rows of `_VISITS`."""
    from dataclasses import replace

    from pyspark.errors import AnalysisException
    from pyspark.sql import functions

    if files.kind not in FORMATS or files.kind == "csv":
        raise InputError(f"format {files.kind!r}: Spark reads {', '.join(one for one in FORMATS if one != 'csv')}")
    check_columns(files.columns)
    place = ("_metadata.file_path", "_metadata.file_block_start")
    reader = spark.read.option("recursiveFileLookup", "true")
    try:
        # alone, \r ends no line of ours
        lines = reader.option("lineSep", "\n").text(files.path)
        kind = files.kind if files.kind != "auto" else _kind(files.path, lines)
        if kind == "parquet":
            table = reader.parquet(files.path)
            names = names_of(table.columns, files.columns, files.path)
            wanted = [f"`{theirs}`" for theirs in table.columns if theirs.strip() in names]
            return table.select(*place, *wanted).mapInArrow(partial(_rows, replace(files, kind=kind)), _VISITS)
        texts = lines.select(*place, functions.col("value").cast("binary").alias("value"))
        legends = {}
        if kind == "cdx":
            # the tasks begin in the middle of files, and what the fields are stands at their beginning
            found = lines.where(functions.ltrim("value").startswith("CDX ")).select("_metadata.file_path", "value")
            legends = {file: text.encode() for file, text in found.collect()}
        return texts.mapInArrow(partial(_rows, replace(files, kind=kind, legends=legends)), _VISITS)
    except AnalysisException as error:
        raise InputError(f"{files.path}: {error.getMessage() or error}") from error


def _kind(path: str, lines: Any) -> str:
    named = [name for name in lines.inputFiles() if name.endswith((".parquet", ".pq"))]
    if named:
        return "parquet"
    head = lines.select("_metadata.file_name", "value").head(_HEAD)
    name = head[0][0] if head else path
    octets = "\n".join(text for _, text in head).encode("utf-8", "replace")
    kind = kind_of_head(octets, name, URL_HEADERS)
    if kind is None or kind == "csv":
        raise InputError(f"{path}: not visits, CDX, crawl.log, access log, Parquet or URLs (see --format)")
    return kind


def _rows(files: _Files, batches: Iterable[Any]) -> Iterator[Any]:
    """On an executor: what Spark has read as visits, each with its site and its place, and at the end the counts."""
    from pyarrow import RecordBatch

    only = {files.path: files.crawl} if files.crawl else {}
    counter = VisitReader((), columns=files.columns, base=files.base, only=only, salt=files.salt)
    sites: dict[str, bytes] = {}
    number = without_host = 0
    names: dict[str, str] = {}
    parsers: dict[str, Any] = {}
    columns = [field.partition(" ")[0] for field in _VISITS.split(", ")]
    for batch in batches:
        out: list[tuple[Any, ...]] = []
        paths, blocks = batch.column(0).to_pylist(), batch.column(1).to_pylist()
        if files.kind == "parquet":
            theirs = batch.schema.names[2:]
            names = names or names_of(theirs, files.columns, files.path)
            table = batch.select(theirs).to_pylist()
            rows: list[Any] = [{names[one.strip()]: value for one, value in row.items()} for row in table]
        else:
            rows = [line if len(line) <= LONGEST_LINE else None for line in batch.column(2).to_pylist()]
        for path, block, row in zip(paths, blocks, rows, strict=True):
            parse = parsers.get(path)
            if parse is None:
                parse = parsers[path] = _parser(files, counter, path)
            for visit in counter.taken(files.path, number + 1, row, parse):
                host = host_of(visit.url)
                if host is None:
                    without_host += 1
                    continue
                site = site_of(host)
                mark = sites.get(site)
                if mark is None:
                    mark = sites[site] = site.encode("utf-8", "surrogatepass")
                number += 1
                out.append((mark, marshal.dumps(row_of(site, host, visit)), files.number, path, block, number))
        if out:
            yield RecordBatch.from_arrays(_arrays(out), columns)
    read = ReadCounts(counter.rows, counter.bad, counter.skipped, counter.problems, counter.crawls)
    row = (_COUNTS, pickle.dumps((read, without_host)), files.number, "", 0, 0)
    yield RecordBatch.from_arrays(_arrays([row]), columns)


def _parser(files: _Files, counter: VisitReader, path: str) -> Any:
    if files.kind == "parquet":
        return row_visit
    parse = counter.line_parser(files.kind)
    if path in files.legends:
        parse(files.legends[path])
    return parse


def _arrays(rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    import pyarrow as pa

    types = (pa.binary(), pa.binary(), pa.int32(), pa.string(), pa.int64(), pa.int64())
    return [pa.array(column, of) for column, of in zip(zip(*rows, strict=True), types, strict=True)]


def _learned(options: Options, rules: Sequence[Any], known: Known, batches: Iterable[Any]) -> Iterator[Any]:
    """On an executor: what is learned of the sites of one partition, and the counts that came with them."""
    from pyarrow import RecordBatch, array, binary

    counts, without_host = ReadCounts(), 0

    def rows() -> Iterator[Row]:
        nonlocal without_host
        for batch in batches:
            for site, visit in zip(batch.column(0), batch.column(1), strict=True):
                octets = visit.as_py()
                if site.as_py() == _COUNTS:
                    read, missing = pickle.loads(octets)
                    counts.add(read)
                    without_host += missing
                else:
                    yield marshal.loads(octets)

    result = learn_sites(streamed_sites(rows(), options.max_urls), options, rules, known)
    result.skipped = without_host
    # no more than is written goes to the driver
    result.others = told(result.others)
    yield RecordBatch.from_arrays([array([pickle.dumps((result, counts))], binary())], ["part"])
