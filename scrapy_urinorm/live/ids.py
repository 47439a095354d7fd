"""Ids that a crawl has met and never asked for: a page by one of them is not given up with its shape.

The records of a register may all stand in its lists already, and be opened at addresses that name the list, too
(`details?id=17&url=/list?page=3`): each page of the shape brings nothing, and it is closed though no address with this
or that id was ever fetched. So one address for each such id goes all the same, behind the others.

A session that is new on each page (`visit_id`) is named like an id as well, and to follow it would have no end. It is
met on the page alone that was served with it, where a record is named by one page and, when other requests were served,
by another. Where pages number each other without an end each is named twice, too: of these as many go as of a chain.

Workers of a fleet meet a part of the addresses each, and tell nobody what they have tried: nothing is met there, and
shapes are closed as they ever were.
"""

from __future__ import annotations

import base64
from array import array
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from scrapy_urinorm.importers.facets import is_id
from scrapy_urinorm.live.kin import MOST
from scrapy_urinorm.live.patterns import LONGEST
from scrapy_urinorm.live.yields import ONE_PAGE
from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.live.brought import Yield

APART = 32
"""Requests that are handed out between two meetings of an id on two pages: twice what Scrapy has under way, while the
links of one page are taken."""
VALUES = 5_000
"""Ids of one parameter of a path that are remembered: five times what may go of them without news."""
MOST_VALUES = 20_000
"""Those of all paths: 3 MB."""
PLACES = 2_000
"""Paths and parameters that have some, as many as parts of a site whose filters are counted: a session in the path is
another one each time."""
_FEW_FREE = 0.75
"""The share of a full table that, still taken without what was met once, ends it: else each new id has it searched."""
_LONGEST_VALUE = 64
"""Letters of an id: a UUID has 36, a digest in hexadecimal digits 64."""


@dataclass(slots=True)
class _Place:
    """The ids of a parameter of a path, as numbers: those tried, those met on two pages, and when others were met."""

    tried: set[int] = field(default_factory=set)
    wanted: set[int] = field(default_factory=set)
    once: dict[int, int] = field(default_factory=dict)
    full: bool = False
    sent: int = 0
    """Requests that went for an id alone since the last news of the shape."""
    news: int = 0

    def __len__(self) -> int:
        return len(self.tried) + len(self.wanted) + len(self.once)


class Ids:
    """The ids of one crawl, by path and parameter."""

    def __init__(self) -> None:
        self.places: dict[str, _Place] = {}
        self._count = 0
        self._now = 0

    def met(self, url: str) -> None:
        """A page has named an address that is new."""
        for place, value in _ids_in(url):
            known = self.places.get(place)
            if known is None or not (value in known.tried or value in known.wanted or value in known.once):
                if (known := self._with_room(place)) is not None:
                    known.once[value] = self._now
                    self._count += 1
            elif value in known.once and self._now - known.once[value] > APART:
                del known.once[value]
                known.wanted.add(value)

    def tried(self, url: str) -> None:
        """A request is handed out."""
        self._now += 1
        for place, value in _ids_in(url):
            known = self.places.get(place)
            if known is not None and value in known.tried:
                continue
            if known is not None and (value in known.wanted or value in known.once):
                known.wanted.discard(value)
                known.once.pop(value, None)
            elif (known := self._with_room(place)) is not None:
                self._count += 1
            if known is not None:
                known.tried.add(value)

    def wants(self, pattern: str, url: str, brought: Yield, *, late: bool) -> bool:
        """Whether a request of a closed pattern is for an id that nobody has asked for; `late` it goes.

        Not where all that varies is the id, which says nothing of the next one; nor where two parameters are named so;
        and not where its pages are one and the same.
        """
        if brought.known or max(brought.alike, brought.same) >= ONE_PAGE or not (name := _open_id(pattern)):
            return False
        for place, value in _ids_in(url):
            known = self.places.get(place)
            if known is None or value not in known.wanted or not place.endswith(f"?{name}"):
                continue
            if known.news != brought.news:
                known.sent, known.news = 0, brought.news
            if known.sent >= MOST:
                return False
            known.sent += late
            return True
        return False

    def _with_room(self, place: str) -> _Place | None:
        """Return a place that can take one more id, None where there is no room."""
        known = self.places.get(place)
        if known is None:
            if self._count >= MOST_VALUES or len(self.places) >= PLACES:
                return None
            known = self.places[place] = _Place()
        if not known.full and (len(known) >= VALUES or self._count >= MOST_VALUES):
            # sessions are met once each, and without end
            known.full = len(known) - len(known.once) >= _FEW_FREE * len(known)
            self._count -= len(known.once)
            known.once.clear()
        return None if known.full else known

    def load(self, rows: dict[str, list[str | int]]) -> None:
        """Take up what a run before has dumped: what that has met is met on another page now."""
        for place, (tried, wanted, once, sent, news) in rows.items():
            met = dict.fromkeys(_unpacked(once), self._now - APART - 1)
            found = _Place(set(_unpacked(tried)), set(_unpacked(wanted)), met, sent=int(sent), news=int(news))
            self.places[place] = found
            self._count += len(found)


def _ids_in(url: str) -> Iterator[tuple[str, int]]:
    """Return the ids in the query of an address, each with its path and parameter."""
    head, _, query = url.partition("#")[0].partition("?")
    if len(head) > LONGEST or "id=" not in query.lower():
        return
    for item in query.replace(";", "&").split("&"):
        name, _, value = item.partition("=")
        if 0 < len(value) <= _LONGEST_VALUE and len(name) <= _LONGEST_VALUE and is_id(decoded(name)):
            yield f"{head}?{name}", int.from_bytes(hash_of(value, person=b"id"), "little")


def _open_id(pattern: str) -> str:
    """Return the parameter of a pattern that is named like an id, where it alone is, and others vary with it."""
    path, _, query = pattern.partition("?")
    varying = {name for name, _, value in (item.partition("=") for item in query.split("&")) if value in ("*", "#")}
    ids = [name for name in varying if is_id(decoded(name))]
    is_one_place = " " not in pattern and not {"*", "#"}.intersection(path.split("/"))
    return ids[0] if is_one_place and len(ids) == 1 < len(varying) else ""


def packed(known: _Place) -> list[str | int]:
    """Return the ids of a place as JSON can hold them."""
    return [_packed(known.tried), _packed(known.wanted), _packed(known.once), known.sent, known.news]


def _packed(numbers: Collection[int]) -> str:
    return base64.b64encode(array("Q", numbers).tobytes()).decode("ascii")


def _unpacked(text: str | int) -> array[int]:
    return array("Q", base64.b64decode(str(text)))
