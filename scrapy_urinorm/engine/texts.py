"""The two texts of a URL after the rules: the key, and the canonical URL (DESIGN section 2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from scrapy_urinorm.engine.plan import split_query
from scrapy_urinorm.url import (
    Item,
    Url,
    join,
    join_items,
    other_key,
    path_key,
    query_items,
    safe_path,
    sort_items,
    split,
    text_key,
    userinfo_key,
)

if TYPE_CHECKING:
    from scrapy_urinorm.engine.plan import Outcome
    from scrapy_urinorm.engine.program import Program


def key_text(parts: Url, outcome: Outcome) -> str:
    """The key: parts in the key spelling, items sorted, the fragment gone unless a rule keeps it."""
    site, path, items, program, exempt = outcome
    userinfo = ""
    if parts.userinfo and (exempt or not site.plan.drops_userinfo):
        userinfo = userinfo_key(parts.userinfo) + "@"
    text = f"{site.scheme}://{userinfo}{site.host}{':' if site.port else ''}{site.port}{path}"
    if items:
        text += "?" + _joined(program.sort(items), parts.query or "", program)
    if program.fragment in ("keep", "route"):
        kept = left_fragment(parts.fragment, program)
        if kept:
            text += "#" + kept
    return text


def canonical_text(parts: Url, outcome: Outcome) -> str:
    """The canonical URL: the spelling of ``parts`` wherever the rules changed nothing."""
    site, path, items, program, exempt = outcome
    path = parts.path if path == path_key(parts.path) else safe_path(path)
    query, fragment = parts.query, parts.fragment
    if not exempt:
        if query is not None:
            for _, run in (*program.text_steps, *program.display_steps):
                query = run(query)
        if program.sort_canonical or items != split_query(parts.query, program):
            query = _spelled(program.sort(items) if program.sort_canonical else items, query or "") or None
        fragment = left_fragment(fragment, program)
    userinfo = "" if site.plan.drops_userinfo and not exempt else parts.userinfo
    return join(Url(site.scheme, userinfo, site.host, site.port, path, query, fragment))


def left_fragment(fragment: str | None, program: Program) -> str | None:
    """What the rules leave of a fragment."""
    for _, run in program.fragment_steps:
        fragment = run(fragment)
    return fragment


def bare_key(url: str) -> str:
    """The key of any text without any rule."""
    parts = split(url)
    return other_key(url) if parts is None else bare_parts_key(parts)


def bare_parts_key(parts: Url) -> str:
    """The key without any rule: SAFE normalizations and the conventions alone."""
    userinfo = userinfo_key(parts.userinfo) + "@" if parts.userinfo else ""
    port = ":" + parts.port if parts.port else ""
    text = f"{parts.scheme}://{userinfo}{parts.host}{port}{path_key(parts.path)}"
    items = query_items(parts.query) if parts.query else []
    return f"{text}?{join_items(sort_items(items))}" if items else text


def edited_text(url: str, raw: Url, parts: Url, outcome: Outcome) -> str:
    """``url`` with what the rules changed, every other byte as it was; ``raw`` are its parts as written."""
    text = canonical_text(raw._replace(path=raw.path or "/"), outcome)
    if raw.query and (left := _left(raw.query, outcome.items)) is not None and not outcome.program.sort_canonical:
        head, mark, fragment = text.partition("#")
        text = head.partition("?")[0] + ("?" + left if left else "") + mark + fragment
    site = outcome.site
    if (site.scheme, site.host, site.port) == (parts.scheme, parts.host, parts.port):
        # the authority is nobody's edit either
        text = _AUTHORITY.sub("", text, count=1)
        text = url[: len(url) - len(_AUTHORITY.sub("", url, count=1))] + text
    return url if text == _ROOTLESS.sub(r"\1/", url) else text


_AUTHORITY = re.compile(r"[^/?#\\]*//[^/?#\\]*")
_ROOTLESS = re.compile(r"^([^/]*//[^/?#]*)(?=[?#]|$)")


def _joined(items: list[Item], query: str, program: Program) -> str:
    if not program.blank_distinct:
        return join_items(items)
    fields = query.split("&")
    bare = {text_key(f) for f in fields if f and "=" not in f} - {
        text_key(f[:-1]) for f in fields if f.endswith("=") and f.count("=") == 1
    }
    return "&".join([name if not value and name in bare else f"{name}={value}" for name, value in items])


def _spelled(items: list[Item], query: str) -> str:
    """Items as canonical text: each in the spelling that it had in ``query``, or a valid one where it is new."""
    spellings: dict[Item, list[str]] = {}
    for field in query.split("&"):
        if field:
            name, _, value = field.partition("=")
            spellings.setdefault((text_key(name), text_key(value)), []).append(field)
    for known in spellings.values():
        known.reverse()
    out = []
    for item in items:
        known = spellings.get(item, [])
        out.append(known.pop() if known else f"{item[0]}={_readable(item[1])}")
    return "&".join(out)


def _left(query: str, items: list[Item]) -> str | None:
    """The fields of a query that are still there, empty ones included; None where a rule has made new ones."""
    waiting = items[::-1]
    fields: list[str] = []
    for field in query.split("&"):
        name, _, value = field.partition("=")
        if not field:
            fields.append(field)
        elif waiting and (text_key(name), text_key(value)) == waiting[-1]:
            waiting.pop()
            fields.append(field)
    if waiting:
        return None
    return "&".join(fields) if any(fields) else ""


def _readable(value: str) -> str:
    """A value that a rule made: what needs no escape in a query (RFC 3986 3.4) and reads better without."""
    return _LEGIBLE.sub(lambda m: chr(int(m.group()[1:], 16)), value) if "%" in value else value


_LEGIBLE = re.compile("%(?:2C|2F|3A|40)")
# in a text that no parser takes: for the web's schemes, all that could be one
_USERINFO = re.compile(r"(?i)(^[\x00-\x20]*(?:https?|ftp|wss?):(?:[/\\\s]|%5c)*)[^?#]*@|(?<=//)[^/?#]*@")


def without_userinfo(url: str) -> str:
    """A URL for people: user and password never appear in a log, stat, report or explanation.

    A URL that has them is shown as the parser reads it, since only the parser knows where they stand.
    """
    if "@" not in url:
        return url
    parts = split(url)
    if parts is None:
        return _USERINFO.sub(lambda match: match[1] or "", url)
    return join(parts._replace(userinfo="")) if parts.userinfo else url
