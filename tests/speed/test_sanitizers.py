"""The module in C under the address and the undefined-behaviour sanitizer: no report, no difference."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from hatch_build import SOURCES

ROOT = Path(__file__).resolve().parents[2]
#: Strings of one process: what it keeps of them stays small.
PIECE = 500_000


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a process that has the package with a module built so."""
    folder = tmp_path_factory.mktemp("sanitized")
    compiler = shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("lacks gcc, or Linux")
    # the second one for can_ada, whose exceptions the first one looks at
    libraries = [_library(compiler, name) for name in ("libasan.so", "libstdc++.so.6")]
    if not all(path.is_absolute() for path in libraries):
        pytest.skip("lacks libasan")
    built = shutil.ignore_patterns("*.so", "__pycache__")
    shutil.copytree(ROOT / "scrapy_urinorm", folder / "scrapy_urinorm", ignore=built)
    target = folder / "scrapy_urinorm" / "engine" / "_native.abi3.so"
    flags = ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fPIC", "-shared"]
    sources = [str(ROOT / name) for name in SOURCES]
    headers = ["-DPy_LIMITED_API=0x030B0000", f"-I{sysconfig.get_path('include')}"]
    subprocess.run([compiler, *flags, *headers, *sources, "-o", str(target)], check=True)
    return {
        **os.environ,
        "LD_PRELOAD": " ".join(map(str, libraries)),
        # what Python never frees is no leak of ours
        "ASAN_OPTIONS": "detect_leaks=0",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)]),
        "PYTHONMALLOC": "malloc",
        "URINORM_PURE": "",
    }


def _library(compiler: str, name: str) -> Path:
    found = subprocess.run([compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return Path(found.stdout.strip())


@pytest.mark.parametrize(
    "count", [pytest.param(10_000, marks=pytest.mark.slow), pytest.param(10_000_000, marks=pytest.mark.soak)]
)
def test_no_report_and_no_difference(count: int, sanitized: dict[str, str], tmp_path: Path) -> None:
    for seed in range(-(-count // PIECE)):
        command = [sys.executable, "-m", "tests.speed.sanitized", str(min(count, PIECE)), str(seed)]
        done = subprocess.run(command, env=sanitized, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-5000:]
        assert sanitized["PYTHONPATH"].partition(os.pathsep)[0] in done.stdout, "another module was loaded"


@pytest.mark.parametrize(
    "count", [pytest.param(1_000, marks=pytest.mark.slow), pytest.param(1_000_000, marks=pytest.mark.soak)]
)
def test_no_report_of_pages_and_no_difference(count: int, sanitized: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.speed.sanitized_pages", str(count), "1"]
    done = subprocess.run(command, env=sanitized, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-5000:]
    assert sanitized["PYTHONPATH"].partition(os.pathsep)[0] in done.stdout, "another module was loaded"
