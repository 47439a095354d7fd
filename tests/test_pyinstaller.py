"""What a program has that PyInstaller has frozen: every module and every file that the package reads."""

from __future__ import annotations

import pkgutil
import runpy
import tomllib
from pathlib import Path

import pytest
import tldextract

import scrapy_urinorm

ROOT = Path(scrapy_urinorm.__file__).parent


@pytest.fixture(scope="module")
def hook() -> dict[str, list[object]]:
    entries = tomllib.loads((ROOT.parent / "pyproject.toml").read_text())["project"]["entry-points"]
    (folder,) = pkgutil.resolve_name(entries["pyinstaller40"]["hook-dirs"])()
    return runpy.run_path(str(Path(folder, "hook-scrapy_urinorm.py")))


def test_every_module_is_taken_along(hook: dict[str, list[object]]) -> None:
    modules = {one.name for one in pkgutil.walk_packages([str(ROOT)], "scrapy_urinorm.") if "-" not in one.name}
    assert modules <= set(hook["hiddenimports"])
    assert "scrapy_urinorm" in hook["hiddenimports"]


@pytest.mark.parametrize(
    "file",
    [
        pytest.param(ROOT / "rulesets" / "platforms" / "wordpress.toml", id="a pack"),
        pytest.param(next((ROOT / "report" / "assets").iterdir()), id="what a report is drawn with"),
        pytest.param(Path(tldextract.__file__).with_name(".tld_set_snapshot"), id="the list of public suffixes"),
    ],
)
def test_every_file_is_taken_along_to_its_folder(file: Path, hook: dict[str, list[object]]) -> None:
    top = ROOT.parent if file.is_relative_to(ROOT) else Path(tldextract.__file__).parents[1]
    assert (str(file), str(file.parent.relative_to(top))) in hook["datas"]
