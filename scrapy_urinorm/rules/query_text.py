"""Rules on how a query is split, and how it is written again; they see its text."""

from __future__ import annotations

import re

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.declaration import LOSSY, Stage, half, rule
from scrapy_urinorm.rules.kinds import Choice, Flag
from scrapy_urinorm.rules.path import with_stray_percent
from scrapy_urinorm.url import Item, text_key


@rule(
    LOSSY,
    "http://a.example/?b=1;a=2",
    "http://a.example/?a=2&b=1",
    kind=Flag(),
    value=True,
    stage=Stage.TEXT,
    scope="path",
    splits=True,
    sort_query="pair",
)
def semicolon_separators(query: str, *, on: bool) -> str:
    """Let `;` separate parameters as `&` does (HTML 4.01 B.2.2; Apache autoindex, gitweb).

    Conditions on parameters need to know it already: a `where` with it has a `path` and no `query`.
    """
    return query.replace(";", "&") if on else query


@rule(
    LOSSY,
    "http://a.example/?a=1&amp;b=2",
    "http://a.example/?a=1&b=2",
    stage=Stage.TEXT,
    kind=Flag(),
    value=True,
    scope="site",
)
def amp_entities(query: str, *, on: bool) -> str:
    """Read `&amp;` as `&`: links that were escaped twice."""
    return _AMP.sub("", query) if on else query


# at the start of any field, the first one included: a sorted query must mean what the unsorted one meant
_AMP = Regex("(?<![^&])(?:amp(?:;|%3B))+", re.IGNORECASE)


@rule(
    LOSSY,
    "http://a.example/?q=a+b",
    "http://a.example/?q=a%2Bb",
    stage=Stage.TEXT,
    kind=Choice(("space", "literal"), inert="space"),
    value="literal",
    scope="site",
    splits=True,
)
def plus_space(query: str, *, mode: str) -> str:
    """Say what `+` means: a space as in forms (the default, URL Standard 5.1), or a plus sign (RFC 3986)."""
    return query.replace("+", "%2B") if mode == "literal" else query


@half("plus_space", stage=Stage.DISPLAY, inert="space")
def written_space(query: str, *, mode: str) -> str:
    """The part of `plus_space` that writes the space of an edited parameter where a `+` would be read as one."""
    return query.replace("+", "%20") if mode == "literal" else query


@rule(
    LOSSY,
    "http://a.example/50%?q=100%",
    "http://a.example/50%25?q=100%25",
    stage=Stage.DISPLAY,
    kind=Choice(("keep", "encode"), inert="keep"),
    value="encode",
    scope="site",
)
def stray_percent(query: str, *, mode: str) -> str:
    """Write a `%` that starts no escape as `%25`, in path and query: `100%` is then `100%25`.

    No standard says what it means (the URL Standard keeps it, RFC 3986 has no such URL). Unset, the canonical URL keeps
    it; the key encodes it in a query, as Scrapy does.
    """
    return with_stray_percent(query) if mode == "encode" else query


@rule(
    LOSSY,
    "http://a.example/?a&b=1",
    "http://a.example/?a=&b=1",
    stage=Stage.DISPLAY,
    kind=Choice(("equal", "distinct")),
    value="equal",
    scope="site",
    splits=True,
)
def blank_values(query: str, *, mode: str) -> str:
    """Say whether `a` and `a=` are one parameter (the default of the key, as in Scrapy) or two."""
    if mode == "distinct" or not query:
        return query
    return "&".join([f if "=" in f or not f else f + "=" for f in query.split("&")])


@half("blank_values", stage=Stage.JOIN, inert="equal")
def joined_values(items: list[Item], query: str, *, mode: str) -> str:
    """The part of `blank_values` that writes the query of the key: a name that had no `=` gets none."""
    fields = query.split("&")
    bare = {text_key(f) for f in fields if f and "=" not in f} - {
        text_key(f[:-1]) for f in fields if f.endswith("=") and f.count("=") == 1
    }
    return "&".join([name if not value and name in bare else f"{name}={value}" for name, value in items])
