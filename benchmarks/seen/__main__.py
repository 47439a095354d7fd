"""The table of what a seen store costs, each figure measured in a process of its own.

    python -m benchmarks.seen                                   # a million fingerprints, a minute
    python -m benchmarks.seen memory start --n 20_000_000
    python -m benchmarks.seen disk --n 50_000_000
    python -m benchmarks.seen redis --n 1_000_000

Times are given as wall clock and, behind them, processor time of the asking thread: on a busy machine only the second
says something, and it hides what a store does in threads of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from typing import Any

RUNS: dict[str, list[str]] = {
    "memory": ["set of bytes", "memory", "memory with JOBDIR"],
    "start": ["start after a kill"],
    "disk": ["disk"],
    "redis": ["redis", "redis crawl", "scrapy-redis"],
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seen", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", nargs="*", help=f"{', '.join(RUNS)} (default: all)")
    parser.add_argument("--n", type=int, default=1_000_000, help="fingerprints (default: 1_000_000)")
    options = parser.parse_args()
    if unknown := [what for what in options.what if what not in RUNS]:
        parser.error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(RUNS)}")
    print(f"{options.n:,} fingerprints, Python {sys.version.split()[0]}")
    for what in options.what or RUNS:
        print()
        for name in RUNS[what]:
            _show(name, _measured(name, options.n))


def _measured(name: str, n: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.seen.stores", name, str(n)], stdout=subprocess.PIPE, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def _show(name: str, figures: dict[str, Any]) -> None:
    text = "   ".join(f"{label} {_number(value)}" for label, value in figures.items())
    print(f"{name:22} {text}", flush=True)


def _number(value: float | list[float]) -> str:
    if isinstance(value, list):
        wall, cpu = value
        return f"{wall:.2f} ({cpu:.2f})"
    return f"{value:,.3g}" if value < 100 else f"{value:,.0f}"


if __name__ == "__main__":
    main()
