"""The values of a parameter as patterns: those that were seen, and others only where enough different ones were."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from scrapy_urinorm.learn.pages.values import is_number, is_volatile

ANY_VALUE = 3
"""Values that were seen to make no difference from which no other one does; chosen."""
_NUMBERED = re.compile("([^0-9]*)[0-9]+")
_BETWEEN = "-_"
"""What programs write for the spaces of a title."""


def are_writable(values: Iterable[str]) -> bool:
    """Whether all values (decoded) can be written down in a rule file: what is no UTF-8 cannot."""
    return all(one.encode(errors="ignore").decode() == one for one in values)


def tell_of_others(values: Iterable[str]) -> bool:
    """Whether there are enough values that others will be as they are: 0 and 00 are one."""
    return len({str(int(one)) if is_number(one) else one for one in values}) >= ANY_VALUE


def one_of(values: Iterable[str]) -> str:
    """Return the pattern of these values and no others."""
    return "|".join(re.escape(one).replace("\\-", "-") for one in sorted(set(values)))


def before_last(separator: str, values: Iterable[str]) -> str:
    """Return the pattern of values of which only what precedes the last separator matters, as its first group.

    It holds for as many separators as were seen, and at each place for the words seen there where these are few:
    `photo/7/album-3` says nothing of `person/7`.
    """
    lists = [value.split(separator) for value in values]
    counts = [len(one) - 1 for one in lists]
    mark, least, most = re.escape(separator), min(counts), max(counts)
    any_piece = f"[^{mark}]*"
    kept = "".join(_piece({one[at] for one in lists}, any_piece) + mark for at in range(least))
    if most > least:
        kept += f"(?:{any_piece}{mark}){{0,{most - least}}}"
    return f"^({kept}){_last({one[-1] for one in lists}, any_piece)}$"


def _piece(seen: set[str], any_piece: str) -> str:
    if not are_writable(seen) or tell_of_others(seen) or all(map(is_volatile, seen)):
        return any_piece
    return one_of(seen) if len(seen) == 1 else f"(?:{one_of(seen)})"


def numbered(values: Iterable[str]) -> str | None:
    """Return the pattern of values that are one word with any number behind it (`list7`), or nothing but numbers; None
    where they are something else, or too few.
    """
    seen = set(values)
    found = [_NUMBERED.fullmatch(one) for one in seen]
    stems = {one[1] for one in found if one}
    if all(found) and len(stems) == 1 and tell_of_others(seen) and are_writable(seen):
        return one_of(stems) + "[0-9]+"
    return None


def usual_mark(values: Collection[str]) -> str:
    """Return what stands between the words of most values: `-` in titles of pages; empty if nothing does."""
    return next((mark for mark in _BETWEEN if 2 * sum(mark in one for one in values) > len(values)), "")


def _last(seen: set[str], any_piece: str) -> str:
    """Return the pattern of what is dropped: of numbers that are numbered alike, with any number."""
    seen = seen - {""} or seen
    return numbered(seen) or _piece(seen, any_piece)
