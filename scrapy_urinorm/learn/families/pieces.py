"""Candidates on pieces of a name: `/thread-12-1.html` may be `/thread-12.html`, and the 7 of `/thread-12-3-7` idle.

A rule holds for names of the same words only, unless a word for pages or views says what it drops.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.learn.evidence.candidate import TREES, Candidate
from scrapy_urinorm.learn.evidence.judge import judged, on_pages
from scrapy_urinorm.learn.evidence.luck import LUCKY, Beside, by_luck
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, ID_PRIOR
from scrapy_urinorm.learn.families.names import (
    EXTENSION,
    FIRST_FOLDER,
    FIRST_NAME,
    NUMBER,
    NumberedName,
    any_number,
    suffixes,
)
from scrapy_urinorm.learn.pages.moving import moves, said_in_words
from scrapy_urinorm.learn.pages.spelled import tell_of_others
from scrapy_urinorm.learn.pages.values import names_tree

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.edits import Name
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.view import View

MAX_OUTLINES = 8
"""Outlines that a rule names: what a person still reads, as for paths."""
SECOND_PAGES = 3
"""Names without a first number that have a second page: where there are such pages, it is known of as many that the
bare name shows the first one and not the last."""


def pieces(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop the number of a first page, or fold a number that makes no difference."""
    out = []
    for name, neighbours in stage.new_groups("first"):
        out += _first_pages(stage, _InName(*name[1:]), neighbours)
    for name, neighbours in stage.new_groups("first folder"):
        out += _first_pages(stage, _InFolder(*name[1:]), neighbours)
    every = ((name[2], near) for name, near in stage.groups.items() if name[0] == "suffix")
    beside = Beside((mark, [judged(one, stage.views) for one in near]) for mark, near in every)
    for name, neighbours in stage.new_groups("suffix"):
        out += _suffixes(stage, name, neighbours, beside)
    for name, neighbours in stage.new_groups("piece"):
        out += _numbers(stage, name, neighbours)
    return out


class _InName(NamedTuple):
    """The number of a first page at the end of names: `-1` of `/topic-12-1.html`."""

    place: str
    mark: str
    at: str
    extension: str

    @property
    def shown(self) -> str:
        return f"`{self.mark}{self.at}` at the end of a name"

    def number_of(self, view: View) -> str | None:
        """Return the number of the page that an address of this form asks for."""
        named = NumberedName.of(view)
        first = FIRST_NAME.fullmatch(named.stem) if named else None
        if named is None or first is None or named.in_query != (self.place == "query"):
            return None
        return first["at"] if (first["mark"], named.extension) == (self.mark, self.extension) else None

    def second_of(self, view: View) -> int:
        """Return the hash of the second page beside one without a number."""
        named = NumberedName.of(view)
        return named.hash_with(view, f"{named.stem}{self.mark}2") if named else 0

    def edit(self, bare: Iterable[View]) -> dict[str, str] | None:
        """Return the edit for names like those without a number, None where these have too little in common; what
        follows a word for pages is the number of one whatever the name is.
        """
        shown = {"[^/?]+"}
        if not any(map(str.isalpha, self.mark)):
            outlines = {NUMBER.sub("0", named.stem) for view in bare if (named := NumberedName.of(view))}
            if len(outlines) > MAX_OUTLINES or any("%" in outline for outline in outlines):
                return None
            shown = set(map(any_number, outlines))
        head, end = _around(self.place)
        before = f"{head}(?:{'|'.join(sorted(shown))})"
        pattern = f"^({before}){re.escape(self.mark + self.at)}(?={re.escape(self.extension)}{end})"
        return {"pattern": pattern, "replace": r"\1"}


class _InFolder(NamedTuple):
    """The number of a first page below a folder: `/page/1/` of `/blog/page/1/`; the folder ends with `end`."""

    mark: str
    at: str
    after: str
    end: str

    @property
    def shown(self) -> str:
        return f"`{self.mark}{self.at}{self.after}` below a folder"

    def number_of(self, view: View) -> str | None:
        """Return the number of the page that an address of this form asks for."""
        found = FIRST_FOLDER.fullmatch(view.path)
        return found["at"] if found and (found["mark"], found["after"]) == (self.mark, self.after) else None

    def second_of(self, view: View) -> int:
        """Return the hash of the second page beside one without a number."""
        return view.with_path(f"{view.path.removesuffix('/')}{self.mark}2{self.after}")

    def edit(self, bare: Iterable[View]) -> dict[str, str]:
        """Return the edit for any folder."""
        pattern = f"^([^?]*){re.escape(self.mark + self.at)}{self.after}(?=[?]|$)"
        return {"pattern": pattern, "replace": rf"\1{self.end}"}


def _first_pages(stage: Stage, form: _InName | _InFolder, neighbours: Sequence[Neighbours]) -> list[Candidate]:
    groups = [judged(n, stage.views) for n in neighbours]
    compared = {page for group in neighbours for _, page in group.members}
    groups += stage.stayed.against(groups, compared, lambda view: form.number_of(view) == form.at)
    judge = stage.judge(DEFAULT_PRIOR, constant=False)
    doubt = ""
    out = []
    for finding in stage.search(groups, judge, folders=True):
        bare = [stage.views[neighbours[n].absent] for n in finding.support]
        edit = form.edit(bare)
        doubt = "names of any kind have it" if edit is None else _unseen(stage, form, bare)
        if edit is None or doubt:
            continue
        why = f"{form.shown} makes no difference to {on_pages(finding.evidence)}"
        out.append(stage.candidate(finding, "rewrite", [edit], "first page", why))
    if not out:
        edit = {"pattern": form.mark + form.at, "replace": ""}
        stage.reject(groups, judge, "rewrite", [edit], "first page", form.shown, doubt)
    return out


