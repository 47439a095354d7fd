"""A run does not fail for a process that was killed while it wrote down what it had covered."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from coverage import CoverageData
from coverage.data import combine_parallel_data

from tests.coverage_files import remove_torn
from tests.effort import limit

PAGE = 4096
MODULES = {f"/module{n}.py": [(line, line + 1) for line in range(1, 100)] for n in range(40)}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a process writes that ends by itself."""
    path = tmp_path_factory.mktemp("whole") / ".coverage"
    data = CoverageData(str(path))
    data.add_arcs(MODULES)
    data.close()
    return path.read_bytes()


def test_what_is_torn_is_left_out_and_all_else_is_combined(tmp_path: Path, whole: bytes) -> None:
    cut = [whole[:at] for at in (*range(0, len(whole), 5 * PAGE), len(whole) - 1)]
    # pages that were to be written after others
    missing = [whole[:at] + bytes(PAGE) + whole[at + PAGE :] for at in range(0, len(whole), PAGE)]
    for number, octets in enumerate([*cut, *missing, whole]):
        (tmp_path / f".coverage.host.{number}").write_bytes(octets)
    remove_torn(str(tmp_path / ".coverage"))
    data = CoverageData(str(tmp_path / ".coverage"), suffix="combined")
    combine_parallel_data(data)
    assert data.measured_files() == set(MODULES)
    data.close(force=True)


TORN = """
from pathlib import Path

def test_that_leaves_torn_files():
    whole = Path("whole").read_bytes()
    for at in range(0, len(whole), 4096):
        Path(f".coverage.host.{at}").write_bytes(whole[:at] + bytes(4096) + whole[at + 4096:])
"""


@pytest.mark.slow
def test_the_run_that_measures_leaves_it_out(tmp_path: Path, whole: bytes) -> None:
    (tmp_path / "whole").write_bytes(whole)
    (tmp_path / "test_torn.py").write_text(TORN)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.conftest",
        "--timeout",
        "0",
        "--cov",
        "json",
        "--cov-branch",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[1])
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=limit())
    assert done.returncode == 0, done.stdout + done.stderr
