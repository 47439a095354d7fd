"""Calendars without an end: pages by a date that only pages of their kind have named, and that lead to nothing else.

Each says other dates and so has words that no page had; depth first a crawl goes on with them until it is stopped. They
come behind the others, which is an order and no more: the rates of a day are such pages, too.
"""

from __future__ import annotations

import re

from scrapy_urinorm.learn.unrequested.calendars import is_date
from scrapy_urinorm.url import decoded

IN_A_ROW = 31
"""Such pages of a pattern in a row: as many pairs as a rule is believed for."""
_PATTERNS = 20_000
"""Patterns of which they are counted; as many as are counted at all."""
_is_dated = re.compile(r"(?:19|20|21)[0-9]{2}-(?:[0-9]{2}|W[0-9]{2})").match


class Dated:
    """How many pages of each pattern in a row were such."""

    def __init__(self) -> None:
        self._in_a_row: dict[str, int] = {}

    def goes_on(self, url: str, pattern: str, linker: str | None) -> bool:
        """Count a page with news, whose address was first named by a page of the pattern `linker`; return whether it
        is one of a calendar that leads to nothing but itself.
        """
        if linker != pattern:
            self._in_a_row.pop(pattern, None)
            if linker is not None:
                self._in_a_row.pop(linker, None)
            return False
        if not any(map(tells_a_date, url.partition("#")[0].partition("?")[2].split("&"))):
            return False
        number = self._in_a_row.get(pattern, 0) + 1
        if number == 1 and len(self._in_a_row) >= _PATTERNS:
            return False
        self._in_a_row[pattern] = number
        return number > IN_A_ROW


def tells_a_date(item: str) -> bool:
    """Whether an item of a query names a date, or has one."""
    name, _, value = item.partition("=")
    return is_date(decoded(name)) is not None or _is_dated(decoded(value)) is not None
