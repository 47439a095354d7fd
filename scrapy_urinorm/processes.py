"""Work through all cores: results in the order of the items, few of them in memory at a time."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Item = TypeVar("Item")
Result = TypeVar("Result")


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_INTERPRETERS = ("python", "pypy", "graalpy")
"""How the names of programs begin that take `-m`."""


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module in a process of its own, in `environment`.

    Raises `OSError` where the program of this process is no Python: one that is frozen, or that has Python within it,
    would not run the module but start itself again, and so without an end.
    """
    program = sys.executable or ""
    names = (Path(program).name.lower(), Path(program).resolve().name.lower()) if program else ()
    # one that a script starts may be hidden: `.python3-wrapped`
    if getattr(sys, "frozen", False) or not any(name.lstrip(".").startswith(_INTERPRETERS) for name in names):
        raise OSError(f"{program or 'the program of this process'} is no Python that could run {module}")
    return [program, "-m", module, *arguments]


def environment() -> dict[str, str]:
    """The environment of a Python process that is to find every module that this one finds, and no others.

    A crawler may have put folders on `sys.path` itself, as those do that run a project from an egg or a checkout. Of
    the working directory `-m` would take `queue.py` for Python's own where this process does not look there first.
    """
    # what is no text, as a `Path` that a spider has put there, the import system passes over as well
    entries: list[object] = [*sys.path]
    folders = [folder or str(Path.cwd()) for folder in entries if isinstance(folder, str)]
    paths = os.pathsep.join(one for one in folders if os.pathsep not in one)
    return {**os.environ, "PYTHONPATH": paths, "PYTHONSAFEPATH": "1"}


@contextlib.contextmanager
def deaf_children() -> Iterator[None]:
    """Have processes that are started meanwhile, and theirs, not hear Ctrl-C and SIGTERM, which reach a whole group.

    A Python that has only begun cannot ignore them yet: it takes as long as its imports.
    """
    if os.name != "posix":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGTERM])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_order(
    work: Callable[[Item], Result],
    items: Iterable[Item],
    jobs: int = 0,
    *,
    fork: bool = True,
    worth: Callable[[Item], bool] = lambda _: True,
) -> Iterator[Result]:
    """`work` over `items` in `jobs` processes (0: one for each core), at most two items ahead for each.

    `fork=False` where the caller may have threads of a library that a fork would break. An item that is not `worth` a
    process, as of a small or slow input, is worked on here, at once. An exception, Ctrl-C too, ends the processes; they
    end by themselves when this one is killed.

    Raises `UrinormError` where a process was ended from outside.
    """
    jobs = jobs or cores()
    if jobs < 2:
        yield from map(work, items)
        return
    with contextlib.ExitStack() as stack:
        pool: ProcessPoolExecutor | None = None
        pending: deque[Future[Result]] = deque()
        for item in items:
            taken = worth(item)
            if taken:
                pool = pool or stack.enter_context(_pool(work, jobs, fork))
                with _interrupts_later():
                    pending.append(pool.submit(_do, item))
            while len(pending) > (2 * jobs if taken else 0):
                yield pending.popleft().result()
            if not taken:
                yield work(item)
        while pending:
            yield pending.popleft().result()


@contextlib.contextmanager
def _pool(work: Callable[[Any], Any], jobs: int, fork: bool) -> Iterator[ProcessPoolExecutor]:
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    # a fork shares what `work` holds, as the compiled rules; a process that is spawned gets a copy
    context = multiprocessing.get_context("fork" if fork and sys.platform == "linux" else "spawn")
    if context.get_start_method() == "spawn" and os.name == "posix":
        from multiprocessing import resource_tracker

        # it lets Ctrl-C in again once it is started: not while the processes of the pool are
        resource_tracker.ensure_running()
    others = set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(jobs, context, _begin, (work,))
    try:
        yield pool
    except BrokenExecutor as error:
        raise UrinormError("a worker process was ended from outside, most likely because memory ran out") from error
    except BaseException:
        # not `terminate`: the pool would wait for the rest of a result that was half written
        if os.name == "posix":
            for process in set(multiprocessing.active_children()) - others:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process.pid or 0, signal.SIGINT)
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextlib.contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold Ctrl-C back while processes may be started: they inherit that, until they know what to do with it."""
    if os.name != "posix":
        yield
        return
    came: list[int] = []
    # a thread of a library takes a signal that this one holds back, and Python would interrupt this one all the same,
    # perhaps in a callback of a fork, where that is lost
    handler = signal.getsignal(signal.SIGINT)
    noted = callable(handler) and threading.current_thread() is threading.main_thread()
    if noted:
        signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if noted:
            signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


class _Worker:
    """What goes on in a process of the pool.

    Ctrl-C reaches the whole group of processes: the parent answers it, a worker leaves its item and takes no other.
    """

    work: Callable[[Any], Any] | None = None
    busy = False
    stopped = False


def _begin(work: Callable[[Any], Any]) -> None:
    _Worker.work = staticmethod(work)
    # before Ctrl-C is let in again: it is for the main thread
    threading.Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, _stop)
    if os.name == "posix":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _end_with_parent() -> None:
    """A parent that is killed, by SIGTERM as well, tells its processes nothing: they would wait for items for ever."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _stop(number: int, frame: Any) -> None:
    _Worker.stopped = True
    if _Worker.busy:
        raise KeyboardInterrupt


def _do(item: Any) -> Any:
    try:
        _Worker.busy = True
        if _Worker.stopped:
            raise KeyboardInterrupt
        assert _Worker.work is not None
        return _Worker.work(item)
    finally:
        _Worker.busy = False
