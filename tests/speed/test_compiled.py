"""A module in C that was built and cannot be used is told; one that was not built is not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import engine
from scrapy_urinorm.engine import native
from scrapy_urinorm.engine.compiled import compiled

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAME = "scrapy_urinorm.engine._native"
SAID = "pure Python runs instead (install the package again)"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The place of the module, where none is."""
    monkeypatch.delenv("URINORM_PURE", raising=False)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    if hasattr(engine, "_native"):
        monkeypatch.delattr(engine, "_native")
    monkeypatch.setattr(engine, "__path__", [str(tmp_path)])
    yield tmp_path / "_native.py"
    sys.modules.pop(NAME, None)
    vars(engine).pop("_native", None)


def test_what_was_not_built_is_not_told(built: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert compiled(native.LAYOUT) is None
    assert not caplog.records


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("raise ImportError('libc.musl-x86_64.so.1: cannot open shared object file')", "libc.musl"),
        ("import urinorm_not_there", "urinorm_not_there"),
        (f"LAYOUT = {native.LAYOUT - 1}", "is of another version"),
    ],
    ids=["for another C library", "without what it needs", "of another layout"],
)
def test_what_cannot_be_used_is_told(text: str, said: str, built: Path, caplog: pytest.LogCaptureFixture) -> None:
    built.write_text(text)
    assert compiled(native.LAYOUT) is None
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert SAID in record.getMessage()
    assert said in record.getMessage()


def test_what_can_be_used_is(built: Path, caplog: pytest.LogCaptureFixture) -> None:
    built.write_text(f"LAYOUT = {native.LAYOUT}")
    found: Any = compiled(native.LAYOUT)
    assert found.__file__ == str(built)
    assert not caplog.records
