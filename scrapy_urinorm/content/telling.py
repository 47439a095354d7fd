"""Short lines that tell pages apart: names, numbers and prices of products whose text is that of a whole series.

They stand on nearly every page of a shop, as what belongs to the frame of a site does. What such a line says is said
with one text; what a form to log in says of the page that it is opened from is said there, too, with the page's own.
"""

from __future__ import annotations

from array import array
from collections import Counter
from itertools import compress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

TEXTS = 3
"""Texts of a slot beside one and the same rest of a page: an article has two where it is shown for printing; chosen."""
CASES, SHARE = 20, 0.8
"""Such cases, and the share of them in which the text is said with that rest alone, from which a slot tells pages
apart. Chosen on made-up shops and a wiki."""
MAX_CASES = 100_000
"""Cases of a slot that are remembered, the first ones: 20 MB."""
_MASK = 0xFFFF_FFFF_FFFF_FFFF
"""Sums of hashes are hashes of 64 bits, too."""


def telling(pages: Iterable[bytes], frame: frozenset[int], watched: frozenset[int]) -> frozenset[int]:
    """Return those of the `watched` slots that tell pages apart; `pages` are slots and texts, the rest of a page is
    what is not in the `frame`.
    """
    rests: dict[tuple[int, int], int | None] = {}
    cases: dict[int, set[tuple[int, int]]] = {slot: set() for slot in watched}
    for lines in pages:
        hashes = array("Q", lines)
        slots, texts = hashes[0::2], hashes[1::2]
        rest = sum(compress(texts, [slot not in frame for slot in slots])) & _MASK
        for slot, text in compress(zip(slots, texts, strict=True), [slot in watched for slot in slots]):
            if len(cases[slot]) < MAX_CASES:
                cases[slot].add((rest, text))
                if rests.setdefault((slot, text), rest) != rest:
                    rests[slot, text] = None
    return frozenset(slot for slot, seen in cases.items() if _tells(slot, seen, rests))


def _tells(slot: int, seen: set[tuple[int, int]], rests: dict[tuple[int, int], int | None]) -> bool:
    several = Counter(rest for rest, _ in seen)
    alone = [rests[slot, text] is not None for rest, text in seen if several[rest] >= TEXTS]
    return len(alone) >= CASES and sum(alone) >= SHARE * len(alone)
