"""The machine of a run, in a line or two."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from benchmarks.peers import installed
from scrapy_urinorm import __version__
from scrapy_urinorm.engine import native


def describe() -> list[str]:
    """Processor, system, Python, versions of what is compared, and what is missing from it."""
    found, missing = installed()
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    system = f"{platform.system()} {platform.release()}"
    versions = ", ".join(f"{name} {version}" for name, version in found.items())
    core = "with" if native.module is not None else "without"
    about = [
        f"{_processor()}, {os.cpu_count()} cores{load}; {system}, CPython {platform.python_version()}",
        f"scrapy-urinorm {__version__} {core} its C module; {versions}",
    ]
    if missing:
        about.append(f"not installed, so not compared: {', '.join(missing)}")
    return about


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
