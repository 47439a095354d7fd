"""Numbers that count versions: the backups of a host, the revisions of a file.

That no file of one host has changed between its backups says nothing of the next backup, where those of another host
have changed. And that each page of a wiki is what it is under the number of its latest version says nothing of older
ones: a list of changes names no others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.content import NEAR
from scrapy_urinorm.learn.pages.values import is_number

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Group
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.contexts import Atom
    from scrapy_urinorm.learn.pages.view import View

DENSE = 2
"""Numbers of a series are at least every second one of those between its first and its last: old backups go."""
FEWEST_NUMBERS = 3
"""Below this many numbers a parameter is a switch; chosen."""
FEWEST = 2
"""Pages that must have changed elsewhere, a little or not at each number as those of lists do: one may have been edited
meanwhile. Chosen."""


def changed_elsewhere(
    stage: Stage, name: str, finding: Conclusion, neighbours: Sequence[Neighbours], groups: Sequence[Group]
) -> str:
    """Return the parameter for one value of which a number was seen to make no difference where it does under others,
    all else that is asked of an address the same; empty where there is none.
    """
    pages = (page for n in finding.support for _, page in neighbours[n].members)
    if not _counts({value for page in pages if (value := stage.value_of(page, name)) is not None}):
        return ""
    asked = [atom for atom in finding.context if atom.kind == "query" and isinstance(atom.value, (str, tuple))]
    changed = [
        stage.views[group.page]
        for group, near in zip(groups, neighbours, strict=True)
        if near.labels > 1 and (group.outcome == NEAR or near.labels < near.known)
    ]
    for atom in asked:
        others = [one for one in finding.context if one is not atom]
        there = [view for view in changed if view.values_of(atom.name) and not _holds(atom, view)]
        if sum(all(_holds(one, view) for one in others) for view in there) >= FEWEST:
            return atom.name
    return ""


def are_latest(stage: Stage, name: str, neighbours: Iterable[Neighbours]) -> bool:
    """Whether pages may show what they show without a parameter because it names their latest version: `one_each`."""
    return one_each(
        {
            value
            for _, page in near.members
            if (value := stage.value_of(page, name)) is not None and stage.pair(page, near.absent).outcome >= NEAR
        }
        for near in neighbours
        if near.absent >= 0
    )


def one_each(shown: Iterable[set[str]]) -> bool:
    """Whether pages are the same under one number of a counter each, others under others; `shown` has those of each."""
    numbers, several = set[str](), 0
    for values in shown:
        numbers |= values
        several += len(values) > 1
        if several >= FEWEST:
            return False
    return _counts(numbers)


def _counts(values: set[str]) -> bool:
    """Whether values are those of a counter: numbers, most of a row."""
    numbers = {int(value) for value in values if is_number(value)}
    if len(numbers) < max(FEWEST_NUMBERS, len(values)):
        return False
    return max(numbers) - min(numbers) < DENSE * len(numbers)


def _holds(atom: Atom, view: View) -> bool:
    """Whether a view is what a condition asks for, as far as one path or the words of a parameter tell."""
    if atom.kind == "path":
        return not atom.is_literal or view.path == atom.name
    if atom.kind != "query":
        return atom.kind != "host" or view.host == atom.name
    values = view.values_of(atom.name)
    if isinstance(atom.value, bool):
        return bool(values) is atom.value
    wanted = atom.value if isinstance(atom.value, tuple) else (atom.value,)
    return any(value in wanted for value in values) or (not values and False in wanted)
