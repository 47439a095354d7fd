"""Texts that regular expressions match: values of interest for whoever tries rules out."""

from __future__ import annotations

from re import _constants as sre  # type: ignore[attr-defined]  # typeshed knows none of it
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed knows none of it
from typing import Any


def pattern_sample(pattern: str) -> str:
    """A text that a valid regular expression matches; near enough for a probe where it looks around."""
    return _sample(sre_parser.parse(pattern))


def _sample(parsed: Any) -> str:
    out = ""
    for op, argument in parsed:
        if op is sre.LITERAL:
            out += chr(argument)
        elif op is sre.IN:
            out += _member(argument)
        elif op in (sre.ANY, sre.NOT_LITERAL):
            out += "x" if op is sre.ANY or argument != ord("x") else "y"
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            low, high, body = argument
            out += _sample(body) * max(low, min(1, high))
        elif op is sre.SUBPATTERN:
            out += _sample(argument[-1])
        elif op is sre.BRANCH:
            out += _sample(argument[1][0])
        elif op is sre.ATOMIC_GROUP:
            out += _sample(argument)
    return out


_CATEGORIES = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_WORD: "x", sre.CATEGORY_SPACE: " "}


def _member(members: Any) -> str:
    if members[0][0] is sre.NEGATE:
        taken = {chr(v) for op, v in members[1:] if op is sre.LITERAL}
        return next((c for c in "x1-_" if c not in taken), "z")
    for op, value in members:
        if op is sre.LITERAL:
            return chr(value)
        if op is sre.RANGE:
            return chr(value[0])
        if op is sre.CATEGORY:
            return _CATEGORIES.get(value, "x")
    return "x"
