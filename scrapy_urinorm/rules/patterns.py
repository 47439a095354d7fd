"""Patterns that users write: globs and regular expressions, refused where they could take exponential time."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.rules.backtracking import is_exponential

if TYPE_CHECKING:
    from collections.abc import Callable

#: Longer texts are not matched against user patterns: what is left after refusing exponential patterns is polynomial,
#: and the cap makes that a constant.
MAX_TEXT = 2048
_MAX_PATTERN = 2000


class PatternError(ValueError):
    """A pattern that does not compile, or that could take exponential time; ``hint`` says what to do."""

    def __init__(self, message: str, hint: str = ""):
        super().__init__(message)
        self.hint = hint


class Pattern:
    """A checked regular expression; ``match(text)`` is a full match, or a search where ``full`` is false."""

    __slots__ = ("_run", "regex", "text")

    def __init__(self, text: str, regex: re.Pattern[str], full: bool):
        self.text = text
        self.regex = regex
        self._run = regex.fullmatch if full else regex.search

    def match(self, text: str) -> bool:
        """Whether ``text`` matches; a text longer than ``MAX_TEXT`` never does."""
        return len(text) <= MAX_TEXT and self._run(text) is not None

    def sub(self, replace: str, text: str) -> str:
        """``text`` with every match replaced; unchanged where it is longer than ``MAX_TEXT``."""
        return self.regex.sub(replace, text) if len(text) <= MAX_TEXT else text

    def __repr__(self) -> str:
        return f"Pattern({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pattern) and (self.text, self.regex) == (other.text, other.regex)

    def __hash__(self) -> int:
        return hash(self.text)


@functools.lru_cache(4096)
def _compile(text: str, flags: int) -> re.Pattern[str]:
    if len(text) > _MAX_PATTERN:
        raise PatternError(f"the pattern is {len(text)} characters long", f"at most {_MAX_PATTERN} are allowed")
    try:
        regex = re.compile(text, flags)
    except (ValueError, re.error, RecursionError, OverflowError) as error:
        raise PatternError(f"{text!r} is not a regular expression: {error}") from None
    if is_exponential(text):
        raise PatternError(
            f"{text!r} could take exponential time on hostile input",
            "in a nested repeat let one character decide: (?:/[^/]+)+ instead of (?:/?[^/]+)+",
        )
    return regex


def compile_pattern(text: Any, *, full: bool = True, flags: int = 0) -> Pattern:
    """Compile a user's regular expression, or raise PatternError with the reason and a hint.

    ``flags`` are those of :mod:`re`.
    """
    if not isinstance(text, str):
        raise PatternError(f"{text!r} is not a pattern", "write it in single quotes: '[0-9a-f]{32}'")
    return Pattern(text, _compile(text, flags), full)


@functools.lru_cache(65536)
def glob_pattern(glob: str, case_sensitive: bool = False) -> Callable[[str], bool]:
    """A function that tells whether a name matches ``glob``, in which ``*`` alone is special.

    Comparison ignores ASCII case unless ``case_sensitive``. Linear in the name, whatever the glob.
    """
    fold = str if case_sensitive else ascii_fold
    first, *middle = fold(glob).split("*")
    if not middle:
        return lambda name: fold(name) == first
    last = middle.pop()
    if not middle and not last:
        return lambda name: fold(name).startswith(first)
    shortest = len(first) + len(last)

    def match(name: str) -> bool:
        name = fold(name)
        if len(name) < shortest or not name.startswith(first) or not name.endswith(last):
            return False
        at, end = len(first), len(name) - len(last)
        for piece in middle:
            at = name.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True

    return match


_FOLD = {ord(c): c.lower() for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def ascii_fold(text: str) -> str:
    """``text`` with ASCII letters in lower case, all others as they are."""
    return text.lower() if text.isascii() else text.translate(_FOLD)


@functools.lru_cache(65536)
def path_glob(glob: str) -> Callable[[str], Any]:
    """A function that tells whether a path matches ``glob``: ``*`` within a segment, ``**`` across any.

    ``/forum/**`` also matches ``/forum`` (DESIGN section 1).
    """
    text = ""
    at = 0
    while at < len(glob):
        if glob.startswith("/**", at) and at + 3 == len(glob):
            text += "(?:/.*)?"
            at += 3
        elif glob.startswith("/**/", at):
            text += "/(?:.*/)?"
            at += 4
        elif glob.startswith("**", at):
            text += ".*"
            at += 2
        elif glob[at] == "*":
            text += "[^/]*"
            at += 1
        else:
            text += re.escape(glob[at])
            at += 1
    regex = re.compile(text, re.DOTALL).fullmatch
    if glob.removesuffix("/**").count("*") - glob.removesuffix("/**").count("**") < 2:
        return regex
    # two wildcards may cost the square of the length, each further one another factor
    return lambda path: regex(path) if len(path) <= MAX_TEXT else None
