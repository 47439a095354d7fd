"""Echoes: parameters whose value the page names in a short line of its own, as "Colour: red" for `color=red`.

A short line that stands on nearly every page is no content, and a crawl that has just begun has not seen enough to know
that such lines tell pages apart (telling.py). But the site says by itself which variant it shows, whatever else is the
same: the price may be another one.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import islice

from scrapy_urinorm.url import decoded

BESIDE = 5
"""Addresses that come with two values or more, and times that a line comes again with its value on another one: as many
as there are groups that show noise (noise.py)."""
WRONG_SHARE = 0.1
"""Share of the times that a value comes again at which its line may be another one, chosen: two products of sixty of a
shop say "one size" whatever is asked for."""
MOST_PAGES, MOST_ITEMS = 20_000, 12
"""Pages that are looked at, the first ones, and parameters of an address, more than any form of the recorded sites
has: some seconds."""


def echoed(pages: Iterable[tuple[str, bytes]], slots: AbstractSet[int]) -> frozenset[str]:
    """Return the names of parameters that have a text in one of the slots for each value, few of which have the same;
    `pages` are addresses with their slots and texts.
    """
    found: dict[tuple[str, int], _Pair] = defaultdict(_Pair)
    values_at: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for url, lines in islice(pages, MOST_PAGES):
        path, _, query = url.partition("#")[0].partition("?")
        items = sorted(filter(None, query.split("&")))
        if not items or len(items) > MOST_ITEMS:
            continue
        hashes = array("Q", lines)
        said = [(slot, text) for slot, text in zip(hashes[0::2], hashes[1::2], strict=True) if slot in slots]
        for item in items:
            raw, _, value = item.partition("=")
            name = decoded(raw)
            values_at[name][hash((path, *(one for one in items if one != item)))].add(value)
            for slot, text in said:
                found[name, slot].add(value, text)
    names = {name for (name, _), pair in found.items() if pair.is_echo()}
    return frozenset(name for name in names if sum(len(of) > 1 for of in values_at[name].values()) >= BESIDE)


class _Pair:
    """A parameter and a slot: whether each value has a text of its own, and how often it came again with it."""

    def __init__(self) -> None:
        self._again = self._wrong = 0
        self._texts: dict[str, int] | None = {}

    def add(self, value: str, text: int) -> None:
        if self._texts is None:
            return
        if self._texts.setdefault(value, text) == text:
            self._again += 1
            return
        self._wrong += 1
        # a clock, a greeting, a hint: nothing is kept of what is no echo
        if self._wrong >= BESIDE and self._is_wrong():
            self._texts = None

    def _is_wrong(self) -> bool:
        return self._wrong > WRONG_SHARE * self._again

    def is_echo(self) -> bool:
        """Whether it is one: a heading has one text for many values."""
        texts = self._texts or {}
        again = self._again - len(texts)
        if again < BESIDE or self._is_wrong():
            return False
        most = max(Counter(texts.values()).values())
        return 2 * most <= len(texts)
