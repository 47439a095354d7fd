"""The curves of a report as SVG, which needs no script and can be printed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

WIDTH, HEIGHT = 720, 240
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, 12, 10, 34


class Drawing(NamedTuple):
    """Lines and bars in a coordinate system of `WIDTH` x `HEIGHT`; texts are given beside, so that they are escaped."""

    lines: list[tuple[str, str]]
    """Class and points of each."""
    bars: list[tuple[str, float, float, float, float]]
    """Class, x, y, width and height of each."""
    marks: list[tuple[float, float, str, str]]
    """x, y, text and anchor of the numbers at the axes."""


#: As crawled, under the rules, with the proposals: classes of the style sheet.
WAYS = (("plain", "without rules"), ("ruled", "under these rules"), ("proposed", "with the proposals"))
#: What became of a request: a page seen for the first time, one seen before, a redirect, an error.
OUTCOMES = ("new", "duplicate", "redirect", "error")


def ways(trial: Sequence[dict[str, Any]]) -> Drawing:
    """Pages met by requests made, a line for each simulated crawl."""
    right = max((way["requests"] for way in trial), default=0) or 1
    top = max((way["pages"] for way in trial), default=0) or 1
    lines = []
    for way, (name, _) in zip(trial, WAYS, strict=True):
        points = [(0, 0), *way["curve"]]
        lines.append((name, " ".join(f"{_x(x, right):.1f},{_y(y, top):.1f}" for x, y in points)))
    return Drawing(lines, [], _marks(right, top))


def bars(curve: dict[str, Any]) -> Drawing:
    """The outcomes of requests in steps, stacked."""
    rows = curve["rows"]
    top = max((sum(row) for row in rows), default=0) or 1
    width = (WIDTH - _LEFT - _RIGHT) / max(1, len(rows))
    out = []
    for number, row in enumerate(rows):
        below = 0
        for name, count in zip(OUTCOMES, row, strict=True):
            if count:
                y = _y(below + count, top)
                out.append((name, round(_LEFT + number * width, 1), round(y, 1), round(width * 0.9, 2),
                            round(_y(below, top) - y, 1)))  # fmt: skip
            below += count
    return Drawing([], out, _marks(len(rows) * curve["step"], top))


def _x(value: float, most: float) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * value / most


def _y(value: float, most: float) -> float:
    return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * value / most


def _marks(right: int, top: int) -> list[tuple[float, float, str, str]]:
    at = [(_x(share, 1), HEIGHT - _BOTTOM + 18, f"{round(right * share):,}", "middle") for share in (0, 0.5)]
    at.append((_x(1, 1), HEIGHT - _BOTTOM + 18, f"{right:,}", "end"))
    return at + [(_LEFT - 6, _y(share, 1) + 4, f"{round(top * share):,}", "end") for share in (0.5, 1)]
