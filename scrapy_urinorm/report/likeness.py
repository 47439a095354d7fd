"""Pages that are nearly the same count as one, where an address suggests it: the comparison of the learner, in bulk.

Two addresses of one page may differ by a word: `Reply to Alice`, an age, a counter. Labels tell them apart. So where
addresses are equal but for spelling, or differ in one parameter alone, the sketches of their contents are compared as
well. What rules make of addresses does not count: the pages of a crawl are those that it met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from scrapy_urinorm.content import NEAR_SHARE as NEAR
from scrapy_urinorm.report.content import resemblances, sketch

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from duckdb import DuckDBPyConnection

MAX_PAIRS = 400_000
"""Pairs that are compared at the most, the first ones of the crawl."""
# rows in memory at a time, chosen
_AT_A_TIME = 50_000

_PAIRS = f"""
    create temp table pair as
    with member as (
        select plain as rest, hash(site, label) as ident, n from loaded join site using (host)
        where kind = 0 and label is not null and not weak
        union all
        select rest, label as ident, n from parameter where told
    ), mixed as (
        select rest from member group by rest having min(ident) <> max(ident)
    ), first as (
        select rest, ident, min(n) n from member semi join mixed using (rest) group by rest, ident
    ), against as (
        select ident, n, arg_min(ident, n) over w first_ident, min(n) over w first_n
        from first window w as (partition by rest)
    )
    select ident, first_ident, min(n) n, min(first_n) first_n from against where ident <> first_ident
    group by all order by n limit {MAX_PAIRS}
"""


def unite(db: DuckDBPyConnection, parts: str, chosen: Callable[[Iterable[int]], AbstractContextManager[None]]) -> None:
    """Make the table `alias`: the idents of contents that are near copies, each with that of the content it copies.

    `parts` is the list of parts in SQL; `chosen` makes numbers of visits the table `wanted`.
    """
    db.execute("create table alias (ident ubigint, same ubigint)")
    db.execute(_PAIRS)
    numbers = db.execute("select n from pair union select first_n from pair").fetchnumpy()["n"].tolist()
    with chosen(numbers):
        db.execute(
            f"""
            create temp table sketch as
            select start.n + i as n, minhash, line_sketch
            from read_parquet({parts}) join start using (part) semi join wanted on wanted.n = start.n + i
            """
        )
    cursor = db.execute(
        """
        select pair.ident, pair.first_ident, a.minhash, a.line_sketch, b.minhash, b.line_sketch
        from pair join sketch a on a.n = pair.n join sketch b on b.n = pair.first_n
        """
    )
    roots: dict[int, int] = {}
    while rows := cursor.fetchmany(_AT_A_TIME):
        near = resemblances([sketch(*row[2:4]) for row in rows], [sketch(*row[4:6]) for row in rows])
        for (one, other, *_), share in zip(rows, near, strict=True):
            if share is not None and share >= NEAR:
                a, b = _root(roots, one), _root(roots, other)
                if a != b:
                    roots[max(a, b)] = min(a, b)
    if roots:
        known = list(roots)
        found = pa.table(
            {"ident": pa.array(known, pa.uint64()), "same": pa.array([_root(roots, n) for n in known], pa.uint64())}
        )
        db.register("found", found)
        db.execute("insert into alias select * from found")
        db.unregister("found")
    db.execute("drop table pair; drop table sketch")


def _root(roots: dict[int, int], ident: int) -> int:
    while (parent := roots.get(ident)) is not None:
        above = roots.get(parent)
        if above is not None:
            roots[ident] = above
        ident = parent
    return ident
