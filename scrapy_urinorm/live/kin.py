"""Chains: pages of a few words that only pages of their kind name, by "previous", "next" or a relation.

The strips of a comic, the objects of a museum, the persons of a family: each says a name of its own, and the next one
is known from nowhere else, so that a shape which is closed for having no news loses the rest. The months of a calendar
name each other as well, and a name is not told from a date where lines are hashes. So chains come behind the others,
and go on for a while: where addresses tell dates or pages of a list, or where pages say nothing but lead to one more
each, as entries do that were removed, for as many pages as had news. The next page of a list may have rows that all
were named elsewhere, and lead to those that were not.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from zlib import crc32

from scrapy_urinorm.live.kinds import (
    are_numbers,
    form_of,
    is_chain,
    is_counted,
    is_dated,
    is_list,
    kind_of,
    names_item,
    names_of,
    numbers_item,
    open_items,
)
from scrapy_urinorm.live.patterns import is_item, is_plain, is_view_of_item

MOST = 1_000
"""Pages of a chain since the last news of their pattern that close nothing: five times as many as close one that says
nothing. Chosen: each series without an end costs a crawl so many requests."""
MOST_DRAWN = 5_000
"""So many where each has a picture of its own, in a place that is no counter's: no calendar has, and a comic that
appears on weekdays has as many in twenty years; `MOST` more for each that a page with news begins, as a book's record
does. Chosen."""
COUNTER = 4
"""Forms of pages that have new pictures in one place, and it is a counter of visits; as many as make words a clock. The
newest strip of a comic stands on its front page, too, and a detail in the template of its whole. Chosen."""
PLACES = 100_000
"""Places of pictures that are watched, as many as for clocks; 42 MB where each is on pages of four forms."""
LONG = 5
"""Words of a line that is a sentence, not the value in a row of a table: of those many repeat. Chosen."""
COPY = 20
"""Words in sentences that a page with news has said: twice as many as make news. A line on who gave the thing to the
museum, or how it was made, which other things have, too, is shorter. Chosen."""
FEW_VALUES = 20
"""Values of a number beside an id that is a switch, as a word is: the trees of a genealogy. As many as words may be."""
FIRST_PAGES, ONCE = 64, 0.9
"""Pages of which the values are looked at, three times as many as of a switch, and the share of them that have an id of
their own where the item beside it says where one comes from. Chosen; a category and the page of its list have less."""
MANY = 31
"""Pages with news from which others of their kind may say the same again; as many pairs as a rule is believed for."""
_LISTED = 2
"""Pages that one of a list names and the one before did not: a link to the next page is one. Chosen."""
_KINDS, _LINES, _LINKS = 2_000, 64, 1_024
"""Kinds of which the sentences and links of the latest page are remembered, and how many; some 10 MB each. A menu may
have more links than a list has rows."""
_PATTERNS = 20_000
"""Patterns of which they are counted; as many as are counted at all."""


class _Values:
    """The values, as hashes, of two items that vary on the pages of a kind."""

    __slots__ = ("_of", "_pages")

    def __init__(self, names: Iterable[str]) -> None:
        self._of: dict[str, set[int]] = {name: set() for name in names}
        self._pages = 0

    def see(self, items: Mapping[str, str]) -> None:
        """Note the values of one more page."""
        first = self._pages < FIRST_PAGES
        self._pages += first
        for name, value in items.items():
            values = self._of.get(name)
            if values is not None and (first or len(values) <= FEW_VALUES):
                values.add(hash(value))

    def few(self) -> list[str]:
        """Return the names of those that have few."""
        return [name for name, values in self._of.items() if len(values) <= FEW_VALUES]

    def is_once(self, name: str) -> bool:
        """Whether nearly each of the first pages had a value of its own: the other item chooses nothing."""
        return len(self._of.get(name, ())) >= ONCE * self._pages


class Kin:
    """How many pages of each pattern brought news, and how many have come since that are of a chain."""

    def __init__(self) -> None:
        self._news: Counter[str] = Counter()
        self._since: Counter[str] = Counter()
        self._saying: Counter[str] = Counter()
        self._leaves: Counter[str] = Counter()
        self._begun: Counter[str] = Counter()
        self._drawn: dict[int, set[int]] = {}
        self._sentences: dict[str, frozenset[int]] = {}
        self._listed: dict[str, array[int]] = {}
        self._first: dict[str, dict[str, int | None]] = {}
        self._values: dict[str, _Values] = {}
        self._all_news = self._older = 0

    def brought(self, pattern: str) -> None:
        """A page of a pattern has news, or has led to some."""
        kind = kind_of(pattern)
        self._all_news += 1
        self._since.pop(kind, None)
        for name, counts in ((kind, self._news), (names_of(pattern), self._saying)):
            if name in counts or len(counts) < _PATTERNS:
                counts[name] += 1

    def is_drawn(self, pictures: Iterable[int], pattern: str) -> bool:
        """Whether a page of a pattern has a new picture of its own, by the places of those: a counter of visits is one
        that is new in the same place of pages of many forms. Folders of one form share a template, and so do the
        artists, rooms and objects of a museum (`artist_id=3`), each with a picture by right: a counter stands on lists
        and sorted views as well.
        """
        if not pattern:
            # of the run before
            return False
        form = None if is_view_of_item(pattern) else hash(form_of(pattern))
        drawn = False
        for place in pictures:
            if place not in self._drawn and len(self._drawn) >= PLACES:
                continue
            forms = self._drawn.setdefault(place, set())
            if form is not None and len(forms) < COUNTER:
                forms.add(form)
            drawn |= len(forms) < COUNTER
        return drawn

    def begins(self, url: str, pattern: str) -> None:
        """A page with news has named one with a picture of its own: the first of a book, behind which there are more.
        Of days and months each event names one, and they are the same series.
        """
        kind = kind_of(pattern)
        if (kind in self._begun or len(self._begun) < _PATTERNS) and not is_dated(url):
            self._begun[kind] += 1

    def repeats(self, sentences: Mapping[int, int], pattern: str) -> bool:
        """Whether a page without news says what pages of its kind with news have said: one with a token in its address
        and the time on it. `sentences` are those known, with their words; what the page before says, too, is the frame
        of all.
        """
        before, said = self._said(sentences, kind_of(pattern))
        if before is None or self._saying[names_of(pattern)] < MANY:
            return False
        return sum(sentences[one] for one in said - before) >= COPY

    def is_older(self, sentences: Iterable[int], pattern: str) -> bool:
        """Whether a page of known lines alone, whose text as a whole no page had, may be another one as it was before:
        its sentences, those of the page before aside. A filtered list is like that, too: there are as many as pages
        that had news, and pages that led to such ones, at the most.
        """
        before, said = self._said(sentences, kind_of(pattern))
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
        kind = kind_of(pattern)
        listed = array("I", map(crc32, islice(links, _LINKS)))
        before = self._listed.get(kind)
        if before is not None or len(self._listed) < _KINDS:
            self._listed[kind] = listed
        return before is not None and len(set(listed).difference(before)) >= _LISTED

    def is_leaf(self, url: str, pattern: str) -> bool:
        """Whether a page with a picture of its own, which a page of another kind without news named, is one more page,
        and not the next day of a calendar, or a form with a token; count it.
        """
        kind = kind_of(pattern)
        numbers = are_numbers(open_items(url, kind))
        if not (numbers or is_item(pattern)):
            return False
        # a token that is called an id may have no end, as the addresses of a picture that are signed anew
        if numbers and not is_counted(url):
            return True
        if kind not in self._leaves and len(self._leaves) >= _PATTERNS:
            return False
        self._leaves[kind] += 1
        return self._leaves[kind] <= MOST_DRAWN

    def _varying(self, url: str, kind: str) -> dict[str, str]:
        """Return the items of a query of which the pages of a kind had several values: what a program or a session puts
        into each address chooses nothing. Of the first page all that a kind leaves open.
        """
        items = open_items(url, kind)
        first = self._first.get(kind)
        if first is None:
            if len(self._first) < _KINDS:
                self._first[kind] = {name: hash(value) for name, value in islice(items.items(), _LINES)}
            return items
        for name in first.keys() & items.keys():
            if first[name] != hash(items[name]):
                first[name] = None
        return {name: value for name, value in items.items() if first.get(name) is None}

    def _has_a_switch(self, varying: dict[str, str], kind: str) -> bool:
        """Whether one of the items that vary is the id of what a page is about, and the other has few values: it is as
        one that is a word. Or whether one varies alone, as the others choose nothing.
        """
        if len(varying) != 2 or " " in kind:
            return len(varying) == 1 and " " not in kind
        known = self._values.get(kind)
        if known is None:
            if len(self._values) >= _KINDS:
                return False
            known = self._values[kind] = _Values(varying)
        known.see(varying)
        few = known.few()
        # of a first few pages neither has many
        if few and any(names_item(*item) for item in varying.items() if [item[0]] != few):
            return True
        # `vol=3&nr=7`: what has many is the number of a thing, whatever it is called
        if len(few) == 1:
            return any(numbers_item(*item) for item in varying.items() if item[0] not in few)
        # `id=7&from=6`: where one comes from
        return any(names_item(*item) and known.is_once(item[0]) for item in varying.items())

    def goes_on(
        self,
        url: str,
        pattern: str,
        *,
        drawn: bool = False,
        silent: bool = False,
        lists: bool = False,
        made: bool = False,
    ) -> bool:
        """Count a page that says something of its own and that its kind alone names, `drawn` where that is a picture,
        or a `silent` one, which says nothing and leads to one more, or one that `lists` others, or whose address was
        `made` by a callback; return whether its kind may have further ones.
        """
        kind = kind_of(pattern)
        items = open_items(url, kind)
        chain = is_chain(kind, drawn=drawn)
        if not chain:
            varying = self._varying(url, kind)
            chain = self._has_a_switch(varying, kind) or (lists and is_list(items, varying))
        if not chain or (kind not in self._since and len(self._since) >= _PATTERNS):
            return False
        self._since[kind] += 1
        counted = is_counted(url)
        if drawn and (counted or are_numbers(items)):
            most = MOST_DRAWN + MOST * self._begun[kind]
        else:
            most = min(self._news[kind], MOST) if (counted or silent) and not (lists or made) else MOST
        return self._since[kind] <= most
