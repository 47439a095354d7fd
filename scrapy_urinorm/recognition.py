"""Which program runs where: from the marks of pages to packs, each with the directory it was recognized under.

Pure: it is given addresses and marks, and remembers counts by directory. A wrong answer costs nothing but time, since
the lines of a pack speak of the program's own addresses; so a mark that only one program sets is enough, and of the
others two that differ, one of which is no shape of an address.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.url import Url, split

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.platforms import Mark, Pack

#: Directories that a program may be below; nobody installs one deeper.
DEEPEST = 4
#: Directories of a host that are told apart: what a site can make a crawl remember.
MOST_DIRECTORIES = 4096
#: Places of one program on one host: more are no installations but copies of pages.
MOST_PLACES = 8
#: The share of the pages below a directory that carry the marks, above which the program is said to fill it.
MOST_OF_THEM = 0.5


class Found(NamedTuple):
    """A program that was recognized: on which `site` (host, or host:port), as which pack, and in which directory.

    `marks` are those it was recognized by, as visits have them, and `url:` with the shape of an address; `pages` how
    many pages below `path` carried one.
    """

    site: str
    platform: str
    path: str
    marks: tuple[str, ...]
    pages: int


class _Seen:
    """What the pages of one host showed of one pack, by directory: numbers of its marks, how many pages."""

    def __init__(self) -> None:
        self.marks: defaultdict[str, set[int]] = defaultdict(set)
        self.pages: Counter[str] = Counter()  # with a mark in the page or its headers
        self.by_cookie: Counter[str] = Counter()
        self.own: set[str] = set()  # directories whose own page has a mark
        self.entries: Counter[str] = Counter()


class _Host:
    def __init__(self) -> None:
        self.pages: Counter[str] = Counter()
        self.packs: defaultdict[int, _Seen] = defaultdict(_Seen)


#: Characters of a mark that is remembered: our own have a hundred at the most, files of others what they like.
_LONGEST_MARK = 512


class Recognizer:
    """Recognizes programs, page by page; `packs` are those that come along unless said otherwise.

    Only the first `hosts` are looked at: one with marks takes 2 kB, and a site may have names without end.
    """

    def __init__(self, packs: Sequence[Pack] | None = None, *, hosts: float = math.inf) -> None:
        self._most = hosts
        self._packs = tuple(platforms.packs() if packs is None else packs)
        self._hosts: defaultdict[str, _Host] = defaultdict(_Host)
        self._known: dict[str, tuple[tuple[int, int], ...]] = {}
        self._entry = [frozenset(pack.entry) for pack in self._packs]
        self._entries = frozenset().union(*self._entry)
        self._shapes = [
            (p, m, re.compile(mark.pattern))
            for p, pack in enumerate(self._packs)
            for m, mark in enumerate(pack.marks)
            if mark.kind == "url"
        ]

    def see(self, url: str, marks: Iterable[str]) -> None:
        """Take note of a page that answered with status 200 at this address; what is no URL is left out."""
        parts = split(url)
        host = self._host_of(parts)
        if parts is None or host is None:
            return
        path = parts.path
        # a directory itself may be linked without its slash
        where = path + "/" if path + "/" in host.pages else _directory(path)
        if where not in host.pages and len(host.pages) >= MOST_DIRECTORIES:
            where = "/"
        host.pages[where] += 1
        touched: dict[int, bool] = {}
        for text in marks:
            for p, m in self._matching(text):
                seen = host.packs[p]
                seen.marks[where].add(m)
                touched[p] = touched.get(p, False) or not text.startswith("cookie:")
        for p, in_page in touched.items():
            seen = host.packs[p]
            (seen.pages if in_page else seen.by_cookie)[where] += 1
            if in_page and path.endswith("/") and path.count("/") <= DEEPEST + 1:
                seen.own.add(path)
        for p, m, shape in self._shapes:
            if shape.search(path):
                host.packs[p].marks[where].add(m)
        if self._entries and not self._entries.isdisjoint(segments := path.split("/")):
            for p, entry in enumerate(self._entry):
                at = next((n for n, one in enumerate(segments) if one in entry), 0)
                if at and p in host.packs:
                    host.packs[p].entries["/".join(segments[:at]) + "/"] += 1

    def _host_of(self, parts: Url | None) -> _Host | None:
        if parts is None or not parts.host:
            return None
        site = _site(parts)
        return self._hosts[site] if site in self._hosts or len(self._hosts) < self._most else None

    def _matching(self, text: str) -> tuple[tuple[int, int], ...]:
        found = self._known.get(text)
        if found is None:
            kind, _, name = text.partition(":")
            found = tuple(
                (p, m)
                for p, pack in enumerate(self._packs)
                for m, mark in enumerate(pack.marks)
                if mark.kind == kind and _shows(mark, name)
            )
            # sites make up names of cookies without end
            if len(self._known) < MOST_DIRECTORIES and len(text) <= _LONGEST_MARK:
                self._known[text] = found
        return found

    def found(self) -> list[Found]:
        """What was recognized so far, by host, in the order of the packs' names."""
        return [
            Found(site, self._packs[p].name, path, tuple(_said(self._packs[p].marks[m]) for m in sorted(marks)), pages)
            for site, host in sorted(self._hosts.items())
            for p, seen in sorted(host.packs.items())
            for path, marks, pages in _places(self._packs[p], host, seen)
        ]


