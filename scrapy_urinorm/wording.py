"""Numbers and values as people read them."""

from __future__ import annotations

from collections.abc import Mapping


def count(number: int, noun: str, plural: str | None = None) -> str:
    """`1 rule`, `2,000 rules`."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


#: Entries of a list that are written out; of a longer one the first three. A pack has up to 29 paths in one.
_MOST = 6


def brief(value: object) -> str:
    """A value of a rule file, as Python writes it, with long lists cut: `['/a', '/b', '/c' and 26 more]`."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {brief(held)}" for key, held in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        shown = value if len(value) <= _MOST else value[:3]
        more = f" and {len(value) - len(shown)} more" if len(shown) < len(value) else ""
        return "[" + ", ".join(map(brief, shown)) + more + "]"
    return repr(value)
