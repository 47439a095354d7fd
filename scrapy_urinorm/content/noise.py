"""Noise: slots that vary where nothing else does, with this and with that.

What one address says otherwise on a second visit is the visitor's, or the time's, where most pages do so. A crawl that
is learned from together with an earlier one shows what was edited in between, too: few pages, and their variants are
pages still. And it shows what is another one each day, the weather of a place, the seats that are left: what varies
within one crawl, too, may be what a parameter asks for, and only what does not is known by another one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, KeysView, Mapping
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content.differences import MAX_KINDS, Change, Changes, difference, independent, without_values

if TYPE_CHECKING:
    from scrapy_urinorm.content.differences import Linked

    _Rest = tuple[int, int] | tuple[tuple[int, int], str | None]

NOISE_GROUPS = 5
"""Groups of pages, equal but for their noise, that show it: one group alone may be pages that have only that slot."""
NOISE_SHARE = 0.5
"""Share of those groups in which the slot varies; a version or a date stays what it was on pages fetched together."""
AGAIN, AGAIN_SHARE = 10, 0.25
"""Second visits from which a slot may vary by itself, and their share of the groups: the first pages of a second crawl
that was stopped, or goes on, are those that are edited. It does where `NOISE_SHARE` of them find another text: of all
pages one was edited between two crawls, or a few of many; chosen."""
MANY = 5
"""Texts in place of one that was the same on all pages, which are no clock's: visitors who are not logged in are told
to log in, and others the price; chosen, as many as there are groups that show noise."""
CLEAR_GROUPS, CLEAR_SHARE, CLEAR_KINDS = 20, 0.9, 6
"""What is noise in the frame, or on pages of a few words: it varies in so many such groups, there in nearly all,
and with so many differences that have nothing in common, two of them on one page, a second visit counted: a counter of
visitors, advertisements. Titles and headings of twelve recorded sites had one to three of these, counters four to
seven, in 97 % of the groups; a heading may name what four parameters ask for, and the title of the document is never
noise by this."""
MAX_GROUPS = 10_000
"""Groups of pages in which slots of the frame are watched, the first ones: 45 MB."""


class _Group(NamedTuple):
    """The first page that says something in one crawl, what its other slots say, and those that vary."""

    url: str
    crawl: str | None
    said: dict[int, int]
    differ: set[int]


class Varying:
    """What the slots of pages say that say the same otherwise; of those `framed` in the first groups alone."""

    def __init__(self, framed: frozenset[int], sessions: frozenset[str], linked: Linked | None) -> None:
        self._framed = framed
        self._sessions = sessions
        self._groups: dict[_Rest, _Group] = {}
        self._several: set[_Rest] = set()
        self._revisited: set[_Rest] = set()
        self._kinds: dict[int, set[frozenset[str]]] = {}
        self._plain: dict[int, Changes] = {}
        self._linked = linked
        self._again = Again()
        self._later = Again()

    def add(self, page: str, told: Iterable[tuple[tuple[int, int], dict[int, int]]], crawl: str | None = None) -> None:
        """Note a page by its address, with what some slots say, by what it says besides them, and by its crawl."""
        # one for all slots: a page may have thousands, and an address hundreds of parameters
        differences: dict[str, frozenset[str]] = {}
        plains: dict[str, Change] = {}
        again: set[int] = set()
        changed: dict[int, tuple[int, int]] = {}
        later: list[tuple[_Group, dict[int, int]]] = []
        for beside, said in told:
            rest: _Rest = beside
            if (known := self._groups.get(rest)) is not None and known.crawl != crawl:
                later.append((known, said))
                self._revisited.add(rest)
                rest = beside, crawl
            if rest not in self._groups and len(self._groups) >= MAX_GROUPS:
                said = {slot: text for slot, text in said.items() if slot not in self._framed}
            group = self._groups.setdefault(rest, _Group(page, crawl, said, set()))
            url, _, first, differ = group
            if first is said:
                continue
            self._several.add(rest)
            if (kind := differences.get(url)) is None:
                kind = differences[url] = difference(url, page) - self._sessions
            if not kind:
                again |= said.keys()
            for slot, text in said.items():
                if first.get(slot, text) != text:
                    differ.add(slot)
                    if not kind:
                        changed[slot] = first[slot], text
                    if len(seen := self._kinds.setdefault(slot, set())) < MAX_KINDS:
                        seen.add(kind)
                    if (plain := plains.get(url)) is None:
                        plain = plains[url] = Change(url, page, without_values(kind, url, page))
                    self._plain.setdefault(slot, Changes(self._linked)).add(rest, plain)

        self._again.add(again, changed)
        self._note_later(page, later)

    def _note_later(self, page: str, later: Iterable[tuple[_Group, dict[int, int]]]) -> None:
        """Note what an address says that another crawl has visited, too."""
        again: set[int] = set()
        changed: dict[int, tuple[int, int]] = {}
        for group, said in later:
            if not difference(group.url, page) - self._sessions:
                again |= said.keys()
                first = group.said
                both = {slot: (first[slot], said[slot]) for slot in first.keys() & said.keys()}
                changed |= {slot: texts for slot, texts in both.items() if texts[0] != texts[1]}
        self._later.add(again, changed)

    def noise(self, named: frozenset[int]) -> tuple[frozenset[int], frozenset[int], frozenset[int]]:
        """Return the slots that are noise, those of them that are no page's own, and of these the ones of which second
        visits say so; those `named` name pages.
        """
        varies: Counter[int] = Counter()
        present: Counter[int] = Counter()
        for rest in self._several:
            present.update(self._groups[rest].said.keys())
            varies.update(self._groups[rest].differ)
        itself = {slot for slot in self._again.slots() if self._again.show(slot, present[slot])}
        constant = self._constant() - self._framed
        for slot in self._kinds.keys() - itself:
            self._kinds[slot].discard(frozenset())
        clear = {
            slot
            for slot, n in varies.items()
            if n >= max(CLEAR_GROUPS, CLEAR_SHARE * present[slot])
            and self._plain[slot].count(CLEAR_KINDS - (slot in itself))
        } - named
        noise = {
            slot
            for slot, n in varies.items()
            if n >= NOISE_GROUPS and n >= NOISE_SHARE * present[slot] and independent(self._kinds[slot]) > 1
        }
        noise -= self._framed - clear
        visitors = noise & (clear | itself)
        return frozenset(noise | constant), frozenset(visitors | constant), frozenset((noise & itself) | constant)

    def _constant(self) -> frozenset[int]:
        """Return the slots that vary from crawl to crawl, and with nothing within one."""
        present: Counter[int] = Counter()
        for rest in self._several | self._revisited:
            present.update(self._groups[rest].said.keys())
        found = self._later.slots() - self._kinds.keys()
        return frozenset(slot for slot in found if self._later.show(slot, present[slot]))


class Again:
    """What slots have said when an address was visited again."""

    def __init__(self) -> None:
        self._visits: Counter[int] = Counter()
        self._changed: Counter[int] = Counter()
        self._texts: dict[int, tuple[set[int], set[int]]] = {}

    def add(self, slots: Iterable[int], changed: Mapping[int, tuple[int, int]]) -> None:
        """Note a second visit: the slots that both have, and of those that changed the first text and the second."""
        self._visits.update(slots)
        self._changed.update(changed.keys())
        for slot, both in changed.items():
            for texts, text in zip(self._texts.setdefault(slot, (set(), set())), both, strict=True):
                if len(texts) < MANY:
                    texts.add(text)

    def slots(self) -> KeysView[int]:
        """Return the slots that second visits have."""
        return self._visits.keys()

    def show(self, slot: int, groups: int) -> bool:
        """Whether second visits show that a slot is the visitor's; `groups` are the pages that have it."""
        n = self._visits[slot]
        if n < max(AGAIN, AGAIN_SHARE * groups) or self._changed[slot] < NOISE_SHARE * n:
            return False
        few, many = sorted(map(len, self._texts[slot]))
        return few > 1 or many < MANY
