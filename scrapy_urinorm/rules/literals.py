"""Texts that a pattern cannot match without: looked for before the pattern is tried."""

from __future__ import annotations

import re
from collections.abc import Iterable
from re import _parser as sre_parser  # type: ignore[attr-defined]  # typeshed knows none of it
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy_urinorm.rules.kinds import Edit


def literals(edits: Iterable[Edit]) -> tuple[tuple[bool, str], ...]:
    """The texts that some edits need, one for each; see `needed`."""
    return needed(literal(edit.pattern.regex) for edit in edits)


def needed(texts: Iterable[tuple[bool, str] | None]) -> tuple[tuple[bool, str], ...]:
    """The needs of a `TextEdit`, given what each of its parts needs, None being nothing.

    Where none of these texts is there, no part can act; empty where one part needs nothing, and so must be asked.
    """
    found = [*texts]
    return tuple(one for one in found if one is not None) if None not in found else ()


def literal(regex: re.Pattern[str]) -> tuple[bool, str] | None:
    """The longest run of characters that every match has; whether it begins at the start of the text."""
    if regex.flags & (re.IGNORECASE | re.MULTILINE | re.VERBOSE | re.LOCALE):
        return None
    best, at_start, run = "", False, ""
    anchored = run_anchored = False
    for place, (what, argument) in enumerate(sre_parser.parse(regex.pattern)):
        name = str(what)
        if name == "AT" and place == 0 and str(argument) in ("AT_BEGINNING", "AT_BEGINNING_STRING"):
            anchored = run_anchored = True
        elif name == "LITERAL" and 0 < argument < 128:
            run += chr(argument)
            if len(run) > len(best):
                best, at_start = run, run_anchored
        elif name != "AT":
            run, run_anchored = "", False
    # what is at the start is found without a search
    return (anchored and at_start, best) if best else None
