"""How much a test tries: little in `make test`, much in `make test-all`, all there is in `make test-soak`."""

from __future__ import annotations

from hypothesis import settings


def share(part: int) -> int:
    """One in `part` of the examples that the laws of this run try: for laws whose examples are dear."""
    return max(1, settings().max_examples // part)
