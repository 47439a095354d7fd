"""The README is executed: its Python sessions, its settings, its rule file, its commands."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from scrapy.utils.misc import load_object

from scrapy_urinorm import RuleSet

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, flags=re.MULTILINE | re.DOTALL)


PYTHON = blocks("python")
COMMANDS = [line.removeprefix("$ ") for block in blocks("console") for line in block.splitlines()]


def test_all_blocks_are_of_a_language_tested_here() -> None:
    languages = re.findall(r"^```(\w*)$", README, flags=re.MULTILINE)
    assert set(languages) == {"", "console", "python", "toml"}


@pytest.mark.parametrize("session", [block for block in PYTHON if ">>>" in block])
def test_python_session(session: str) -> None:
    test = doctest.DocTestParser().get_doctest(session, {}, "README.md", "README.md", 0)
    output: list[str] = []
    results = doctest.DocTestRunner().run(test, out=output.append)
    assert results.failed == 0, "".join(output)
    assert results.attempted > 0


def test_settings_name_an_addon() -> None:
    (source,) = [block for block in PYTHON if ">>>" not in block]
    settings: dict[str, Any] = {}
    exec(source, settings)
    (addon,) = settings["ADDONS"]
    assert callable(load_object(addon).update_settings)


@pytest.mark.parametrize("text", blocks("toml"))
def test_rule_file_loads(text: str, tmp_path: Path) -> None:
    path = tmp_path / "urinorm.toml"
    path.write_text(text, encoding="utf-8")
    assert RuleSet.load(path).digest() == RuleSet.load(tomllib.loads(text)).digest()


def test_make_targets_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), flags=re.MULTILINE))
    named = {command.split()[1] for command in COMMANDS if command.startswith("make ")}
    assert named == {"demo", "test"}
    assert named <= targets


def test_commands_exist() -> None:
    named = {command.split()[2] for command in COMMANDS if command.startswith("scrapy urinorm ")}
    assert named
    for command in sorted(named):
        subprocess.run(
            [sys.executable, "-m", "scrapy", "urinorm", command, "--help"], check=True, capture_output=True, cwd=ROOT
        )
