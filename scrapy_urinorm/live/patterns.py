"""Patterns: the shape of an address, found while the crawl runs, so that those that bring nothing are fetched last.

A segment of a path is itself while few stand in its place, and `*` from then on, scripts later; a number is `#`. A
parameter keeps its value while few are known and it is a word or a route (`do=edit`, `route=product/review`,
`q=node/#`), has `#` for a token of hexadecimal digits that begins as a word, and `*` otherwise, for numbers as well.
"""

from __future__ import annotations

import re
from urllib.parse import unquote_plus

from scrapy_urinorm.importers.facets import is_id, is_script

WIDE = 8
"""So many different texts in one place and it is a variable: programs have a dozen views, but articles by hundreds."""
SCRIPTS = 64
"""So many scripts (`item.php?id=5`) may stand in one place: what one brings says nothing of another, of a shop with a
dozen of them the sold ones were closed with forms."""
MOST_FOLDERS = 20
"""Folders at the top of a site that may name what lies in them: of a forum with a dozen `/topic/5/`, `/post/5/` and
`/forum/5/` were of one shape, and topics closed for the redirects of posts."""
MOST_VALUES = 20
"""Words that a parameter may have and still be a switch: the views of a wiki are 15 to 20."""
MOST_PLACES = 20_000
"""Places that are told apart; above it what is new is a variable. Some 20 MB at the worst."""
_number = re.compile(r"\d[\d.,:_-]*|[0-9a-f]{8,}(?:-[0-9a-f]+)*", re.IGNORECASE).fullmatch
_word = re.compile(r"[A-Za-z][\w.-]{0,31}").fullmatch
_route = re.compile(r"[A-Za-z][\w.-]{0,31}(?:/[\w.-]{1,32}){1,4}").fullmatch
_ROUTES = frozenset(("route", "r", "q", "action", "do", "controller", "module", "target", "view", "page", "cmd", "act"))
"""Parameters by which programs choose what answers (OpenCart, Yii, Drupal): `product/review`, `node/5/edit`. Files of a
repository look the same (`f=src/main`), and say nothing of what is shown."""
LONGEST = 300
"""Characters of a shape: no program has longer ones."""


def is_plain(pattern: str) -> bool:
    """Whether a pattern is of addresses without a query: pages, as queries make views and orders without end.

    Groups of patterns and lines of packs, whose names have a space, are not.
    """
    return "?" not in pattern and " " not in pattern


def is_item(pattern: str) -> bool:
    """Whether a pattern is of pages, by their path or an id alone (`item?id=7`); a list has names of another kind."""
    return is_plain(pattern) or is_view_of_item(pattern)


def is_view_of_item(pattern: str) -> bool:
    """Whether a pattern is of pages by an id in their query, and nothing else there."""
    name, _, value = pattern.partition("?")[2].partition("=")
    return value in ("*", "#") and " " not in pattern and is_id(name)


class Patterns:
    """The shapes of one crawl's addresses."""

    def __init__(self) -> None:
        # what stands in a place by its hash: of its text a site could make any length
        self._places: dict[str, set[int] | None] = {}

    def of(self, url: str) -> str:
        """Return the shape of an address; one that is seen again later may have become a more general one."""
        head, _, query = url.partition("#")[0].partition("?")
        origin, colon, rest = head.partition("://")
        host, _, path = rest.partition("/")
        shape = origin + colon + host
        *folders, last = path.split("/")
        for at, segment in enumerate(folders):
            if len(shape) >= LONGEST:
                # the rest is cut off below: of it nothing is remembered
                break
            shape += "/" + self._shown(shape, segment, WIDE if at else MOST_FOLDERS)
        if len(shape) >= LONGEST:
            return shape[:LONGEST]
        # in a place of their own: the pages beside them are many more
        place, most = (f"{shape}/?", SCRIPTS) if query and is_script(last) else (shape, WIDE)
        shape += "/" + self._shown(place, last, most)
        shown = self._items(shape, query)
        return (shape + ("?" + "&".join(shown) if shown else ""))[:LONGEST]

    def _items(self, shape: str, query: str) -> list[str]:
        """Return the items of a query, by their names, as many as a shape has room for."""
        values: dict[str, list[str]] = {}
        for item in re.split("[&;]", query) if query else ():
            name, _, value = item.partition("=")
            values.setdefault(name, []).append(value)
        shown: list[str] = []
        left = LONGEST - len(shape)
        for name in sorted(values):
            # two facets of one name are another list than one, ten are as two
            for value in values[name][:2]:
                if left <= 0:
                    return shown
                shown.append(f"{name}={self._value(shape, name, unquote_plus(value)) if len(name) < left else ''}")
                left -= 1 + len(shown[-1])
        return shown

    def _value(self, shape: str, name: str, value: str) -> str:
        if not value:
            return ""
        if name in _ROUTES and _route(value):
            value = "/".join("#" if _number(part) else part for part in value.split("/"))
        elif not _word(value):
            return "*"
        return self._shown(f"{shape}?{name}=", value, MOST_VALUES)

    def _shown(self, place: str, text: str, most: int) -> str:
        if not text:
            return ""
        if _number(text):
            return "#"
        known = self._places.get(place, self)
        if known is self:
            if len(self._places) >= MOST_PLACES:
                return "*"
            self._places[place] = {hash(text)}
            return text
        if known is None:
            return "*"
        assert isinstance(known, set)
        known.add(hash(text))
        if len(known) > most:
            self._places[place] = None
            return "*"
        return text
