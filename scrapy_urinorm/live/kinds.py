"""What the address of a page, and its pattern, say of its kind: which parameters choose, and whether they count."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from scrapy_urinorm.importers.facets import FIRST, is_id, may_turn_pages
from scrapy_urinorm.learn.unrequested.calendars import is_date
from scrapy_urinorm.live.dated import tells_a_date
from scrapy_urinorm.live.filtered import is_paging
from scrapy_urinorm.live.patterns import is_item

_NUMBERS = 3
"""Numbers beside that of its page that a list has: a category, a length, and what a program puts into each address."""
_CHECKSUM = "chash"
"""By which TYPO3 signs the other parameters of an address: it varies with them."""
_is_number = re.compile(r"-?[0-9]+(?:[.,:_-][0-9]+)*").fullmatch
"""Whether a value is a number, or several: a degree of longitude, a price, an id below another one."""
_is_numbered = re.compile("[A-Za-z]{0,4}[0-9]{1,9}").fullmatch
"""Whether a value is a number, or one behind a few letters (`I7`): no token is so short."""
_has_a_date = re.compile(r"/(?:19|20|21)[0-9]{2}[/_.-](?:0[1-9]|1[0-2]|W[0-9]{2})(?![0-9])").search
_is_calendar = re.compile(r"(?i)agenda|calendars?|calendari[oe]|calendrier|kalender|timeline").fullmatch


def kind_of(pattern: str) -> str:
    """Return a pattern without the parameters that choose what is shown (`view=person`): those that share the rest, as
    do the orders of a list, are counted together.
    """
    path, mark, query = pattern.partition("?")
    return path + mark + "&".join(item for item in query.split("&") if item.endswith(("=*", "=#")))


def form_of(pattern: str) -> str:
    """Return a pattern without the last segment, or value, and without the words in it: the comics of a newspaper, or
    the departments of a museum, are folders of one form.
    """
    path, _, query = pattern[: 1 + max(pattern.rfind("/"), pattern.rfind("="))].partition("?")
    folders = "/".join(one if one in ("#", "*") else "" for one in path.split("/"))
    return folders + "?" + "&".join(item.partition("=")[0] for item in query.split("&"))


def names_of(pattern: str) -> str:
    """Return a pattern without its values: the first tokens of a parameter have a pattern each."""
    path, _, query = pattern.partition("?")
    return path + "?" + "&".join(item.partition("=")[0] for item in query.split("&"))


def is_chain(kind: str, *, drawn: bool) -> bool:
    """Whether pages of a kind may be a chain: with two that vary they are lists that are filtered and sorted, but for
    the scans of a book (`?id=3&page=7`).
    """
    return (drawn or "&" not in kind) and " " not in kind


def is_list(items: dict[str, str], varying: dict[str, str]) -> bool:
    """Whether pages may be those of a list: one has a category beside the number of its page, or some more numbers
    (`id=7&Itemid=101&start=20`), and what is the same in each address.
    """
    if len(items) == 2 or len(varying) <= 2:
        return True
    # a first page is one more filter
    is_further = any(may_turn_pages(name) and value not in FIRST for name, value in varying.items())
    return is_further and len(varying) <= 1 + _NUMBERS and all(map(_is_number, varying.values()))


def are_numbers(items: dict[str, str]) -> bool:
    """Whether all values are numbers: a word may be a token, of which there is no end."""
    return all(map(str.isdecimal, items.values()))


def names_item(name: str, value: str) -> bool:
    """Whether an item of a query is the id of what a page is about, and no token."""
    return _is_numbered(value) is not None and (is_id(name) or not value.isdecimal())


def numbers_item(name: str, value: str) -> bool:
    """Whether an item of a query is a number, and no date and no page of a list."""
    return _is_numbered(value) is not None and not may_turn_pages(name) and not (len(name) > 1 and is_date(name))


def is_of_one(url: str, pattern: str) -> bool:
    """Whether an address of a pattern is that of one thing: by its path, or by an id or a number that is all of its
    query, whatever it is called (`holdings?biblionumber=7`). With a further item it may be a list in some order.
    """
    query = url.partition("#")[0].partition("?")[2]
    return is_item(pattern) or ("&" not in query and " " not in pattern and numbers_item(*query.partition("=")[::2]))


def open_items(url: str, kind: str) -> dict[str, str]:
    """Return the items of a query that a kind leaves open."""
    names = {item.partition("=")[0] for item in kind.partition("?")[2].split("&")} - {""}
    items = (item.partition("=") for item in url.partition("#")[0].partition("?")[2].split("&"))
    return {name: value for name, _, value in items if name in names and name.lower() != _CHECKSUM}


def is_counted(url: str) -> bool:
    """Whether the address of a page tells a date, or how far on in a list it is: of both there is always a next one."""
    return is_dated(url) or any(value[:1].isdigit() and is_paging(name) for name, value in _said(url))


def is_dated(url: str) -> bool:
    """Whether the address of a page tells a date."""
    path, _, query = url.partition("#")[0].partition("?")
    if _has_a_date(path) or any(map(tells_a_date, query.split("&"))) or any(map(_is_calendar, path.split("/")[3:-1])):
        return True
    return any(value[:1].isdigit() and len(name) > 1 and is_date(name) for name, value in _said(url))


def _said(url: str) -> Iterator[tuple[str, str]]:
    """The items of a query, and each segment of a path with the one before, which may be its name."""
    path, _, query = url.partition("#")[0].partition("?")
    yield from (item.partition("=")[::2] for item in query.split("&"))
    yield from pairwise(path.split("/")[3:])
