"""Data in the attributes of a page, which its scripts draw: the record of a component, a game of chess in its moves."""

from __future__ import annotations

import re

from scrapy_urinorm.engine import native

LONG_VALUE = 40
"""Octets from which a value of `data-*` may be what a page is about: tips and questions are shorter; chosen."""
_value = re.compile(rb"=([\"'])").search
_data_name = re.compile(rb"(?<![\w-])data-[\w-]{0,55}\Z").search


def values(markup: bytes, most: int) -> list[bytes]:
    """Return the values of attributes that are JSON, or long and of `data-*`: their first `most` octets, as they are.

    Attributes of frameworks (`:product`, `wire:snapshot`) are not known by name: a value that begins with a bracket is
    taken for JSON.
    """
    if native.module is not None:
        found: list[bytes] = native.module.values(markup, most)
        return found
    return plain_values(markup, most)


def plain_values(markup: bytes, most: int) -> list[bytes]:
    """The same in Python: what the module in C must equal."""
    found: list[bytes] = []
    at = 0
    while most > 0 and (here := _value(markup, at)) is not None:
        begin = at = here.end()
        end = markup.find(here[1], begin)
        if end < 0 or begin == len(markup):
            continue
        is_named = end - begin >= LONG_VALUE and _data_name(markup[max(0, begin - 63) : begin - 2]) is not None
        if is_named or markup[begin] in b"{[":
            found.append(markup[begin : min(end, begin + most)])
            most -= len(found[-1])
            at = end
    return found
