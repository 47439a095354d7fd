"""What is published works: the distributions are built and the wheel is installed into a fresh environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from email.parser import HeaderParser
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from email.message import Message

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
BIN = "Scripts" if os.name == "nt" else "bin"
COMPILED = {".pyc", ".so", ".pyd"}


def run(*command: str | Path, cwd: Path | None = None, **environment: str) -> str:
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, cwd=cwd, env=os.environ | environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the source distribution, and the wheel from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def wheel_files(wheel: Path) -> set[str]:
    return set(zipfile.ZipFile(wheel).namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    return HeaderParser().parsestr(archive.read(name).decode())


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment of its own that borrows only the dependencies; return its programs."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / BIN / "python"
    run(sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel)
    purelib = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    Path(purelib, "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return home / BIN


def test_wheel_has_all_data_of_the_package_and_nothing_else(wheel_files: set[str]) -> None:
    source = ROOT / "scrapy_urinorm"
    expected = {
        path.relative_to(ROOT).as_posix()
        for path in source.rglob("*")
        if path.is_file() and path.suffix not in COMPILED
    }
    packed = {name for name in wheel_files if ".dist-info/" not in name and Path(name).suffix not in COMPILED}
    assert packed == expected
    assert {"scrapy_urinorm/py.typed", "scrapy_urinorm/rulesets/presets/recommended.toml"} <= packed
    # none where there is no compiler; a wheel is tagged for Python 3.11 and all later ones, whichever built it
    compiled = {Path(name).name for name in wheel_files if Path(name).suffix in COMPILED}
    assert compiled <= {"_native.abi3.so", "_native.pyd"}


def test_source_distribution_can_be_tested(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"LICENSE", "CHANGELOG.md", "Makefile", "pyproject.toml", "tests/test_packaging.py"} <= names
    assert not {
        name for name in names if name.startswith((".venv", ".cache", ".git/")) or Path(name).suffix in COMPILED
    }


def test_wheel_without_the_c_module_is_for_every_platform(tmp_path: Path) -> None:
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", tmp_path, ROOT, URINORM_PURE="1")
    (wheel,) = tmp_path.iterdir()
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not {name for name in zipfile.ZipFile(wheel).namelist() if Path(name).suffix in COMPILED}


def test_metadata(metadata: Message) -> None:
    assert metadata["Name"] == "scrapy-urinorm"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Requires-Python"] == ">=3.11"
    assert "Framework :: Scrapy" in metadata.get_all("Classifier", [])
    assert {"disk", "redis", "learn", "spark", "report", "all"} <= set(metadata.get_all("Provides-Extra", []))


def test_package_is_imported_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = "import scrapy_urinorm as u; print(u.__file__); print(u.Normalizer().key('http://A.example:80/?b=1&a=2'))"
    file, key = run(installed / "python", "-c", code, cwd=tmp_path).split()
    assert Path(file).is_relative_to(installed.parent)
    assert key == "http://a.example/?a=2&b=1"


def test_console_script(installed: Path, tmp_path: Path) -> None:
    assert "normalize" in run(installed / "urinorm", "--help", cwd=tmp_path)


def test_scrapy_commands_outside_a_project(installed: Path, tmp_path: Path) -> None:
    assert run(installed / "python", "-m", "scrapy", "version", cwd=tmp_path).startswith("Scrapy ")
    assert "urinorm" in run(installed / "python", "-m", "scrapy", "--help", cwd=tmp_path)


def test_one_build_runs_on_all_versions() -> None:
    """With the headers of newer versions the macro counts no reference, and '#' asks for what Python 3.11 lacks."""
    for source in sorted((ROOT / "scrapy_urinorm").rglob("*.c")):
        text = source.read_text("utf-8")
        assert "Py_RETURN_" not in text, source.name
        assert not re.search(r'(BuildValue|ParseTuple)\w*\([^"]*"[^"]*#', text), source.name
