"""Patterns that users write: regular expressions, each run on texts short enough for it to end at once.

The matcher of `re` can neither be stopped nor slowed down, so what a pattern could cost is found out when it is
loaded, and bounds the texts that it is tried on.
"""

from __future__ import annotations

import functools
import re
from typing import Any

#: Longer texts are not matched against user patterns, whatever the pattern.
MAX_TEXT = 2048
_MAX_PATTERN = 2000


class PatternError(ValueError):
    """A pattern that does not compile, or that could take exponential time; `hint` says what to do."""

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint


class Shipped(str):
    """The text of a pattern that comes with the package: tests have checked it, so that no crawl does at its start."""

    __slots__ = ()


class Pattern:
    """A checked regular expression; `match(text)` is a full match, or a search where `full` is false.

    No text longer than `limit` matches: up to there, matching ends within `steps.MAX_STEPS` steps whatever the text.
    """

    __slots__ = ("_run", "flags", "full", "limit", "regex", "text")
    limit: int
    regex: re.Pattern[str]

    def __init__(self, text: str, flags: int, full: bool):
        self.text = text
        self.flags = flags
        self.full = full
        if isinstance(text, Shipped):
            self.__class__ = _Later
        else:
            self._compile()

    def _compile(self) -> None:
        self.regex, self.limit = _compiled(self.text, self.flags, self.full)
        self._run = self.regex.fullmatch if self.full else self.regex.search

    def match(self, text: str) -> bool:
        """Whether `text` matches; a text longer than `limit` never does."""
        return len(text) <= self.limit and self._run(text) is not None

    def sub(self, replace: str, text: str) -> str:
        """`text` with every match replaced; unchanged where it is longer than `limit`."""
        return self.regex.sub(replace, text) if len(text) <= self.limit else text

    def __reduce__(self) -> tuple[Any, ...]:
        return Pattern, (self.text, self.flags, self.full)

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and (
            (self.text, self.flags, self.full) == (other.text, other.flags, other.full)
        )

    def __hash__(self) -> int:
        return hash(self.text)


class _Later(Pattern):
    """One of a shipped text until it is first used; a class of its own, as `__getattr__` slows every attribute down."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name not in ("_run", "limit", "regex"):
            raise AttributeError(name)
        self._compile()
        self.__class__ = Pattern  # type: ignore[assignment]  # of the same layout
        return getattr(self, name)


@functools.lru_cache(4096)
def _compiled(text: str, flags: int, full: bool) -> tuple[re.Pattern[str], int]:
    # a crawl under the presets alone needs neither
    from scrapy_urinorm.rules.backtracking import is_exponential
    from scrapy_urinorm.rules.steps import longest

    if len(text) > _MAX_PATTERN:
        raise PatternError(f"the pattern is {len(text)} characters long", f"at most {_MAX_PATTERN} are allowed")
    try:
        regex = re.compile(text, flags)
        exponential = is_exponential(text)
        limit = 0 if exponential else longest(text, flags, full=full, most=MAX_TEXT)
    except (ValueError, re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"{text!r} is not a regular expression: {error}") from None
    if exponential:
        raise PatternError(
            f"{text!r} could take exponential time on hostile input",
            "in a nested repeat let one character decide: (?:/[^/]+)+ instead of (?:/?[^/]+)+",
        )
    return regex, limit


def compile_pattern(text: Any, *, full: bool = True, flags: int = 0) -> Pattern:
    """Compile a user's regular expression, or raise PatternError with the reason and a hint.

    `flags` are those of `re`.
    """
    if not isinstance(text, str):
        raise PatternError(f"{text!r} is not a pattern", "write it in single quotes: '[0-9a-f]{32}'")
    return Pattern(text, flags, full)
