"""Rules on the query, in the order of execution: first how it is split, then names, values, items and their order.

The first group sees query text before it is split; the others see items in the key spelling (DESIGN section 2).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from scrapy_urinorm.rules.declaration import LOSSY, rule
from scrapy_urinorm.rules.kinds import (
    Aliases,
    Choice,
    Edit,
    Edits,
    Flag,
    Names,
    NameTable,
    Texts,
    ValueAliases,
)
from scrapy_urinorm.rules.path import composed_text
from scrapy_urinorm.rules.patterns import ascii_fold
from scrapy_urinorm.url import Item, decoded, encoded, sort_items

if TYPE_CHECKING:
    from collections.abc import Mapping

Items = list[Item]


@rule(
    LOSSY,
    "http://a.example/?b=1;a=2",
    "http://a.example/?a=2&b=1",
    kind=Flag(),
    value=True,
    scope="site",
    splits=True,
    sort_query="pair",
)
def semicolon_separators(query: str, *, on: bool) -> str:
    """Let ``;`` separate parameters as ``&`` does (HTML 4.01 B.2.2; Apache autoindex, gitweb)."""
    return query.replace(";", "&") if on else query


@rule(
    LOSSY,
    "http://a.example/?a=1&amp;b=2",
    "http://a.example/?a=1&b=2",
    kind=Flag(),
    value=True,
    scope="site",
)
def amp_entities(query: str, *, on: bool) -> str:
    """Read ``&amp;`` as ``&``: links that were escaped twice."""
    return _AMP.sub("", query) if on else query


# at the start of any field, the first one included: a sorted query must mean what the unsorted one meant
_AMP = re.compile("(?<![^&])(?:amp(?:;|%3B))+", re.IGNORECASE)


@rule(
    LOSSY,
    "http://a.example/?q=a+b",
    "http://a.example/?q=a%2Bb",
    kind=Choice(("space", "literal")),
    value="literal",
    scope="site",
    splits=True,
)
def plus_space(query: str, *, mode: str) -> str:
    """Say what ``+`` means: a space as in forms (the default, URL Standard 5.1), or a plus sign (RFC 3986)."""
    return query.replace("+", "%2B") if mode == "literal" else query


@rule(
    LOSSY,
    "http://a.example/50%?q=100%",
    "http://a.example/50%25?q=100%25",
    kind=Choice(("keep", "encode")),
    value="encode",
    scope="site",
)
def stray_percent(text: str, *, mode: str) -> str:
    """Write a ``%`` that starts no escape as ``%25``, in path and query: ``100%`` is then ``100%25``.

    No standard says what it means (the URL Standard keeps it, RFC 3986 has no such URL). Unset, the canonical URL keeps
    it; the key encodes it in a query, as Scrapy does.
    """
    return _STRAY_PERCENT.sub("%25", text) if mode == "encode" and "%" in text else text


_STRAY_PERCENT = re.compile("%(?![0-9A-Fa-f]{2})")


@rule(
    LOSSY,
    "http://a.example/?a&b=1",
    "http://a.example/?a=&b=1",
    kind=Choice(("equal", "distinct")),
    value="equal",
    scope="site",
    splits=True,
)
def blank_values(query: str, *, mode: str) -> str:
    """Say whether ``a`` and ``a=`` are one parameter (the default of the key, as in Scrapy) or two."""
    if mode == "distinct" or not query:
        return query
    return "&".join([f if "=" in f or not f else f + "=" for f in query.split("&")])


@rule(
    LOSSY,
    "http://a.example/?page_id=7",
    "http://a.example/?p=7",
    kind=Texts("name"),
    value={"page_id": "p"},
)
def rename_params(items: Items, *, names: Mapping[str, str]) -> Items:
    """Give parameters that mean the same one name; chains are followed, cycles are an error."""
    renamed = {**names}
    out = []
    for name, value in items:
        target = renamed.get(ascii_fold(decoded(name)))
        out.append((encoded(target), value) if target is not None else (name, value))
    return out


@rule(
    LOSSY,
    "http://a.example/?Page=2",
    "http://a.example/?page=2",
    kind=Names(),
    value=["page"],
)
def lowercase_names(items: Items, *, names: NameTable) -> Items:
    """Lower-case the names themselves of the named parameters, for sites that read them in any case (ASP, JSP)."""
    return [(encoded(decoded(n).lower()), v) if names[decoded(n)] else (n, v) for n, v in items]


@rule(
    LOSSY,
    "http://a.example/?lang=EN",
    "http://a.example/?lang=en",
    kind=Names(),
    value=["lang"],
)
def lowercase_params(items: Items, *, names: NameTable) -> Items:
    """Lower-case the value of the named parameters, for values that the site reads in any case."""
    return [(n, encoded(decoded(v).lower())) if names[decoded(n)] else (n, v) for n, v in items]


@rule(
    LOSSY,
    "http://a.example/?page=007",
    "http://a.example/?page=7",
    kind=Names(),
    value=["page"],
)
def numeric_params(items: Items, *, names: NameTable) -> Items:
    """Drop the leading zeros of the named parameters where the value is a whole number: ``007`` is ``7``."""
    return [(n, v.lstrip("0") or "0") if _is_number(v) and names[decoded(n)] else (n, v) for n, v in items]


_is_number = re.compile("[0-9]+").fullmatch


def unicode_nfc_items(items: Items) -> Items:
    """The part of ``unicode_nfc`` that concerns the query."""
    return [(_nfc(n), _nfc(v)) for n, v in items]


def _nfc(text: str) -> str:
    plain = decoded(text)
    composed = composed_text(plain)
    return text if composed == plain else encoded(composed)


@rule(
    LOSSY,
    "http://a.example/?hb=refs/heads/master",
    "http://a.example/?hb=HEAD",
    kind=ValueAliases(),
    value={"hb": [["HEAD", "refs/heads/master"]]},
)
def map_params(items: Items, *, names: Mapping[str, tuple[str, tuple[Aliases, ...]]]) -> Items:
    """Replace values that mean the same by the first of their group; ``false`` in a group stands for absence.

    Where ``false`` comes first the parameter is dropped; where it stands later, an absent parameter is added.
    """
    out = []
    present = set()
    for name, value in items:
        key = ascii_fold(decoded(name))
        present.add(key)
        plain = decoded(value)
        for group in names.get(key, ("", ()))[1]:
            if plain in group.values:
                kept = group.values[0]
                if kept is not None:
                    out.append((name, encoded(kept)))
                break
        else:
            out.append((name, value))
    for key, (written, groups) in names.items():
        if key not in present:
            firsts = [g.values[0] for g in groups if None in g.values]
            out += [(encoded(written), encoded(first)) for first in firsts if first is not None]
    return out


@rule(
    LOSSY,
    "http://a.example/?id=wiki:start",
    "http://a.example/?id=wiki:",
    kind=Edits(named=True),
    value={"id": {"pattern": "^(.*:)?[^:]*$", "replace": r"\1"}},
)
def rewrite_params(items: Items, *, names: Mapping[str, tuple[Edit, ...]]) -> Items:
    """Rewrite the decoded value of a parameter by a pattern; an edit should leave its own result alone.

    ``replace`` is a template as in :func:`re.sub`.
    """
    out = []
    for name, value in items:
        edits = names.get(ascii_fold(decoded(name)))
        if edits:
            plain = before = decoded(value)
            for edit in edits:
                # an optional group that did not take part is empty, as re.sub has it
                plain = edit.pattern.sub(edit.replace, plain)
            if plain != before:
                value = encoded(plain)
        out.append((name, value))
    return out


@rule(
    LOSSY,
    "http://a.example/?cols=b,a",
    "http://a.example/?cols=a,b",
    kind=Texts("separator"),
    value={"cols": ","},
)
def unordered_values(items: Items, *, names: Mapping[str, str]) -> Items:
    """Sort the parts of a value that is a set (``a,b`` = ``b,a``), given its separator; repeats are dropped."""
    out = []
    for name, value in items:
        separator = names.get(ascii_fold(decoded(name)))
        if separator:
            plain = decoded(value)
            parts = separator.join(sorted(set(plain.split(separator))))
            if parts != plain:
                value = encoded(parts)
        out.append((name, value))
    return out


@rule(
    LOSSY,
    "http://a.example/login?next=/login%3Fnext%3D/x",
    "http://a.example/login",
    kind=Names(),
    value=["next"],
)
def collapse_nested(items: Items, *, names: NameTable, path: str) -> Items:
    """Drop a parameter that carries the address of its own page or nests itself: a trap without an end.

    The decoded value must start with ``/`` or ``scheme://`` and hold the URL's own path, or the parameter's own name
    followed by ``=`` after up to eight levels of decoding (`dust-learning`, self-nesting).
    """
    return [(n, v) for n, v in items if not (names[decoded(n)] and _nests(decoded(n), decoded(v), path))]


def _nests(name: str, value: str, path: str) -> bool:
    if not (value.startswith("/") or re.match(r"[a-zA-Z][\w+.-]*://", value)):
        return False
    for _ in range(8):
        address = value.partition("?")[0].partition("://")[2] if "://" in value[:40] else value.partition("?")[0]
        own = address[address.find("/") :] if "/" in address else "/"
        if own.rstrip("/") == path.rstrip("/") or any(f"{before}{name}=" in value for before in "?&;"):
            return True
        inner = unquote(value)
        if inner == value:
            return False
        value = inner
    return False


@rule(
    LOSSY,
    "http://a.example/?id=7&utm_source=mail",
    "http://a.example/?id=7",
    kind=Names(guards=True),
    value=["utm_*"],
)
def remove_params(items: Items, *, names: NameTable) -> Items:
    """Remove parameters by name or glob, and by a pattern on the value where a name alone proves nothing.

    Names match on the percent-decoded name, ASCII case-insensitively unless ``case_sensitive``; ``pattern`` is a
    regular expression for the whole name, ``value`` one for the whole decoded value.
    """
    return [(n, v) for n, v in items if not names.removes(decoded(n), v)]


@rule(
    LOSSY,
    "http://a.example/?utm_content=a&utm_source=b",
    "http://a.example/?utm_content=a",
    kind=Names(guards=True, keep=True),
    value=["utm_content"],
    remove_params=["utm_*"],
)
def except_params(items: Items, *, names: NameTable) -> Items:
    """Take names back from ``remove_params`` of this scope and wider ones."""
    return items


@rule(
    LOSSY,
    "http://a.example/?id=7&x=1&y=2",
    "http://a.example/?id=7",
    kind=Names(guards=True, replace=True),
    value=["id"],
)
def keep_params(items: Items, *, names: NameTable) -> Items:
    """Keep the named parameters and remove all others; the list of a narrower scope replaces a wider one."""
    return [(n, v) for n, v in items if names.removes(decoded(n), v)]


@rule(
    LOSSY,
    "http://a.example/?id=7&page=1",
    "http://a.example/?id=7",
    kind=Texts("value", many=True),
    value={"page": "1"},
)
def default_params(items: Items, *, names: Mapping[str, tuple[str, ...]]) -> Items:
    """Remove parameters that have their default value."""
    return [(n, v) for n, v in items if decoded(v) not in names.get(ascii_fold(decoded(n)), ())]


@rule(
    LOSSY,
    "http://a.example/?id=7&q=&x",
    "http://a.example/?id=7",
    kind=Names(),
    value=["*"],
)
def remove_empty_params(items: Items, *, names: NameTable) -> Items:
    """Remove the named parameters where they have no value; a parameter without a value is not therefore unused."""
    return [(n, v) for n, v in items if v or not names[decoded(n)]]


@rule(
    LOSSY,
    "http://a.example/?a=1&b=2&a=1",
    "http://a.example/?a=1&b=2",
    kind=Choice(("off", "pair", "first", "last")),
    value="pair",
    splits=True,
)
def dedupe_params(items: Items, *, mode: str) -> Items:
    """Drop repeated items: equal pairs, or all but the first or last of a name (Scrapy #137, #1113).

    ``first`` and ``last`` go by the order in the URL, so they may keep apart what Scrapy, which sorts, merges.
    """
    if mode == "off" or len(items) < 2:
        return items
    if mode == "pair":
        return list(dict.fromkeys(items))
    if mode == "last":
        return list(dedupe_params(items[::-1], mode="first"))[::-1]
    first: dict[str, Item] = {}
    for item in items:
        first.setdefault(item[0], item)
    return list(first.values())


@rule(LOSSY, "http://a.example/x?y=1", "http://a.example/x", kind=Flag(), value=True)
def remove_query(items: Items, *, on: bool) -> Items:
    """Remove the whole query."""
    return [] if on else items


@rule(
    LOSSY,
    "http://a.example/?b=2&a=1",
    "http://a.example/?a=1&b=2",
    kind=Choice(("pair", "key", "off")),
    value="pair",
    splits=True,
)
def sort_query(items: Items, *, mode: str) -> Items:
    """Sort parameters by name and value as Scrapy does, by name so that repeated names keep their order, or not.

    Unset, the key is sorted by pair and the canonical URL is left as it came.
    """
    if mode == "pair":
        return sort_items(items)
    if mode == "key":
        return sorted(items, key=lambda item: decoded(item[0]).encode("utf-8", "surrogateescape"))
    return items
