"""Endless lists with their number in the path: `/sub/3/page/187`, `/events/2031/5/`, from some number on one page.

What `traps` does for parameters. The pages of a list that was seen to end (`/page/187`) are skipped beyond its end, and
as much again is left open, for it may grow; others beside it are put off there, as one of them may be longer than any
that was seen. So are numbers that say no page: of days, issues and puzzles the next ones come, and some are left out.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.importers.facets import may_turn_pages
from scrapy_urinorm.learn.evidence.candidate import DEFER, SKIP, Candidate
from scrapy_urinorm.learn.pages.values import is_ranged
from scrapy_urinorm.learn.unrequested.silent import hides_ways, is_known, missed, newly_silent, pages_of, silence
from scrapy_urinorm.learn.unrequested.traps import (
    MAX_LISTS,
    MIN_CONTENT,
    MIN_LISTS,
    MIN_RUN,
    YEARS,
    Place,
    ending,
    is_long,
    run_of,
    runs_of,
    traps,
)

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.proof.proof import Proof
    from scrapy_urinorm.learn.unrequested.silent import Learner

ENDLESS_LIST = "endless list"
"""The family of these rules."""
MET_THERE = 0.5
"""Of the addresses beyond the end so many were first met on the list itself, as "next" leads to them. Articles that are
sold out show one page, too, but are met on lists. Chosen; of a list that is walked through nearly all are."""
STEPS_FOLLOWED = 0.25
"""Of the links in one place of the days or pages of a run so many must have led to others of them, that the others are
taken to do so: a run is of thirty that show one page. Chosen on a tracker's timeline, where 10 of 37 were followed."""
STEPS = 2
"""Places among the links of a page at which it may lead on: to the next one, and by another step."""
MONTHS = 12
"""Of a year (ISO 8601): its months are the points of the line."""
_is_year = re.compile("[0-9]{4}").fullmatch
# host, and segments with None in the places that are left open
_Form = tuple[str, tuple[str | None, ...]]


class _End(NamedTuple):
    """What is beyond a list that shows nothing new after `last`, and may grow to `bound`: number and view of each."""

    form: _Form
    bound: int
    last: int
    beyond: list[tuple[int, int]]


