"""Crawl traps: addresses that beget addresses without end, each with a rule that ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.traps import rule_of
from scrapy_urinorm.report.parameters import CHANGES, UNKNOWN
from scrapy_urinorm.report.shapes import DEEP, LONG, NESTED, REPEATED
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.report.figures import Figures

# what makes a trap worth a line: enough requests that no site has by chance, at most a screenful of them
EXAMPLES = 3
MIN_REQUESTS = 10
FACETS = 3
MIN_SETS = 6
YEARS_AHEAD, YEARS = 3, 15
ONE_PAGE = 25
_LIMIT = 40

_COUNTS = f"""
    count(*) requests, count(*) filter (outcome = 0) pages, count(*) filter (outcome = 1) duplicates,
    count(*) filter (not kept) avoidable, min(n, {EXAMPLES}) examples
"""

ADVICE = {
    "one page": "Many addresses show one and the same page, most often a log-in form or an error served as a page:"
    " its parameters do not count.",
    "nested": "A parameter carries the address of the page that it stands on, and grows with every click:"
    " `collapse_nested` drops it there.",
    "repeated": "The path repeats itself, most often by a relative link that misses a slash: `skip` under a `where`"
    " with that path, or a fix on the site.",
    "calendar": "A calendar has a page for every month of every year: `skip` years before and after those that matter.",
    "facets": "Filters are combined with one another, and their combinations multiply: `max_params` requests each"
    " filter by itself.",
    "deep": "Paths are unusually deep: look whether a segment repeats with variations.",
    "long": "Addresses are unusually long: look whether a parameter carries state or another address.",
}


class Traps:
    """The signs of traps that were seen, those with most requests first; facts of the crawl, whatever the rules."""

    def __init__(self, figures: Figures) -> None:
        rows = [*_one_page(figures), *_marked(figures), *_calendars(figures), *_facets(figures)]
        rows.sort(key=lambda row: (-row["requests"], row["kind"], row["host"], row["detail"] or ""))
        self._rows = rows[: 3 * _LIMIT]

    def wanted(self) -> set[int]:
        """The visits whose texts `rows` needs."""
        return {n for row in self._rows for n in row["examples"]}

    def rows(
        self, texts: Mapping[int, dict[str, Any]], parameters: Sequence[Mapping[str, Any]]
    ) -> list[dict[str, Any]]:
        """The signs as they are shown, each with the rule that helps, where there is one to be sure of.

        `parameters` are the rows of those: a filter that changes the page makes the rule doubtful.
        """
        out = []
        naming = {row["name"] for row in parameters if row["verdict"] in (CHANGES, UNKNOWN)}
        for row in self._rows:
            examples = [texts[n]["url"] for n in row["examples"]]
            doubtful = any(decoded(name) in naming for name in row.get("names", ()))
            known = {key: row.pop(key) for key in ("pattern", "names") if key in row}
            rule = rule_of(row["kind"], row["host"], examples, detail=row["detail"] or "", **known)
            out.append({**row, "examples": examples, "advice": ADVICE[row["kind"]], "toml": rule, "doubtful": doubtful})
        return out


def _one_page(figures: Figures) -> list[dict[str, Any]]:
    """Path patterns of many addresses and hardly any content."""
    # what is new there is no more than its contents, and is counted in a tenth of the time
    rows = figures.select(
        f"""
        with likely as materialized (
            select host, pattern from visit where kind = 0 and label is not null and not weak group by host, pattern
            having count(*) >= {ONE_PAGE} and count(*) filter (outcome = 0) <= greatest(1, count(*) // 100)
        )
        select 'one page' kind, host, pattern, count(distinct bare) addresses, count(distinct ident) contents, {_COUNTS}
        from visit semi join likely using (host, pattern)
        where kind = 0 and label is not null and not weak group by host, pattern
        having addresses >= {ONE_PAGE} and contents <= greatest(1, addresses // 100)
        order by requests desc, host, pattern limit {_LIMIT}
        """
    )
    for row in rows:
        addresses, contents = row.pop("addresses"), row.pop("contents")
        shown = "one page" if contents == 1 else f"{contents:,} pages"
        row["detail"] = f"{row['pattern']}: {addresses:,} addresses show {shown}"
    return rows


def _marked(figures: Figures) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for kind, mark, detail in (
        ("nested", NESTED, "nested"),
        ("repeated", REPEATED, "''"),
        ("deep", DEEP, "''"),
        ("long", LONG, "''"),
    ):
        least = MIN_REQUESTS if kind in ("deep", "long") else 3
        rows += figures.select(
            f"""
            select '{kind}' kind, host, {detail} detail, {_COUNTS} from visit where marks & {mark} <> 0
            group by host, detail having count(*) >= {least} order by requests desc, host limit {_LIMIT}
            """
        )
    return rows


def _calendars(figures: Figures) -> list[dict[str, Any]]:
    now = datetime.now(UTC).year
    rows = figures.select(
        f"""
        select 'calendar' kind, host, pattern, min(year) as "first", max(year) as "last",
               count(distinct year) as "years", {_COUNTS}
        from visit where year > 0 group by host, pattern
        having requests >= {MIN_REQUESTS}
            and ("last" > {now + YEARS_AHEAD} or ("years" >= {YEARS} and pages < 0.5 * requests) or "first" < 1900)
        order by requests desc, host, pattern limit {_LIMIT}
        """
    )
    for row in rows:
        row["detail"] = f"{row['pattern']}: {row.pop('years')} years, {row.pop('first')} to {row.pop('last')}"
    return rows


def _facets(figures: Figures) -> list[dict[str, Any]]:
    rows = figures.select(
        f"""
        select 'facets' kind, host, pattern, count(distinct names) as sets, max(most) most, {_COUNTS}
        from visit where kind = 0 and most > 0 group by host, pattern
        having sets >= {MIN_SETS} and most >= {FACETS} and requests >= 50 and pages < 0.5 * requests
        order by requests desc, host, pattern limit {_LIMIT}
        """
    )
    for row in rows:
        sets, most = row.pop("sets"), row.pop("most")
        row["detail"] = f"{row['pattern']}: {sets} combinations of parameters, up to {most} in one address"
        row["names"] = _names(figures, row["host"], row["pattern"], row["requests"])
    return rows


def _names(figures: Figures, host: str, pattern: str, requests: int) -> list[str]:
    """The parameters of many addresses of a pattern and not of nearly all: what is always there names a page."""
    found = figures.select(
        """
        select name, count(*) uses from parameter join visit using (n) where host = ? and pattern = ?
        group by name having uses between 0.03 * ? and 0.8 * ? order by uses desc, name limit 20
        """,
        [host, pattern, requests, requests],
    )
    return [row["name"] for row in found]
