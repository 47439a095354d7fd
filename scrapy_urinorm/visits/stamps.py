"""Stamps of XML: the root of a document that says when it was sent, and what it was asked for.

`<itemContainer uri="http://a.example/items?output=xml" accessDate="2026-11-30T11:17:10+00:00">` is another text on each
visit, and at each address of one list. Such a time is an attribute of the root that says the minute of the header
`Date`; a document that was written in the minute in which it was fetched says the same, one at most. Only beside such a
time is an attribute the document's own address and no name of what it holds (`<book href="/book/7">`).
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from html import unescape
from urllib.parse import unquote

LONGEST = 40
"""Characters of a time with its fraction and offset (ISO 8601)."""
_HEAD = 4_000
"""Characters in which the root begins and its attributes end: after declarations, a style sheet and a comment, and with
the names of a dozen schemas."""
_MINUTE = 60.0
"""Seconds: the time may be that at which the program began, and may have no seconds."""
# each part is taken whole, so that nothing is tried twice
_before = r"(?:<\?[^>]*+>|<!--(?:[^-]|-(?!->))*+-->|<![^\[>]*+>|[\s\ufeff])*+"
_attribute = r"\s++[^\s<>=/]++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+')"
_root = re.compile(rf"{_before}<[A-Za-z_][^\s<>/]*+((?:{_attribute})++)\s*+/?+>").match
_value = re.compile(r"(?<==)(\s*+)(?:\"([^\"]*+)\"|'([^']*+)')")
_is_time = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?").fullmatch


def without_stamp(text: str, url: str, date: str) -> str:
    """Return an XML document without the time at which it was sent, and its address beside that, in its root; `date` is
    the header of that name.
    """
    root = _root(text, 0, _HEAD)
    sent = _time(date) if root is not None and date else None
    if root is None or sent is None:
        return text
    values = [(found, unescape(found[2] or found[3] or "")) for found in _value.finditer(root[1])]
    times = [found for found, value in values if _says(value, sent)]
    if not times:
        return text
    own = [found for found, value in values if url and unquote(value) == unquote(url)]
    begin, kept, at = root.start(1), [], 0
    for found in sorted((*times, *own), key=re.Match.start):
        kept.append(text[at : begin + found.start()])
        at = begin + found.end()
    return "".join((*kept, text[at:]))


def _time(date: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(date)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)


def _says(value: str, sent: datetime) -> bool:
    """Whether a text is a time within a minute of another one; in Universal Time where it says none."""
    if len(value) > LONGEST or not _is_time(value):
        return False
    try:
        found = datetime.fromisoformat(value)
        found = found if found.tzinfo is not None else found.replace(tzinfo=UTC)
        return abs((found - sent).total_seconds()) < _MINUTE
    except (ValueError, OverflowError):
        return False
