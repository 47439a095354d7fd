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
        named = NumberedName.of(view)
        if named is None:
            return
        first = _FIRST.fullmatch(named.stem)
        if first and first["at"] in ("0", "1") and first["rest"]:
            yield ("first", first["mark"] + first["at"], named.extension), named.hash_with(view, first["rest"]), 1
        numbers = list(_NUMBER.finditer(named.stem))
        outline = _outline(named)
        if not 1 < len(numbers) <= MOST_NUMBERS or counts[outline] < ENUM_COUNT:
            return
        for at, number in enumerate(numbers):
            masked = f"{named.stem[: number.start()]}*{named.stem[number.end() :]}"
            yield ("piece", outline, str(at)), named.hash_with(view, masked), text_value(number[0])

    return edits


def pieces(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop the number of a first page, or fold a number that makes no difference."""
    out = []
    for name, neighbours in stage.new_groups("first"):
        out += _first_pages(stage, name, neighbours)
    for name, neighbours in stage.new_groups("piece"):
        out += _numbers(stage, name, neighbours)
    return out


def _first_pages(stage: Stage, name: Name, neighbours: Sequence[Neighbours]) -> list[Candidate]:
    _, suffix, extension = name
    groups = [judged(n, stage.views) for n in neighbours]
    compared = {page for group in neighbours for _, page in group.members}
    groups += stage.stayed.against(groups, compared, lambda view: _first_of(view) == (suffix, extension))
    judge = stage.judge(DEFAULT_PRIOR, constant=False)
    what = f"`{suffix}` at the end of a name"
    findings = stage.search(groups, judge, frozenset(), exceptions=False, folders=True)
    doubt = ""
    out = []
    for finding in findings:
        bare = [stage.views[neighbours[n].absent] for n in finding.support if neighbours[n].absent >= 0]
        shown = _bare_outlines(bare, any(map(str.isalpha, suffix)))
        doubt = _unseen(stage, suffix, bare) if shown else "names of any kind have it"
        if doubt:
            continue
        e = finding.evidence
        why = f"{what} makes no difference to {distinct(e.agree)}" + against_text(e)
        head, end = _around(stage, neighbours)
        pattern = f"^({head}(?:{shown})){re.escape(suffix)}(?={re.escape(extension)}{end})"
        value = [{"pattern": pattern, "replace": r"\1"}]
        out.append(stage.candidate(finding, "rewrite", value, "first page", why))
    if not out:
        stage.reject(groups, judge, "rewrite", [{"pattern": suffix, "replace": ""}], "first page", what, doubt)
    return out


def _around(stage: Stage, neighbours: Sequence[Neighbours]) -> tuple[str, str]:
    """Return the patterns of what precedes names and follows them, in the text that `rewrite` sees."""
    in_query = bool(stage.views[neighbours[0].members[0][1]].items)
    return (r"[^?]*\?", "=$") if in_query else ("[^?]*/", "/?(?:[?]|$)")


def _first_of(view: View) -> tuple[str, str] | None:
    named = NumberedName.of(view)
    first = _FIRST.fullmatch(named.stem) if named else None
    return (first["mark"] + first["at"], named.extension) if named and first else None


def _bare_outlines(views: Iterable[View], paged: bool) -> str:
    """Return the pattern of names without a number of a page, empty where they have too little in common; what follows
    a word for pages is the number of one whatever the name is.
    """
    if paged:
        return "[^/?]+"
    shown = {_NUMBER.sub("0", named.stem) for view in views if (named := NumberedName.of(view))}
    return "|".join(sorted(map(_any_number, shown))) if len(shown) <= MAX_OUTLINES else ""


def _any_number(outline: str) -> str:
    return "[0-9]+".join(map(re.escape, outline.split("0")))


def _unseen(stage: Stage, suffix: str, bare: Iterable[View]) -> str:
    """Return what is not known of names: of those with a single page the first one is the last, too."""
    mark = suffix.rstrip("01") if suffix[:-1] else suffix
    hashes = {view.hash for view in stage.views}
    seconds = 0
    for view in bare:
        named = NumberedName.of(view)
        seconds += named is not None and named.hash_with(view, f"{named.stem}{mark}2") in hashes
    if seconds >= SECOND_PAGES:
        return ""
    several = any(_numbered(view, mark) for view in stage.views)
    return "few of these names have a second page, of which the bare name may be another" if several else ""


def _numbered(view: View, mark: str) -> bool:
    named = NumberedName.of(view)
    found = _FIRST.fullmatch(named.stem) if named else None
    return found is not None and found["mark"] == mark and found["at"] not in ("0", "1")


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
        value = [_folded(outline, at, kept, *_around(stage, neighbours))]
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
