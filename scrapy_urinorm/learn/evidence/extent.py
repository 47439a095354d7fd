"""How far numbers were seen: a crawl that was cut short knows the newest of a series, or the oldest, and not the rest.

What lists name first is new: a tender that is not awarded yet, a photo without a large view. What the older ones show
was not requested, and is often more. So rules on one view of a thing hold for the numbers between the smallest and the
largest that were seen, and constant views from the smallest on.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import CONSTANT, Candidate
from scrapy_urinorm.learn.evidence.narrow import MAX_PATHS
from scrapy_urinorm.learn.pages.contexts import QUERY_PATH, Above, Atom, Context
from scrapy_urinorm.learn.pages.values import MOST_DIGITS, is_ranged
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Group
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.pages.view import View

FEW_VALUES = 3
"""Values of a parameter from which something is taken to hold for all others: one project that has nothing closed
taught that open issues are all there are; chosen, as pages of lists are a series from three on."""
_digits = re.compile("[0-9]+")
_is_special = re.compile("[*<>]").search
_from = re.compile("<[0-9]+->")


def as_far_as_seen(
    finding: Conclusion, groups: Sequence[Group], views: Sequence[View], edited: AbstractSet[str]
) -> Conclusion:
    """Return a finding for the numbers that stand in the views that speak for it, in their paths and in the parameters
    that its context asks for, but for those that are `edited`.
    """
    pairs = (pair for n in finding.support for pair in groups[n].examples)
    seen = [views[page] for page in chain(*pairs)]
    return finding._replace(context=_bounded(finding.context, seen, edited))


def _bounded(context: Context, views: Sequence[View], edited: AbstractSet[str]) -> Context:
    paths = [view.path.split("/") for view in views]
    below = [view.query_path.split("/") for view in views if view.query_path]
    out = []
    for atom in context:
        if atom.kind == "path" and not atom.is_literal:
            globs = atom.value if isinstance(atom.value, tuple) else (atom.name,)
            found = Atom("path", "", tuple(sorted({_glob(str(glob), paths) for glob in globs})))
            out.append(found if found.value != globs else atom)
        elif atom.kind == QUERY_PATH:
            out.append(atom._replace(name=_glob(atom.name, below)))
        elif atom.kind == "query" and atom.value is True and atom.name not in edited:
            out.append(_as_seen(atom, {value for view in views for value in view.values_of(atom.name)}))
        else:
            out.append(atom)
    if not edited and all(atom.kind != "path" for atom in out):
        out += _forms({view.path for view in views})
    return tuple(out)


def _as_seen(atom: Atom, values: AbstractSet[str]) -> Atom:
    """Return the condition that a parameter is there, for the values (key spelling) that were seen."""
    if 0 < len(values) < FEW_VALUES:
        return atom._replace(value=tuple(sorted(values)) if len(values) > 1 else min(values))
    numbers = _numbers(map(decoded, values))
    return atom if min(numbers, default=0) <= 1 else atom._replace(value=Above(min(numbers) - 1))


def _forms(paths: Iterable[str]) -> list[Atom]:
    """Return the condition for the numbers that paths of a few forms have; none where these are many, or have none."""
    forms: dict[tuple[str, ...], list[list[str]]] = defaultdict(list)
    for path in paths:
        words, numbers = _digits.split(path), _digits.findall(path)
        if not numbers or len(max(numbers, key=len)) > MOST_DIGITS or _is_special(path):
            return []
        forms[tuple(words)].append(numbers)
    if len(forms) > MAX_PATHS:
        return []
    globs = ("".join(chain(*zip_longest(words, _ranges(rows), fillvalue=""))) for words, rows in forms.items())
    return [Atom("path", "", tuple(sorted(globs)))]


def _ranges(rows: Iterable[Sequence[str]]) -> list[str]:
    columns = (list(map(int, column)) for column in zip(*rows, strict=True))
    return [f"<{min(column)}-{max(column)}>" for column in columns]


def from_smallest(path: str, places: Iterable[int], values: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return the condition that a path with `*` in its places has numbers there from the smallest on that were seen,
    none where it may have any: that a hundred tenders are not awarded yet says nothing of older ones.
    """
    segments = path.split("/")
    for at, taken in zip(places, zip(*values, strict=True), strict=True):
        numbers = _numbers(taken)
        if min(numbers, default=0) > 1:
            segments[at + 1] = f"<{min(numbers)}->"
    glob = "/".join(segments)
    return {"path": glob} if glob != path else {}


def for_all_numbers(candidate: Candidate) -> Candidate:
    """Return a constant view for a crawl that tests it by samples: of any number, for a depth first one meets smaller
    numbers all the time.
    """
    path = (candidate.conditions or {}).get("path", "")
    if candidate.family != CONSTANT or not isinstance(path, str) or not _from.search(path):
        return candidate
    return replace(candidate, conditions={}, extent=candidate.conditions)


def for_seen_numbers(candidate: Candidate) -> Candidate:
    """Return a candidate for a crawl that tests nothing."""
    return candidate if candidate.extent is None else replace(candidate, conditions=candidate.extent, extent=None)


def bear_numbers(values: Sequence[Sequence[str]]) -> bool:
    """Whether most values of a form do."""
    return 2 * sum(any(map(str.isdigit, "".join(taken))) for taken in values) > len(values)


def _glob(glob: str, paths: Iterable[Sequence[str]]) -> str:
    segments = glob.split("/")
    length = segments.index("**") if "**" in segments else len(segments)
    like = [path for path in paths if len(path) >= length and all(map(_may_be, segments[:length], path))]
    for at in range(length):
        numbers = _numbers(path[at] for path in like) if segments[at] == "*" else []
        if numbers and min(numbers) < max(numbers):
            segments[at] = f"<{min(numbers)}-{max(numbers)}>"
    return "/".join(segments)


def _may_be(shown: str, segment: str) -> bool:
    return "*" in shown or shown == segment


def _numbers(texts: Iterable[str]) -> list[int]:
    """Return some texts as numbers; none where one is something else."""
    every = list(texts)
    return [int(text) for text in every] if all(map(is_ranged, every)) else []
