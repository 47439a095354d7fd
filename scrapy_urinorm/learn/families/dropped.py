"""Segments that make no difference: within a path, and at its end, where the folder shows the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import REJECTED, TREES, Candidate
from scrapy_urinorm.learn.evidence.edits import EXTENSIONS
from scrapy_urinorm.learn.evidence.judge import Evidence, Group, judged, on_pages
from scrapy_urinorm.learn.evidence.luck import LUCKY, Beside, by_luck
from scrapy_urinorm.learn.evidence.narrow import MAX_FOLDERS
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR
from scrapy_urinorm.learn.families.names import is_in_a_series
from scrapy_urinorm.learn.pages.contexts import Atom
from scrapy_urinorm.learn.pages.values import names_tree
from scrapy_urinorm.rules.globs import path_glob
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.view import View


def dropped(stage: Stage, family: str, rule: str) -> list[Candidate]:
    """Return the candidates, all of one rule, that drop a segment (`/print/x` shows what `/x` shows) or, of the edits
    `leaf`, the name of a folder's page (`/2025-11/thrd1.html` shows what `/2025-11/` shows).
    """
    out: list[Candidate] = []
    every = ((name[1], near) for name, near in stage.groups.items() if name[0] == family)
    beside = Beside((segment, [judged(one, stage.views) for one in near]) for segment, near in every)
    for name, neighbours in stage.new_groups(family):
        groups = [judged(n, stage.views) for n in neighbours]
        judge = stage.judge(DEFAULT_PRIOR, constant=False)
        compared = {page for group in neighbours for _, page in group.members}
        stayed = stage.stayed.against(groups, compared, _bears(name[1]))
        groups += stayed
        shown = decoded(name[1].replace("+", "%2B"))
        what = f"the segment `{shown}`" if family == "segment" else f"`{shown}` at the end of the path"
        tree = any(map(names_tree, _words(shown, family))) and not stage.said_one(groups)
        value: list[Any] = [{"name": shown}] if family == "segment" else [shown]
        if tree or (stayed and not judge.accepts(judge.weigh(groups))):
            stage.reject(groups, judge, rule, value, "segment", what, TREES if tree else "")
            continue
        findings = stage.search(groups, judge, folders=True, extent=True)
        if not findings:
            stage.missed(groups, judge, rule, value, "segment", what)
        for finding in findings:
            why = f"{what} makes no difference to {on_pages(finding.evidence)}"
            pairs = chain(*(groups[n].examples for n in finding.support))
            placed = value
            if family == "segment":
                placed = _places(stage, name[1], shown, pairs)
            else:
                finding = _at_depths(finding, name[1], [stage.views[page].path for pair in pairs for page in pair])
            found = stage.candidate(finding, rule, placed or value, "segment", why)
            in_folder = any(atom.kind == "path" for atom in finding.context)
            doubt = _doubt(stage, name[1], finding.evidence, beside.of(groups), in_folder=in_folder)
            if doubt := ", but no rule can name it" if "*" in shown or not placed else doubt:
                found.status, found.why = REJECTED, why + doubt
            (stage.rejected if doubt else out).append(found)
    return out


def _at_depths(finding: Conclusion, name: str, paths: Iterable[str]) -> Conclusion:
    """Return a finding on the last segment of paths, a `name`, for as many folders above it as were seen, unless these
    are many numbers: months are shown by one template, and the list above them by another.
    """
    seen = [path for path in paths if path.endswith("/" + name)]
    atoms = [atom for atom in finding.context if atom.kind == "path"]
    found = [glob for atom in atoms for glob in (atom.value if isinstance(atom.value, tuple) else (atom.name,))]
    globs = set()
    for glob in map(str, found or ["/**"]):
        *head, last = glob.split("/")
        depths = {path.count("/") for path in seen if path_glob(glob)(path)}
        if last == "**":
            globs |= {"/".join([*head, *["*"] * (depth - len(head)), name]) for depth in depths if depth >= len(head)}
        elif depths:
            globs.add(glob)
    if not globs or len(globs) > MAX_FOLDERS or "*" in name or "<" in name:
        return finding
    others = [atom for atom in finding.context if atom.kind != "path"]
    return finding._replace(context=(*others, Atom("path", "", tuple(sorted(globs)))))


def _words(shown: str, family: str) -> list[str]:
    """Return what may name a language or a version: `/guide/de.html` and `index.de.html` may be that of a visitor."""
    if family == "segment":
        return [shown]
    *words, last = re.split("[._-]", shown)
    return words if words and last.lower() in EXTENSIONS else [*words, last]


def _doubt(
    stage: Stage, segment: str, evidence: Evidence, beside: Mapping[str, Sequence[Group]], *, in_folder: bool
) -> str:
    if decoded(segment).isdecimal() and not in_folder:
        return ", but in a folder that none was seen of it may be anything"
    if is_in_a_series(segment, stage.views):
        return ", but it is one of a series, which may go on"
    return f", but {LUCKY}" if by_luck(evidence, segment, beside, stage.options.risk) else ""


def _places(stage: Stage, segment: str, shown: str, pairs: Iterable[tuple[int, int]]) -> list[dict[str, Any]]:
    """Return what stands in `remove_segments`: the segment where in the path it was seen.

    `/topic/75/title/4` is the post of a topic, and `/topic/4/title` another one. But for numbers the path may have any
    length, and a word that was seen in several places, from the beginning and from the end, may stand in any.
    """
    places = set()
    for pair in pairs:
        longer, shorter = sorted((stage.views[page].segments for page in pair), key=len, reverse=True)
        count = len(longer)
        places |= {
            (at, count) for at, s in enumerate(longer) if s == segment and longer[:at] + longer[at + 1 :] == shorter
        }
    if shown.isdecimal():
        return [{"name": shown, "index": at, "of": count} for at, count in sorted(places)]
    starts, ends = {at for at, _ in places}, {at - count for at, count in places}
    if names_tree(shown):
        return [{"name": shown, "index": at} for at in sorted(ends if len(ends) < len(starts) else starts)]
    if starts == {0} or (len(starts) == 1 < len(ends)):
        return [{"name": shown, "index": at} for at in starts]
    if len(ends) < 2:
        return [{"name": shown, "index": at} for at in ends]
    return [{"name": shown}]


def _bears(segment: str) -> Callable[[View], object]:
    return lambda view: segment in view.path.split("/")
