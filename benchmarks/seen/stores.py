"""One measurement per process: `python -m benchmarks.seen.stores NAME COUNT` prints it as JSON."""

from __future__ import annotations

import gc
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.seen import SeenStore, make_store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHUNK = 50_000
SAMPLED_CHUNKS = 10
PAUSE_BLOCK = 500
MICRO = 1e6


def fingerprints(chunk: int) -> list[bytes]:
    """The same 50,000 for the same number, made in bulk, so that making them is not measured."""
    blob = random.Random(chunk).randbytes(20 * CHUNK)
    return [blob[at : at + 20] for at in range(0, len(blob), 20)]


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Clock:
    """Adds up wall clock and processor time, in microseconds per operation."""

    def __init__(self) -> None:
        self.wall = self.cpu = 0.0
        self.count = 0

    def run(self, act: Callable[[bytes], object], fps: list[bytes]) -> None:
        wall, cpu = time.perf_counter(), time.thread_time()
        for fp in fps:
            act(fp)
        self.wall += time.perf_counter() - wall
        self.cpu += time.thread_time() - cpu
        self.count += len(fps)

    @property
    def micro(self) -> list[float]:
        return [self.wall / self.count * MICRO, self.cpu / self.count * MICRO]


def longest_pause(act: Callable[[bytes], object], fps: list[bytes]) -> float:
    """Milliseconds of processor time of the slowest 500 calls in a row: no single one took longer."""
    worst = 0.0
    for at in range(0, len(fps), PAUSE_BLOCK):
        block = fps[at : at + PAUSE_BLOCK]
        start = time.thread_time()
        for fp in block:
            act(fp)
        worst = max(worst, time.thread_time() - start)
    return worst * 1e3


