"""The template of a URL: what stays when numbers, dates, identifiers and hashes are taken for placeholders.

It tells which URLs are worth a look, never which are one page.
"""

from __future__ import annotations

import re

from scrapy_urinorm.url import decoded, query_items, split

# in this order: a date is made of numbers, a GUID of hexadecimal digits
_KINDS = (
    ("{guid}", re.compile(r"(?i)[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}")),
    ("{date}", re.compile(r"(?:19|20)\d\d[-./_]?(?:0[1-9]|1[0-2])[-./_]?(?:0[1-9]|[12]\d|3[01])")),
    # shorter ones are words as well: `facade`, `deadbeef` is none
    ("{hex}", re.compile(r"(?i)(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}")),
    # a text of mixed cases and digits of some length is drawn, not written
    ("{id}", re.compile(r"(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])(?=\D*\d)[A-Za-z0-9_]{16,}={0,2}")),
)
_NUMBER = re.compile(r"\d+")


def folded(text: str) -> str:
    """A segment or value with a placeholder: for what is an identifier as a whole, else for its numbers."""
    for name, kind in _KINDS:
        if kind.fullmatch(text):
            return name
    return _NUMBER.sub("{n}", text)


def template_of(url: str, *, names_alone: bool = False) -> str:
    """The template of a URL: host, folded segments, and its parameters in the order of their names.

    `names_alone` leaves out the values, so that a path with one set of parameters is one template. What is no URL is
    its own template.
    """
    parts = split(url)
    if parts is None:
        return url
    path = "/".join(folded(decoded(segment)) for segment in parts.path.split("/"))
    items = [(decoded(name), decoded(value)) for name, value in query_items(parts.query or "")]
    if names_alone:
        shown = sorted({name for name, _ in items})
    else:
        shown = sorted(f"{name}={folded(value)}" for name, value in items)
    return f"{parts.host}{path}{'?' if shown else ''}{'&'.join(shown)}"
