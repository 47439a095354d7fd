"""Answers of Redis to commands in a pipeline, as redis-py gives them under either protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


def text(name: bytes) -> str:
    """The name of a site."""
    return name.decode("utf-8", "surrogatepass")


def pairs(found: Any) -> dict[bytes, bytes]:
    """A hash, which comes as a dict or as a flat list."""
    return found if isinstance(found, dict) else dict(zip(found[::2], found[1::2], strict=True))


def scores(found: Any) -> list[tuple[bytes, float]]:
    """Members of a sorted set with their scores."""
    if found and not isinstance(found[0], tuple | list):
        found = list(zip(found[::2], found[1::2], strict=True))
    return [(name, float(score)) for name, score in found]


def streams(found: Any) -> Iterator[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """What XREAD has found, by stream."""
    for name, entries in found.items() if isinstance(found, dict) else found:
        if entries and entries[0] and isinstance(entries[0][0], list | tuple):
            entries = entries[0]
        yield text(name), [(at, pairs(fields)) for at, fields in entries]
