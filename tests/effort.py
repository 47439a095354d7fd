"""How much a test tries: little in `make test`, much in `make test-all`, all there is in `make test-soak`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = TypeVar("Row")

_limit = 280.0


def limit_to(seconds: float) -> None:
    """Say how long a test may take; 0: as long as it likes."""
    global _limit
    _limit = seconds - 20 if seconds > 20 else 86_400.0


def limit() -> float:
    """Seconds that a whole crawl of a test may take: those of the test, but the few in which it is to end first."""
    return _limit


def share(part: int) -> int:
    """One in `part` of the examples that the laws of this run try: for laws whose examples are dear."""
    return max(1, settings().max_examples // part)


def some(rows: Sequence[Row], times: int) -> list[Row]:
    """Rows drawn from many, the same in each run: `times` as many as a law tries examples, or all."""
    return random.Random(7).sample(rows, min(len(rows), times * settings().max_examples))
