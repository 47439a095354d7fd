"""The largest groups of addresses of one page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.url import decoded, query_items, split

if TYPE_CHECKING:
    from scrapy_urinorm.report.figures import Figures

# what a reader compares at a glance
MEMBERS = 6

_MEMBERS = """
    with chosen as (
        select ident, count(*) requests, count(*) filter (not kept) avoidable,
               coalesce(sum(size), 0)::bigint bytes, min(n) as start
        from visit where kind = 0 and label is not null
        group by ident having min(bare) <> max(bare)
        order by requests desc, start limit $limit
    ), counted as (
        select ident, count(distinct bare) urls from visit semi join chosen using (ident) where kind = 0 group by ident
    ), first as (
        select ident, bare, any_value(site) site, min(n) n, bool_or(kept) kept
        from visit semi join chosen using (ident) where kind = 0 group by ident, bare
    )
    select chosen.*, urls, site, n, kept from first join chosen using (ident) join counted using (ident)
    qualify row_number() over (partition by ident order by kept desc, n) <= $members
    order by requests desc, start, n
"""


class Groups:
    """The pages with most requests to more than one address: how many, in what they differ, examples."""

    def __init__(self, figures: Figures, limit: int) -> None:
        sql = _MEMBERS.replace("$limit", str(limit))
        self._members = figures.select(sql.replace("$members", str(MEMBERS)))

    def wanted(self) -> set[int]:
        """The visits whose texts `rows` needs."""
        return {row["n"] for row in self._members}

    def rows(self, texts: Mapping[int, dict[str, Any]]) -> list[dict[str, Any]]:
        """The groups as they are shown."""
        out = []
        for _, rows in groupby(self._members, key=lambda row: row["ident"]):
            group = list(rows)
            first = group[0]
            urls = [texts[row["n"]]["url"] for row in group]
            out.append({
                "site": first["site"], "requests": first["requests"],
                "urls": first["urls"],
                "left": first["requests"] - first["avoidable"], "bytes": first["bytes"],
                "differ": differences(urls), "members": urls,
            })  # fmt: skip
        return out


def differences(urls: list[str]) -> list[str]:
    """In what some addresses differ: names of parameters, `path`, `host`, `scheme`."""
    seen: dict[str, set[str]] = defaultdict(set)
    known = [parts for parts in map(split, urls) if parts is not None]
    items = [query_items(parts.query or "") for parts in known]
    names = {name for found in items for name, _ in found}
    for parts, found in zip(known, items, strict=True):
        seen["scheme"].add(parts.scheme)
        seen["host"].add(f"{parts.host}:{parts.port}")
        seen["path"].add(parts.path)
        for name in names:
            seen["?" + name].add(repr([value for other, value in found if other == name]))
    return sorted(decoded(name) for name, values in seen.items() if len(values) > 1)[:8]
