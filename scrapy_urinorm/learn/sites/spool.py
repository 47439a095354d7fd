"""Visits sorted by site on disk, so that sites are learned one by one in bounded memory and side by side."""

from __future__ import annotations

import marshal
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.suffixes import host_of, site_of
from scrapy_urinorm.temporary import make_temporary, remove_temporary
from scrapy_urinorm.visits.record import COLUMNS, Visit

if TYPE_CHECKING:
    from pathlib import Path

IN_MEMORY = 50_000
"""Up to this many visits nothing is written to disk."""
BUCKETS = 64
_CHUNK = 2_000
_MANY_PATHS = 1_000
_LOOKED_AT = 200_000
"""Addresses from which a sample finds out what tells pages apart."""
_URL = 2
"""The place of the address in a row."""

Row = tuple[Any, ...]

_columns = attrgetter(*COLUMNS)


class Bucket(NamedTuple):
    """A file of visits, and how many there are: of fewer than a site may have none need be counted."""

    path: Path
    visits: int


def row_of(site: str, host: str, visit: Visit) -> Row:
    """Return a visit as what `marshal` takes, with its site and its host."""
    return (site, host, *_columns(visit))


class Spool:
    """Visits by site: in memory while there are few, else in files by a hash of the site's name."""

    def __init__(self) -> None:
        self.count = 0
        self.skipped = 0
        self.folder: Path | None = None
        self._sites: dict[str, str] = {}
        self._rows: list[tuple[str, Visit]] = []
        self._pending: list[list[Row]] = [[] for _ in range(BUCKETS)]
        self._written = [0] * BUCKETS

    def add(self, visit: Visit) -> None:
        """Add one visit; one whose URL has no host is counted as skipped."""
        self.count += 1
        host = host_of(visit.url)
        if host is None:
            self.skipped += 1
            return
        if self.folder is None:
            self._rows.append((host, visit))
            if len(self._rows) > IN_MEMORY:
                self._spill()
        else:
            self._write(host, visit)

    def _spill(self) -> None:
        self.folder = make_temporary("learn")
        for host, visit in self._rows:
            self._write(host, visit)
        self._rows.clear()

    def _site(self, host: str) -> str:
        name = self._sites.get(host)
        if name is None:
            name = self._sites[host] = site_of(host)
        return name

    def _write(self, host: str, visit: Visit) -> None:
        site = self._site(host)
        number = int.from_bytes(hash_of(site, 2), "little") % BUCKETS
        rows = self._pending[number]
        rows.append(row_of(site, host, visit))
        if len(rows) >= _CHUNK:
            self._flush(number)

    def _flush(self, number: int) -> None:
        assert self.folder is not None
        with (self.folder / f"{number:02}").open("ab") as file:
            marshal.dump(self._pending[number], file)
        self._written[number] += len(self._pending[number])
        self._pending[number] = []

    def buckets(self) -> list[Bucket]:
        """Return the files, the largest first; empty while everything is in memory."""
        if self.folder is None:
            return []
        for number, rows in enumerate(self._pending):
            if rows:
                self._flush(number)
        paths = sorted(self.folder.glob("[0-9]*"), key=lambda path: (-path.stat().st_size, path.name))
        return [Bucket(path, self._written[int(path.name)]) for path in paths]

    def sites(self, max_urls: int) -> Iterator[Site]:
        """Yield the sites that are in memory."""
        by_site: dict[str, list[tuple[str, Visit]]] = defaultdict(list)
        for host, visit in self._rows:
            by_site[self._site(host)].append((host, visit))
        self._rows.clear()
        for name in sorted(by_site):
            yield _filled(name, by_site.pop(name), max_urls)

    def close(self) -> None:
        """Remove the files."""
        if self.folder is not None:
            remove_temporary(self.folder)


