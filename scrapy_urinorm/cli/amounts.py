"""Options that are numbers: what is none, or out of bounds, is said in this program's words and not in its parser's."""

from __future__ import annotations

import math
from typing import Any

import typer

from scrapy_urinorm.errors import UrinormError


def whole(option: str, *short: str, least: int, **said: Any) -> Any:
    """Return the option that is a whole number of at least so much; `said` is what `typer.Option` says of it."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UrinormError(f"{option} {_shown(text)}: not a whole number") from None
        if number < least:
            raise UrinormError(f"{option} {number}: less than {least}")
        return number

    return typer.Option(option, *short, parser=read, **{"metavar": "N", **said})


def number(option: str, *, most: float = math.inf, **said: Any) -> Any:
    """Return the option that is a number from 0 on; `said` as for `whole`."""
    bounds = "less than 0" if most == math.inf else f"not between 0 and {most:g}"

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise UrinormError(f"{option} {_shown(text)}: not a number") from None
        if math.isinf(value) or math.isnan(value):
            raise UrinormError(f"{option} {_shown(text)}: not a finite number")
        if not 0 <= value <= most:
            raise UrinormError(f"{option} {value:g}: {bounds}")
        return value

    return typer.Option(option, parser=read, **said)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
