"""Real processes of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

URINORM = [sys.executable, "-m", "scrapy_urinorm.cli"]
SCRAPY = [sys.executable, "-m", "scrapy", "urinorm"]


class Done(NamedTuple):
    """What a process wrote, and its exit code."""

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
    program: list[str] = URINORM,
    **more: str,
) -> Done:
    """Run the program to its end."""
    data = given.encode() if isinstance(given, str) else given
    done = subprocess.run(
        [*program, *map(str, args)], cwd=cwd, input=data, capture_output=True, env=environment(**more), timeout=120
    )
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())
