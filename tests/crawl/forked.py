"""Processes that crawl, in little time: one that has imported everything forks them.

`python -m tests.crawl.forked` reads an order for each line of standard input, runs a module as `python -m` would in a
fork of itself and answers with its exit code. What a crawl does begins after the fork: no reactor is there before.
Where the system cannot fork, each is a process from the start.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).parents[2]
CAN_FORK = hasattr(os, "fork")


def run(
    module: str, arguments: Sequence[str], *, cwd: Path, env: dict[str, str], timeout: float
) -> subprocess.CompletedProcess[str]:
    """Run `python -m module arguments` to its end; with `-c` for a module the first argument is a script."""
    if CAN_FORK:
        return _forker().run(module, arguments, cwd, env, timeout)
    command = [sys.executable, *(["-c"] if module == "-c" else ["-m", module]), *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout, check=False)


class _Forker:
    """The process that forks; it ends with the one that asks."""

    def __init__(self) -> None:
        # each fork measures its own coverage: this process has no part in it
        env = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crawl.forked"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=env, cwd=ROOT,
        )  # fmt: skip
        atexit.register(self._close)

    def run(
        self, module: str, arguments: Sequence[str], cwd: Path, env: dict[str, str], timeout: float
    ) -> subprocess.CompletedProcess[str]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with tempfile.TemporaryDirectory() as folder:
            files = [str(Path(folder, name)) for name in ("out", "err")]
            order = {"module": module, "arguments": [*arguments], "cwd": str(cwd), "env": env, "files": files}
            process.stdin.write(json.dumps({**order, "timeout": timeout}) + "\n")
            code = process.stdout.readline()
            assert code, f"the process that forks has ended: {process.wait(10)}"
            out, err = (Path(file).read_text("utf-8", "replace") for file in files)
        if int(code) == -signal.SIGKILL:
            raise subprocess.TimeoutExpired([module, *arguments], timeout, out, err)
        return subprocess.CompletedProcess([module, *arguments], int(code), out, err)

    def _close(self) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        # the end of its input ends it
        process.stdin.close()
        process.wait(10)
        process.stdout.close()


@functools.cache
def _forker() -> _Forker:
    return _Forker()


# ---------------------------------------------------------------------- in the process that forks


def import_components() -> None:
    """Import what every crawl does, but what wants a reactor: that is chosen by each one."""
    import coverage
    from scrapy import cmdline
    from scrapy.downloadermiddlewares import cookies
    from scrapy.settings import default_settings

    import tests.crawl.runner
    from scrapy_urinorm import parser
    from scrapy_urinorm.crawl import addon, dupefilter, fingerprinter, rewrite, scheduler, second_chance, summary
    from scrapy_urinorm.rules import steps
    from scrapy_urinorm.seen import memory
    from scrapy_urinorm.suffixes import same_site
    from tests.crawl.loopback import read_the_bundled_suffixes

    # the list of suffixes, Scrapy's and ours, takes longer to read than most crawls
    read_the_bundled_suffixes()
    assert cookies._split_domain("a.example").suffix is not None
    assert same_site("www.a.example", "a.example")
    assert [coverage, cmdline, tests.crawl.runner, addon, dupefilter, fingerprinter, second_chance, summary]
    assert [rewrite, scheduler, steps, memory]
    # the parser that is asked for odd hosts alone is imported by the first one
    assert parser.href("http://b\u00fccher.example/") is not None
    said = [value for name, value in vars(default_settings).items() if name.isupper()]
    named = [name for value in said for name in (value if isinstance(value, dict) else [value])]
    named += [name for value in said if isinstance(value, dict) for name in value.values()]
    for name in named:
        if (
            isinstance(name, str)
            and name.startswith("scrapy.")
            and not name.endswith(("Reactor", "FTPDownloadHandler"))
        ):
            # some want what is not installed
            with contextlib.suppress(ImportError, AttributeError):
                importlib.import_module(name.rpartition(".")[0])
    assert "twisted.internet.reactor" not in sys.modules
    assert threading.active_count() == 1


def _serve() -> None:
    import_components()
    # each fork would look at all that is imported whenever it collects its garbage
    gc.collect()
    gc.freeze()
    for line in sys.stdin:
        order = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _become(order)
        killer = threading.Timer(order["timeout"], os.kill, (pid, signal.SIGKILL))
        killer.start()
        _, status = os.waitpid(pid, 0)
        killer.cancel()
        killer.join()
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become(order: dict[str, Any]) -> None:
    """Run the module of an order, and end as its process would."""
    code: object = 1
    try:
        os.chdir(order["cwd"])
        os.environ.clear()
        os.environ.update(order["env"])
        for name, here in zip((os.devnull, *order["files"]), (0, 1, 2), strict=True):
            os.dup2(os.open(name, os.O_RDWR | os.O_CREAT, 0o600), here)
        tempfile.tempdir = None
        sys.stdin = open(0, closefd=False)  # noqa: SIM115  open to the end of the process
        sys.path[0] = order["cwd"]
        if "COVERAGE_PROCESS_CONFIG" in os.environ:
            import coverage

            coverage.process_startup(force=True)
        module, arguments = order["module"], order["arguments"]
        if module == "-c":
            sys.argv = ["-c", *arguments[1:]]
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(arguments[0], vars(main))
        else:
            sys.argv = [module, *arguments]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = 0 if end.code is None else end.code
        if not isinstance(code, int):
            print(code, file=sys.stderr)
    except BaseException:  # noqa: BLE001  a fork must not go on with the work of the one that forks
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(Exception):
            atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    _serve()
