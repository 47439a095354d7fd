"""Ages in words: "20 minutes ago" is another text a minute later, and the date in its attributes is the same.

In place of the number of an age stands the date: `<time datetime="2026-11-27T13:49Z">20 minutes ago</time>`,
`<a title="11/27/2026 01:49 PM">20 minutes</a> ago`. A date to the minute says more than an age does, so that no two
pages become one by it that are two. A tip may stand at what is no age, whose language nobody knows here: all words
stay ("minutes" and "comments"), and a number does that may be something of its own.

- One number of one or two digits, with its unit behind it: not `5`, `Chapter 5`, `$ 12`, `12 EUR`, `1.5 hours`.
- A date to the minute by itself, not what somebody says of it ("Price on 11/27/2026 13:49").
- `datetime` of `time` alone: that of `del` says when something was struck out.

What then still differs a minute later are ages without a number ("just now") and another unit ("59 minutes", "1 hour").
The module in C has the same lists (ages.c).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

DATED = frozenset(("a", "abbr", "small", "span", "time"))
"""Elements whose text may be an age: `time` of HTML, `abbr` of hAtom and timeago, those that forums take."""
MOMENTS = frozenset(("data-time", "data-timestamp", "data-utime"))
"""Attributes for scripts (XenForo, Discourse, Facebook) with the seconds or milliseconds since 1970."""
LONGEST_DATE = 60
"""Octets of a date, chosen: "Wednesday, November 27, 2026 at 01:49:00 PM GMT+01:00" has 52."""
LONGEST_AGE = 40
"""Octets of an age without the spaces around it, chosen: Russian and Hindi take two or three for a letter."""
WORDS_FIRST, WORDS_WITHIN = 2, 3
"""Words up to the year: "Friday, November 27, 2026"; "27 de noviembre de 2026"."""
AGED = ", ".join(
    ("time[datetime]", *(f"{tag}[{name}]" for tag in sorted(DATED) for name in sorted(("title", *MOMENTS))))
)
"""What may say the date of its age, for a selector."""
NUMBERS = 4
"""Numbers of a date to the minute, where its month is a word."""

_year = re.compile(rb"(?<![0-9])(?:19|20)[0-9]{2}(?![0-9])").search
_minute = re.compile(rb"[0-9]:[0-9]{2}(?![0-9])").search
_numbers = re.compile(rb"[0-9]++").findall
_words = re.compile(rb"[A-Za-z\x80-\xff]++").findall
_is_moment = re.compile(rb"1[0-9]{9}(?:[0-9]{3})?").fullmatch
_SPACES = " \t\n\r\f"
_spaces = re.compile(rf"[{_SPACES}]+")
_age = re.compile(r"[^0-9]*+([0-9]{1,2}+)[^0-9]++").fullmatch
#: Letters that are no signs of money, which are capitals, or stand from U+00A2 to U+00A5 and from U+20A0.
_unit = re.compile(r"[a-z\u00c0-\u1fff\u2c00-\U0010ffff]").search


def aged_text(node: LexborNode) -> str | None:
    """Return the text of an element with the date in place of the number of its age; None where it is no such text."""
    texts = []
    child = node.child
    while child is not None:
        if child.tag != "-text":
            return None
        texts.append(child.text_content or "")
        child = child.next
    text = "".join(texts)
    number = number_in(text)
    date = None if number is None else date_of(node.tag or "", node.attributes)
    return None if number is None or date is None else text[: number[0]] + date + text[number[1] :]


def number_in(text: str) -> tuple[int, int] | None:
    """Return where the number of an age stands in its text."""
    if len(text.strip(_SPACES).encode("utf-8", "surrogatepass")) > LONGEST_AGE:
        return None
    found = _age(text)
    return found.span(1) if found is not None and _unit(text, found.end(1)) is not None else None


def date_of(tag: str, attributes: Mapping[str, str | None]) -> str | None:
    """Return the date that an element says in its attributes, as one word."""
    given = ((attributes.get("datetime") if tag == "time" else None), attributes.get("title"))
    for value in given:
        if value and is_date(value.encode("utf-8", "surrogatepass")):
            return _spaces.sub("", value)
    moments = [value for name, value in attributes.items() if name in MOMENTS]
    # the last one, should there be several
    moment = (moments[-1] if moments else None) or ""
    return moment if _is_moment(moment.encode("utf-8", "surrogatepass")) else None


def is_date(value: bytes) -> bool:
    """Whether a value is a date to the minute, and nothing else."""
    if len(value) > LONGEST_DATE or _minute(value) is None or len(_numbers(value)) < NUMBERS:
        return False
    year = _year(value)
    if year is None:
        return False
    words = len(_words(value[: year.start()]))
    if value.lstrip(_SPACES.encode())[:1].isdigit():
        return words <= WORDS_WITHIN
    beside = value[year.start() - 1 : year.start()] + value[year.end() : year.end() + 1]
    return words <= WORDS_FIRST and not any(sign in beside for sign in b"-/.")
