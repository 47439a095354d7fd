"""What each parameter does to the page: pages whose addresses differ in nothing else are compared."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import FAR_SHARE as FAR
from scrapy_urinorm.report.content import containment, resemblances
from scrapy_urinorm.url import decoded, items_of

if TYPE_CHECKING:
    from scrapy_urinorm.report.figures import Figures

IRRELEVANT, MOSTLY, SORTS, NARROWS, CHANGES, UNKNOWN = (
    "irrelevant", "mostly irrelevant", "sorts", "narrows", "changes", "unknown",
)  # fmt: skip
VERDICTS = {
    IRRELEVANT: "the page is the same without it or with any value",
    MOSTLY: "the same page where it was compared, and yet the learner found reasons against a rule",
    SORTS: "the same lines in another order",
    NARROWS: "a part of what the page without it shows",
    CHANGES: "another page for another value",
    UNKNOWN: "too few comparisons, or pages too much alike to tell",
}
MIN_GROUPS = 2
# a name is called irrelevant when 19 of 20 comparable groups agree: to show, never to act on
SAME_SHARE = 0.95
CONTAINED, NARROWED_SHARE, MIN_NARROWED = 0.75, 0.8, 3
"""A page narrows another one when it is contained in it so far, in so many of the pairs, of so many at least."""
CONSTANT = 10
"""Requests with one content, whatever the value, that tell as much as a comparison."""
# examples that are kept of a name; a reader opens a few
_PAIRS = 12

# `p` stands for site and name
_EVIDENCE = """
    with soft as (
        select ident from visit where kind = 0 and label is not null group by ident
        having count(*) > greatest(50, 0.01 * (select count(*) from visit))
    ), named as (
        select p, any_value(site) site, any_value(name) as name, count(*) requests, $distinct value) "values",
               count(*) filter (dropped) dropped, min(n) example,
               count(*) filter (told) told, $distinct label) filter (told) contents
        from parameter group by p order by requests desc, site, name limit $limit
    ), told as materialized (
        select p, rest, value, coalesce(alias.same, label) ident, label, sorted, n
        from parameter semi join named using (p) left join alias on alias.ident = label
        where told
    ), bare as (
        select t.p, t.rest, -1::bigint as value, v.ident, v.label, v.sorted, v.n
        from (select distinct p, rest from told) t
        join visit v on v.plain = t.rest and v.kind = 0 and v.label is not null and not v.weak
    ), member as (
        select * from (select * from told union all by name select * from bare) anti join soft using (ident)
    ), neighbours as (
        select p, rest, min(ident) = max(ident) same,
               min(label) = max(label) and min(sorted) <> max(sorted) reordered,
               arg_min(n, value) n, arg_max(n, value) other, min(value) = -1 absent
        from member group by p, rest having min(value) <> max(value)
    ), evidence as (
        select p, count(*) as groups, count(*) filter (same) same_groups,
               count(*) filter (reordered) sorted_groups,
               arg_min([n, other], n, $pairs) filter (not same and absent) with_absent,
               arg_min([n, other], n, $pairs) filter (not same) differing
        from neighbours group by p
    )
    select named.*, groups, same_groups, sorted_groups, with_absent, differing
    from named left join evidence using (p)
    order by requests desc, site, name
"""


class Parameters:
    """The parameters with most requests, each with what was seen and a verdict."""

    def __init__(self, figures: Figures, limit: int) -> None:
        sql = _EVIDENCE.replace("$distinct", figures.distinct).replace("$limit", str(limit))
        self._rows = figures.select(sql.replace("$pairs", str(_PAIRS)))
        for row in self._rows:
            for name in ("groups", "same_groups", "sorted_groups"):
                row[name] = row[name] or 0
            for name in ("with_absent", "differing"):
                row[name] = row[name] or []

    def wanted(self) -> set[int]:
        """The visits whose texts `rows` needs."""
        pairs = (pair for row in self._rows for pair in (*row["with_absent"], *row["differing"]))
        return {row["example"] for row in self._rows} | {n for pair in pairs for n in pair}

    def rows(self, texts: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
        """The parameters as they are shown."""
        out = []
        for row in self._rows:
            verdict, share = _verdict(row, texts)
            example = texts[row["example"]]["url"]
            out.append({
                "site": row["site"], "name": decoded(row["name"]), "requests": row["requests"],
                "values": row["values"], "contents": row["contents"], "told": row["told"], "dropped": row["dropped"],
                "compared": row["groups"], "same": row["same_groups"], "verdict": verdict, "share": share, "rule": "",
                "example": example, "value": _value(example, row["name"]),
                "pair": [texts[n]["url"] for n in row["differing"][0]] if row["differing"] else None,
            })  # fmt: skip
        return out


def _verdict(row: dict[str, Any], texts: Mapping[int, dict[str, Any]]) -> tuple[str, float | None]:
    """The verdict, and the share of the comparisons that speak for it."""
    groups, same = row["groups"], row["same_groups"]
    if row["told"] >= CONSTANT and row["contents"] == 1 and row["values"] > 2:
        return IRRELEVANT, 1.0
    if groups < MIN_GROUPS:
        return UNKNOWN, None
    against = _differing(row, texts) * (groups - same)
    if same + against < MIN_GROUPS:
        return UNKNOWN, None
    if same >= SAME_SHARE * (same + against) and 2 * same >= groups:
        reordered = row["sorted_groups"]
        if reordered > same / 2:
            return SORTS, round(reordered / (same + against), 3)
        return IRRELEVANT, round(same / (same + against), 3)
    shares = []
    for whole, part in row["with_absent"]:
        a, b = texts[part], texts[whole]
        if a["sketch"] and b["sketch"] and 0 < (a["lines"] or 0) < (b["lines"] or 0):
            shares.append(containment(a["sketch"], b["sketch"], (a["lines"], b["lines"])))
    held = sum(share >= CONTAINED for share in shares)
    if len(shares) >= MIN_NARROWED and held >= NARROWED_SHARE * len(shares):
        return NARROWS, round(held / len(shares), 3)
    return CHANGES, round(1 - same / groups, 3)


def _differing(row: dict[str, Any], texts: Mapping[int, dict[str, Any]]) -> float:
    """The share of the pairs of unequal content that are different pages: others only may be."""
    pairs = row["differing"]
    shares = resemblances([texts[a]["sketch"] for a, _ in pairs], [texts[b]["sketch"] for _, b in pairs])
    return sum(share is None or share < FAR for share in shares) / len(pairs) if pairs else 1.0


def _value(url: str, name: str) -> str:
    return next((decoded(value) for found, value in items_of(url) if found.startswith(name)), "")[:120]