def fill(act: Callable[[bytes], object], n: int) -> dict[str, Any]:
    """Add n fingerprints, then ask for known ones and for others."""
    fingerprints(0)
    gc.collect()
    before = resident()
    add, hit, miss = Clock(), Clock(), Clock()
    pause, peak = 0.0, 0
    chunks = max(1, n // CHUNK)
    for chunk in range(chunks):
        fps = fingerprints(chunk)
        if chunk % 2:
            pause = max(pause, longest_pause(act, fps))
        else:
            add.run(act, fps)
        del fps
        peak = max(peak, resident() - before)
    after = resident() - before
    picked = random.Random(1).sample(range(chunks), min(SAMPLED_CHUNKS, chunks))
    for fps in _mixed([fp for chunk in picked for fp in fingerprints(chunk)]):
        hit.run(act, fps)
    for chunk in picked:
        miss.run(act, fingerprints(chunks + chunk))
    count = chunks * CHUNK
    return {
        "add us": add.micro,
        "hit us": hit.micro,
        "new at full size us": miss.micro,
        "longest pause ms": pause,
        "bytes/URL": after / count,
        "peak bytes/URL": peak / count,
    }


def _mixed(fps: list[bytes]) -> Iterator[list[bytes]]:
    """The same in another order, in chunks, as a crawl meets links: what was added together lies together in a set."""
    random.Random(2).shuffle(fps)
    blob = b"".join(fps)
    fps.clear()
    for at in range(0, len(blob), 20 * CHUNK):
        yield [blob[start : start + 20] for start in range(at, min(at + 20 * CHUNK, len(blob)), 20)]


def of_set(n: int) -> dict[str, Any]:
    seen: set[bytes] = set()

    def add(fp: bytes) -> bool:
        if fp in seen:
            return False
        seen.add(fp)
        return True

    return fill(add, n)


def of_store(store: SeenStore, n: int) -> dict[str, Any]:
    store.open()
    try:
        figures = fill(store.add, n)
        stats = store.stats()
        start = time.perf_counter()
    finally:
        store.close()
    figures["close s"] = time.perf_counter() - start
    if disk := stats.get("disk_bytes"):
        figures["disk bytes/URL"] = disk / stats["count"]
    return figures


def all_of(n: int) -> Iterator[bytes]:
    for chunk in range(max(1, n // CHUNK)):
        yield from fingerprints(chunk)


def start_after_kill(n: int, folder: Path) -> dict[str, Any]:
    """A process of its own fills the store and is killed."""
    code = (
        "import os, signal, sys; from pathlib import Path\n"
        "from benchmarks.seen.stores import all_of; from scrapy_urinorm.seen import make_store\n"
        "store = make_store('memory', directory=Path(sys.argv[2])); store.open()\n"
        "for fp in all_of(int(sys.argv[1])): store.add(fp)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(n), str(folder)], check=False)
    return _start(folder)


def _start(folder: Path) -> dict[str, Any]:
    store = make_store("memory", directory=folder)
    gc.collect()
    wall, cpu = time.perf_counter(), time.thread_time()
    store.open()
    figures = {"start s": [time.perf_counter() - wall, time.thread_time() - cpu], "count": len(store)}
    store.close()
    return figures


def of_redis(n: int, folder: Path) -> dict[str, Any]:
    with _redis(folder) as client:
        store = make_store(client.url, prefix="bench")
        store.open()
        before = client.used()
        add = Clock()
        for chunk in range(max(1, n // CHUNK)):
            if chunk < SAMPLED_CHUNKS:
                add.run(store.add, fingerprints(chunk))
            else:
                store.add_many(fingerprints(chunk))
        count = len(store)
        used = client.used() - before
        store.close()
        return {"add us": add.micro, "Redis bytes/URL": used / count, "count": count}


def of_redis_crawl(n: int, folder: Path) -> dict[str, Any]:
    """Two workers that meet 90 % duplicates, half of which the other one met first."""
    with _redis(folder) as client:
        workers = [make_store(client.url, prefix="crawl") for _ in range(2)]
        for worker in workers:
            worker.open()
        source = random.Random(1)
        fresh = iter(all_of(n))
        known: list[bytes] = []
        offered = 0
        clock = Clock()
        for _ in range(n // 1000):
            page = [fp if source.random() < 0.1 else source.choice(known or [fp]) for fp in _take(fresh, 100)]
            known += [fp for fp in page if fp not in known[-1000:]][:20]
            clock.run(source.choice(workers).add, page)
            offered += len(page)
        new = len(workers[0])
        trips = sum(worker.stats()["round_trips"] for worker in workers)
        for worker in workers:
            worker.close()
        return {"round trips/request": trips / offered, "new/request": new / offered, "us/request": clock.micro}


def _take(source: Iterator[bytes], count: int) -> list[bytes]:
    return [fp for fp, _ in zip(source, range(count), strict=False)]


def of_scrapy_redis(n: int, folder: Path) -> dict[str, Any]:
    """A set of hexadecimal strings, one SADD a request, which is all that scrapy-redis' filter does."""
    with _redis(folder) as client:
        before = client.used()
        add = Clock()
        for chunk in range(max(1, n // CHUNK)):
            fps = fingerprints(chunk)
            if chunk < SAMPLED_CHUNKS:
                add.run(lambda fp: client.client.sadd("dupefilter", fp.hex()), fps)
            else:
                client.client.sadd("dupefilter", *(fp.hex() for fp in fps))
        used = client.used() - before
        return {
            "add us": add.micro,
            "Redis bytes/URL": used / client.client.scard("dupefilter"),
            "round trips/request": 1,
        }


def _redis(folder: Path) -> Any:
    from benchmarks.seen.redis_process import RedisProcess

    return RedisProcess(folder)


def main() -> None:
    name, n = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory(prefix="urinorm-bench-") as temporary:
        folder = Path(temporary)
        runs: dict[str, Callable[[], dict[str, Any]]] = {
            "set of bytes": lambda: of_set(n),
            "memory": lambda: of_store(make_store("memory"), n),
            "memory with JOBDIR": lambda: of_store(make_store("memory", directory=folder), n),
            "start after a kill": lambda: start_after_kill(n, folder),
            "disk": lambda: of_store(make_store("disk", directory=folder), n),
            "redis": lambda: of_redis(n, folder),
            "redis crawl": lambda: of_redis_crawl(n, folder),
            "scrapy-redis": lambda: of_scrapy_redis(n, folder),
        }
        print(json.dumps(runs[name]()))


if __name__ == "__main__":
    main()
