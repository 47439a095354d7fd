"""The page for maintainers says what is there: its files exist, and a reader meets the rooms it names."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request

from scrapy_urinorm import Normalizer, RequestFingerprinter

if TYPE_CHECKING:
    from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scrapy_urinorm"
PAGE = (ROOT / "docs" / "maintainers.md").read_text("utf-8")
MOST_CHANGES = 12


def named() -> set[str]:
    """The files and folders that the page names."""
    here = re.findall(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+(?:\.(?:py|c|toml|md)|/))(?=[\s`,;:)]|$)", PAGE)
    return {name for name in here if not name.startswith(("learned.", "urinorm"))}


def exists(name: str) -> bool:
    tops = [PACKAGE, ROOT, ROOT / "docs", *(one for one in PACKAGE.iterdir() if one.is_dir())]
    return any((top / name).exists() for top in tops)


def test_files_are_there() -> None:
    names = named()
    assert len(names) > 50
    assert [name for name in sorted(names) if not exists(name) and "NAME" not in name] == []


def rooms(normalizer: Normalizer) -> list[str]:
    """The modules that a fingerprint enters, in the order of the first time; the rules are one."""
    fingerprinter = RequestFingerprinter(normalizer)
    fingerprinter.fingerprint(Request("http://a.example/b/?sid=1&c=2"))
    found: dict[str, None] = {}

    def watch(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event == "call" and name.startswith(str(PACKAGE)):
            module = Path(name).relative_to(PACKAGE).as_posix()
            found["rules/" if module.startswith("rules/") else module] = None

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        fingerprinter.fingerprint(Request("http://a.example/d/?sid=3&c=2"))
    finally:
        sys.setprofile(before)
    return list(found)


@pytest.mark.parametrize("by", ["C where it is built", "the loop"])
def test_tour_of_a_fingerprint(by: str) -> None:
    normalizer = Normalizer({"site": {"a.example": {"remove_params": ["sid"], "trailing_slash": "remove"}}})
    if by == "the loop":
        normalizer.native = None
    # the parser that Python 3.15 has
    entered = [{"parser/servo.py": "parser/ada.py"}.get(room, room) for room in rooms(normalizer)]
    told = re.findall(r"^\| `([\w/.]+)` \|", PAGE, re.MULTILINE)
    assert set(entered) <= set(told)
    assert entered[0] == told[0]
    # the module in C makes the digest, too, where the processor can
    assert entered[-1] == told[-1] or normalizer.native is not None
    assert len(told) - 1 <= MOST_CHANGES


def test_contributing_names_the_same_files_for_a_rule() -> None:
    contributing = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    row = next(line for line in PAGE.splitlines() if line.startswith("| a rule |"))
    for name in re.findall(r"`([\w/]+/[\w./]*)`", row):
        assert name in contributing, name
