"""Where the module in C is built, when it is built again, and that `make clean` leaves none behind."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

import hatch_build
from hatch_build import HEADERS, SOURCES

ROOT = Path(__file__).resolve().parents[1]
FILES = ["pyproject.toml", "hatch_build.py", ".ci/floor.txt", *SOURCES, *HEADERS]
STAMPS = [f".venv/{name}/.stamp" for name in ("uv", "newest", "floor", "bench", "demo")]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def test_a_python_without_the_lock_gets_the_pure_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("URINORM_PURE", raising=False)
    variables = {**sysconfig.get_config_vars(), "Py_GIL_DISABLED": 1}
    monkeypatch.setattr(sysconfig, "get_config_var", variables.get)
    assert "lock" in (hatch_build._lack() or "")


@pytest.mark.parametrize(
    ("built", "named"),
    [
        pytest.param("_native.abi3-x86_64-linux-gnu.so", "_native.abi3.so", id="by Python 3.15 on Linux"),
        pytest.param("_native.abi3-i386-linux-musl.so", "_native.abi3.so", id="another architecture and C library"),
        pytest.param("_native.abi3.so", "_native.abi3.so", id="by an older Python"),
        pytest.param("_native.pyd", "_native.pyd", id="on Windows"),
    ],
)
def test_the_module_has_the_name_that_all_pythons_look_for(built: str, named: str) -> None:
    assert hatch_build._for_all_pythons(built) == named


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The files that a build reads, and the stamps of environments that are newer."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    for seconds, names in ((1_000, FILES), (2_000, STAMPS[:1]), (3_000, STAMPS[1:])):
        for name in names:
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).touch()
            os.utime(tmp_path / name, (seconds, seconds))
    return tmp_path


def make(tree: Path, *arguments: str) -> int:
    # what `make test` tells its parts is not for this one
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(["make", "-C", str(tree), *arguments], env=environment, capture_output=True).returncode


@needs_make
@pytest.mark.parametrize("name", [SOURCES[0], SOURCES[-1], HEADERS[-1], "hatch_build.py", "pyproject.toml"])
def test_an_edit_makes_the_environments_again(tree: Path, name: str) -> None:
    assert [make(tree, "-q", stamp) for stamp in STAMPS[1:]] == [0] * len(STAMPS[1:])
    os.utime(tree / name, (4_000, 4_000))
    assert [make(tree, "-q", stamp) for stamp in STAMPS[1:]] == [1] * len(STAMPS[1:])


@needs_make
def test_clean_removes_the_module(tree: Path) -> None:
    engine = tree / "scrapy_urinorm" / "engine"
    for name in ("_native.abi3.so", "_native.abi3.so.7.new", "_native.cpython-313t-x86_64-linux-gnu.so", "_native.pyd"):
        (engine / name).touch()
    assert make(tree, "clean") == 0
    assert {file.suffix for file in engine.iterdir()} == {".c", ".h"}
