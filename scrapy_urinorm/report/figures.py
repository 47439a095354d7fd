"""The figures of a report, counted by DuckDB over the parts: bounded memory, the rest goes to disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import duckdb
import pyarrow as pa
from pyarrow import parquet

from scrapy_urinorm.content import MIN_WORDS, PARTLY
from scrapy_urinorm.report.columns import Columns, gathered, literal
from scrapy_urinorm.report.content import sketch
from scrapy_urinorm.report.likeness import unite
from scrapy_urinorm.report.shapes import MACROS, MAX_ITEMS, NESTED, YEAR_OF_PATH, mark_repeated, name_sites
from scrapy_urinorm.report.shells import forget_shells
from scrapy_urinorm.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.report.intake import Intake

MEMORY = "2GB"
EXACT = 500_000
"""Rows up to which everything is counted exactly."""
SMALL = 5_000
"""Rows up to which a file and threads take longer than the counting."""
POINTS = 240
"""Points of a curve at the most."""
BARS = 50
"""Points of the curve of a short crawl; a longer one has a point per 1,000 requests and more."""

PAGE, REDIRECT, FAILURE = 0, 1, 2
"""Kinds of a response."""
MAX_NAME = 80  # what fits in a column; the rest of a longer name says nothing

_COUNTS = """
    count(*) requests,
    count(*) filter (outcome = 0) pages,
    count(*) filter (outcome = 1) duplicates,
    count(*) filter (outcome = 2) redirects,
    count(*) filter (outcome = 3) errors,
    count(*) filter (not kept) avoidable,
    count(*) filter (kept and wasted) left_over,
    coalesce(sum(size) filter (outcome = 1), 0)::bigint wasted_bytes
"""


_LOADED = f"""
    create table loaded as
    with part as (
        select start.n + i as n, url, length, skip, status, words, size, time, body_digest, text_digest, main_digest,
               content_type, line_label, line_order, line_title, said,
               coalesce(bare, url) bare_text, key as key_text
        from read_parquet($parts) join start using (part)
    ), cut as (
        select *, split_part(bare_text, '?', 1) head, split_part(key_text, '?', 1) key_head,
               substr(bare_text, length(head) + 2) query, items_of(separated(query, url)) items,
               items_of(query) fields,
               case when key_text is not null then
                   items_of(separated(substr(key_text, length(key_head) + 2), url)) end key_items,
               items_of(substr(key_text, length(split_part(key_text, '?', 1)) + 2)) key_fields,
               case when status is null or status between 200 and 299 then {PAGE}
                    when status between 300 and 399 then {REDIRECT} else {FAILURE} end::tinyint kind
        from part
    ), placed as (
        select *, host_of(split_part(head, '/', 3)) host,
               substr(head, length(split_part(head, '/', 1)) + length(split_part(head, '/', 3)) + 3) path,
               case when kind <> {PAGE} or status in {PARTLY} then null
                    when line_label is not null then nullif(line_label, 0)
                    when ltrim(main_digest, '0') = '' then null
                    when main_digest is not null and coalesce(words, {MIN_WORDS}) >= {MIN_WORDS}
                        then hash('m', main_digest)
                    when text_digest is not null and words is distinct from 0 then hash('t', text_digest)
                    when text_digest is null and main_digest is null and body_digest is not null
                        then hash('b', body_digest)
               end as label
        from cut
    )
    select n, kind, host, path, pattern_of(path) pattern, marks_of(path, length) marks, doubtful(path) doubt,
           h(head) + sum_of(fields) bare, h(head) + sum_of(items) plain,
           case when key_text is null then h(head) + sum_of(fields) else h(key_head) + sum_of(key_fields) end as key,
           skip, label,
           case when line_label is not null then line_order
                when label is not null then coalesce(hash('t', text_digest), label) end as sorted,
           label is not null and line_label is null and main_digest is null and text_digest is null
               and coalesce(contains(content_type, 'html'), true) as weak,
           line_title, said,
           size, coalesce(epoch(try_cast(time as timestamp))::bigint, try_cast(time as bigint)) as time,
           coalesce(year_of(query), try_cast(regexp_extract(path, '{YEAR_OF_PATH}', 1) as smallint)) as year,
           nested_of(path, query, items) as nested, names_of(items) as names,
           items[1:{MAX_ITEMS}] items, len(items) most, key_text is not null changed, key_items
    from placed
