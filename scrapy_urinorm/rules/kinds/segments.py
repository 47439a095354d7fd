"""Segments of a path, by name, pattern or place."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.rules.globs import glob_pattern
from scrapy_urinorm.rules.kinds.base import Kind, Report, checked_pattern
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy_urinorm.rules.patterns import Pattern


class Segment(NamedTuple):
    """A path segment to remove: by position (from 0, negative from the end), by name or glob, or by pattern.

    Where there is a pattern `next`, only if it matches the segment that follows, which goes too.
    """

    index: int | None  # type: ignore[assignment]  # the word that users write; nobody counts in a segment
    match: Callable[[str], Any] | None
    of: int | None = None
    next: Pattern | None = None
    why: str = ""

    def takes_any(self) -> bool:
        """Whether it removes any segment, and then the next in its place: of a path nothing would be left."""
        if self.of is not None or self.match is None:
            return False
        return all(map(self.match, _UNALIKE)) and (self.next is None or all(map(self.next.match, _UNALIKE)))


#: Segments with nothing in common: a name or pattern that takes them all takes any.
_UNALIKE = ("a", "products", "42", "Index.html", "one-two_three", "~%C3%BC;x=1")


class Segments(Kind):
    """A list of names, globs, or tables with `index`, `of`, `name` or `pattern`, all of which must hold.

    `next` is a pattern for the segment that follows: `/sid/0a1b2c/` is a name and its value.
    """

    def check(self, value: Any, report: Report) -> tuple[Segment, ...] | None:
        if not isinstance(value, list):
            report(f"{value!r} is not a list", "write [...]")
            return None
        return tuple(segment for entry in value if (segment := self._entry(entry, report)))

    @staticmethod
    def _entry(entry: Any, report: Report) -> Segment | None:
        if isinstance(entry, str) and entry and "/" not in entry:
            return Segment(None, glob_pattern(entry, case_sensitive=True))
        if not isinstance(entry, dict) or not entry.keys() <= {"index", "of", "name", "pattern", "next", "why"}:
            report(f"{entry!r} is not a segment", 'write "name", { index = 0, name = "x" } or { pattern = "..." }')
            return None
        numbers = [entry.get("index"), entry.get("of")]
        for number in numbers:
            if number is not None and (isinstance(number, bool) or not isinstance(number, int)):
                report(f"{number!r} is not a whole number", "0 is the first segment, -1 the last; `of` counts them")
                return None
        index, of = numbers
        if "name" not in entry and "pattern" not in entry and of is None:
            report(f"{entry!r} would remove one segment after the other", "add a name, a pattern or `of`, their number")
            return None
        match: Callable[[str], Any] | None = None
        if "pattern" in entry:
            if (pattern := checked_pattern(entry["pattern"], report)) is None:
                return None
            match = pattern.match
        elif "name" in entry:
            match = glob_pattern(str(entry["name"]), case_sensitive=True)
        following = None
        if "next" in entry:
            if match is None:
                report(f"{entry!r} would remove any segment before its `next`", "add a name or a pattern")
                return None
            if (following := checked_pattern(entry["next"], report)) is None:
                return None
        return Segment(index, match, of, following, str(entry.get("why", "")))

    def merge(self, wide: Any, narrow: Any) -> Any:
        return wide + narrow

    def schema(self) -> dict[str, Any]:
        entry = {
            "type": "object",
            "properties": {
                "index": {"type": "integer"},
                "of": {"type": "integer", "minimum": 1},
                "name": {"type": "string"},
                "pattern": {"type": "string", "format": "regex"},
                "next": {"type": "string", "format": "regex"},
                "why": {"type": "string"},
            },
            "additionalProperties": False,
        }
        return {"type": "array", "items": {"anyOf": [{"type": "string"}, entry]}}

    def describe(self) -> str:
        return "list of names, or { index, of, name, pattern, next }"
