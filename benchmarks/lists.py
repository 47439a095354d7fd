"""`urinorm normalize` on lists of real URLs, beside other programs that take lines: lines a second of CPU."""

from __future__ import annotations

import importlib.util
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.inputs import BUNDLED, REAL
from benchmarks.measured import Figure, number
from benchmarks.processes import run

if TYPE_CHECKING:
    from collections.abc import Iterator

LINES = 2_000_000
_CAN_ADA = """
import sys, can_ada
out = sys.stdout.write
for line in open(sys.argv[1], encoding="utf-8", errors="surrogateescape"):
    try:
        out(str(can_ada.parse(line)) + "\\n")
    except (ValueError, TypeError):
        out("\\n")
"""
_DUCKDB = """
import sys, duckdb
source = "read_csv(?, header=false, delim='\\x07', quote='', escape='', columns={'url': 'VARCHAR'})"
print(duckdb.execute(f"SET threads=1; SELECT count(DISTINCT url) FROM {source}", [sys.argv[1]]).fetchall())
"""
_POLARS = """
import sys, polars
options = {"has_header": False, "separator": "\\x07", "quote_char": None, "new_columns": ["url"]}
print(polars.read_csv(sys.argv[1], **options)["url"].n_unique())
"""


def lists(lines: int, rounds: int) -> Iterator[Figure]:
    """Each list by itself, over and over until it is long enough; the command starts in each round."""
    files = sorted(REAL.glob("*.txt")) if REAL.is_dir() else [BUNDLED]
    for file in files:
        block = file.read_bytes().rstrip(b"\n") + b"\n"
        copies = -(-lines // block.count(b"\n"))
        with tempfile.TemporaryDirectory() as folder:
            long = Path(folder, file.name)
            long.write_bytes(block * copies)
            spent = _spent(str(long), rounds)
            with long.open("wb") as out:
                for copy in range(copies):  # on other hosts
                    out.writelines(line.replace(b".", b"%d." % copy, 1) for line in block.splitlines(keepends=True))
            runs = [[_run(command, str(long)) for command in ("normalize", "groups")] for _ in range(rounds)]
            alone, with_groups = map(statistics.median, zip(*runs, strict=True))
        count = block.count(b"\n") * copies
        groups = spent.pop("groups")
        rates = {name: count / seconds for name, seconds in spent.items()}
        others = "; ".join(f"{name} {number(rate, '')}" for name, rate in rates.items() if name != "urinorm")
        what = f"`urinorm normalize -j 1` on {file.name}, lines a CPU second"
        yield Figure(what, rates["urinorm"], "lines/s", 900_000, least=True, note=others)
        ratio = spent["urinorm"] / spent["a loop over can_ada's parse"]
        yield Figure(f"its CPU time on {file.name}, to a loop over can_ada's parse", ratio, "x", 1.3)
        what = f"`urinorm groups -j 1` on {file.name}, CPU time to that of `urinorm normalize -j 1`"
        note = f"{number(with_groups / alone, 'x')} where the copies of the list differ"
        yield Figure(what, groups / spent["urinorm"], "x", 1.5, note=note)


def _command(name: str, file: str) -> list[str]:
    return [sys.executable, "-m", "scrapy_urinorm", name, "-j", "1", file]


def _run(name: str, file: str) -> float:
    return run(_command(name, file), stdout=subprocess.DEVNULL).cpu


def _spent(file: str, rounds: int) -> dict[str, float]:
    """The median CPU seconds of each program, in turns."""
    commands = {
        "urinorm": _command("normalize", file),
        "a loop over can_ada's parse": [sys.executable, "-c", _CAN_ADA, file],
    }
    commands["groups"] = _command("groups", file)
    if (sort := shutil.which("sort")) is not None:
        commands["`sort -u`"] = [sort, "-u", file]
    for name, code in (("duckdb", _DUCKDB), ("polars", _POLARS)):
        if importlib.util.find_spec(name) is not None:
            commands[f"{name}'s count of different lines"] = [sys.executable, "-c", code, file]
    if importlib.util.find_spec("uro") is not None:
        commands["uro"] = [sys.executable, "-c", "import uro.uro; uro.uro.main()", "-i", file]
    samples: dict[str, list[float]] = {name: [] for name in commands}
    for turn in range(rounds):
        for name, command in commands.items():
            if name == "uro" and turn:
                continue  # it takes minutes
            samples[name].append(run(command, stdout=subprocess.DEVNULL).cpu)
    return {name: statistics.median(values) for name, values in samples.items()}
