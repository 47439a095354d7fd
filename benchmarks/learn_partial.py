"""Learn from a part of a recorded crawl, crawl the whole of it again in memory: requests, and pages lost.

    python -m benchmarks.learn_partial RECORDINGS [--site wordpress] [--part 25 --part random] [--strict] [--write]

RECORDINGS holds, per site and order, the visits of a crawl (`SITE.breadth.jsonl.gz`, `SITE.depth.jsonl.gz`) and what
the crawl testbed says of each response (`rows/SITE.breadth.jsonl.gz`: url, identity, core). Rules are learned from the
first N percent of a crawl, from a random quarter of it, and from all of it; the graph of both recordings is then
crawled under them in both orders at 1, 4 and 16 requests at a time. *lost*: page identities (core ones) that the same
crawl meets without rules and not with them, the worst of the six crawls. --write puts the figures into
docs/figures.json.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.learn.links.graph import BREADTH, DEPTH, Graph, crawl
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.suffixes import host_of
from scrapy_urinorm.visits import read_visits

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

SITES = ("wordpress", "dokuwiki", "roundup", "spirit", "autoindex", "trac", "gitweb", "oscar")
WHOLE = "100"
PARTS = ("10", "15", "20", "25", "50", "random", WHOLE)
FIGURES = Path(__file__).parent.parent / "docs" / "figures.json"
WAYS = tuple((order, n) for order in (BREADTH, DEPTH) for n in (1, 4, 16))


@dataclass(slots=True)
class Recording:
    """The graph of a site, as its recordings together show it, and what each address is."""

    pages: list[Page]
    graph: Graph
    identities: list[str | None]
    core: frozenset[str]
    plain: dict[tuple[str, int], tuple[int, set[str]]]


class Outcome(NamedTuple):
    """What the worst of the simulated crawls did."""

    requests: int
    plain: int
    lost: int
    core: int
    examples: list[str]


def recorded(folder: Path, site: str) -> Recording:
    """Return the graph of a site's recordings."""
    gathered = Site(site)
    said: dict[str, tuple[str, bool]] = {}
    for order in (BREADTH, DEPTH):
        path = folder / f"{site}.{order}.jsonl.gz"
        if not path.exists():
            continue
        for visit in read_visits([path]):
            if (host := host_of(visit.url)) is not None:
                gathered.add(visit, host)
        with gzip.open(folder / "rows" / path.name, "rt") as file:
            for line in file:
                row = json.loads(line)
                if row["status"] == 200 and "identity" in row:
                    said.setdefault(row["url"].partition("#")[0], (row["identity"], bool(row.get("core"))))
    gathered.build("safe", split=False)
    graph = graph_of(gathered.pages, gathered.ids)
    if graph is None:
        raise SystemExit(f"{site}: the recordings have no links")
    identities = [said.get(page.url.partition("#")[0], (None, False))[0] for page in gathered.pages]
    recording = Recording(
        gathered.pages, graph, identities, frozenset(identity for identity, core in said.values() if core), {}
    )
    for order, concurrent in WAYS:
        done = crawl(graph, range(len(graph)), order=order, concurrent=concurrent)
        recording.plain[order, concurrent] = len(done.fetched), _met(recording, done.fetched)
    return recording


def _met(recording: Recording, nodes: list[int]) -> set[str]:
    return {identity for node in nodes if (identity := recording.identities[node]) is not None}


def judge(recording: Recording, rules: dict[str, Any]) -> Outcome:
    """Crawl the recorded graph under rules in every way; return the worst."""
    normalizer = Normalizer([rules], check_examples=False)
    keys, skipped, deferred = [], set(), set()
    for n, page in enumerate(recording.pages):
        decision = normalizer.decide(page.url)
        keys.append(decision.key)
        if decision.skip:
            skipped.add(n)
        elif decision.defer:
            deferred.add(n)
    worst: Outcome | None = None
    for (order, concurrent), (plain, met) in recording.plain.items():
        done = crawl(recording.graph, keys, skipped, deferred=deferred, order=order, concurrent=concurrent)
        lost = met - _met(recording, done.fetched)
        where = {i: recording.pages[n].url for n, i in enumerate(recording.identities) if i in lost}
        shown = [where[i] for i in sorted(lost & recording.core)[:5]]
        found = Outcome(len(done.fetched), plain, len(lost), len(lost & recording.core), shown)
        if worst is None or (found.core, found.lost, found.requests) > (worst.core, worst.lost, worst.requests):
            worst = found
    assert worst is not None
    return worst


def part_of(visits: list[Any], part: str) -> list[Any]:
    """Return the first percents of a crawl, or a random quarter of it."""
    if part == "random":
        return random.Random(1).sample(visits, len(visits) // 4)
    return visits[: len(visits) * int(part) // 100]


def write(site: str, order: str, part: str, outcome: Outcome) -> None:
    """Put figures into docs/figures.json."""
    figures = json.loads(FIGURES.read_text("utf-8"))
    row = {"plain": outcome.plain, "requests": outcome.requests, "lost": outcome.core}
    figures.setdefault("partial", {}).setdefault(site, {}).setdefault(order, {})[part] = row
    FIGURES.write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")


def main() -> int:
    """Print one row per site, order and part."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--site", action="append", help="also of recordings of your own")
    parser.add_argument("--part", action="append", choices=PARTS)
    parser.add_argument("--order", action="append", choices=(BREADTH, DEPTH))
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--keep", type=Path, help="folder for the learned rules, of which real crawls are made")
    parser.add_argument("--write", action="store_true", help="write the figures into docs/figures.json")
    given = parser.parse_args()
    options = Options().strict() if given.strict else Options()
    options = replace(options, jobs=1)
    bad = rows = 0
    print(f"{'site':10} {'from':8} {'part':>6} {'plain':>6} {'requests':>8} {'lost':>5} {'core':>5} rules  s")
    for site in given.site or SITES:
        if not (given.recordings / f"{site}.breadth.jsonl.gz").exists():
            continue
        recording = recorded(given.recordings, site)
        for order in given.order or (BREADTH, DEPTH):
            path = given.recordings / f"{site}.{order}.jsonl.gz"
            if not path.exists():
                continue
            for part in given.part or PARTS:
                begun = time.process_time()
                visits = read_visits([path])
                # a whole file says whether its crawl came to its end, as it does to `urinorm learn`
                result = learn(visits if part == WHOLE else part_of(list(visits), part), options)
                took = time.process_time() - begun
                if given.keep:
                    given.keep.mkdir(parents=True, exist_ok=True)
                    (given.keep / f"{site}.{order}.{part}.toml").write_text(to_toml(result))
                o = judge(recording, result.rules)
                rows, bad = rows + 1, bad + (o.core > 0)
                if given.write:
                    write(site, order, part, o)
                print(
                    f"{site:10} {order:8} {part:>6} {o.plain:6} {o.requests:8} {o.lost:5} {o.core:5}"
                    f" {len(result.active):5} {took:5.1f} {' '.join(o.examples[:2])}",
                    flush=True,
                )
    print(f"{rows} learned files, {bad} of them lose core pages")
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