"""

_PARAMETERS = f"""
    create table parameter as
    with each as (
        select n, plain, label, sorted, weak, site, unnest(items) item, key_items
        from loaded join site using (host) where len(items) > 0
    )
    select n, site, name_of(item)[1:{MAX_NAME}] as name, hash(site, name_of(item)[1:{MAX_NAME}]) as p,
           h(item) as value,
           plain - h(item) as rest,
           not coalesce(list_contains(key_items, item), true) as dropped,
           label is not null and not weak as told, hash(site, label) as label, sorted
    from each
"""

_VISITS = """
    create table core as
    select n, kind, key, skip,
           case when label is not null then hash(site, label) end as label,
           case when label is null then hash(site, key, 0) else coalesce(alias.same, hash(site, label)) end as ident
    from loaded join site using (host) left join alias on alias.ident = hash(site, label);
    create table keeper as select min(n) n from core where not skip group by key, kind;
    create table passed as
    select core.*, keeper.n is not null kept from core left join keeper using (n);
    create table first as
    select ident, min(n) seen, min(n) filter (kept) kept from passed where kind = 0 group by ident;
    create table visit as
    select loaded.n, loaded.kind, loaded.host, site, pattern, bare, plain,
           loaded.key, loaded.skip, sorted, weak, size, time,
           most, marks | case when nested is null then 0 else $nested end as marks, year, nested, names, changed,
           passed.label, passed.ident,
           case when loaded.kind = 0 then case when passed.n = first.seen then 0 else 1 end
                else loaded.kind + 1 end::tinyint as outcome,
           passed.kept,
           loaded.kind = 0 and passed.n is distinct from first.kept wasted
    from loaded join site using (host) join passed on passed.n = loaded.n left join first on first.ident = passed.ident;
    drop table loaded; drop table core; drop table passed; drop table keeper; drop table first
