"""``python -m benchmarks``: speed and memory beside Scrapy and the peers, as ratios of one run."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import (
    command,
    crawl,
    fingerprints,
    imports,
    instructions,
    journal,
    lists,
    machine,
    recording,
    report,
    seen_stores,
    tables,
    under_rules,
)
from benchmarks.inputs import ROOT, read_urls
from benchmarks.measured import Figure, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from benchmarks.measure import Timing


@dataclass(frozen=True)
class Sizes:
    """How much is measured.

    URLs, rounds, lines of the command and of each list, new hosts, site tables, pages, counted calls, queued requests,
    fingerprints.
    """

    count: int = 20_000
    rounds: int = 9
    lines: int = command.LINES
    of_each_list: int = lists.LINES
    hosts: int = tables.HOSTS
    different: tuple[int, ...] = tables.DIFFERENT
    tables: tuple[int, ...] = tables.COUNTS
    pages: int = crawl.PAGES
    calls: int = instructions.CALLS
    queued: int = journal.REQUESTS
    seen: int = seen_stores.COUNT


QUICK = Sizes(count=200, rounds=1, lines=2000, of_each_list=2000, hosts=1000, tables=(10, 100), different=(10, 20),
              pages=10, calls=50, queued=2000, seen=100_000)  # fmt: skip


@dataclass
class Bench:
    """A run: its input, and the comparisons that its parts leave for the page."""

    urls: list[str]
    sizes: Sizes
    comparisons: dict[str, Mapping[str, Timing]] = field(default_factory=dict)

    def rules(self) -> Iterator[Figure]:
        """Hosts that have rules: what users run."""
        urls = self.urls[: len(self.urls) // 2]
        for figure, timings in under_rules.fingerprints(urls, self.sizes.rounds):
            self.comparisons["fingerprint(request), " + figure.what.partition(", ")[2].partition(":")[0]] = timings
            yield figure
        yield from under_rules.cold(urls, self.sizes.rounds)
        yield from under_rules.seen(urls, self.sizes.rounds)
        yield from under_rules.queued(self.sizes.count)

    def fingerprints(self) -> Iterator[Figure]:
        """``fingerprint(request)`` beside the fingerprinters of others."""
        goals = {"all": (5, 14), "query": (4, 10)}
        for subset, timings in fingerprints.fresh(self.urls, self.sizes.rounds).items():
            self.comparisons[f"fingerprint(request), fresh, {_NAMES[subset]}"] = timings
            for name, goal in zip(("Scrapy", "duplicate-url-discarder"), goals[subset], strict=True):
                if name in timings:
                    what = f"{name}'s fingerprint of a fresh request, {_NAMES[subset]}, to ours"
                    pure = timings[name].median / timings["urinorm, pure Python"].median
                    note = f"in pure Python {number(pure, 'x')}"
                    yield Figure(what, timings[name].median / timings["urinorm"].median, "x", goal, True, note)
        again = fingerprints.again(self.urls, self.sizes.rounds)
        self.comparisons["fingerprint(request), the same request again"] = again
        ratio = again["urinorm"].median / again["Scrapy"].median
        yield Figure("ours of the same request again, to Scrapy's", ratio, "x", 1)

    def texts(self) -> Iterator[Figure]:
        """``normalize(url)`` beside functions that have no rules."""
        for subset, timings in fingerprints.texts(self.urls, self.sizes.rounds).items():
            self.comparisons[f"normalize(url), {_NAMES[subset]}"] = timings
            ours, pure = (timings[f"urinorm normalize{way}"].median for way in ("", ", pure Python"))
            for name, goal in (("can_ada parse", 4 if subset == "all" else 8), ("yarl", 1)):
                if name in timings:
                    peer = timings[name].median
                    what = f"normalize(url), {_NAMES[subset]}, to {_CALLED.get(name, name)}"
                    yield Figure(what, ours / peer, "x", goal, note=f"in pure Python {number(pure / peer, 'x')}")

    def instructions(self) -> Iterator[Figure]:
        """The two ratios that matter most, free of the machine's noise."""
        yield from instructions.instructions(self.sizes.calls)

    def tables(self) -> Iterator[Figure]:
        """Many sites with tables of their own."""
        yield from tables.per_url(self.urls, self.sizes.rounds, self.sizes.tables)
        yield from tables.loading(self.sizes.tables[-1])
        yield from tables.different(self.sizes.different)

    def hosts(self) -> Iterator[Figure]:
        """Many sites without."""
        yield from tables.new_hosts(self.sizes.hosts)

    def imports(self) -> Iterator[Figure]:
        """What importing costs."""
        yield from imports.imports(self.sizes.rounds)

    def crawl(self) -> Iterator[Figure]:
        """A crawl that sees mostly known links."""
        yield from crawl.crawls((self.sizes.rounds + 1) // 2, self.sizes.pages)

    def journal(self) -> Iterator[Figure]:
        """What a crash-safe job costs a request."""
        yield from journal.costs((self.sizes.rounds + 1) // 2, self.sizes.queued)

    def recording(self) -> Iterator[Figure]:
        """What recording visits costs a crawl."""
        yield from recording.costs(self.sizes.rounds, 2 * self.sizes.pages)

    def seen(self) -> Iterator[Figure]:
        """What remembering a request costs, beside a set."""
        yield from seen_stores.beside_a_set(self.sizes.seen)

    def lists(self) -> Iterator[Figure]:
        """The command line on lists of real URLs, beside other programs."""
        yield from lists.lists(self.sizes.of_each_list, (self.sizes.rounds + 2) // 3)

    def command(self) -> Iterator[Figure]:
        """The command line on many lines."""
        yield from command.command(self.urls, self.sizes.lines)
        yield from command.command(self.urls, self.sizes.lines // 10, pure=True)


PARTS: dict[str, Callable[[Bench], Iterator[Figure]]] = {
    "rules": Bench.rules, "fingerprints": Bench.fingerprints, "texts": Bench.texts, "instructions": Bench.instructions,
    "tables": Bench.tables, "hosts": Bench.hosts, "imports": Bench.imports, "crawl": Bench.crawl,
    "journal": Bench.journal, "recording": Bench.recording, "seen": Bench.seen, "lists": Bench.lists,
    "command": Bench.command,
}  # fmt: skip
_NAMES = {"all": "all URLs", "query": "URLs with a query"}
_CALLED = {"can_ada parse": "the bare parse of can_ada"}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--urls", type=Path, help="a file of URLs, one a line")
    parser.add_argument("--rounds", type=int, help="interleaved rounds; the median is shown")
    parser.add_argument("--only", choices=PARTS, nargs="+", default=list(PARTS), help="some parts; no page is written")
    parser.add_argument("--quick", action="store_true", help="little of everything: shows that it works, not how fast")
    parser.add_argument("--docs", type=Path, help="the folder of the page (default: docs, after a full run)")
    parser.add_argument("--again", action="store_true", help="replace their rows in the page, not what is side by side")
    options = parser.parse_args(arguments)
    sizes = QUICK if options.quick else Sizes()
    if options.rounds:
        sizes = replace(sizes, rounds=options.rounds)
    about = machine.describe()
    urls, name = read_urls(options.urls, sizes.count)
    source = f"{len(urls):,} URLs of {name}"
    print(*about, source, sep="\n", flush=True)
    bench = Bench(urls, sizes)
    figures: dict[str, list[Figure]] = {}
    began = time.monotonic()
    for part in options.only:
        figures[part] = []
        for found in PARTS[part](bench):
            _show(found)
            figures[part].append(found)
        print(f"-- {part}: {time.monotonic() - began:.0f} s so far", flush=True)
    about.append(f"the run took {(time.monotonic() - began) / 60:.0f} minutes")
    folder = options.docs
    if options.again:
        print("\nwritten:", report.write_again(folder or ROOT / "docs", about[0].partition(";")[0], figures))
        return
    if folder is None and len(options.only) == len(PARTS) and not options.quick:
        folder = ROOT / "docs"
    if folder is not None:
        written = report.write(folder, about, source, bench.comparisons, figures)
        print("\nwritten:", *written)


def _show(one: Figure) -> None:
    goal = "" if one.reach is None else f"   goal {number(one.reach, one.unit)}: {'yes' if one.reached else 'NO'}"
    note = f"   ({one.note})" if one.note else ""
    print(f"{one.what}: {number(one.value, one.unit)}{goal}{note}", flush=True)


if __name__ == "__main__":
    main()
