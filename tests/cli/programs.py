"""The command line: `main()` in the process of the test, and real processes for what only a process has."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from pathlib import Path
from typing import IO, Any, NamedTuple
from unittest import mock

import pytest

from scrapy_urinorm.cli import main
from tests.crawl import forked

URINORM = [sys.executable, "-m", "scrapy_urinorm"]
SCRAPY = [sys.executable, "-m", "scrapy", "urinorm"]


class Done(NamedTuple):
    """What a program wrote, and its exit code."""

    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """The environment of a pipe, not of a terminal, whatever the tests run in."""
    kept = {
        k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "SCRAPY_SETTINGS_MODULE")
    }
    return {**kept, "LC_ALL": "C.UTF-8", **more}


def without_coverage() -> dict[str, str]:
    """The environment of a process that is interrupted.

    An exception raised by a signal inside of coverage's own functions can leave a lock of its taken, and the process
    waits for it for good: seen once in about 150 interrupts.
    """
    return {name: value for name, value in environment().items() if not name.startswith("COVERAGE")}


def run(
    *args: str | Path,
    cwd: Path,
    given: str | bytes = b"",
    program: list[str] | None = None,
    **more: str,
) -> Done:
    """Run `urinorm` to its end: in this process, or as the `program` of a process of its own."""
    data = given.encode() if isinstance(given, str) else given
    words = [str(arg) for arg in args]
    if program is None:
        return _called(words, cwd, data, more)
    if program[1:3] == ["-m", "scrapy"] and not data:
        done = forked.run("scrapy", [*program[3:], *words], cwd=cwd, env=environment(**more), timeout=280)
        return Done(done.returncode, done.stdout, done.stderr)
    ended = subprocess.run(
        [*program, *words], cwd=cwd, input=data, capture_output=True, env=environment(**more), timeout=280
    )
    return Done(ended.returncode, ended.stdout.decode(), ended.stderr.decode())


def on_terminal(*args: str, cwd: Path, **more: str) -> str:
    """What `urinorm` writes to a terminal."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    written: list[bytes] = []

    def read() -> None:
        # Linux ends with EIO when the other end is closed
        with contextlib.suppress(OSError):
            while data := os.read(parent, 65536):
                written.append(data)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    with open(os.devnull, "rb") as nothing, open(child, "wb", buffering=0) as terminal:  # noqa: PTH123  a descriptor
        _call([*args], cwd, {"TERM": "xterm-256color", "COLUMNS": "100", **more}, nothing, terminal, terminal)
    reader.join(60)
    os.close(parent)
    return b"".join(written).decode()


def _called(args: list[str], cwd: Path, data: bytes, more: dict[str, str]) -> Done:
    with tempfile.TemporaryDirectory() as folder:
        given, out, err = (Path(folder, name) for name in ("in", "out", "err"))
        given.write_bytes(data)
        # appended to, as pipes are: a process of a pool that ends flushes, and would move where a file is written
        with given.open("rb") as stdin, out.open("ab") as stdout, err.open("ab") as stderr:
            code = _call(args, cwd, more, stdin, stdout, stderr)
        return Done(code, out.read_bytes().decode(), err.read_bytes().decode())


def _call(args: list[str], cwd: Path, more: dict[str, str], *files: IO[bytes]) -> int:
    """`main()` in the folder, environment and standard streams of a process under LC_ALL=C.UTF-8."""
    errors = ("surrogateescape", "surrogateescape", "backslashreplace")
    stdin, stdout, stderr = streams = [
        io.TextIOWrapper(file, "utf-8", how, newline="\n", write_through=file.isatty())
        for file, how in zip(files, errors, strict=True)
    ]
    with contextlib.ExitStack() as stack:
        stack.enter_context(mock.patch.multiple(sys, stdin=stdin, stdout=stdout, stderr=stderr))
        stack.enter_context(mock.patch.dict(os.environ, environment(**more), clear=True))
        stack.enter_context(contextlib.chdir(cwd))
        # the pool of a command forks, and the process of a test has threads
        stack.enter_context(warnings.catch_warnings())
        warnings.filterwarnings("ignore", ".*multi-threaded.*", DeprecationWarning)
        code = main(args)
    for stream in streams:
        stream.flush()
        stream.detach()
    return code


def json_lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]
