"""What learned rules are measured against: heuristics.

Each is a function from the pages that may be learned from to a decision: URL -> (key, skipped). Two published ways to
learn are in `benchmarks/learners.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.normalizer import Normalizer

    Decide = Callable[[str], tuple[str, bool]]
    """URL -> (key, skipped)."""
    Baseline = Callable[[Sequence[Page], Normalizer], Decide]
    """Pages to learn from, and the normalizer that all stand on -> decision."""

_SESSION = re.compile(r"sid|(php|j|asp)sess(ion)?id|session(id)?|s", re.IGNORECASE)
_HEX = re.compile(r"[0-9a-f]{16,}", re.IGNORECASE)


def preset(pages: Sequence[Page], normalizer: Normalizer) -> Decide:
    """The preset alone: its list of trackers."""
    return lambda url: (normalizer.key(url), False)


def no_parameters(pages: Sequence[Page], normalizer: Normalizer) -> Decide:
    """Every parameter dropped."""
    return lambda url: (normalizer.key(url).partition("?")[0], False)


def session_names(pages: Sequence[Page], normalizer: Normalizer) -> Decide:
    """Parameters dropped that are named like a session and valued like one."""

    def decide(url: str) -> tuple[str, bool]:
        return without(normalizer.key(url), lambda n, v: bool(_SESSION.fullmatch(n) and _HEX.fullmatch(v))), False

    return decide


def without(key: str, drops: Callable[[str, str], bool]) -> str:
    """A key less the parameters of which `drops(name, value)` says so."""
    head, _, query = key.partition("?")
    kept = [item for item in query.split("&") if item and not drops(*item.partition("=")[::2])]
    return head + ("?" + "&".join(kept) if kept else "")


BASELINES: dict[str, Baseline] = {"preset": preset, "no parameters": no_parameters, "session names": session_names}
