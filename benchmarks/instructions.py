"""Instructions instead of seconds, for ratios that are to be trusted to 1 %: counted by valgrind, where it is at hand.

A busy machine changes nothing in them. Each program runs twice, the second time with more rounds of calls: the
difference is theirs, without the interpreter, imports and rules.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from benchmarks import peers
from benchmarks.inputs import ROOT, read_urls, request_urls, site_tables
from benchmarks.measured import Figure
from benchmarks.processes import environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

CALLS, ROUNDS = 4000, 4
_COUNTED = re.compile(rb"I\s+refs:\s+([\d,]+)")

# what is counted, and what it is compared with
_PAIRS = (
    ("Scrapy's fingerprint of a fresh request, to ours", "scrapy", "urinorm", 5.0, True),
    ("normalize(url), to the bare parse of can_ada", "normalize", "can_ada", 4.0, False),
)


def instructions(calls: int = CALLS) -> Iterator[Figure]:
    """The ratios, by instructions executed; nothing where valgrind is not installed."""
    if shutil.which("valgrind") is None:
        print("instructions: not counted, since valgrind is not installed", flush=True)
        return
    programs: dict[str, tuple[str, ...]] = {name: (__name__, name, str(calls)) for pair in _PAIRS for name in pair[1:3]}
    each = counts(programs, (0, ROUNDS))
    for what, one, other, goal, least in _PAIRS:
        note = f"{each[one] / calls:,.0f} and {each[other] / calls:,.0f} a call"
        yield Figure(f"in instructions: {what}", each[one] / each[other], "x", goal, least, note)


def counts(programs: Mapping[str, tuple[str, ...]], sizes: tuple[int, int]) -> dict[str, float]:
    """Instructions for one more of what a program takes the number of, as its last argument."""
    runs = [(name, size) for name in programs for size in sizes]
    with ThreadPoolExecutor(max_workers=2) as pool:
        counts = dict(zip(runs, pool.map(lambda run: _count(*programs[run[0]], str(run[1])), runs), strict=True))
    less, more = sizes
    return {name: (counts[name, more] - counts[name, less]) / (more - less) for name in programs}


def _count(*arguments: str) -> int:
    command = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    command += [sys.executable, "-m", *arguments]
    done = subprocess.run(
        command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=True
    )
    found = _COUNTED.search(done.stderr)
    assert found is not None, done.stderr
    return int(found[1].replace(b",", b""))


# --- what runs in a process of its own ------------------------------------------------------------------------------


def _function(name: str) -> Callable[[Any], Any]:
    if name == "scrapy":
        return peers.scrapy_fingerprinter().fingerprint  # type: ignore[no-any-return]  # Scrapy's
    if name == "can_ada":
        import can_ada

        return can_ada.parse
    from scrapy_urinorm import Normalizer

    normalizer = Normalizer({"site": site_tables(1000)})
    if name == "normalize":
        return normalizer.normalize
    from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter

    return RequestFingerprinter(normalizer).fingerprint


def _calls(name: str, calls: int, rounds: int) -> None:
    import gc

    urls: Sequence[Any] = request_urls(read_urls(None, calls)[0])
    function = _function(name)
    gc.disable()
    # all inputs are made in every run; the first round learns hosts and names
    inputs = [peers.requests(urls) if name in ("scrapy", "urinorm") else urls for _ in range(1 + ROUNDS)]
    for items in inputs[: 1 + rounds]:
        for item in items:
            function(item)


if __name__ == "__main__":
    _calls(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
