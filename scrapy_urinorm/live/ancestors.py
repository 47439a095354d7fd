"""Trees of pages that say nothing: the year of a newspaper leads to its issues, and these to the scans.

What leads to news has merit. The page above it, which has led to nothing but pages without news, would be closed with
all that lies below, so it has its share, up to the page that says something itself.
"""

from __future__ import annotations

LEVELS = 6
"""Levels of pages without news above the one that names something: book, title, part, chapter, section and what it has.
Chosen."""
_PATTERNS = 20_000
"""Patterns of which it is remembered what named them; as many as are counted at all."""


class Ancestors:
    """By pages of which pattern, without news, those of each pattern that had none were named last."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def named(self, pattern: str, by: str) -> None:
        """A page without news was first named by one of the pattern `by` that had none either."""
        if by != pattern and (pattern in self._of or len(self._of) < _PATTERNS):
            self._of[pattern] = by

    def of(self, pattern: str, found: str) -> tuple[str, ...]:
        """Return the patterns above one that has led to something of the pattern `found`, the nearest first."""
        above: list[str] = []
        seen = {pattern, found}
        while len(above) < LEVELS and (name := self._of.get(pattern, "")) and name not in seen:
            above.append(name)
            seen.add(name)
            pattern = name
        return tuple(above)
