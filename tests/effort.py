"""How much a test tries: little in `make test`, much in `make test-all`, all there is in `make test-soak`."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = TypeVar("Row")


def share(part: int) -> int:
    """One in `part` of the examples that the laws of this run try: for laws whose examples are dear."""
    return max(1, settings().max_examples // part)


def some(rows: Sequence[Row], times: int) -> list[Row]:
    """Rows drawn from many, the same in each run: `times` as many as a law tries examples, or all."""
    return random.Random(7).sample(rows, min(len(rows), times * settings().max_examples))
