"""Rules that hold today only: what they take for nothing, or for the newest, is one of a series that goes on.

Each family finds its own spelling of it: `?season=2023` a default value, `/2023` a segment or a template, an address to
skip. All are asked here, whatever redirects and canonical links say: those say it of today, too.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.evidence.candidate import ACTIVE, PROPOSED, REJECTED, SKIP, Candidate, signature
from scrapy_urinorm.learn.pages.moving import asks_when, is_alone, may_move, moves, said_in_words
from scrapy_urinorm.url import decoded, decoded_segment

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.sites.site import Site

REDUNDANT, ERRORS = "redundant shape", "errors"
"""The families of addresses that need not be requested: found elsewhere, and answered with errors."""
VALUES, SEGMENT = ("default value", "value alias"), "segment"
"""Those of values that are none or another one, and of a segment that is none or another one."""
_OPEN = re.compile(r"\{x[0-9]+\}|\*")
"""A place of a template or of a glob in which anything stands."""
_EXTENSION = re.compile(r"\.[a-z]{2,5}$")
"""What a page's file has behind its name: `mon.html` is a day as `mon` is. Chosen: from `.do` to `.shtml`."""


class _Literal(NamedTuple):
    """A value of a parameter, or a segment at a place of paths like `path`, whose open segments are None."""

    value: str
    name: str = ""
    path: tuple[str | None, ...] = ()
    at: int = -1