def server_of(url: str) -> str | None:
    """What a program is said to run on: the host of a URL, with its port where that is not the default; else None."""
    parts = split(url)
    return _site(parts) if parts is not None and parts.host else None


def _site(parts: Url) -> str:
    return f"{parts.host}:{parts.port}" if parts.port else parts.host


def _places(pack: Pack, host: _Host, seen: _Seen) -> list[tuple[str, set[int], int]]:
    """The directories of a program on a host, with the numbers of the marks below each, and pages."""
    # a cookie comes with pages of other programs, too; but a page with a weak mark is no reason to forget it
    return _places_by(seen.pages, pack, host, seen) or _places_by(seen.by_cookie, pack, host, seen)


def _places_by(shown: Counter[str], pack: Pack, host: _Host, seen: _Seen) -> list[tuple[str, set[int], int]]:
    """The same by the pages that carried a mark, or came with one."""
    if not shown:
        return []
    entries = {_shallow(path) for path in seen.entries}
    # a program's scripts are where it is; the pages it has elsewhere are told by their marks
    rest = Counter({at: n for at, n in shown.items() if not any(at.startswith(entry) for entry in entries)})
    if pack.anywhere:
        where = {"/"}
    elif pack.scattered and rest:
        where = entries | {_common(rest)}
    else:
        where = entries | set(_mounts("/", rest, seen.own, host.pages))
    found = []
    for path in where:
        marks = {m for at, some in seen.marks.items() if at.startswith(path) for m in some}
        if _enough([pack.marks[m] for m in marks]):
            found.append((path, marks, sum(n for at, n in shown.items() if at.startswith(path))))
    found.sort(key=lambda place: (-place[2], place[0]))
    return sorted(found[:MOST_PLACES])


def _enough(marks: Sequence[Mark]) -> bool:
    return any(mark.strong for mark in marks) or (len(marks) > 1 and any(mark.kind != "url" for mark in marks))


def _mounts(at: str, marked: Counter[str], own: set[str], pages: Counter[str]) -> list[str]:
    """The directories below `at` that a program fills, or whose own page is the program's."""
    below = Counter({path: n for path, n in marked.items() if path.startswith(at)})
    if not below:
        return []
    if at in own or below.total() >= MOST_OF_THEM * sum(n for path, n in pages.items() if path.startswith(at)):
        return [at if at in own else _common(below)]
    depth = at.count("/")
    children = {"/".join(path.split("/")[: depth + 1]) + "/" for path in below if path.count("/") > depth}
    return [mount for child in sorted(children) for mount in _mounts(child, below, own, pages)]


def _common(paths: Iterable[str]) -> str:
    """The longest directory that all directories are in."""
    first, last = min(paths), max(paths)
    same = 0
    while same < min(len(first), len(last)) and first[same] == last[same]:
        same += 1
    return first[: first.rindex("/", 0, same) + 1]


def _directory(path: str) -> str:
    return _shallow(path[: path.rindex("/") + 1]) if path.startswith("/") else "/"


def _shallow(path: str) -> str:
    """A directory, or the one above it that is not too deep to be told apart."""
    return path if path.count("/") <= DEEPEST + 1 else "/".join(path.split("/")[: DEEPEST + 1]) + "/"


def _shows(mark: Mark, name: str) -> bool:
    return mark.pattern == name if mark.kind == "marker" else re.search(mark.pattern, name) is not None


def _said(mark: Mark) -> str:
    return f"{mark.kind}:{mark.pattern}"
