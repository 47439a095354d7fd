"""What the memory of fingerprints costs beside a set of bytes: the store of `benchmarks.seen`, and one of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.measured import Figure, number
from benchmarks.processes import module

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNT = 20_000_000


def beside_a_set(count: int) -> Iterator[Figure]:
    """Processor time of adding and of asking, and memory, a process each."""
    ours, plain = (module("benchmarks.seen.stores", name, str(count)).json() for name in ("memory", "set of bytes"))
    for what, name, goal in (("a known", "hit us", 0.7), ("a new", "add us", 1.2)):
        mine, theirs = ours[name][1], plain[name][1]
        note = f"{number(mine, 'us')}, {number(theirs, 'us')}; {count:,} fingerprints"
        yield Figure(f"{what} fingerprint, to a set of bytes", mine / theirs, "x", goal, note=note)
    note = f"a set {number(plain['bytes/URL'], '')}"
    yield Figure("memory of a fingerprint", ours["bytes/URL"], "octets", 27, note=note)
