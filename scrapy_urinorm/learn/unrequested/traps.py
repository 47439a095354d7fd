"""Endless parameters: dates and numbers from which on an address shows one page and nothing new, however far it goes.

A timeline that is asked for days before the first event, a list beyond its end. Such addresses are skipped beyond what
was seen to be new; at the end that grows, room is left for as much again as there was. Where further parameters tell
lists apart (`?board=3&page=40`) those that were seen to end are skipped, and others put off: one of them may be longer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.evidence.candidate import DEFER, SKIP, Candidate, on_host
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.pages.values import is_ranged
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.unrequested.silent import Learner

MIN_RUN = 30
"""Values in a row that show one page: a month without an event is a gap."""
MIN_CONTENT = 3
"""Different pages that the other values must show: else it is a constant view."""
LONGEST_GAP = 2
"""A run is so many times longer than any gap between pages, and covers at least the half of what lies between the first
and the last of them."""
LATE = 31
"""Days before a crawl from which on a list of a day may still be another one tomorrow: it may show those of a month."""
YEARS = range(1800, 2200)
"""Numbers that may be years, or begin with one."""
SHARE_OF_KIND = 0.9
"""Of the values of a parameter so many are dates, or numbers: the few others are mistyped."""
MIN_LISTS = 3
"""Lists of one form that end, before others of the form are put off: of two one may be the exception. Chosen."""
MAX_LISTS = 200
"""Lists that are written out in one rule, those of most addresses; each glob takes time with each address. Chosen."""
_date = re.compile("([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9])").match

List = tuple[tuple[str, str], ...]
"""What a query says beside the parameter that goes on and on."""
Make = Callable[[list[int]], Candidate]
"""What makes the rule on what lies beyond, by the views that show it."""


class Place(NamedTuple):
    """A value as a point of a line: a day or a number, and the views that have it."""

    at: int
    views: list[int]
    labels: set[int]


def traps(learner: Learner) -> list[tuple[Candidate, list[int]]]:
    """Return the candidates that skip what lies beyond, each with its views."""
    views = learner.views
    found: dict[tuple[str, str, str], dict[tuple[bool, int], list[int]]] = defaultdict(lambda: defaultdict(list))
    counts: dict[tuple[str, str, str], int] = defaultdict(int)
    for n, view in enumerate(views):
        for name, value in view.items:
            place = view.host, view.path, name
            counts[place] += 1
            if (point := point_of(decoded(value))) is not None:
                found[place][point].append(n)
    out: list[tuple[Candidate, list[int]]] = []
    for place, points in sorted(found.items()):
        if "*" in place[1] + decoded(place[2]):
            continue
        for dated in (True, False):
            line = [
                Place(at, numbers, {views[n].page.label for n in numbers})
                for (is_date, at), numbers in sorted(points.items())
                if is_date == dated
            ]
            if sum(len(one.views) for one in line) >= SHARE_OF_KIND * counts[place]:
                days = (day for one in line for n in one.views if (day := views[n].page.day) is not None)
                for side in _beyond(line, min(days, default=0), dated=dated):
                    end = views[side.members[0]].page.label
                    ended = [n for n in _views(line) if views[n].page.label == end]
                    make = partial(_candidate, learner, place, side)
                    out += _candidates(views, place, ended, side.members, make)
    return out


def point_of(text: str) -> tuple[bool, int] | None:
    """Return (is it a date, the day or number) of a value (decoded)."""
    if is_ranged(text):
        return False, int(text)
    if found := _date(text):
        try:
            return True, date.fromisoformat(found[1]).toordinal()
        except ValueError:
            return None
    return None


class _Side(NamedTuple):
    """What lies beyond an end of a line: the conditions, the views there, and whether it may be otherwise tomorrow."""

    where: dict[str, Any]
    members: list[int]
    moves: bool = False


def _beyond(line: list[Place], today: int, *, dated: bool) -> list[_Side]:
    """Return both ends of a line beyond which nothing new was seen.

    `today` is the day of the crawl, 0 where that is not known.
    """
    low, high, content = runs_of(line)
    out = []
    # the innermost of the run stays, so that the page that it shows is still met
    if low:
        where = {"below": date_text(line[low - 1].at, dated=dated)}
        if not dated and not all(_is_of_a_year(one.at) for one in line[:low]):
            # a calendar goes back for ever; of lower ids nothing is known
            where["above"] = line[0].at - 1
        out.append(_Side(where, _views(line[: low - 1])))
    if high:
        # a list grows by numbers, and an archive as further years are put in
        last = content[-1].at
        grown = last + max(last - content[0].at, MIN_RUN)
        later = _later(line, line[len(line) - high].at, grown, today - LATE) if dated else [_above(line, grown)]
        out += [side for side in later if len(side.members) >= MIN_RUN]
    return out


def _later(line: Sequence[Place], bound: int, grown: int, past: int) -> list[_Side]:
    """Return what lies after a day, until the last one that was seen or the one after it.

    Of what lies beyond the room for growth all that takes place until the day `past` is known.
    """
    end, first = line[-1].at + 1, max(bound, grown)

    def side(above: int, below: int, *, moves: bool) -> _Side:
        where = {"above": date_text(above, dated=True), "below": date_text(below, dated=True)}
        return _Side(where, _views(one for one in line if above < one.at < below), moves)

    if past > first and len((known := side(first, min(past, end), moves=False)).members) >= MIN_RUN:
        return [side(bound, first + 1, moves=True), known, side(past - 1, end, moves=True)]
    return [side(bound, end, moves=True)]


def _above(line: Iterable[Place], number: int) -> _Side:
    return _Side({"above": number}, _views(one for one in line if one.at > number))


def _views(places: Iterable[Place]) -> list[int]:
    return [n for one in places for n in one.views]


def run_of(line: Sequence[Place]) -> int:
    """Return how many places from the first on show one page and the same."""
    if not line or len(line[0].labels) != 1 or -1 in line[0].labels:
        return 0
    return next((n for n, one in enumerate(line) if one.labels != line[0].labels), len(line))


def is_long(run: int, content: Sequence[Place]) -> bool:
    """Whether a run of so many points is long beside the widest gap between pages, and the span of them all."""
    gap = max((b.at - a.at for a, b in pairwise(content)), default=0)
    return run >= max(LONGEST_GAP * gap, (content[-1].at - content[0].at) / 2)


def runs_of(line: Sequence[Place]) -> tuple[int, int, Sequence[Place]]:
    """Return how many places at both ends show nothing new, 0 where that is no long run beside pages that differ; and
    the places between both.
    """
    low, high = (n if n >= MIN_RUN else 0 for n in (run_of(line), run_of(line[::-1])))
    content = line[low : len(line) - high]
    if len({label for one in content for label in one.labels}) < MIN_CONTENT:
        return 0, 0, content
    before, after = content[0].at - line[0].at, line[-1].at - content[-1].at
    return low if is_long(before, content) else 0, high if is_long(after, content) else 0, content


def _is_of_a_year(number: int) -> bool:
    """Whether a number may be a year, a month or a day: 2026, 202611, 20261126."""
    text = str(number)
    if len(text) not in (4, 6, 8) or int(text[:4]) not in YEARS:
        return False
    return 1 <= int(text[4:6] or 1) <= 12 and 1 <= int(text[6:] or 1) <= 31


def date_text(at: int, *, dated: bool) -> str | int:
    """Return a day or a number as conditions have it."""
    return (date.min + timedelta(days=at - 1)).isoformat() if dated else at


def _candidates(
    views: Sequence[View], place: tuple[str, str, str], ended: Iterable[int], members: list[int], make: Make
) -> Iterator[tuple[Candidate, list[int]]]:
    """Yield the rules on the lists that were seen to end, with the views which show that, and the one on others."""
    candidate = make(members)
    lists = {_list_of(views[n], place[2]) for n in ended}
    if candidate.rule == DEFER or lists == {()}:
        yield candidate, members
        return
    together = _told_apart(lists)
    found = [(together, members)] if together is not None else list(_by_list(views, place, lists, members))
    for beside, shown in found:
        one = make(shown)
        one.conditions = {**one.where, "query": {**one.where["query"], **beside}}
        one.why += ", as lists like it"
        yield one, shown
    if not found or len(lists) >= MIN_LISTS:
        candidate.rule = DEFER
        candidate.why += "; of those that were not seen to end one may be longer"
        yield candidate, members


def _by_list(
    views: Sequence[View], place: tuple[str, str, str], lists: set[List], members: Sequence[int]
) -> Iterator[tuple[dict[str, Any], list[int]]]:
    """Yield the conditions of each of a few lists, with its views: a timeline of all days, and one of thirty days."""
    names = {name for items in lists for name, _ in items}
    for items in sorted(lists) if len(lists) <= MIN_LISTS else ():
        beside = _told_apart({items})
        shown = [n for n in members if _list_of(views[n], place[2]) == items]
        if beside is not None and len(shown) >= MIN_RUN:
            yield beside | {decoded(name): False for name in names.difference(dict(items))}, shown


def _list_of(view: View, name: str) -> List:
    return tuple(item for item in view.items if item[0] != name)


def _told_apart(lists: set[List]) -> dict[str, Any] | None:
    """Return the conditions that hold for these lists, by the parameters that name them, and for no others; None where
    there are none.
    """
    values: dict[str, set[str | bool]] = {name: set() for items in lists for name, _ in items}
    for items in lists:
        known = dict(items)
        if len(known) < len(items):
            return None
        for name, taken in values.items():
            taken.add(known.get(name, False))
    texts = [decoded(one) for taken in values.values() for one in taken if isinstance(one, str)]
    if prod(map(len, values.values())) > min(len(lists), MAX_LISTS) or any("*" in one for one in (*texts, *values)):
        return None
    shown = {
        decoded(name): sorted((decoded(one) if isinstance(one, str) else one for one in taken), key=str)
        for name, taken in values.items()
    }
    return {name: taken[0] if len(taken) == 1 else taken for name, taken in shown.items()}


def _candidate(learner: Learner, place: tuple[str, str, str], side: _Side, members: list[int]) -> Candidate:
    host, path, name = place
    shown = decoded(name)
    said = " and ".join(f"{end} {bound}" for end, bound in side.where.items())
    why = f"{len(members)} addresses of {path} with `{shown}` {said} showed one page and nothing new"
    candidate = ending(learner, host, SKIP, "endless parameter", why, members)
    if side.moves:
        candidate.rule = DEFER
        candidate.why += "; what takes place on a later day may be known tomorrow"
    candidate.conditions = {"path": path, "query": {shown: side.where}}
    candidate.names = frozenset((name,))
    return candidate


def ending(learner: Learner, host: str, rule: str, family: str, why: str, members: Sequence[int]) -> Candidate:
    """Return the rule of a host on some views that show one page and nothing new, without its conditions."""
    views, agree = learner.views, len(members)
    evidence = Evidence(agree=agree, saved=agree, groups=agree, groups_for=agree, risk=risk(agree, 0, DEFAULT_PRIOR))
    candidate = on_host(learner.contexts, host, learner.scope, rule, True, evidence, family, why)
    first = views[members[0]].page.url
    candidate.examples = [(views[n].page.url, first) for n in members[1:4]]
    return candidate
