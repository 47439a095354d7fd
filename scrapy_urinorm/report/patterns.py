"""Requests by path pattern: segments of many values are folded into one."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_urinorm.report.figures import Figures

MANY = 12
"""Names in one place from which on they are values."""
# a bound of memory, chosen: so many paths have every pattern that is worth a line
_READ = 200_000
_COUNTS = ("requests", "pages", "duplicates", "redirects", "errors", "avoidable", "left_over", "wasted_bytes")


def folded(figures: Figures, limit: int) -> list[dict[str, Any]]:
    """The path patterns with most requests, each host for itself."""
    rows = figures.patterns(_READ)
    by_host: dict[str, list[tuple[tuple[str, ...], dict[str, Any]]]] = defaultdict(list)
    for row in rows:
        by_host[row["host"]].append((tuple(row["pattern"].split("/")[1:]), row))
    out: dict[tuple[str, str], dict[str, Any]] = {}
    for host, paths in by_host.items():
        for segments, row in _folded(paths):
            pattern = "/" + "/".join(segments)
            total = out.setdefault((host, pattern), {"host": host, "pattern": pattern, **dict.fromkeys(_COUNTS, 0)})
            for name in _COUNTS:
                total[name] += row[name]
    return sorted(out.values(), key=lambda row: (-row["requests"], row["host"], row["pattern"]))[:limit]


def _folded(paths: list[tuple[tuple[str, ...], dict[str, Any]]]) -> list[tuple[tuple[str, ...], dict[str, Any]]]:
    """Fold one place after the other, from the left: what stands before a place is folded by then."""
    depth = max(len(segments) for segments, _ in paths)
    for place in range(depth):
        names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for segments, _ in paths:
            if len(segments) > place:
                names[segments[:place]].add(segments[place])
        paths = [
            (
                (*segments[:place], _star(segments[place]), *segments[place + 1 :])
                if len(segments) > place and len(names[segments[:place]]) >= MANY
                else segments,
                row,
            )
            for segments, row in paths
        ]
    return paths


def _star(segment: str) -> str:
    """What stands for any segment like this one: its extension stays, as does the empty one behind the last slash."""
    if not segment or segment == "**":
        return segment
    _, dot, extension = segment.rpartition(".")
    return f"*.{extension}" if dot and len(extension) <= 5 else "*"
