"""Chains: pages of a few words that only pages of their kind name, by "previous", "next" or a relation.

The strips of a comic, the objects of a museum, the persons of a family: each says a name of its own, and the next one
is known from nowhere else, so that a shape which is closed for having no news loses the rest. The months of a calendar
name each other as well, and a name is not told from a date where lines are hashes. So chains come behind the others,
and go on for a while: where addresses tell dates or pages of a list, or where pages say nothing but lead to one more
each, as entries do that were removed, for as many pages as had news. The next page of a list may have rows that all
were named elsewhere, and lead to those that were not.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from itertools import islice, pairwise
from typing import TYPE_CHECKING
from zlib import crc32

from scrapy_urinorm.importers.facets import FIRST, may_turn_pages
from scrapy_urinorm.learn.calendars import is_date
from scrapy_urinorm.live.dated import tells_a_date
from scrapy_urinorm.live.filtered import is_paging
from scrapy_urinorm.live.patterns import is_item, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 1_000
"""Pages of a chain since the last news of their pattern that close nothing: five times as many as close one that says
nothing. Chosen: each series without an end costs a crawl so many requests."""
MOST_DRAWN = 5_000
"""So many where each has a picture of its own, in a place where no other pages have new ones: no calendar has, and a
comic that appears on weekdays has as many in twenty years. Chosen."""
PLACES = 100_000
"""Places of pictures that are watched; as many as are watched for clocks."""
LONG = 5
"""Words of a line that is a sentence, not the value in a row of a table: of those many repeat. Chosen."""
MANY = 31
"""Pages with news from which others of their kind may say the same again; as many pairs as a rule is believed for."""
_LISTED = 2
"""Pages that one of a list names and the one before did not: a link to the next page is one. Chosen."""
_KINDS, _LINES, _LINKS = 2_000, 64, 1_024
"""Kinds of which the sentences and links of the latest page are remembered, and how many; some 10 MB each. A menu may
have more links than a list has rows."""
_NUMBERS = 3
"""Numbers beside that of its page that a list has: a category, a length, and what a program puts into each address."""
_CHECKSUM = "chash"
"""By which TYPO3 signs the other parameters of an address: it varies with them."""
_PATTERNS = 20_000
"""Patterns of which they are counted; as many as are counted at all."""
_has_a_date = re.compile(r"/(?:19|20|21)[0-9]{2}[/_.-](?:0[1-9]|1[0-2]|W[0-9]{2})(?![0-9])").search
_is_calendar = re.compile(r"(?i)agenda|calendars?|calendari[oe]|calendrier|kalender|timeline").fullmatch


class Kin:
    """How many pages of each pattern brought news, and how many have come since that are of a chain."""

    def __init__(self) -> None:
        self._news: Counter[str] = Counter()
        self._since: Counter[str] = Counter()
        self._saying: Counter[str] = Counter()
        self._leaves: Counter[str] = Counter()
        self._drawn: dict[int, str] = {}
        self._sentences: dict[str, frozenset[int]] = {}
        self._listed: dict[str, array[int]] = {}
        self._first: dict[str, dict[str, int | None]] = {}
        self._all_news = self._older = 0

    def brought(self, pattern: str) -> None:
        """A page of a pattern has news, or has led to some."""
        kind = _kind(pattern)
        self._all_news += 1
        self._since.pop(kind, None)
        for name, counts in ((kind, self._news), (_names(pattern), self._saying)):
            if name in counts or len(counts) < _PATTERNS:
                counts[name] += 1

    def is_drawn(self, pictures: Iterable[int], pattern: str) -> bool:
        """Whether a page of a pattern has a new picture of its own, by the places of those: a counter of visits is
        one that is new in the same place of other pages, as of the front page. Folders of one form share a template.
        """
        if not pattern:
            # of the run before
            return False
        form = form_of(pattern)
        drawn = False
        for place in pictures:
            if place not in self._drawn and len(self._drawn) >= PLACES:
                continue
            if self._drawn.setdefault(place, form) == form:
                drawn = True
            else:
                self._drawn[place] = ""
        return drawn

    def repeats(self, sentences: Iterable[int], pattern: str) -> bool:
        """Whether a page without news says what pages of its kind with news have said: one with a token in its address
        and the time on it. `sentences` are those known; what the page before says, too, is the frame of all.
        """
        before, said = self._said(sentences, _kind(pattern))
        return before is not None and self._saying[_names(pattern)] >= MANY and not said <= before

    def is_older(self, sentences: Iterable[int], pattern: str) -> bool:
        """Whether a page of known lines alone, whose text as a whole no page had, may be another one as it was before:
        its sentences, those of the page before aside. A filtered list is like that, too: there are as many as pages
        that had news, and pages that led to such ones, at the most.
        """
        before, said = self._said(sentences, _kind(pattern))
        if before is None or said <= before or not is_plain(pattern):
            return False
        self._older += 1
        return self._older <= self._all_news

    def _said(self, sentences: Iterable[int], kind: str) -> tuple[frozenset[int] | None, frozenset[int]]:
        """Return the sentences of the page before of a kind, None where there was none, and those of this one."""
        said = frozenset(islice(sentences, _LINES))
        before = self._sentences.get(kind)
        if before is not None or len(self._sentences) < _KINDS:
            self._sentences[kind] = said
        return before, said

    def lists_others(self, links: Iterable[bytes], pattern: str) -> bool:
        """Whether a page names known ones that the page before of its kind did not: the next page of a list. `links`
        are those to what is known.
        """
        kind = _kind(pattern)
        listed = array("I", map(crc32, islice(links, _LINKS)))
        before = self._listed.get(kind)
        if before is not None or len(self._listed) < _KINDS:
            self._listed[kind] = listed
        return before is not None and len(set(listed).difference(before)) >= _LISTED

    def is_leaf(self, url: str, pattern: str) -> bool:
        """Whether a page with a picture of its own, which a page of another kind without news named, is one more page,
        and not the next day of a calendar, or a form with a token; count it.
        """
        kind = _kind(pattern)
        are_numbers = _are_numbers(_open(url, kind))
        if not (are_numbers or is_item(pattern)):
            return False
        # a token that is called an id may have no end, as the addresses of a picture that are signed anew
        if are_numbers and not _is_counted(url):
            return True
        if kind not in self._leaves and len(self._leaves) >= _PATTERNS:
            return False
        self._leaves[kind] += 1
        return self._leaves[kind] <= MOST_DRAWN

    def _varying(self, url: str, kind: str) -> dict[str, str]:
        """Return the items of a query of which the pages of a kind had several values: what a program or a session puts
        into each address chooses nothing. Of the first page all that a kind leaves open.
        """
        items = _open(url, kind)
        first = self._first.get(kind)
        if first is None:
            if len(self._first) < _KINDS:
                self._first[kind] = {name: hash(value) for name, value in islice(items.items(), _LINES)}
            return items
        for name in first.keys() & items.keys():
            if first[name] != hash(items[name]):
                first[name] = None
        return {name: value for name, value in items.items() if first.get(name) is None}

    def goes_on(
        self, url: str, pattern: str, *, drawn: bool = False, silent: bool = False, lists: bool = False
    ) -> bool:
        """Count a page that says something of its own and that its kind alone names, `drawn` where that is a picture,
        or a `silent` one, which says nothing and leads to one more, or one that `lists` others; return whether its kind
        may have further ones.
        """
        kind = _kind(pattern)
        is_chain = _is_chain(kind) or (lists and _is_list(_open(url, kind), self._varying(url, kind)))
        if not is_chain or (kind not in self._since and len(self._since) >= _PATTERNS):
            return False
        self._since[kind] += 1
        counted = _is_counted(url)
        if drawn and (counted or _are_numbers(_open(url, kind))):
            most = MOST_DRAWN
        else:
            most = min(self._news[kind], MOST) if (counted or silent) and not lists else MOST
        return self._since[kind] <= most


def _kind(pattern: str) -> str:
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


def _names(pattern: str) -> str:
    """Return a pattern without its values: the first tokens of a parameter have a pattern each."""
    path, _, query = pattern.partition("?")
    return path + "?" + "&".join(item.partition("=")[0] for item in query.split("&"))


def _is_chain(kind: str) -> bool:
    """Whether pages of a kind may be a chain: with two that vary they are lists that are filtered and sorted."""
    return "&" not in kind and " " not in kind


def _is_list(items: dict[str, str], varying: dict[str, str]) -> bool:
    """Whether pages may be those of a list: one has a category beside the number of its page, or some more numbers
    (`id=7&Itemid=101&start=20`), and what is the same in each address.
    """
    if len(items) == 2:
        return True
    # a first page is one more filter
    is_further = any(may_turn_pages(name) and value not in FIRST for name, value in varying.items())
    return is_further and (len(varying) <= 2 or (len(varying) <= 1 + _NUMBERS and _are_numbers(varying)))


def _are_numbers(items: dict[str, str]) -> bool:
    """Whether all values are numbers: a word may be a token, of which there is no end."""
    return all(map(str.isdecimal, items.values()))


def _open(url: str, kind: str) -> dict[str, str]:
    """Return the items of a query that a kind leaves open."""
    names = {item.partition("=")[0] for item in kind.partition("?")[2].split("&")} - {""}
    items = (item.partition("=") for item in url.partition("#")[0].partition("?")[2].split("&"))
    return {name: value for name, _, value in items if name in names and name.lower() != _CHECKSUM}


def _is_counted(url: str) -> bool:
    """Whether the address of a page tells a date, or how far on in a list it is: of both there is always a next one."""
    path, _, query = url.partition("#")[0].partition("?")
    items = query.split("&")
    if _has_a_date(path) or any(tells_a_date(item) or _is_count(*item.partition("=")[::2]) for item in items):
        return True
    folders = pairwise(path.split("/")[3:])
    return any(_is_calendar(one) or _is_count(one, after) for one, after in folders)


def _is_count(name: str, value: str) -> bool:
    """Whether what has a name is the number of a page or of a day."""
    return value[:1].isdigit() and bool(is_paging(name) or (len(name) > 1 and is_date(name)))
