"""Numbers as people read them."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 rule`, `2,000 rules`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
