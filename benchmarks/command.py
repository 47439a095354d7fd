"""``urinorm normalize`` on ten million lines, with one process and with two."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.measured import Figure
from benchmarks.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 10_000_000


def command(urls: list[str], lines: int, *, pure: bool = False) -> Iterator[Figure]:
    """Lines a second of wall time, and by CPU time: what idle cores would give."""
    with tempfile.TemporaryDirectory() as folder:
        big, small = Path(folder, "big.txt"), Path(folder, "small.txt")
        block = ("\n".join(urls) + "\n").encode("utf-8", "surrogateescape")
        copies = -(-lines // len(urls))
        with big.open("wb") as file:
            for _ in range(copies):
                file.write(block)
        small.write_bytes(block * max(1, copies // 10))
        count = copies * len(urls)
        program = [sys.executable, "-m", "scrapy_urinorm", "normalize"]
        way = " in pure Python" if pure else ""
        for jobs in (1, 2):
            done = run([*program, "-j", str(jobs), str(big)], pure=pure, stdout=subprocess.DEVNULL)
            note = f"{count:,} lines; by CPU time {count / done.cpu * jobs:,.0f} lines/s, if no other process ran"
            goal = 1_000_000 if jobs == 2 and not pure else None
            what = f"`urinorm normalize -j {jobs}`{way}, lines a second"
            yield Figure(what, count / done.wall, "lines/s", goal, least=True, note=note)
            if not pure:
                less = run([*program, "-j", str(jobs), str(small)], stdout=subprocess.DEVNULL)
                note = f"{done.peak:.0f} MB for the largest process"
                yield Figure(
                    f"memory of `-j {jobs}`, more than for a tenth of the lines",
                    done.peak - less.peak,
                    "MB",
                    5.0,
                    note=note,
                )
