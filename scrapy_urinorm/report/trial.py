"""Rules tried on the crawl of a report: what they would merge wrongly, and a crawl of the recorded links under them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from scrapy_urinorm.learn.links.graph import BREADTH, Graph, RecordedCrawl, crawl, lost
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.sites.spool import Spool
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report.columns import MAX_TEXT, keys_of
from scrapy_urinorm.report.merges import Merges, RuleName

if TYPE_CHECKING:
    from scrapy_urinorm.report.figures import Figures
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.visits.record import Visit

#: Points of a drawn curve.
POINTS = 120
#: Pages of a site: no sample is taken.
EVERY_PAGE = 1 << 40


class Named(dict[str, Any]):
    """Rules with the name that messages and tables give them."""

    name = "proposals"


def wrong_merges(figures: Figures, ruleset: RuleSet, limit: int) -> dict[RuleName, dict[str, Any]]:
    """The rules of a set that make one what differs, each with a pair: judged as the merges of the report are.

    Only the first `limit` visits are looked at, and of these only what the rules of the report do not merge already.
    """
    normalizer = Normalizer(ruleset, check_examples=False)
    _make_table(figures, normalizer, limit)
    try:
        merges = Merges(figures, normalizer, table="trial")
        merges.look(figures.texts(merges.wanted()))
    finally:
        figures.db.execute("drop table trial")
    return merges.wrong()


def _make_table(figures: Figures, normalizer: Normalizer, limit: int) -> None:
    """Make the table `trial`: `visit` with the key under other rules; `bare` is that under the rules of the report."""
    rows = figures.select(
        f"""
        select start.n + i as n, url, length from read_parquet({figures.parts}) join start using (part)
        where start.n + i < {limit} and length <= {MAX_TEXT} order by n
        """
    )
    urls = [row["url"] for row in rows]
    skips = [normalizer.verdict(url)[0] for url in urls] if normalizer.has_verdicts else [False] * len(urls)
    table = pa.table(
        {"n": pa.array([row["n"] for row in rows], pa.int64()), "key_text": pa.array(keys_of(normalizer, urls)),
         "skipped": pa.array(skips, pa.bool_())}
    )  # fmt: skip
    figures.db.register("tried", table)
    figures.db.execute(
        """
        create table trial as
        with cut as (
            select n, skipped, split_part(key_text, '?', 1) head, key_text from tried
        ), keyed as (
            select n, skipped, h(head) + sum_of(items_of(substr(key_text, length(head) + 2))) as new_key from cut
        ), joined as (
            select visit.* replace (new_key as key, visit.key as bare, visit.skip or skipped as skip,
                                    new_key <> visit.key as changed)
            from visit join keyed using (n) where visit.kept or not visit.skip
        ), keeper as (select min(n) n from joined where not skip group by key, kind)
        select joined.* replace (keeper.n is not null as kept) from joined left join keeper using (n)
        """
    )
    figures.db.unregister("tried")


@dataclass
class Way:
    """A simulated crawl: its requests, and of each whether it brought a content that was not there yet."""

    requests: int = 0
    pages: int = 0
    lost: int = 0
    curves: list[list[bool]] = field(default_factory=list)

    def curve(self) -> list[int]:
        """How many pages were met after so many requests; several sites are crawled side by side."""
        places = [((n + 0.5) / len(one), new) for one in self.curves for n, new in enumerate(one)]
        places.sort(key=lambda place: place[0])
        met = 0
        out = []
        for _, new in places:
            met += new
            out.append(met)
        return out


class Rehearsal:
    """The visits of a crawl as sites of pages, without any rule, and their links."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._sites: dict[str, _Site] = {}

    def seen(self, visits: Iterable[Visit]) -> Iterator[Visit]:
        """Pass visits on, and keep what a crawl of them needs."""
        for visit in visits:
            self._spool.add(visit)
            yield visit

    def build(self, figures: Figures) -> None:
        """Make pages and links of what was seen; which addresses show one content, `figures` says."""
        contents = _contents(figures, self._spool.count)
        for site in self._spool.sites(EVERY_PAGE):
            site.build("safe")
            graph = graph_of(site.pages, site.ids)
            if graph is not None:
                urls = [page.url for page in site.pages]
                plain = crawl(graph, range(len(urls)), order=BREADTH)
                self._sites[site.name] = _Site(graph, urls, [contents.get(url, -1) for url in urls], plain)
        self._spool.close()

    def crawl(self, ruleset: RuleSet | None) -> Way | None:
        """A crawl under rules, or without any; None where no links were recorded."""
        normalizer = None if ruleset is None else Normalizer(ruleset, check_examples=False)
        way = Way()
        for site in self._sites.values():
            site.add(way, normalizer)
        return way if self._sites else None

    def missed(self, ruleset: RuleSet, only: str | None = None) -> dict[str, set[int]]:
        """The contents that crawls of the sites, or of `only` one, under rules would miss; empty without links."""
        normalizer = Normalizer(ruleset, check_examples=False)
        return {name: self._sites[name].missed(normalizer) for name in (self._sites if only is None else (only,))}


def _contents(figures: Figures, limit: int) -> dict[str, int]:
    """The numbers of the contents of the first visits, by their addresses."""
    rows = figures.db.execute(
        f"""
        select arg_min(url, n), dense_rank() over (order by ident) from (
            select start.n + i as n, url from read_parquet({figures.parts}) join start using (part)
        ) join visit using (n) where kind = 0 and label is not null and n < {limit} group by url, ident
        """
    ).fetchall()
    return dict(rows)


@dataclass
class _Site:
    """The addresses of a site with their contents, their links, and what a crawl without rules does."""

    graph: Graph
    urls: list[str]
    contents: list[int]
    plain: RecordedCrawl

    def crawled(self, normalizer: Normalizer) -> RecordedCrawl:
        """A crawl under rules."""
        skipped = frozenset(n for n, url in enumerate(self.urls) if normalizer.verdict(url)[0])
        return crawl(self.graph, keys_of(normalizer, self.urls), skipped, order=BREADTH)

    def missed(self, normalizer: Normalizer) -> set[int]:
        """The contents that a crawl under rules misses."""
        return set(lost(self.plain, self.crawled(normalizer), self.contents))

    def add(self, way: Way, normalizer: Normalizer | None) -> None:
        """Crawl the site and add what was met to a way."""
        one = self.plain if normalizer is None else self.crawled(normalizer)
        met: set[int] = set()
        new = []
        for node in one.fetched:
            content = self.contents[node]
            new.append(content >= 0 and content not in met)
            met.add(content)
        way.requests += len(one.fetched)
        way.pages += sum(new)
        way.lost += len(lost(self.plain, one, self.contents))
        way.curves.append(new)


def drawn(curve: Sequence[int]) -> list[list[int]]:
    """Points (requests, pages) of a curve, so many that it looks the same."""
    step = max(1, len(curve) // POINTS)
    at = sorted({*range(0, len(curve), step), len(curve) - 1} - {-1})
    return [[n + 1, curve[n]] for n in at]
