"""Rows of tables: cells of one row belong together, whatever the order of the rows.

A list that is sorted otherwise has the same rows; a ranking of another year has other numbers beside the same names. A
visit has the cells alone, but a cell's place is made from that of its row and its own number, so rows are seen in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import compress, pairwise

STEPS = 3
"""Steps from one cell to the next, and one row to the next, that belong to one: some are empty; chosen."""
TD_SLOT = 0x42EF4E18A2FDA1FB
"""What the reader of pages makes of `td` in a place."""
CUT_SLOT = 0
"""The place of the line for the rest of a page that has too many: a sum that says nothing of rows."""
_MIX = 0x9E3779B97F4A7C15
"""2^64 by the golden ratio: by this a place is multiplied (`visits/walk.py`)."""
_BACK = pow(_MIX, -1, 1 << 64)
_MASK = (1 << 64) - 1
"""Places are words of 64 bits."""


def in_rows(slots: Sequence[int], texts: Sequence[int], counted: Sequence[bool], loose: Collection[int]) -> list[int]:
    """Return the hashes of the lines that count, and in the place of those in a row of two cells and more that of the
    row, with its other cells but for those that vary with no page.
    """
    out: list[int] = []
    at = 0
    for start, end in () if CUT_SLOT in slots else _rows(slots):
        out += compress(texts[at:start], counted[at:start])
        if any(counted[start:end]):
            row = 0
            for slot, text in zip(slots[start:end], texts[start:end], strict=True):
                # shifted in between: the sum of all rows shall not be that of their columns
                row = ((row ^ row >> 32) * _MIX + (0 if slot in loose else text)) & _MASK
            out.append((row ^ row >> 32) * _MIX & _MASK)
        at = end
    return [*out, *compress(texts[at:], counted[at:])]


def _rows(slots: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where rows of tables begin and end: cells that follow each other, in rows that do."""
    runs = [(start, end, _parents(slots[start])) for start, end in _runs(slots)]
    follows = [False]
    follows += [
        any((parent + step) & _MASK in after for parent in before for step in range(1, STEPS + 1))
        for (_, _, before), (_, _, after) in pairwise(runs)
    ]
    for (start, end, _), before, behind in zip(runs, follows, [*follows[1:], False], strict=False):
        if before or behind:
            yield start, end


def _runs(slots: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield where elements of one name that follow each other begin and end, two and more."""
    start = 0
    for n, (one, following) in enumerate(pairwise([*slots, slots[-1] - 1])):
        if (following - one) & _MASK > STEPS:
            if slots[n] != slots[start]:
                yield start, n + 1
            start = n + 1


def _parents(slot: int) -> set[int]:
    """Return in which places this may be one of the first cells of a row."""
    return {(((slot - number) * _BACK) & _MASK) ^ TD_SLOT for number in range(1, STEPS + 1)}
