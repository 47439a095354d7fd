"""A set of 64-bit numbers in arrays: what a crawl knows to be fetched, at eleven to twenty-four octets a page."""

from __future__ import annotations

from array import array

_LEAST = 64
"""Places of a new table."""
_MOST = 4096
"""Places of a table, from which on there are `_PARTS` in its stead: these are made in 3 ms, one for 200,000 in 50."""
_PARTS = 64
_PART_BITS = 6
_FULL = 3, 4
"""The share of places taken from which a table grows: chains of two or three places."""


class NumberSet:
    """An open-addressing table; 0 is no member. What is too large for one is a table for each value of some high bits.

    So that no page stops the reactor for longer the more there are.
    """

    __slots__ = ("_count", "_parts", "_places", "_shift")

    def __init__(self, bits: int = 64) -> None:
        self._shift = bits - _PART_BITS
        self.clear()

    def __len__(self) -> int:
        return sum(map(len, self._parts)) if self._parts else self._count

    def __contains__(self, number: int) -> bool:
        places = self._of(number)._places
        return places[_at(places, number)] == number

    def add(self, number: int) -> None:
        """Add a number other than 0."""
        if self._parts:
            self._of(number).add(number)
            return
        at = _at(self._places, number)
        if self._places[at] != number:
            self._places[at] = number
            self._count += 1
            if self._count * _FULL[1] > len(self._places) * _FULL[0]:
                self._grow()

    def _of(self, number: int) -> NumberSet:
        """The table that a number is in, or would be."""
        found = self
        while found._parts:
            found = found._parts[number >> found._shift & (_PARTS - 1)]
        return found

    def clear(self) -> None:
        """Forget all."""
        self._places = array("Q", bytes(8 * _LEAST))
        self._count = 0
        self._parts: list[NumberSet] = []

    def _grow(self) -> None:
        old = self._places
        if len(old) >= _MOST and self._shift >= 0:
            self._parts = [NumberSet(self._shift) for _ in range(_PARTS)]
            for number in filter(None, old):
                self._parts[number >> self._shift & (_PARTS - 1)].add(number)
            self._places = array("Q")
            return
        places = array("Q", bytes(16 * len(old)))
        for number in filter(None, old):
            places[_at(places, number)] = number
        self._places = places


def _at(places: array[int], number: int) -> int:
    """The place of a number, or the empty one where it would be."""
    mask = len(places) - 1
    at = number & mask
    while places[at] and places[at] != number:
        at = (at + 1) & mask
    return at
