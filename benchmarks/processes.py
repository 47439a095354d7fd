"""Figures that want a process of their own: its CPU time, its memory, what it prints."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.inputs import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# A process begins with the peak of the one that starts it, and a benchmark is large: a small one stands between them.
_LAUNCHER = """
import os, sys, time
start = time.perf_counter()
pid = os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - start
figures = used.ru_utime + used.ru_stime, wall, used.ru_maxrss
os.write(int(sys.argv[1]), " ".join(map(str, figures)).encode())
sys.exit(os.waitstatus_to_exitcode(status) and 1)
"""


@dataclass(frozen=True)
class Run:
    """A finished process: CPU seconds of it and its children, wall seconds, megabytes at most, and its output."""

    cpu: float
    wall: float
    peak: float
    output: bytes

    def json(self) -> Any:
        """The last line of the output as JSON."""
        return json.loads(self.output.splitlines()[-1])


def environment(*, pure: bool = False) -> Mapping[str, str]:
    """The environment of every process that is measured."""
    made = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": "0"}
    if pure:
        made["URINORM_PURE"] = "1"
    made.pop("PYTHONDONTWRITEBYTECODE", None)  # users do not compile on every import
    return made


def run(command: Sequence[str], *, pure: bool = False, stdout: Any = subprocess.PIPE) -> Run:
    """Run a command (its program as a path) to its end; raises CalledProcessError where it fails."""
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as figures:
        launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(writing), *command]
        try:
            process = subprocess.Popen(
                launcher, stdout=stdout, env=environment(pure=pure), cwd=ROOT, pass_fds=[writing]
            )
        finally:
            os.close(writing)
        output = process.communicate()[0] or b""
        if process.returncode:
            raise subprocess.CalledProcessError(process.returncode, command, output)
        cpu, wall, peak = map(float, figures.read().split())
    # Linux counts kilobytes, macOS bytes
    return Run(cpu, wall, peak / (1e6 if sys.platform == "darwin" else 1e3), output)


def python(code: str, *arguments: str, pure: bool = False) -> Run:
    """Run Python code in a fresh interpreter."""
    return run([sys.executable, "-c", code, *arguments], pure=pure)


def module(name: str, *arguments: str, pure: bool = False) -> Run:
    """Run a module of the benchmarks in a fresh interpreter."""
    return run([sys.executable, "-m", name, *arguments], pure=pure)


def resident() -> float:
    """Megabytes of this process in memory now; where the system does not say, at most so far."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        import resource

        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e6 if sys.platform == "darwin" else 1e3)
