"""Constant views: one page under very many values of a parameter, and what speaks against taking it for one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import CONSTANT, REJECTED, Candidate
from scrapy_urinorm.learn.evidence.luck import LUCK, Siblings
from scrapy_urinorm.learn.pages.contexts import Above, Atom, Context
from scrapy_urinorm.learn.pages.values import is_number
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Group
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.view import View

LARGEST = 1 << 53
"""The largest number that every reader of a rule file takes for itself."""


def constant_view(
    stage: Stage,
    finding: Conclusion,
    said: tuple[str, Any],
    params: tuple[str, ...],
    neighbours: Sequence[Neighbours],
    groups: Sequence[Group],
) -> Candidate:
    """Return the candidate of a finding on pages that were the same under all values, with the rule and value that are
    `said`; rejected where the pages may be others tomorrow.
    """
    finding = finding._replace(context=finding.context + _least(stage, finding, params, neighbours))
    why = f"{spoken(map(decoded, params))} took {finding.evidence.values} values here and the page never changed"
    found = stage.candidate(finding, *said, CONSTANT, why, params)
    doubt = ""
    if Siblings(neighbours, groups, finding.support, stage.views, params).luck() > LUCK:
        doubt = ", but its siblings change so seldom that it may, too"
    elif any(stage.may_be_others(_numbered(stage, finding, name, neighbours)) for name in params):
        doubt = ", but other numbers may have been found that were not requested"
    if doubt:
        found.status, found.why = REJECTED, why + doubt
    return found


def without_home(near: Neighbours) -> Neighbours:
    """Return neighbours without the page that has no value, where all others are one page and that is another."""
    if near.labels != 2 or not near.home_differs:
        return near
    members = [one for one in near.members if one[1] != near.absent]
    return near._replace(
        size=near.size - 1, known=near.known - 1, labels=1, values=near.values - 1, absent=-1, members=members
    )


def counts(stage: Stage, name: str) -> bool:
    """Whether most values of a parameter begin with a digit: pages of a list, revisions, days of a calendar. There will
    be more of them, which are no empty page then.
    """
    values = stage.values.get(name, ())
    return 2 * sum(decoded(value)[:1].isdecimal() for value in values) > len(values)


def spoken(names: Iterable[str]) -> str:
    """Return names for a sentence."""
    return " and ".join(f"`{name}`" for name in names)


def told_of(stage: Stage, finding: Conclusion, neighbours: Sequence[Neighbours]) -> Iterator[View]:
    """Yield the views of known content in the groups that speak for a finding."""
    for n in finding.support:
        for _, page in neighbours[n].members:
            if stage.views[page].page.label >= 0:
                yield stage.views[page]


def values_told_of(stage: Stage, finding: Conclusion, neighbours: Sequence[Neighbours]) -> defaultdict[str, set[str]]:
    """Return the values that each parameter has in the views that `told_of` yields."""
    known: defaultdict[str, set[str]] = defaultdict(set)
    for view in told_of(stage, finding, neighbours):
        for name, value in view.items:
            known[name].add(value)
    return known


def _numbered(stage: Stage, finding: Conclusion, name: str, neighbours: Sequence[Neighbours]) -> list[tuple[int, str]]:
    """Return the views that speak for a finding, by their numbers, with their values of a parameter, where it numbers
    products or the like; what a form to log in is opened from is an address.
    """
    values = stage.values.get(name, ())
    if 2 * sum(map(str.isdecimal, values)) <= len(values):
        return []
    pages = [page for n in finding.support for _, page in neighbours[n].members]
    return [(page, f"{name}={value}") for page in pages if (value := stage.value_of(page, name))]


def _least(stage: Stage, finding: Conclusion, params: tuple[str, ...], neighbours: Sequence[Neighbours]) -> Context:
    """Return the conditions of a constant view on numbers: that fifty lines and more show all says nothing of ten."""
    known = values_told_of(stage, finding, neighbours)
    out = []
    for name in params:
        numbers = [int(value) if is_number(value) else 0 for value in known[name]]
        if numbers and 1 < min(numbers) <= LARGEST and all(atom.name != name for atom in finding.context):
            out.append(Atom("query", name, Above(min(numbers) - 1)))
    return tuple(out)
