"""In what two addresses differ, by the names of their parameters."""

from __future__ import annotations

MAX_KINDS = 16
"""Differences of addresses that are remembered of a slot."""


def difference(url: str, other: str) -> frozenset[str]:
    """Return the names of the parameters in which two addresses differ, and `/` where their paths do."""
    (path, _, query), (other_path, _, other_query) = (one.partition("#")[0].partition("?") for one in (url, other))
    names = {item.partition("=")[0] for item in set(query.split("&")) ^ set(other_query.split("&"))} - {""}
    return frozenset(names if path == other_path else names | {"/"})


def without_values(kind: frozenset[str], *urls: str) -> frozenset[str]:
    """Return a difference without values in place of names: `a[0]` and `a[1]` are one list, `/wiki?Page7` has none."""
    named = {item.partition("=")[0] for url in urls for item in url.partition("?")[2].split("&") if "=" in item}
    kept = (name if name == "/" or name in named else "?" for name in kind)
    return frozenset(name.partition("[")[0].partition("%5B")[0].rstrip("0123456789") for name in kept)


def independent(kinds: set[frozenset[str]]) -> int:
    """How many of these differences have nothing in common; an address that differs from itself is two of them."""
    if frozenset() in kinds:
        return 1 + max(1, independent(kinds - {frozenset()}))
    names: set[str] = set()
    count = 0
    for one in sorted(kinds, key=lambda kind: (len(kind), sorted(kind))):
        if names.isdisjoint(one):
            names |= one
            count += 1
    return count
