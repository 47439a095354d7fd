"""Rule files of 10 to 100,000 site tables: what a URL costs under them, what loading them costs; and new hosts."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.inputs import request_urls, site_tables
from benchmarks.measure import Contestant, compare
from benchmarks.measured import Figure
from benchmarks.processes import module, resident

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTS = (10, 1000, 100_000)
DIFFERENT = (15_000, 22_000, 200_000)
HOSTS = 1_000_000
_PARTS = 100  # a few URLs at a time, so that they take no memory that counts


def per_url(urls: list[str], rounds: int, counts: tuple[int, ...] = COUNTS) -> Iterator[Figure]:
    """The cost of a key where every site has a table.

    The hosts are as many and as long under each rule file, each a subdomain of its own; what grows is the number of
    tables that they share.
    """
    from scrapy_urinorm import Normalizer

    urls = request_urls(urls)
    contestants = []
    for count in counts:
        normalizer = Normalizer({"site": site_tables(count)})
        contestants.append(Contestant(str(count), lambda n=normalizer: n.key, lambda u, c=count: on_sites(u, c)))  # type: ignore[misc]  # mypy takes no default of a lambda
    timings = compare(contestants, urls, rounds)
    for count in counts[1:]:
        ratio = timings[str(count)].median / timings[str(counts[0])].median
        yield Figure(f"a URL under {count:,} site tables, to one under {counts[0]}", ratio, "x", 1.2)


def on_sites(urls: list[str], count: int) -> list[str]:
    """The URLs moved to subdomains of the sites that have a table, evenly."""
    made = []
    for n, url in enumerate(urls):
        scheme, _, rest = url.partition("://")
        # a step that meets every kind of table under any number of them
        site = n * 7919 % count
        made.append(f"{scheme}://n{n % 20_000:05}.site{site}.example.com/{rest.partition('/')[2]}")
    return made


def new_hosts(count: int = HOSTS) -> Iterator[Figure]:
    """A broad crawl: every URL is on a new host; time and memory by process."""
    measured = module(__name__, "hosts", str(count)).json()
    yield Figure("a URL on a host never seen before", measured["us"], "us", 5.0)
    yield Figure(f"memory that {count:,} hosts add", measured["grown"], "MB")
    yield Figure("of this the second half of these hosts", measured["late"], "MB", 5.0)


def loading(count: int = COUNTS[-1]) -> Iterator[Figure]:
    """Loading many tables, a process each."""
    tables = site_tables(count)
    with tempfile.TemporaryDirectory() as folder:
        toml, as_json = Path(folder, "rules.toml"), Path(folder, "rules.json")
        toml.write_text("".join(_toml(host, table) for host, table in tables.items()), encoding="utf-8")
        as_json.write_text(json.dumps({"site": tables}), encoding="utf-8")
        for name, file, reach in (("TOML", toml, 4.0), ("JSON", as_json, 2.0), ("a dict", "", 2.0)):
            runs = [module(__name__, "load", str(count), str(file)).json() for _ in range(3)]
            measured = sorted(runs, key=lambda run: run["seconds"])[1]
            assert measured["tables"] == count
            yield Figure(f"loading {count:,} tables from {name}", measured["seconds"], "s", reach)
            yield Figure(f"memory that they take, from {name}", measured["grown"], "MB", 150)


def different(counts: tuple[int, ...] = DIFFERENT) -> Iterator[Figure]:
    """Tables of which no two are equal: what the first URL of each costs, and a second pass over all of them."""
    runs = {count: module(__name__, "different", str(count)).json() for count in counts}
    first = runs[counts[0]]
    yield Figure("a table that is like no other, on its first URL", first["first"], "us", 60)
    yield Figure("memory that it takes from then on", first["grown"] / counts[0] * 1000, "kB")
    for count in counts[1:]:
        ratio = runs[count]["second"] / first["second"]
        note = f"{runs[count]['second']:.2f} us, {first['second']:.2f} us"
        yield Figure(
            f"URLs of {count:,} different tables, the second time, to {counts[0]:,}", ratio, "x", 1.5, note=note
        )


def _toml(host: str, table: dict[str, Any]) -> str:
    return f'[site."{host}"]\n' + "".join(f"{key} = {json.dumps(value)}\n" for key, value in table.items()) + "\n"


# --- what runs in a process of its own ------------------------------------------------------------------------------


def _load(count: int, file: str) -> dict[str, float]:
    from scrapy_urinorm import Normalizer

    source = file or {"site": site_tables(count)}
    before, start = resident(), time.process_time()
    normalizer = Normalizer(source)
    seconds = time.process_time() - start
    return {"seconds": seconds, "grown": resident() - before, "tables": len(normalizer.ruleset.sites)}


def _hosts(count: int) -> dict[str, float]:
    from scrapy_urinorm import Normalizer

    normalizer = Normalizer({"site": site_tables(1000)})
    spent, memory = 0.0, [resident()]
    for part in range(_PARTS):
        urls = [f"https://www.host{n}.example{n % 977}.com/a/{n}?b=1&a=2" for n in range(part, count, _PARTS)]
        start = time.process_time()
        for url in urls:
            normalizer.key(url)
        spent += time.process_time() - start
        del urls
        memory.append(resident())
    return {"us": spent / count * 1e6, "grown": memory[-1] - memory[0], "late": memory[-1] - memory[_PARTS // 2]}


def _different(count: int) -> dict[str, float]:
    from scrapy_urinorm import Normalizer

    tables = {
        f"site{n}.example.com": {"remove_params": ["sid", f"p{n}"], "trailing_slash": "remove"} for n in range(count)
    }
    normalizer = Normalizer({"host": tables})
    normalizer.key("http://www.example.com/?a=1")
    urls = [f"http://site{n}.example.com/a/?p{n}=1&b=2" for n in range(count)]
    before, spent = resident(), []
    for _ in range(2):
        start = time.process_time()
        for url in urls:
            normalizer.key(url)
        spent.append((time.process_time() - start) / count * 1e6)
    return {"first": spent[0], "second": spent[1], "grown": resident() - before}


if __name__ == "__main__":
    runs = {"load": lambda: _load(int(sys.argv[2]), sys.argv[3]), "hosts": lambda: _hosts(int(sys.argv[2])),
            "different": lambda: _different(int(sys.argv[2]))}  # fmt: skip
    print(json.dumps(runs[sys.argv[1]]()))
