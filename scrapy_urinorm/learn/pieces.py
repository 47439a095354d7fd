"""Candidates on pieces of a name: `/thread-12-1.html` may be `/thread-12.html`, and the 7 of `/thread-12-3-7` idle.

A *name* is the last segment of a path, or a query that is nothing but a name (`/archive?thread-12-1`). What is not a
number in it tells what it names, so that a rule holds for names of the same words only.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.learn.contexts import ENUM_COUNT
from scrapy_urinorm.learn.edits import text_value
from scrapy_urinorm.learn.judge import judged
from scrapy_urinorm.learn.narrow import FIRST
from scrapy_urinorm.learn.risk import DEFAULT_PRIOR, ID_PRIOR
from scrapy_urinorm.learn.spelled import tell_of_others
from scrapy_urinorm.learn.stage import against_text, distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_urinorm.learn.candidate import Candidate
    from scrapy_urinorm.learn.edits import Name, Row
    from scrapy_urinorm.learn.evidence import Neighbours
    from scrapy_urinorm.learn.search import Conclusion
    from scrapy_urinorm.learn.stage import Stage
    from scrapy_urinorm.learn.view import View

LONGEST = 100
"""Characters of a name that is looked at; chosen: programs that write numbers into names write short ones."""
MOST_NUMBERS = 6
"""Numbers of such a name; phpWind's addresses have three."""
MAX_OUTLINES = 8
"""Outlines that a rule names: what a person still reads, as for paths."""
SECOND_PAGES = 3
"""Names without a first number that have a second page: where there are such pages, it is known of as many that the
bare name shows the first one and not the last."""
_NUMBER = re.compile("[0-9]+")
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
_FIRST = re.compile(
    r"(?P<rest>.*?)(?P<mark>[-_.,](?:p|pg|pag|page|pagina|seite)[-_.,]?|(?<=[0-9])[-_.,])(?P<at>[0-9]+)"
)
"""The number of a page behind a name: after a word for it, or after another number."""
_FIRST_FOLDER = re.compile(r"(?P<rest>.*)(?P<mark>/(?:pag|page|pagina|seite)[/:_-]?)(?P<at>[0-9]+)(?P<after>/?)")
"""That of a page of a folder, as a segment or two of their own."""


class NumberedName(NamedTuple):
    """A name in its address: what precedes it, the name without its extension, the extension, and what follows."""

    before: str
    stem: str
    extension: str
    after: str
    in_query: bool

    @classmethod
    def of(cls, view: View) -> NumberedName | None:
        """Return the name of a view, None where it has none or a long one."""
        if view.items:
            if len(view.items) > 1 or view.items[0][1]:
                return None
            before, name, after = view.path + "?", view.items[0][0], ""
        else:
            bare = view.path.rstrip("/")
            before, name, after = bare[: bare.rfind("/") + 1], bare[bare.rfind("/") + 1 :], view.path[len(bare) :]
        if not name or len(name) > LONGEST:
            return None
        found = _EXTENSION.search(name)
        extension = found[0] if found else ""
        return cls(before, name.removesuffix(extension), extension, after, bool(view.items))

    def hash_with(self, view: View, stem: str) -> int:
        """Return the hash of the view's address with another stem."""
        if self.in_query:
            return view.with_items(((stem + self.extension, ""),))
        return view.with_path(self.before + stem + self.extension + self.after)


def _outline(named: NumberedName) -> str:
    return _NUMBER.sub("0", named.stem) + named.extension


def piece_edits(views: Sequence[View]) -> Callable[[View], Iterator[Row]]:
    """Drop the number of a first page, and mask each number of a name with several, of an outline that many have."""
    counts: Counter[str] = Counter()
    for view in views:
        named = NumberedName.of(view)
        if named is not None and _NUMBER.search(named.stem):
            counts[_outline(named)] += 1

    def edits(view: View) -> Iterator[Row]:
        folder = _FIRST_FOLDER.fullmatch(view.path)
        if folder and folder["at"] in FIRST:
            for end in ("", "/") if folder["rest"] else ("/",):
                edit = ("first folder", folder["mark"], folder["at"], folder["after"], end)
                yield edit, view.with_path(folder["rest"] + end), 1
        named = NumberedName.of(view)
        if named is None:
            return
        first = _FIRST.fullmatch(named.stem)
        if first and first["at"] in FIRST and first["rest"]:
            yield ("first", first["mark"], first["at"], named.extension), named.hash_with(view, first["rest"]), 1
        numbers = list(_NUMBER.finditer(named.stem))
        outline = _outline(named)
        if not 1 < len(numbers) <= MOST_NUMBERS or counts[outline] < ENUM_COUNT or "%" in outline:
            return
        for at, number in enumerate(numbers):
            masked = f"{named.stem[: number.start()]}*{named.stem[number.end() :]}"
            yield ("piece", outline, str(at)), named.hash_with(view, masked), text_value(number[0])

    return edits