def _unseen(stage: Stage, form: _InName | _InFolder, bare: Iterable[View]) -> str:
    """Return what is not known of addresses without a number: of those with one page the first is the last, too."""
    hashes = {view.hash for view in stage.views}
    if sum(form.second_of(view) in hashes for view in bare) >= SECOND_PAGES:
        return ""
    several = any(form.number_of(view) not in (None, "0", "1") for view in stage.views)
    return "few of these have a second page, and without the number it may be the last one" if several else ""


def _suffixes(stage: Stage, name: Name, neighbours: Sequence[Neighbours], beside: Beside) -> list[Candidate]:
    _, place, mark, extension = name
    groups = [judged(n, stage.views) for n in neighbours]
    compared = {page for group in neighbours for _, page in group.members}
    groups += stage.stayed.against(groups, compared, lambda view: _has_suffix(view, mark, extension))
    judge = stage.judge(DEFAULT_PRIOR, constant=False)
    what = f"`{mark}` at the end of a name"
    head, end = _around(place)
    pattern = f"^({head}[^/?]+){re.escape(mark)}(?={re.escape(extension)}{end})"
    value = [{"pattern": pattern, "replace": r"\1"}]
    words = [mark[1:], *re.split("[-_.,]", mark[1:])]
    doubt = TREES if any(map(names_tree, words)) and not stage.said_one(groups) else ""
    others = {part for one in stage.groups if one[0] == "suffix" for part in re.split("[-_.,]", one[2])}
    if moving := [word for word in words if moves(word, others)]:
        doubt = said_in_words(moving[0])
    found = [] if doubt else stage.search(groups, judge, folders=True, extent=True)
    findings = [one for one in found if not by_luck(one.evidence, mark, beside.of(groups), stage.options.risk)]
    if not findings:
        stage.reject(groups, judge, "rewrite", value, "suffix", what, doubt or (LUCKY if found else ""))
    out = []
    for finding in findings:
        why = f"{what} makes no difference to {on_pages(finding.evidence)}"
        out.append(stage.candidate(finding, "rewrite", value, "suffix", why))
    return out


def _has_suffix(view: View, mark: str, extension: str) -> bool:
    named = NumberedName.of(view)
    return named is not None and named.extension == extension and mark in suffixes(named.stem)


def _around(place: str) -> tuple[str, str]:
    """Return the patterns of what precedes names in a place and follows them, in the text that `rewrite` sees."""
    return (r"[^?]*\?", "=$") if place == "query" else ("[^?]*/", "/?(?:[?]|$)")


def _numbers(stage: Stage, name: Name, neighbours: Sequence[Neighbours]) -> list[Candidate]:
    _, place, outline, number = name
    at = int(number)
    groups = [judged(n, stage.views) for n in neighbours]
    # nearly all numbers in names are those of pages
    judge = stage.judge(ID_PRIOR, constant=False, spelled=True)
    what = f"number {at + 1} of `{outline}`"
    findings = stage.search(groups, judge, folders=True)
    out = []
    doubt = ""
    for finding in findings:
        seen = _values(stage, at, neighbours, finding)
        doubt = "" if tell_of_others(seen) else "its values are too few to tell of others"
        if doubt:
            continue
        why = f"{what} made no difference to {on_pages(finding.evidence)}"
        kept = min(seen, key=lambda v: (-seen[v], len(v), v))
        value = [_folded(outline, at, kept, *_around(place))]
        out.append(stage.candidate(finding, "rewrite", value, "piece", why))
    if not out:
        stage.missed(groups, judge, "rewrite", [{"pattern": outline, "replace": ""}], "piece", what, doubt)
    return out


def _values(stage: Stage, at: int, neighbours: Sequence[Neighbours], finding: Conclusion) -> Counter[str]:
    """Return the numbers at a place among the pages that speak for a finding."""
    seen: Counter[str] = Counter()
    for n in finding.support:
        for _, page in neighbours[n].members:
            named = NumberedName.of(stage.views[page])
            if named is not None and stage.views[page].page.label >= 0:
                seen[NUMBER.findall(named.stem)[at]] += 1
    return seen


def _folded(outline: str, at: int, kept: str, lead: str, end: str) -> dict[str, str]:
    found = EXTENSION.search(outline)
    extension = found[0] if found else ""
    texts = outline.removesuffix(extension).split("0")
    head, tail = ("".join(re.escape(text) + "[0-9]+" for text in part) for part in (texts[:at], texts[at + 1 : -1]))
    mark = texts[at]
    after = f"{tail}{re.escape(texts[-1] + extension)}{end}"
    pattern = f"^({lead}{head}){re.escape(mark)}[0-9]+(?={after})"
    return {"pattern": pattern, "replace": rf"\1{mark}{kept}"}
