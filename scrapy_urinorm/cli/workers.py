"""Work on blocks through all cores: results in the order of the blocks, few of them in memory at a time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
from collections import deque
from concurrent.futures import BrokenExecutor
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from scrapy_urinorm.cli.inputs import BLOCK
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import Future, ProcessPoolExecutor

Result = TypeVar("Result")

Jobs = Annotated[
    int, typer.Option("--jobs", "-j", min=0, metavar="N", help="Processes; 0: one for each core.", show_default=False)
]


def in_order(work: Callable[[bytes], Result], blocks: Iterable[bytes], jobs: int) -> Iterator[Result]:
    """`work` over `blocks` in `jobs` processes (0: one for each core).

    A block that is not full comes from a small or slow input: it is worked on at once, here, and nobody waits for it.
    """
    jobs = jobs or cores()
    if jobs < 2:
        yield from map(work, blocks)
        return
    pool: ProcessPoolExecutor | None = None
    pending: deque[Future[Result]] = deque()
    try:
        for block in blocks:
            full = len(block) > BLOCK // 2
            if full:
                pool = pool or _pool(jobs)
                with _interrupts_later():
                    pending.append(pool.submit(work, block))
            while len(pending) > (2 * jobs if full else 0):
                yield pending.popleft().result()
            if not full:
                yield work(block)
        while pending:
            yield pending.popleft().result()
    except BrokenExecutor as error:
        raise UrinormError("a worker process was ended from outside, most likely for want of memory") from error
    finally:
        if pool is not None:
            pool.shutdown(wait=True, cancel_futures=True)


def _pool(jobs: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    # a fork shares the compiled rules; elsewhere each process loads them
    context = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")
    return ProcessPoolExecutor(jobs, context, _ignore_interrupt)


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back while processes may be started: they inherit that, and have not said yet that they ignore it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _ignore_interrupt() -> None:
    # Ctrl-C reaches the whole group of processes: the parent alone answers it
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
