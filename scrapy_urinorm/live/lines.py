"""The lines and texts that a crawl has seen, in bounded memory: of a large one those it has seen of late."""

from __future__ import annotations

BITS = 1 << 25
"""Of one filter, 4 MB."""
SHARE = 7
"""Bits for each line that a filter takes, five million in all: then one in fifteen looks known and is not."""
_SPREAD = 2654435761  # Knuth's multiplicative hash, prime


class Lines:
    """A Bloom filter, and the one before it: a full one would take every line for known, and all pages for old."""

    def __init__(self) -> None:
        self._now, self._before = bytearray(BITS // 8), bytearray()
        self._taken = 0

    def known(self, line: int) -> bool:
        """Whether a line was there; it is from now on."""
        one, other = line % BITS, (line >> 32) * _SPREAD % BITS
        at_one, at_other, bit_one, bit_other = one >> 3, other >> 3, 1 << (one & 7), 1 << (other & 7)
        if self._now[at_one] & bit_one and self._now[at_other] & bit_other:
            return True
        before = self._before
        known = bool(before) and bool(before[at_one] & bit_one and before[at_other] & bit_other)
        if self._taken >= BITS // SHARE:
            self._now, self._before, self._taken = bytearray(BITS // 8), self._now, 0
        self._now[at_one] |= bit_one
        self._now[at_other] |= bit_other
        self._taken += 1
        return known