def numbered(learner: Learner) -> Iterator[tuple[Candidate, list[int]]]:
    """Yield the candidates that skip what lies beyond the ends of lists, or put it off, each with its views."""
    if learner.proof is None:
        return
    walked = _Walked(learner, learner.proof)
    views = learner.views
    lists: dict[_Form, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    months: dict[_Form, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for n, view in enumerate(views):
        # a glob has a meaning of its own for these
        if "*" in view.path or "%3C" in view.path:
            continue
        segments = tuple(view.segments)
        for at, segment in enumerate(segments):
            if is_ranged(segment):
                lists[view.host, (*segments[:at], None, *segments[at + 1 :])][int(segment)].append(n)
                if (day := _day(segments, at)) is not None:
                    open_segments, month = day
                    months[view.host, open_segments][month].append(n)
    for form, points in sorted(months.items(), key=str):
        yield from _calendar(learner, walked, form, _line(views, points))
    yield from _lists(learner, walked, {form: _line(views, points) for form, points in lists.items()})


class _Walked:
    """Where the addresses of a site were first met, and where they lead."""

    def __init__(self, learner: Learner, proof: Proof) -> None:
        self._of_view = [[learner.site.numbers[page.key] for page in view.pages] for view in learner.views]
        self._parents = proof.parents

    def mostly(self, members: Sequence[int], among: Iterable[int]) -> bool:
        """Whether most of some views were met on others."""
        pages = {page for n in among for page in self._of_view[n]}
        met = sum(any(self._parents.get(page, -1) in pages for page in self._of_view[n]) for n in members)
        return met >= MET_THERE * len(members)


def _line(views: Sequence[View], points: dict[int, list[int]]) -> list[Place]:
    return [Place(at, numbers, {views[n].page.label for n in numbers}) for at, numbers in sorted(points.items())]


def _day(segments: tuple[str, ...], at: int) -> tuple[tuple[str | None, ...], int] | None:
    """Return the form of a year and a month, and perhaps a day, from a place on, and the month since the year 0."""
    after = segments[at + 1 : at + 3]
    if not _is_year(segments[at]) or int(segments[at]) not in YEARS or not after or not is_ranged(after[0]):
        return None
    month = int(after[0])
    if not 1 <= month <= MONTHS:
        return None
    wide = 3 if len(after) > 1 and is_ranged(after[1]) else 2
    return (*segments[:at], *(None,) * wide, *segments[at + wide :]), int(segments[at]) * MONTHS + month - 1


def _calendar(
    learner: Learner, walked: _Walked, form: _Form, line: list[Place]
) -> Iterator[tuple[Candidate, list[int]]]:
    """Yield what ends a calendar: the years before and after it are put off, as an archive is filled both ways."""
    low, high, _ = runs_of(line)
    every = [n for one in line for n in one.views]
    # the year in which the run begins stays, so that the page that it shows is still met
    if low:
        year = line[low - 1].at // MONTHS
        members = [n for one in line if one.at // MONTHS < year for n in one.views]
        if len(members) >= MIN_RUN and walked.mostly(members, every):
            yield (
                _candidate(learner, [_glob(form, f"<-{year - 1}>")], DEFER, form[0], f"before {year}", members),
                members,
            )
    if high:
        year = line[len(line) - high].at // MONTHS
        members = [n for one in line if one.at // MONTHS > year for n in one.views]
        if len(members) >= MIN_RUN and walked.mostly(members, every):
            candidate = _candidate(learner, [_glob(form, f"<{year + 1}->")], DEFER, form[0], f"after {year}", members)
            candidate.why += "; what takes place on a later day may be known tomorrow"
            yield candidate, members


def _lists(learner: Learner, walked: _Walked, lines: dict[_Form, list[Place]]) -> Iterator[tuple[Candidate, list[int]]]:
    """Yield what ends lists: one rule for those that leave off at about one number, and one for others like them."""
    ends = {form: end for form, line in lines.items() if (end := _end(form, line, walked)) is not None}
    beside: dict[_Form, list[_Form]] = defaultdict(list)
    for host, segments in lines if ends else ():
        for at, segment in enumerate(segments):
            if segment is not None:
                beside[host, (*segments[:at], "*", *segments[at + 1 :])].append((host, segments))
    groups = {wide: [ends[form] for form in forms if form in ends] for wide, forms in beside.items()}
    done: set[_Form] = set()
    for wide, found in sorted(groups.items(), key=lambda group: (-len(group[1]), str(group[0]))):
        new = [end for end in found if end.form not in done]
        if len(new) < MIN_LISTS:
            break
        done |= {end.form for end in new}
        content = {label for form in beside[wide] for label in _content(lines[form], ends.get(form))}
        if len(content) < MIN_CONTENT:
            continue
        yield from _skipped(learner, new)
        bound = max(
            ends[form].bound if form in ends else _room(lines[form][0].at, lines[form][-1].at) for form in beside[wide]
        )
        members = [n for end in found for at, n in end.beyond if at > bound]
        if len(members) >= MIN_RUN:
            glob = _glob(wide, f"<{bound + 1}->")
            candidate = _candidate(learner, [glob], DEFER, wide[0], f"above {bound}", members)
            candidate.why += "; of those that were not seen to end one may be longer"
            yield candidate, members
    alone = [end for form, end in ends.items() if form not in done and len(_content(lines[form], end)) >= MIN_CONTENT]
    for end in alone:
        yield from _skipped(learner, [end])


def _content(line: list[Place], end: _End | None) -> set[int]:
    """Return the labels of what a list shows up to its end."""
    return {label for one in line if end is None or one.at <= end.last for label in one.labels}


def _room(first: int, last: int) -> int:
    """Return the number up to which a list may grow: by as much again, rounded up so that lists share rules."""
    return 1 << (last + max(last - first, MIN_RUN) - 1).bit_length()


def _end(form: _Form, line: list[Place], walked: _Walked) -> _End | None:
    """Return the end of a list; None where none was seen."""
    # the first page of a list that has nothing is its page
    high = min(run_of(line[::-1]), len(line) - 1)
    if high < MIN_RUN:
        return None
    content = line[: len(line) - high]
    first, last = content[0].at, content[-1].at
    bound = _room(first, last)
    beyond = [(one.at, n) for one in line if one.at > bound for n in one.views]
    if not beyond or not is_long(line[-1].at - last, content):
        return None
    if not walked.mostly([n for one in line[-high:] for n in one.views], [n for one in line for n in one.views]):
        return None
    return _End(form, bound, last, beyond)


def _skipped(learner: Learner, ends: Iterable[_End]) -> Iterator[tuple[Candidate, list[int]]]:
    """Yield a rule for each number beyond which some of the lists are skipped, or put off if it says no page."""
    bounds: dict[tuple[int, bool], list[_End]] = defaultdict(list)
    for end in ends:
        bounds[end.bound, _says_page(end.form)].append(end)
    for (bound, is_page), found in sorted(bounds.items()):
        chosen = sorted(found, key=lambda end: (-len(end.beyond), str(end.form)))[:MAX_LISTS]
        globs = sorted(_glob(end.form, f"<{bound + 1}->") for end in chosen)
        members = [n for end in chosen for _, n in end.beyond]
        if len(members) < MIN_RUN:
            continue
        rule = SKIP if is_page else DEFER
        candidate = _candidate(learner, globs, rule, chosen[0].form[0], f"above {bound}", members)
        if not is_page:
            candidate.why += "; what the number counts may have gaps, and further ones tomorrow"
        yield candidate, members


def _says_page(form: _Form) -> bool:
    """Whether the segment before the number of a form is a word for a page of a list."""
    segments = form[1]
    at = segments.index(None)
    return at > 0 and may_turn_pages(segments[at - 1] or "")


def _glob(form: _Form, numbers: str) -> str:
    """Return the glob of a form: these numbers in the first place that is open, and any in the others."""
    segments: list[str] = []
    for segment in form[1]:
        segments.append(segment if segment is not None else "<->" if numbers in segments else numbers)
    return "/" + "/".join(segments)


def _candidate(learner: Learner, globs: list[str], rule: str, host: str, said: str, members: list[int]) -> Candidate:
    more = f" and {len(globs) - 1} more" if len(globs) > 1 else ""
    why = f"{len(members)} addresses of {globs[0]}{more}, {said}, showed one page of each list and nothing new"
    candidate = ending(learner, host, rule, ENDLESS_LIST, why, members)
    candidate.conditions = {"path": globs if len(globs) > 1 else globs[0]}
    return candidate


def endless(learner: Learner) -> None:
    """Skip what lies beyond the last page of an endless parameter or list; without recorded links it is put off."""
    views = learner.views
    known = missed(learner, learner.skipped)
    for candidate, members in (*traps(learner), *numbered(learner)):
        if is_known(learner, candidate):
            continue
        silent = newly_silent(learner, candidate)
        labels = {views[n].page.label for n in members}
        if len(members) < learner.replay.least(candidate):
            continue
        if not {views[n].page.label for n in silent} <= labels | learner.site.soft:
            learner.refuse(candidate, "its conditions also hold for other addresses")
            continue
        skipped = pages_of(learner, silent)
        without = missed(learner, learner.skipped | skipped)
        if candidate.rule == SKIP and (without - known or learner.proof is None):
            candidate.rule = DEFER
            candidate.why += "; other pages may only be found behind them"
        if candidate.rule == SKIP and hides_ways(learner, skipped, STEPS_FOLLOWED):
            # pages of one text may each link to another photo
            candidate.rule = DEFER
            candidate.why += "; they link to what was not followed"
        if candidate.rule == SKIP and not _is_a_chain(learner, skipped):
            candidate.rule = DEFER
            candidate.why += "; what lists them may list others, and was not followed to its end"
        if candidate.rule == SKIP:
            known = without
        silence(learner, candidate, silent)


def _is_a_chain(learner: Learner, pages: AbstractSet[int]) -> bool:
    """Whether most of some pages, by their numbers, were met at each other, or in that place of a page on their path.

    An archive that lists all of its days may have others where the crawl has not been.
    """
    assert learner.proof is not None
    proof = learner.proof
    if proof.is_finished:
        return True
    own = Counter(place for n in pages for place, target in enumerate(proof.graph.links[n]) if target in pages)
    places = {place for place, _ in own.most_common(STEPS)}

    def is_step(page: int, parent: int) -> bool:
        links = proof.graph.links[parent]
        paths = {learner.site.pages[n].key.partition("?")[0] for n in (page, parent)}
        return len(paths) == 1 and any(links[place] == page for place in places if place < len(links))

    parents = {n: proof.parents.get(n, -1) for n in pages}
    met = sum(
        parent in pages or (0 <= parent < len(proof.pages) and is_step(n, parent)) for n, parent in parents.items()
    )
    return 2 * met >= len(pages)