class Passing:
    """What speaks against taking what the addresses of a site name for what they show without it."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._views: Sequence[View] = ()
        self._known: dict[str, str] = {}

    def doubt(self, candidate: Candidate) -> str:
        """Return why a rule may hold today only, in words; empty where nothing says so."""
        mark = signature(candidate)
        known = self._known.get(mark)
        if known is None:
            known = self._known[mark] = self._doubt(candidate)
        return known

    def lasting(
        self, earlier: Sequence[Candidate], views: Sequence[View], refuse: Callable[[Candidate, str], None]
    ) -> list[Candidate]:
        """Return those of earlier rules that hold tomorrow, too, and refuse the others; `views` are those of the site
        before there are rules, which would hide what stands beside.
        """
        self._views = views
        for one in earlier:
            # a proposal is what live rules believe for their own crawl
            if one.status == ACTIVE and (doubt := self.doubt(one)):
                refuse(one, doubt)
        return [one for one in earlier if one.status != REJECTED]

    def close(self, others: Iterable[Candidate]) -> None:
        """Have none of those that are no rules be a proposal where it may hold today only: to fetch its pages once more
        would confirm it, and only live rules, which end with their crawl, may believe it.
        """
        for one in others:
            if one.status == PROPOSED and (doubt := self.doubt(one)):
                one.status = REJECTED
                one.why += "" if doubt in one.why else f"; but {doubt}"

    def _doubt(self, candidate: Candidate) -> str:
        for literal in self._placed(_literals(candidate)):
            stem = literal.value if literal.name else _EXTENSION.sub("", literal.value)
            if not (may_move(stem) or asks_when(literal.name) or (literal.name and self._site.shown)):
                continue
            near, every, bare = self._beside(literal)
            if self._moves(literal, near, every):
                return said_in_words(f"{literal.name}={literal.value}" if literal.name else literal.value)
            if self._was_another(bare):
                return "another crawl found another value there, whose page is what the address shows without it"
        return ""

    def _placed(self, literals: Iterable[_Literal]) -> Iterator[_Literal]:
        """Yield literals, those of any path for each place where they stand."""
        for literal in literals:
            if literal.name or literal.at >= 0:
                yield literal
                continue
            paths = (view.segments for view in self._views if literal.value in decoded_segment(view.path))
            places = {
                (len(path), at) for path in paths for at, s in enumerate(path) if decoded_segment(s) == literal.value
            }
            yield from (literal._replace(path=(None,) * count, at=at) for count, at in sorted(places))

    def _moves(self, literal: _Literal, near: set[str], every: set[str]) -> bool:
        if not literal.name:
            literal = literal._replace(value=_EXTENSION.sub("", literal.value))
            near, every = ({_EXTENSION.sub("", value) for value in values} for values in (near, every))
        year = self._year
        if moves(literal.value, near, literal.name, year) and (literal.name or not is_alone(literal.value, near)):
            return True
        # a post's address may have its year in it, and there is no other year of this post
        alone = is_alone(literal.value, near) and (bool(literal.name) or is_alone(literal.value, every))
        return alone and moves(literal.value, every, literal.name, year)

    @property
    def _year(self) -> int:
        """The year of the latest visit, 0 where none tells."""
        # as pages count their days
        return max((date.fromordinal(page.day).year for page in self._site.pages if page.day), default=0)

    def _beside(self, literal: _Literal) -> tuple[set[str], set[str], list[tuple[View, list[View]]]]:
        """Return what stands in the place of a literal where all else is the same, what stands there anywhere, and the
        views without it, each with those that have another value.
        """
        of: dict[Hashable, dict[str, View]] = defaultdict(dict)
        bare: dict[Hashable, View] = {}
        for view in self._views:
            for rest, value in _values(view, literal):
                of[rest][value] = view
            if literal.name and self._site.shown:
                bare[view.host, view.path, view.items] = view
        near = {value for known in of.values() if literal.value in known for value in known}
        every = {value for known in of.values() for value in known}
        beside = [
            (bare[rest], [view for value, view in known.items() if value != literal.value])
            for rest, known in of.items()
            if literal.value in known and rest in bare
        ]
        return near, every, beside

    def _was_another(self, bare: Iterable[tuple[View, list[View]]]) -> bool:
        """Whether some of these showed in one crawl what they have under another value."""
        shown, soft = self._site.shown, self._site.soft
        return any(
            view.page.label in shown.get(one.page.key, set()) - {one.page.label} - soft
            for one, others in bare
            for view in others
        )


def proposed(candidate: Candidate, doubt: str) -> list[Candidate]:
    """Make a candidate a proposal, as live rules may believe it, and return it; none where it is one already, as when
    it is found again.
    """
    if candidate.status != ACTIVE:
        return []
    candidate.status = PROPOSED
    candidate.why += f"; but {doubt}"
    return [candidate]


def goes_on(views: Sequence[View], candidate: Candidate, members: Iterable[int]) -> bool:
    """Whether some of the views that a rule is about have a number, or the name of a day or a month, in a place where
    pages have another one, all else the same: the report of next year answers with an error until it is there.
    """
    own = {view.key for view in map(views.__getitem__, members)}
    for literal in _of_conditions(candidate):
        if not may_move(literal.value):
            continue
        mine, others = set[Hashable](), set[Hashable]()
        for view in views:
            for rest, value in _values(view, literal):
                if view.key in own and value == literal.value:
                    mine.add(rest)
                elif view.page.label >= 0 and not is_alone(literal.value, (value,)):
                    others.add(rest)
        if not mine.isdisjoint(others):
            return True
    return False


def _values(view: View, literal: _Literal) -> Iterator[tuple[Hashable, str]]:
    """Yield what stands in the place of a literal in an address, with all the rest of it."""
    if literal.name:
        values = [value for name, value in view.items if decoded(name) == literal.name]
        if len(values) == 1 and (not literal.path or _fits(view.segments, literal.path, -1)):
            rest = tuple(item for item in view.items if decoded(item[0]) != literal.name)
            yield (view.host, view.path, rest), decoded(values[0])
        return
    segments = view.segments
    if _fits(segments, literal.path, at := literal.at):
        yield (view.host, *segments[:at], None, *segments[at + 1 :], view.items), decoded_segment(segments[at])


def _fits(segments: Sequence[str], path: Sequence[str | None], at: int) -> bool:
    return len(segments) == len(path) and all(
        n == at or wanted is None or wanted in (one, decoded_segment(one))
        for n, (one, wanted) in enumerate(zip(segments, path, strict=True))
    )


def _literals(candidate: Candidate) -> Iterator[_Literal]:
    """Yield what a rule takes away, or puts where nothing stands, by the form of its value."""
    value = candidate.value
    if candidate.rule == SKIP:
        if candidate.family in (REDUNDANT, ERRORS):
            yield from _of_conditions(candidate)
    elif isinstance(value, dict):
        if candidate.family in VALUES:
            for name, said in value.items():
                yield from _of_values(name, said if isinstance(said, list) else [said])
    elif isinstance(value, list):
        for entry in value:
            if isinstance(entry, dict):
                yield from _of_entry(entry, candidate)
            elif candidate.family == SEGMENT:
                yield _Literal(entry)


def _of_entry(entry: dict[str, Any], candidate: Candidate) -> Iterator[_Literal]:
    if "from" in entry:
        yield from _of_template(entry["from"], entry["to"])
        yield from _of_template(entry["to"], entry["from"])
    elif "value" in entry:
        # where several make no difference none is today's
        if isinstance(entry["value"], str) and "|" not in entry["value"]:
            yield _Literal(entry["value"], entry["name"])
    elif candidate.family == SEGMENT:
        if "name" in entry:
            yield _Literal(entry["name"])
        for one, other in candidate.examples if "pattern" in entry else ():
            yield from _of_pair(one, other)


def _of_values(name: str, said: list[str | list[str | bool]]) -> Iterator[_Literal]:
    """Yield default values, and those of aliases that are told to be absence or a word: `season=current`, and not
    another spelling of a day.
    """
    for group in said:
        if isinstance(group, str):
            yield _Literal(group, name)
            continue
        texts = [text for text in group if isinstance(text, str)]
        timed = [text for text in texts if may_move(text)]
        if False in group or len(timed) < len(texts):
            yield from (_Literal(text, name) for text in timed)


def _of_conditions(candidate: Candidate) -> Iterator[_Literal]:
    """Yield the segments and values that the addresses of a rule have in common."""
    where = candidate.where
    path = where.get("path")
    segments = _segments(path) if isinstance(path, str) else ()
    yield from (_Literal(one, "", segments, at) for at, one in enumerate(segments) if one)
    for name, value in where.get("query", {}).items():
        if isinstance(value, str):
            yield _Literal(value, name, segments)


def _of_template(text: str, other: str) -> Iterator[_Literal]:
    """Yield the segments and values of one side of a template that the other has not."""
    path, _, query = text.partition("?")
    other_path, _, other_query = other.partition("?")
    segments, others = (
        _segments(path),
        set(_segments(other_path)) | {one.partition("=")[2] for one in other_query.split("&")},
    )
    yield from (_Literal(s, "", segments, at) for at, s in enumerate(segments) if s and s not in others)
    for item in query.split("&"):
        name, _, value = item.partition("=")
        if value and not _OPEN.search(value) and item not in other_query.split("&") and value not in others:
            yield _Literal(value, name, segments)


def _of_pair(one: str, other: str) -> Iterator[_Literal]:
    """Yield the segment in which the paths of two addresses differ, of both."""
    here, there = (url.partition("://")[2].partition("?")[0].split("/")[1:] for url in (one, other))
    if len(here) == len(there):
        for at, (mine, theirs) in enumerate(zip(here, there, strict=True)):
            if mine != theirs:
                open_places = (None,) * len(here)
                yield from (_Literal(decoded_segment(s), "", open_places, at) for s in (mine, theirs))


def _segments(path: str) -> tuple[str | None, ...]:
    return tuple(None if _OPEN.search(one) else one for one in path.removeprefix("/").split("/"))
