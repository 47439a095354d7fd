"""What several tests of commands begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

RULES = """
[site."shop.example"]
www = "remove"
remove_params = ["ref"]
[[site."shop.example".where]]
path = "/calendar/**"
skip = true
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "rules.toml").write_text(RULES, encoding="utf-8")
    return tmp_path
