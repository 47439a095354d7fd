"""What it means that an address nests itself, for the rule that undoes it and for all that look for it."""

from __future__ import annotations

from urllib.parse import unquote

from scrapy_urinorm.regex import Regex

#: Escapes in escapes that are undone; each level triples a `%`, so a link cannot grow much further.
LEVELS = 8
_ABSOLUTE = Regex(r"[a-zA-Z][\w+.-]*://")


def nests(name: str, value: str, path: str) -> bool:
    """Whether a decoded parameter carries the address of its own page, or itself: each click makes it longer."""
    if not (value.startswith("/") or _ABSOLUTE.match(value)):
        return False
    for _ in range(LEVELS):
        address = value.partition("?")[0].partition("://")[2] if "://" in value[:40] else value.partition("?")[0]
        own = address[address.find("/") :] if "/" in address else "/"
        if own.rstrip("/") == path.rstrip("/") or any(f"{before}{name}=" in value for before in "?&;"):
            return True
        inner = unquote(value)
        if inner == value:
            return False
        value = inner
    return False
