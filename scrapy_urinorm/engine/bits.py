"""Rules as bits of a number: how the module in C tells which of them changed a URL."""

from __future__ import annotations

import functools

from scrapy_urinorm.rules import CATALOGUE

#: What stands for rules that no bit is left for.
_OTHERS = 62
_bits: dict[str, int] = {}


def bit_of(rule: str) -> int:
    """The place of the bit of a rule, the same as long as the process lives."""
    return _bits.setdefault(rule, min(len(_bits), _OTHERS))


@functools.lru_cache(4096)
def rules_of(mask: int) -> tuple[str, ...] | None:
    """The rules of some bits, in the order of the catalogue; None where it cannot be told."""
    if mask >> _OTHERS:
        return None
    return tuple(sorted((rule for rule, bit in _bits.items() if mask >> bit & 1), key=[*CATALOGUE].index))
