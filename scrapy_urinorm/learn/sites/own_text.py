"""Pages that name another one as canonical, and have a text of their own: a canonical link is no word on those.

Of an accordion `/faq?open=17` shows one answer on a page of forty questions, of an album `?photo=17` one picture with
its caption: the link names the list, and what is opened stands nowhere else. A form to reply, which names its article,
differs from that by a heading.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import Frame, difference, is_answer
from scrapy_urinorm.content.compare import OWN_WORDS
from scrapy_urinorm.content.differences import without_values
from scrapy_urinorm.learn.sites.near_texts import with_own_text
from scrapy_urinorm.url import resolve

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.visits.record import Visit

LINE_WORDS = 9
"""Words of one such line that is enough where the named page has nothing in its place, as it has a form to reply, to
nobody; chosen."""
SEVERAL = 5
"""Texts of a place that says something else on each page, the named one among them, as of the title of an episode that
is played, however short; chosen, as many as there are groups that show noise."""
OWN_SHARE = 0.1
"""The share of the pages whose addresses differ in the same from what they name, from which none of them is taken at
the site's word: some answers are short, while names of twelve words are rarer; chosen."""
FEW_SHARE = 0.1
"""The share of the pages naming one address on which a text of their own may stand, where their other texts differ: an
answer is shown for each of a few systems, too; chosen. What stands on more is a menu, or what nobody has opened."""
MAX_FAMILY = 1_000
"""Pages that name one address of which the first ones are looked at: their lines are compared, some 10 MB."""


class _Told(NamedTuple):
    """What a page says outside the frame: the label of that, its texts with their words, and its places."""

    label: bytes | None
    words: dict[int, int]
    slots: dict[int, int]


class OwnTexts:
    """Which pages of a site are not what they name as canonical."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._kinds: frozenset[frozenset[str]] = frozenset()
        self._near: dict[str, int] = {}

    def find(self, visits: Sequence[Visit], frame: Frame, key: Callable[[str], str]) -> None:
        """Find them among the visits, by the frame of their site and the key of an address; and those that resemble
        another page, and have such a text.
        """
        self._near = with_own_text(visits, frame, key)
        families = _families(visits, key)
        every = {of: {page: _told(visit, frame) for page, visit in pages.items()} for of, pages in families.items()}
        # a page by itself says nothing of what another one has
        told = {of: pages for of, pages in every.items() if len({one.label for one in pages.values()}) > 1}
        owners = _owners(told.values())
        for visit, texts in _having(visits, frozenset(owners)):
            label = frame.content(visit).label
            for text in texts:
                if text in owners and label not in owners[text]:
                    del owners[text]
        differ: Counter[frozenset[str]] = Counter()
        own: Counter[frozenset[str]] = Counter()
        for canonical, pages in told.items():
            home = pages.get(canonical)
            changed = _changed(pages, home, owners)
            for page, one in pages.items():
                if page == canonical or (home is not None and one.label == home.label):
                    continue
                kind = _kind(canonical, page)
                differ[kind] += 1
                if _own_words(one, home, owners, changed) >= OWN_WORDS:
                    self._keys.add(page)
                    own[kind] += 1
        self._kinds = frozenset(kind for kind, n in own.items() if "/" not in kind and n >= OWN_SHARE * differ[kind])

    def doubt(self, pages: Iterable[Page]) -> None:
        """Forget the canonical links of those pages, and of others whose addresses differ in the same from theirs; and
        note what the near ones have of their own.
        """
        for page in pages:
            page.own = self._near.get(page.key, 0)
            said = page.canonical
            if said is not None and (
                page.key in self._keys or (said != page.key and _kind(said, page.key) in self._kinds)
            ):
                page.canonical = None


def _kind(canonical: str, page: str) -> frozenset[str]:
    return without_values(difference(canonical, page), canonical, page)


def _families(visits: Iterable[Visit], key: Callable[[str], str]) -> dict[str, dict[str, Visit]]:
    """Return the pages that name each canonical address, and the one at that address, by their keys."""
    named: defaultdict[str, dict[str, Visit]] = defaultdict(dict)
    for visit in visits:
        url = visit.final_url or visit.url
        if (
            visit.canonical
            and visit.lines
            and is_answer(visit.status)
            and (said := resolve(visit.canonical, url)) != url
        ):
            canonical, page = key(said), key(url)
            if canonical != page and len(named[canonical]) < MAX_FAMILY:
                named[canonical].setdefault(page, visit)
    if named:
        for visit in visits:
            if visit.lines and is_answer(visit.status) and (page := key(visit.final_url or visit.url)) in named:
                named[page].setdefault(page, visit)
    return named


def _told(visit: Visit, frame: Frame) -> _Told:
    words, slots = {}, {}
    for slot, text, n in frame.outside(visit):
        words[text], slots[text] = n, slot
    return _Told(frame.content(visit).label, words, slots)


def _owners(families: Iterable[dict[str, _Told]]) -> dict[int, frozenset[bytes | None]]:
    """Return the texts that few pages of one family alone have, with the labels of those."""
    owners: dict[int, frozenset[bytes | None]] = {}
    shared: set[int] = set()
    for pages in families:
        on = Counter(text for one in pages.values() for text in one.words)
        labels: defaultdict[int, set[bytes | None]] = defaultdict(set)
        for one in pages.values():
            for text in one.words:
                labels[text].add(one.label)
        for text, of in labels.items():
            few = len(of) == 1 or on[text] <= FEW_SHARE * len(pages)
            if not few or owners.setdefault(text, frozenset(of)) != of:
                shared.add(text)
    for text in shared:
        owners.pop(text, None)
    return owners


def _having(visits: Iterable[Visit], texts: frozenset[int]) -> Iterator[tuple[Visit, frozenset[int]]]:
    """Yield the visits that say any of these texts, and which."""
    for visit in visits:
        if (
            texts
            and visit.lines
            and is_answer(visit.status)
            and (found := texts.intersection(array("Q", visit.lines)[1::2]))
        ):
            yield visit, found


def _changed(pages: dict[str, _Told], home: _Told | None, owners: Container[int]) -> frozenset[int]:
    """Return the places in which the named page has a text of its own, and several others have theirs instead."""
    if home is None:
        return frozenset()
    known = {slot for text, slot in home.slots.items() if text in owners}
    texts: defaultdict[int, set[int]] = defaultdict(set)
    for one in pages.values():
        for text, slot in one.slots.items():
            if slot in known and text in owners and text not in home.words:
                texts[slot].add(text)
    return frozenset(slot for slot, of in texts.items() if len(of) >= SEVERAL)


def _own_words(one: _Told, home: _Told | None, owners: Container[int], changed: frozenset[int]) -> int:
    """Return the words of a page that few others have, and not the one that it names.

    A picture where that has none counts for many, a line where that has no place for it too unless it is short, and any
    in a place that `changed`.
    """
    there = frozenset() if home is None else frozenset(home.slots.values())
    words = 0
    for text, n in one.words.items():
        if text in owners and (home is None or text not in home.words):
            slot = one.slots[text]
            beside = slot not in there and (n == 0 or (home is not None and n >= LINE_WORDS))
            words += OWN_WORDS if beside or slot in changed else n
    return words
