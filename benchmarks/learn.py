"""How fast rules are learned, and in how much memory: invented sites, repeated under other names.

python benchmarks/learn.py [--visits 120000] [--jobs 2] [--only parameters]
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits import read_visits
from tests.learn.sites import SITES


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--visits", type=int, default=120_000)
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--only", action="append", help="only these families of rules")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "visits.jsonl"
        written = replicated(path, given.visits)
        started = time.monotonic()
        options = Options(jobs=given.jobs)
        if given.only:
            options = Options(jobs=given.jobs, families=tuple(given.only))
        result = learn(read_visits([path]), options)
        wall = time.monotonic() - started
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(
        f"{written} visits, {result.sites} sites: {result.urls} URLs -> {result.keys} keys, {len(result.active)} rules"
    )
    print(f"wall {wall:.1f} s = {written / wall * 60 / 1e6:.2f} M visits/min; load {os.getloadavg()[0]:.1f}")
    print(f"CPU  {cpu:.1f} s = {written / cpu * 60 / 1e6:.2f} M visits/min and core")
    print(f"memory {own.ru_maxrss / 1e6:.2f} GB, of the largest worker {children.ru_maxrss / 1e6:.2f} GB")


if __name__ == "__main__":
    main()