def pieces(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop the number of a first page, or fold a number that makes no difference."""
    out = []
    for name, neighbours in stage.new_groups("first"):
        _, mark, at, extension = name
        out += _first_pages(stage, _InName(mark, at, extension, _in_query(stage, neighbours)), neighbours)
    for name, neighbours in stage.new_groups("first folder"):
        out += _first_pages(stage, _InFolder(*name[1:]), neighbours)
    for name, neighbours in stage.new_groups("piece"):
        out += _numbers(stage, name, neighbours)
    return out


def _in_query(stage: Stage, neighbours: Sequence[Neighbours]) -> bool:
    return bool(stage.views[neighbours[0].members[0][1]].items)


class _InName(NamedTuple):
    """The number of a first page at the end of names: `-1` of `/topic-12-1.html`."""

    mark: str
    at: str
    extension: str
    in_query: bool

    @property
    def shown(self) -> str:
        return f"`{self.mark}{self.at}` at the end of a name"

    def number_of(self, view: View) -> str | None:
        """Return the number of the page that an address of this form asks for."""
        named = NumberedName.of(view)
        first = _FIRST.fullmatch(named.stem) if named else None
        alike = named and first and (first["mark"], named.extension) == (self.mark, self.extension)
        return first["at"] if first and alike else None

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
            outlines = {_NUMBER.sub("0", named.stem) for view in bare if (named := NumberedName.of(view))}
            if len(outlines) > MAX_OUTLINES or any("%" in outline for outline in outlines):
                return None
            shown = set(map(_any_number, outlines))
        head, end = _around(self.in_query)
        ending = re.escape(self.mark + self.at)
        # what ends so twice is left alone, as it would end so again
        before = f"^({head}(?:{'|'.join(sorted(shown))}))(?<!{ending})"
        return {"pattern": f"{before}{ending}(?={re.escape(self.extension)}{end})", "replace": r"\1"}


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
        found = _FIRST_FOLDER.fullmatch(view.path)
        return found["at"] if found and (found["mark"], found["after"]) == (self.mark, self.after) else None

    def second_of(self, view: View) -> int:
        """Return the hash of the second page beside one without a number."""
        return view.with_path(f"{view.path.removesuffix('/')}{self.mark}2{self.after}")

    def edit(self, bare: Iterable[View]) -> dict[str, str]:
        """Return the edit for any folder."""
        ending = re.escape(self.mark + self.at)
        # what ends so twice is left alone, as it would end so again
        pattern = f"^([^?]*)(?<!{ending}){ending}{self.after}(?=[?]|$)"
        return {"pattern": pattern, "replace": rf"\1{self.end}"}


def _first_pages(stage: Stage, form: _InName | _InFolder, neighbours: Sequence[Neighbours]) -> list[Candidate]:
    groups = [judged(n, stage.views) for n in neighbours]
    compared = {page for group in neighbours for _, page in group.members}
    groups += stage.stayed.against(groups, compared, lambda view: form.number_of(view) == form.at)
    judge = stage.judge(DEFAULT_PRIOR, constant=False)
    doubt = ""
    out = []
    for finding in stage.search(groups, judge, frozenset(), exceptions=False, folders=True):
        bare = [stage.views[neighbours[n].absent] for n in finding.support]
        edit = form.edit(bare)
        doubt = "names of any kind have it" if edit is None else _unseen(stage, form, bare)
        if edit is None or doubt:
            continue
        e = finding.evidence
        why = f"{form.shown} makes no difference to {distinct(e.agree)}" + against_text(e)
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


def _around(in_query: bool) -> tuple[str, str]:
    """Return the patterns of what precedes names and follows them, in the text that `rewrite` sees."""
    return (r"[^?]*\?", "=$") if in_query else ("[^?]*/", "/?(?:[?]|$)")


def _any_number(outline: str) -> str:
    return "[0-9]+".join(map(re.escape, outline.split("0")))


def _numbers(stage: Stage, name: Name, neighbours: Sequence[Neighbours]) -> list[Candidate]:
    _, outline, number = name
    at = int(number)
    groups = [judged(n, stage.views) for n in neighbours]
    # nearly all numbers in names are those of pages
    judge = stage.judge(ID_PRIOR, constant=False)
    what = f"number {at + 1} of `{outline}`"
    findings = stage.search(groups, judge, frozenset(), exceptions=False, folders=True)
    out = []
    doubt = ""
    for finding in findings:
        seen = _values(stage, at, neighbours, finding)
        doubt = "" if tell_of_others(seen) else "its values are too few to tell of others"
        if doubt:
            continue
        e = finding.evidence
        why = f"{what} made no difference to {distinct(e.agree)}" + against_text(e)
        kept = min(seen, key=lambda v: (-seen[v], len(v), v))
        value = [_folded(outline, at, kept, *_around(_in_query(stage, neighbours)))]
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
                seen[_NUMBER.findall(named.stem)[at]] += 1
    return seen


def _folded(outline: str, at: int, kept: str, lead: str, end: str) -> dict[str, str]:
    found = _EXTENSION.search(outline)
    extension = found[0] if found else ""
    texts = outline.removesuffix(extension).split("0")
    head, tail = ("".join(re.escape(text) + "[0-9]+" for text in part) for part in (texts[:at], texts[at + 1 : -1]))
    mark = texts[at]
    after = f"{tail}{re.escape(texts[-1] + extension)}{end}"
    pattern = f"^({lead}{head}){re.escape(mark)}[0-9]+(?={after})"
    return {"pattern": pattern, "replace": rf"\1{mark}{kept}"}