"""


class Figures:
    """The visits of a report as tables of a database in a folder.

    `visit` has one row per response with its `outcome`; `kept` says whether the rules of the report let the request
    pass, `wasted` whether what is kept had been seen before among what is kept. `ident` is the class of content.
    `parameter` has one row per parameter of a response; `rest` is the key without it.
    """

    def __init__(self, folder: Path, intake: Intake) -> None:
        self.folder = folder
        if intake.rows <= SMALL:
            self.db = duckdb.connect(config={"threads": 1})
        else:
            self.db = duckdb.connect(str(folder / "report.duckdb"))
        self.db.execute(f"set memory_limit = '{MEMORY}'")
        self.db.execute("set temp_directory = ?", [str(folder / "spill")])
        self.db.execute("set preserve_insertion_order = false")
        self.rows = intake.rows
        #: How distinct values of a group are counted: exactly where that costs little.
        self.distinct = "count(distinct " if self.rows < EXACT else "approx_count_distinct("
        self._load(intake)

    def _load(self, intake: Intake) -> None:
        start = 0
        starts = []
        for part, count in enumerate(intake.counts):
            starts.append((part, start))
            start += count
        self.db.execute("create table start (part integer, n bigint)")
        if starts:
            values = ", ".join(f"({part}, {n})" for part, n in starts)
            self.db.execute(f"insert into start values {values}")
        else:
            parquet.write_table(Columns(RuleSet.load(), {}).table(gathered([])), self.folder / "none.visits")
        self.db.execute(MACROS)
        self.db.execute(_LOADED.replace("$parts", self.parts))
        mark_repeated(self.db)
        name_sites(self.db)
        forget_shells(self.db)
        self.db.execute(_PARAMETERS)
        unite(self.db, self.parts, self.chosen)
        self.db.execute(_VISITS.replace("$nested", str(NESTED)))

    @property
    def parts(self) -> str:
        """The parts, as a literal of SQL."""
        return literal(self.folder / "*.visits")

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def select(self, sql: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """Run a query and return its rows as dictionaries."""
        cursor = self.db.execute(sql, list(values))
        names = [column[0] for column in cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def totals(self) -> dict[str, Any]:
        """The counts of the whole."""
        row = self.select(
            f"""
            select {_COUNTS},
                count(*) filter (skip) skipped,
                count(*) filter (kept) kept,
                count(*) filter (kind = 0 and label is null) unknown_content,
                count(*) filter (weak) by_body_alone,
                coalesce(sum(size), 0)::bigint bytes,
                coalesce(sum(size) filter (not kept), 0)::bigint avoidable_bytes,
                coalesce(sum(size) filter (kept and wasted), 0)::bigint left_over_bytes,
                count(size) sized,
                count(*) filter (changed) changed,
                min(time) as start, max(time) as stop, count(time) as timed
            from visit
            """
        )[0]
        row["hosts"] = self.db.execute("select count(distinct host) from visit").fetchall()[0][0]
        row["urls"] = self.db.execute("select count(*) from (select distinct bare from visit)").fetchall()[0][0]
        return row

    def by_requests(self) -> dict[str, Any]:
        """Outcomes per so many requests, in the order of the crawl: a thousand, or more where the curve is long."""
        step = next((size for size in (10, 20, 50, 100, 200, 500) if self.rows / size <= BARS), 0)
        step = step or _step(self.rows, 1000)
        return {"step": step, "rows": self._curve(f"n // {step}")}

    def by_minutes(self) -> dict[str, Any] | None:
        """Outcomes over time; None where the visits do not say when they were."""
        low, high, timed = self.db.execute("select min(time), max(time), count(time) from visit").fetchall()[0]
        if not timed or timed < self.rows * 0.9 or high - low < 120:
            return None
        step = 60 * _step((high - low) // 60 + 1, 1)
        return {"step": step // 60, "start": low, "rows": self._curve(f"(time - {low}) // {step}")}

    def _curve(self, bucket: str) -> list[list[int]]:
        found = self.db.execute(
            f"""
            select ({bucket})::bigint bucket, {", ".join(f"count(*) filter (outcome = {n})" for n in range(4))}
            from visit where bucket is not null group by bucket order by bucket
            """
        ).fetchall()
        rows = [[0, 0, 0, 0] for _ in range((found[-1][0] + 1) if found else 0)]
        for bucket_number, *counts in found:
            rows[bucket_number] = counts
        return rows

    def hosts(self, limit: int) -> list[dict[str, Any]]:
        """The hosts with most duplicates, then most requests."""
        return self.select(
            f"select host, {_COUNTS} from visit group by host order by duplicates desc, requests desc, host limit ?",
            [limit],
        )

    def patterns(self, limit: int) -> list[dict[str, Any]]:
        """Counts by host and path pattern, those with most requests."""
        return self.select(
            f"""
            select host, pattern, {_COUNTS} from visit group by host, pattern
            order by requests desc, host, pattern limit ?
            """,
            [limit],
        )

    def texts(self, numbers: Iterable[int]) -> dict[int, dict[str, Any]]:
        """What is only shown, by number of the visit; one look into all parts."""
        with self.chosen(numbers):
            rows = self.select(
                f"""
                select start.n + i as n, url, length, minhash, line_sketch, lines
                from read_parquet({self.parts}) join start using (part) semi join wanted on wanted.n = start.n + i
                """
            )
        for row in rows:
            row["sketch"] = sketch(row.pop("minhash"), row.pop("line_sketch"))
        return {row.pop("n"): row for row in rows}

    @contextmanager
    def chosen(self, numbers: Iterable[int]) -> Iterator[None]:
        """Numbers of visits as the table `wanted`."""
        self.db.register("wanted_numbers", pa.table({"n": pa.array(sorted(set(numbers)), pa.int64())}))
        self.db.execute("create temp table wanted as select * from wanted_numbers")
        self.db.unregister("wanted_numbers")
        try:
            yield
        finally:
            self.db.execute("drop table wanted")


def _step(size: int, least: int) -> int:
    """A round number of units per point, so that a curve of `size` units has at most `POINTS`."""
    step = least
    factors = (2, 2.5, 2)
    turn = 0
    while size / step > POINTS:
        step = int(step * factors[turn % 3])
        turn += 1
    return step
