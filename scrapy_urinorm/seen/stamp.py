"""What the fingerprints of a store depend on, and what of it changed since the run before."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TypeGuard

from scrapy_urinorm.tuples import NamedTuple

Stamp = dict[str, str]
"""Name -> value: the rules digest, the preset, versions of the libraries that make a key."""

_SINCE = "since"
logger = logging.getLogger("scrapy_urinorm.seen")


def are_stamps(value: object) -> TypeGuard[list[Stamp]]:
    """Whether what stands in a file is a list of stamps: a damaged one may hold anything that JSON can."""
    return isinstance(value, list) and all(isinstance(stamp, dict) for stamp in value)


class StampChange(NamedTuple):
    """One value of the stamp that differs from the last run."""

    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.name} {self.before} -> {self.after}"


def stamp_changes(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[StampChange, ...]:
    """The differences between two stamps, sorted by name; when a stamp was taken does not count.

    What only one of them says tells nothing: another version of the package writes other names.
    """
    names = sorted((before.keys() & after.keys()) - {_SINCE})
    return tuple(StampChange(n, before[n], after[n]) for n in names if before[n] != after[n])


def dated(stamp: Mapping[str, str]) -> Stamp:
    """The stamp and when it was taken, as `since` (ISO 8601, UTC)."""
    return {**stamp, _SINCE: datetime.now(UTC).isoformat(timespec="seconds")}


def compare_last(
    stamps: list[Stamp], now: Mapping[str, str] | None, place: object
) -> tuple[tuple[StampChange, ...], bool]:
    """What differs from the last stamp, with a warning, and whether the list has grown by the new one.

    Without a stamp of its own (None) a run compares and adds nothing.
    """
    if now is None:
        return (), False
    changes = stamp_changes(stamps[-1], now) if stamps else ()
    if stamps and not changes and stamps[-1].keys() - {_SINCE} == now.keys():
        return (), False
    stamps.append(dated(now))
    if changes:
        logger.warning(
            "The seen store in %s was filled under other conditions: %s. Pages whose key differs under the new "
            "ones are taken for new and may be fetched again",
            place,
            "; ".join(map(str, changes)),
        )
    return changes, True
