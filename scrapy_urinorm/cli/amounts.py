"""Options that are numbers: what is none, or out of bounds, is said in this program's words and not in its parser's."""

from __future__ import annotations

import math
from typing import Any

import typer

from scrapy_urinorm.errors import UrinormError


def whole(option: str, *short: str, least: int, help: str, metavar: str = "N", **more: Any) -> Any:  # noqa: A002  typer's
    """Return the option that is a whole number of at least so much; `more` goes to `typer.Option`."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            raise UrinormError(f"{option} {_shown(text)}: not a whole number") from None
        if number < least:
            raise UrinormError(f"{option} {number}: less than {least}")
        return number

    return typer.Option(option, *short, parser=read, metavar=metavar, help=help, **more)


def number(option: str, *, most: float = math.inf, help: str, metavar: str) -> Any:  # noqa: A002  typer's
    """Return the option that is a number from 0 on."""
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

    return typer.Option(option, parser=read, metavar=metavar, help=help)


def _shown(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:40]}...")