def bucket_sites(bucket: Bucket, max_urls: int) -> Iterator[Site]:
    """Yield the sites of one file; of a site above `max_urls` no more than its sample is ever in memory."""
    path, visits = bucket
    samples: dict[str, Sample] = {}
    if visits > max_urls:
        counts = Counter(row[0] for row in _stored(path))
        for site, count in counts.items():
            if count > max_urls:
                samples[site] = Sample((row[_URL] for row in _stored(path) if row[0] == site), count, max_urls)
    by_site: dict[str, list[tuple[str, Visit]]] = defaultdict(list)
    for row in _stored(path):
        site = row[0]
        if site not in samples or samples[site].takes(row[_URL]):
            by_site[site].append((row[1], _visit(row)))
    for name in sorted(by_site):
        filled = _filled(name, by_site.pop(name), max_urls, sampled=name in samples)
        if name in samples:
            filled.sampled_from = samples[name].count
        yield filled


def streamed_sites(rows: Iterable[Row], max_urls: int) -> Iterator[Site]:
    """Yield the sites of rows that come site by site; one with many visits is on disk before it is taken or sampled."""
    folder = make_temporary("learn")
    try:
        path = folder / "site"
        for name, of_site in groupby(rows, itemgetter(0)):
            first = list(islice(of_site, IN_MEMORY))
            if len(first) < IN_MEMORY:
                yield _filled(name, [(row[1], _visit(row)) for row in first], max_urls)
                continue
            with path.open("wb") as file:
                marshal.dump(first, file)
                visits = len(first)
                del first
                while more := list(islice(of_site, _CHUNK)):
                    marshal.dump(more, file)
                    visits += len(more)
            yield from bucket_sites(Bucket(path, visits), max_urls)
    finally:
        remove_temporary(folder)


def _visit(row: Row) -> Visit:
    return Visit(**dict(zip(COLUMNS, row[2:], strict=True)))


def _stored(path: Path) -> Iterator[Row]:
    with path.open("rb") as file:
        while True:
            try:
                yield from marshal.load(file)
            except EOFError:
                return


def _filled(name: str, visits: list[tuple[str, Visit]], max_urls: int, *, sampled: bool = False) -> Site:
    site = Site(name)
    if len(visits) > max_urls and not sampled:
        site.sampled_from = len(visits)
        sample = Sample((visit.url for _, visit in visits), len(visits), max_urls)
        visits = [(host, visit) for host, visit in visits if sample.takes(visit.url)]
    for host, visit in visits:
        site.add(visit, host)
    return site


class Sample:
    """Takes about `limit` of `count` addresses so that neighbours stay together, never more than twice as many.

    Neighbours share what rules never take away: the path, or on a site of few paths the path and the value of the
    parameter that tells most pages apart. A value that hardly ever comes twice tells visitors apart, not pages; where
    no value comes twice there are no neighbours.
    """

    def __init__(self, urls: Iterable[str], count: int, limit: int) -> None:
        self.count = count
        self._share = limit / count
        self._left = 2 * limit
        paths: set[str] = set()
        values: dict[str, Counter[str]] = defaultdict(Counter)
        for url in islice(urls, _LOOKED_AT):
            path, _, query = url.partition("#")[0].partition("?")
            paths.add(path)
            for item in query.split("&"):
                name, equals, value = item.partition("=")
                if equals:
                    values[name + equals][value] += 1
        self._by_path = len(paths) >= _MANY_PATHS
        repeated = {name: len(found) for name, found in values.items() if found.total() >= 1.5 * len(found)}
        self._anchor = max(repeated, key=lambda name: (repeated[name], name), default="")

    def takes(self, url: str) -> bool:
        """Whether the address belongs to the sample; it is counted."""
        path, _, query = url.partition("#")[0].partition("?")
        kept = path
        if not self._by_path and self._anchor:
            kept += next((item for item in query.split("&") if item.startswith(self._anchor)), "")
        elif not self._by_path:
            kept = url
        if not self._left or int.from_bytes(hash_of(kept, 4), "little") >= self._share * (1 << 32):
            return False
        self._left -= 1
        return True
