"""How fast rules are learned, and in how much memory: invented sites, repeated under other names.

    python -m benchmarks.learn [--visits 120000] [--jobs 2] [--only parameters]
    python -m benchmarks.learn --one-site 6000 12000 24000 64000
    python -m benchmarks.learn --mirrors 80 --visits 200000

With --one-site the visits are of a single forum with its links, of so many pages, one size after the other: time must
grow with them and not faster. With --mirrors they are of such forums on so many hosts of one domain. Time is that of
reading a file and learning from it, in each of the three, and can be compared.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits import read_visits
from tests.learn.sites import SITES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def replicated(path: Path, count: int) -> int:
    """Write about `count` visits: the invented sites over and over, each time under other hosts."""
    texts = {}
    for name, make in SITES.items():
        visits = make().visits()
        match = re.search("://([^/]+)", visits[0].url)
        assert match is not None
        texts[name] = (match[1], [visit.to_json() + "\n" for visit in visits])
    written = copy = 0
    with path.open("w") as file:
        while written < count:
            for name, (host, lines) in texts.items():
                file.writelines(line.replace(host, f"{name}-{copy}.test") for line in lines)
                written += len(lines)
            copy += 1
    return written


def forum(pages: int, host: str = "forum.test") -> Iterator[str]:
    """Yield the visits of a forum with links: lists, threads under several addresses each, log-in forms."""
    threads = max(1, pages // 5)
    start = f"http://{host}"
    for n in range(threads):
        thread = f"{start}/thread.php?id={n}"
        linked = [f"{start}/thread.php?id={m % threads}&from=list" for m in range(n, n + 20)]
        links = [*linked, f"{thread}&from=list", f"{thread}&sort=old", f"{start}/login.php?back={n}"]
        links.append(f"{start}/list.php?page={n // 20 + 1}")
        for more in ("", "&from=list", "&sort=old"):
            yield _line(thread + more, f"thread {n}", links, n)
        yield _line(f"{start}/login.php?back={n}", "log in", [start + "/"], n)
        yield _line(f"{start}/list.php?page={n}" if n else start + "/", f"list {n}", linked, n)


def _line(url: str, text: str, links: list[str], n: int) -> str:
    row = {"url": url, "status": 200, "text_digest": text, "words": 100, "links": links, "depth": min(n, 9)}
    return json.dumps(row) + "\n"


def linear(sizes: Sequence[int], path: Path) -> None:
    """Print what reading the visits of one site of each size takes, and learning from them."""
    for size in sizes:
        with path.open("w") as file:
            file.writelines(forum(size))
        started = time.process_time()
        result = learn(read_visits([path]), Options(jobs=1))
        took = time.process_time() - started
        print(f"{size:7} visits of one site: {took:6.1f} s of CPU, {len(result.active)} rules, {result.keys} keys")


def _cpu() -> float:
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=120_000)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--only", action="append", help="only these families of rules")
    parser.add_argument("--one-site", type=int, nargs="+", help="sizes of a single site with links")
    parser.add_argument("--mirrors", type=int, default=0, help="hosts of one domain with a forum each")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.jsonl"
        if given.one_site:
            linear(given.one_site, path)
            return
        if given.mirrors:
            size = given.visits // given.mirrors
            with path.open("w") as file:
                for n in range(given.mirrors):
                    file.writelines(forum(size, f"m{n}.forum.test"))
            written = sum(1 for _ in path.open())
        else:
            written = replicated(path, given.visits)
        started, spent = time.monotonic(), _cpu()
        options = Options(jobs=given.jobs)
        if given.only:
            options = Options(jobs=given.jobs, families=tuple(given.only))
        result = learn(read_visits([path]), options)
        wall, cpu = time.monotonic() - started, _cpu() - spent
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    print(
        f"{written} visits, {result.sites} sites: {result.urls} URLs -> {result.keys} keys, {len(result.active)} rules"
    )
    print(f"wall {wall:.1f} s = {written / wall * 60 / 1e6:.2f} M visits/min; load {os.getloadavg()[0]:.1f}")
    print(f"CPU  {cpu:.1f} s = {written / cpu * 60 / 1e6:.2f} M visits/min and core")
    print(f"memory {own.ru_maxrss / 1e6:.2f} GB, of the largest worker {children.ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
