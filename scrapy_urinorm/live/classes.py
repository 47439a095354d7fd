"""A set of 64-bit numbers in an array: what a crawl knows to be fetched, at eleven to twenty-one octets a page."""

from __future__ import annotations

from array import array

_FULL = 3, 4
"""The share of places taken from which the table grows: chains of two or three places."""


class NumberSet:
    """An open-addressing table; 0 is no member."""

    def __init__(self) -> None:
        self._places = array("Q", bytes(8 * 64))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, number: int) -> bool:
        return self._places[self._at(self._places, number)] == number

    def add(self, number: int) -> None:
        """Add a number other than 0."""
        at = self._at(self._places, number)
        if self._places[at] != number:
            self._places[at] = number
            self._count += 1
            if self._count * _FULL[1] > len(self._places) * _FULL[0]:
                self._grow()

    def clear(self) -> None:
        """Forget all."""
        self.__init__()  # type: ignore[misc]  # as new: nothing is kept

    @staticmethod
    def _at(places: array[int], number: int) -> int:
        mask = len(places) - 1
        at = number & mask
        while places[at] and places[at] != number:
            at = (at + 1) & mask
        return at

    def _grow(self) -> None:
        old = self._places
        places = array("Q", bytes(16 * len(old)))
        for number in old:
            if number:
                places[self._at(places, number)] = number
        self._places = places
