"""Which addresses links have that nobody followed: visits name links by hashes, and what a link would be can be hashed.

Most links of a page are made out of its own address: the list with another page of it, a window without its frame, the
history beside the form. What followed links of other pages did to the addresses of theirs tells what this one's are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import are_one
from scrapy_urinorm.visits.links import each_hash, hashes_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

MOST_EDITS = 300
"""Ways from a page to a link of it that are tried, the most frequent ones. With 300 all unfollowed links that 177 pages
of an admin had to themselves were told, and three of four of 87 lists of a library, in half a second and one."""
MOST_TOLD = 1_000
"""Pages whose links are told, and pages that are looked at for how links are made: as many as pairs are looked at."""
SHARED = 4
"""Segments that two paths share so that one is made out of the other: scheme, host and a folder."""
SEEN = 5
"""Followed links of one kind that the rules made one with others, and that showed the same, from which it is known of
those of the kind that nobody followed; chosen: one may be so by luck, and four lists of five pages are twenty."""
_DIGITS = re.compile("[0-9]+")
_MOST_WITHIN = 4
"""So many items that vary are looked for within a value; chosen: a session is one, and a site with thousands of items
in two addresses would have each of these sought in each value (1,500 in 1,500 took more than 100 seconds a link)."""
_ITEM_WITHIN = "%3D"
_END_WITHIN = "(?=%26|%23|$)"
"""The `=` of an item in an address that is a value, and what may come after the item: `&`, `#`, nothing."""


class LinkEdit(NamedTuple):
    """What makes a link out of the address of its page: the end of the path, parameters that go, and what is new."""

    before: tuple[str, ...]
    after: tuple[str, ...]
    gone: frozenset[str]
    new: frozenset[str]


def edit_of(page: str, link: str) -> LinkEdit | None:
    """Return what makes a link out of the address of its page; None where their paths begin differently."""
    (path, items), (other, others) = _split(page), _split(link)
    here, there, shared = path.split("/"), other.split("/"), 0
    if path != other:
        while shared < min(len(here), len(there)) and here[shared] == there[shared]:
            shared += 1
        if shared < SHARED:
            return None
    else:
        shared = len(here)
    gone = frozenset(item.partition("=")[0] for item in items - others)
    return LinkEdit(tuple(here[shared:]), tuple(there[shared:]), gone, others - items)


def edited(page: str, edit: LinkEdit) -> str | None:
    """Return what an edit makes of an address; None where the path ends in something else."""
    path, items = _split(page)
    segments = path.split("/")
    kept = len(segments) - len(edit.before)
    if tuple(segments[kept:]) != edit.before:
        return None
    path = "/".join((*segments[:kept], *edit.after))
    left = {item for item in items if item.partition("=")[0] not in edit.gone} | edit.new
    return f"{path}?{'&'.join(sorted(left))}" if left else path


def carried(address: str, page: str, other: str) -> str | None:
    """Return what a link of a page is on another, which has other values of some parameters, where it repeats them all;
    None where it does not.

    It may repeat them once more within a value: the address of its page, to come back to.
    """
    path, items = _split(address)
    here, there = _split(page)[1], _split(other)[1]
    own, others = here - there, there - here
    names = {item.partition("=")[0] for item in own | others}
    if {item for item in items if item.partition("=")[0] in names} != own:
        return None
    left = frozenset(_inside(item, own, others) for item in items - own) | others
    return f"{path}?{'&'.join(sorted(left))}" if left else path


def _inside(item: str, own: AbstractSet[str], others: AbstractSet[str]) -> str:
    """Return an item in the value of which, as in an address, what one page has stands as another has it."""
    if len(own) == len(others) <= _MOST_WITHIN and _ITEM_WITHIN in item:
        for one, that in zip(sorted(own), sorted(others), strict=True):
            before, after = (text.replace("=", _ITEM_WITHIN, 1) for text in (one, that))
            item = re.sub(re.escape(before) + _END_WITHIN, after.replace("\\", r"\\"), item)
    return item


def _split(address: str) -> tuple[str, frozenset[str]]:
    path, _, query = address.partition("?")
    return path, frozenset(filter(None, query.split("&")))


def _kind_of(page: str, link: str) -> Hashable:
    """Return of what kind the link of a page is: what makes it out of the address of the page, whatever the numbers and
    the names that both have; else its own address without numbers.
    """
    edit = edit_of(page, link)
    if edit is None:
        path, items = _split(link)
        return _folded(path.split("/")), frozenset(item.partition("=")[0] for item in items)
    shared = {*edit.before}.intersection(edit.after)
    before, after = ([s for s in of if s not in shared] for of in (edit.before, edit.after))
    return _folded(before), _folded(after), edit.gone, frozenset(_folded(edit.new))


def _folded(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(_DIGITS.sub("0", text) for text in texts)


class ToldLinks:
    """The addresses of the links of recorded pages that were never requested, as far as they can be told."""

    def __init__(self, pages: Sequence[Page], links: Sequence[Sequence[int]]) -> None:
        self._pages = pages
        self._links = links
        self._known: dict[tuple[int, int], dict[int, str]] = {}

    def of(self, node: int, other: int = -1) -> Mapping[int, str]:
        """Return the addresses of links of a page, by their numbers; `other` is one that may have them with its own
        parameters.
        """
        if (known := self._known.get((node, other))) is None:
            known = self._known[node, other] = self._found(node, other) if len(self._known) < MOST_TOLD else {}
        return known

    def _found(self, node: int, other: int) -> dict[int, str]:
        size, pages, key = len(self._pages), self._pages, self._pages[node].key
        # what a page asked for beside its links comes after them, and was requested
        hashed = dict(zip(each_hash(pages[node].links), self._links[node], strict=False))
        missing = {one for one, number in hashed.items() if number >= size}
        if not missing:
            return {}
        followed = (pages[at].key for at in (self._links[other] if other >= 0 else ()) if at < size)
        tried = [edited(key, edit) for edit in (*self._edits, *_fewer(key))]
        tried += [carried(link, pages[other].key, key) for link in followed]
        urls = [url for url in dict.fromkeys(tried) if url is not None]
        found = zip(each_hash(hashes_of(urls)), urls, strict=True)
        return {hashed[one]: url for one, url in found if one in missing}

    @cached_property
    def _edits(self) -> list[LinkEdit]:
        counts: Counter[LinkEdit] = Counter()
        size, pages = len(self._pages), self._pages
        for n in range(0, size, size // MOST_TOLD + 1):
            page = pages[n]
            for node in dict.fromkeys(self._links[n]):
                if node < size and node != n and (edit := edit_of(page.key, pages[node].key)) is not None:
                    counts[edit] += 1
        return [edit for edit, count in counts.most_common(MOST_EDITS) if count > 1]


def _fewer(key: str) -> Iterator[LinkEdit]:
    for item in _split(key)[1]:
        yield LinkEdit((), (), frozenset((item.partition("=")[0],)), frozenset())


class Explained:
    """What lies behind merges and is no secret: under the rules it is one with what a crawl fetches or meets."""

    def __init__(
        self,
        told: ToldLinks,
        pages: Sequence[Page],
        keys: Sequence[str],
        claimed: Mapping[Hashable, int],
        key: Callable[[str], str],
    ) -> None:
        self._told = told
        self._pages = pages
        self._keys = keys
        self._claimed = claimed
        self._key = key
        self._linked: dict[int, frozenset[str]] = {}
        self._of_kind: Counter[Hashable] | None = None

    def is_same(self, node: int) -> bool:
        """Whether the page that was fetched in the stead of one is the same, without a doubt."""
        other = self._claimed.get(self._keys[node], -1)
        return other >= 0 and are_one(self._pages[node], self._pages[other])

    def left(self, nodes: Iterable[int], parents: Mapping[int, int], *, guessed: bool) -> list[int]:
        """Return which of some addresses that were never requested are left: of others it is told that they are one
        with what was fetched, or with a link of the page that was fetched in the stead of theirs.

        That the rules make them one is a guess where no links of their kind were followed: a catalogue shows a record
        under each library's number, and behind it which shelves of that library have the book. Those count if they may
        be `guessed`.
        """
        return [node for node in nodes if not self._is_one(node, parents[node], parents, guessed=guessed)]

    def _is_one(self, node: int, parent: int, parents: Mapping[int, int], *, guessed: bool) -> bool:
        stand_in = self._claimed.get(self._keys[parent], -1) if parent >= 0 else -1
        address = self._told.of(parent, stand_in).get(node) if stand_in >= 0 else None
        if address is None:
            return False
        if not guessed and self._seen(parents)[_kind_of(self._pages[parent].key, address)] < SEEN:
            return False
        key = self._key(address)
        if stand_in not in self._linked:
            self._linked[stand_in] = frozenset(map(self._key, self._told.of(stand_in).values()))
        return key in self._claimed or key in self._linked[stand_in]

    def _seen(self, parents: Mapping[int, int]) -> Counter[Hashable]:
        """Return of each kind of link how many were followed that the rules made one with what shows the same."""
        if self._of_kind is None:
            pages = self._pages
            shown = ((n, parents.get(n, -1)) for n in range(len(pages)) if self._claimed.get(self._keys[n], n) != n)
            pairs = [(n, at) for n, at in shown if at >= 0 and self.is_same(n)]
            self._of_kind = Counter(_kind_of(pages[at].key, pages[n].key) for n, at in pairs)
        return self._of_kind
