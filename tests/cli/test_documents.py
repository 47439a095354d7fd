"""The walk through the commands shows what they write, and the reference is what the code says."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.rules import CATALOGUE

if TYPE_CHECKING:
    from types import ModuleType

DOCS = Path(__file__).resolve().parents[2] / "docs"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="the walk is for a POSIX shell")
def test_walk(tmp_path: Path) -> None:
    text = (DOCS / "cli.md").read_text("utf-8")
    assert script("record_walk").recorded(text, tmp_path) == text, "run docs/record_walk.py"


def test_walk_shows_every_command() -> None:
    from scrapy_urinorm.cli import app

    text = (DOCS / "cli.md").read_text("utf-8")
    shown = set(re.findall(r"urinorm (\w+)", text))
    names = {info.name for info in app.registered_commands} | {info.name for info in app.registered_groups}
    # those that need a crawl have pages of their own
    assert names - shown <= {"learn", "platforms", "seen", "validate", "eval", "report"}


def test_reference_is_fresh() -> None:
    stale = script("generate_reference").stale()
    assert [path.name for path in stale] == [], "run docs/generate_reference.py"


def test_reference_has_every_rule() -> None:
    text = (DOCS / "reference" / "rules.md").read_text("utf-8")
    assert set(re.findall(r"^### (\w+)$", text, re.MULTILINE)) == CATALOGUE.keys()
