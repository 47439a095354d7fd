"""By what a request is served that comes later: what its pattern or group brings, as a priority."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.live.patterns import is_plain

if TYPE_CHECKING:
    from scrapy_urinorm.live.brought import Turn, Yield

TURNS = 100
"""Requests of a shape that are told apart by their turn, where what they bring is the same to a thousandth."""
_PLAIN = 0.4
"""Addresses without a query, of what comes later, go before all that has just become low (0.95^20 = 0.36): they are
pages, whose words a list may have shown, where queries make orders of lists without end."""


class Rank(NamedTuple):
    """By what a request is served, the name of that, a pattern or a group, and when."""

    found: Yield
    name: str
    turn: Turn

    @property
    def priority(self) -> int:
        """That of what comes later."""
        return priority(self.found, self.name)


def priority(found: Yield, name: str) -> int:
    """Return the priority of what comes later, by what its pattern or group of this name brings.

    What is likely a duplicate has 0, and comes last of all.
    """
    return TURNS * int(1000 * (max(found.share, _PLAIN) if is_plain(name) else found.share))
