"""Pages that their last segment alone decides: `/desktops/macbook` and `/apple/mac/macbook` show what `/macbook` does.

A shop has a product below each of its categories, and at an address of its own at the top. What else stands below a
category may be a list, and two lists may share a name. So the rule names the folders that were seen; below those with
lists it is for the names that were seen to be one page, and below others not for those that were not.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import DIFFERENT, NEAR
from scrapy_urinorm.learn.evidence.candidate import REWRITE, Candidate
from scrapy_urinorm.learn.evidence.judge import NARROWED, Group, on_pages
from scrapy_urinorm.learn.evidence.narrow import FEW_PAGES
from scrapy_urinorm.learn.evidence.risk import ID_PRIOR
from scrapy_urinorm.learn.evidence.stayed import leading_on
from scrapy_urinorm.learn.families.shelves import Places, Tail, extension_of, mark_of, names_top
from scrapy_urinorm.learn.pages.spelled import ANY_VALUE, one_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

FAMILY = "last segment"
FEWEST_FOLDERS = 3
"""Folders from which the last segment decides; of fewer it is that the other one says nothing (`/shop/x`). Chosen."""
FEW_BAD = 0.1
"""The share of folders with a page of their own from which the others have none by chance; chosen."""
MAX_NAMES = 200
"""Folders that a rule names, and names in them that it leaves alone; chosen: the categories of a shop."""


class _Form(NamedTuple):
    """Addresses of a host that may be one by their last segment: its tree, what ends them, the kind of their names."""

    host: str
    tree: str
    end: str
    extension: str
    mark: str

    @property
    def shown(self) -> str:
        """The form in a sentence."""
        return f"{self.tree}/.../*{self.mark.replace('0', 'N')}{self.extension}{self.end}"


class _One(NamedTuple):
    """Addresses of one last segment: each compared with the first of them, below which folder it is, and whether that
    one is at the top: else the folder below which the first is.
    """

    name: str
    groups: list[tuple[Group, str]]
    first: str
    at_top: bool

    @property
    def folders(self) -> set[str]:
        """The folders below which it stands."""
        return {self.first, *(folder for _, folder in self.groups)} - {""}

    @property
    def is_known(self) -> bool:
        """Whether it is known to be one page wherever it stands, and at the top."""
        outcomes = {group.outcome for group, _ in self.groups}
        return self.at_top and DIFFERENT not in outcomes and max(outcomes, default=0) >= NEAR


@dataclass(slots=True)
class _Folder:
    """What was seen below one folder: its pages beside those at the top, and whether one of them is another."""

    groups: list[Group] = field(default_factory=list)
    is_bad: bool = False

    def is_good(self, soft: frozenset[int]) -> bool:
        """Whether enough different pages are those at the top, and none another one."""
        return not self.is_bad and len({one.label for one in self.groups if one.outcome >= NEAR} - soft) >= ANY_VALUE


def tails(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop the folders before the last segment, one for each form of it."""
    out: list[Candidate] = []
    places = Places(stage.views)
    for name, neighbours in stage.new_groups("tail"):
        forms: dict[_Form, list[_One]] = defaultdict(list)
        for near in neighbours:
            one = _one(stage, near, places)
            if one is not None:
                host = stage.views[near.members[-1][1]].host
                forms[_Form(host, name[1], name[2], extension_of(one.name), "")].append(one)
        for form, ones in sorted(forms.items()):
            found = _of_form(stage, form, ones, places)
            out += _of_kinds(stage, form, ones, places) if found is None else [found]
    return out


def _one(stage: Stage, near: Neighbours, places: Places) -> _One | None:
    """Return what neighbours say; None of lists that differ, as `/men/shirts` and `/women/shirts`."""
    found = [(page, Tail.of(stage.views[page])) for _, page in near.members if page != near.absent]
    pairs = [(page, tail.folder) for page, tail in found if tail is not None]
    first, folder = pairs[0]
    home = near.absent if near.absent >= 0 else first
    groups = [(stage.pair(page, home), below) for page, below in pairs if page != home]
    at_top = home != first or all(names_top(stage.views[page]) for page, _ in pairs)
    name = stage.views[first].path.removesuffix("/").rpartition("/")[2]
    if any(group.outcome == DIFFERENT for group, _ in groups):
        if any(places.is_list(stage.views[page]) for page in (home, *(page for page, _ in pairs))):
            return None
    return _One(name, groups, "" if home != first else folder, at_top)


def _of_kinds(stage: Stage, form: _Form, ones: Iterable[_One], places: Places) -> Iterator[Candidate]:
    """Yield the candidates for names with a mark: `hacker-p-65` may be one page wherever it is, and `about` not."""
    kinds: dict[str, list[_One]] = defaultdict(list)
    for one in ones:
        kinds[mark_of(one.name, form.extension)].append(one)
    for mark, same in sorted(kinds.items() if len(kinds) > 1 else ()):
        found = _of_form(stage, form._replace(mark=mark), same, places) if mark else None
        if found is not None:
            yield found


def _of_form(stage: Stage, form: _Form, ones: Sequence[_One], places: Places) -> Candidate | None:
    if not form.mark and len(marks := {mark_of(one.name, form.extension) for one in ones}) == 1:
        form = form._replace(mark=marks.pop())
    folders = _folders(ones)
    good = {name: folder for name, folder in folders.items() if folder.is_good(stage.soft | stage.indifferent)}
    bad = sum(folder.is_bad for folder in folders.values())
    judge = stage.judge(ID_PRIOR * (NARROWED if bad else 1), constant=False, spelled=True)
    groups = list({id(group): group for folder in good.values() for group in folder.groups}.values())
    evidence = judge.weigh(groups)
    what = f"what precedes the last segment of {form.shown}"
    listing = set() if form.mark else {one for one in good if f"{form.host}{form.tree}/{one}" in places.parents}
    left = _names(places, form, good.keys() - listing) - {one.name for one in ones if one.is_known}
    seen = {one.name for one in ones if one.is_known and not listing.isdisjoint(one.folders)}
    value = _edits(form, good.keys() - listing, left, listing if len(seen) <= MAX_NAMES else set(), seen)
    doubt = ""
    if len(good) < FEWEST_FOLDERS:
        doubt = "in too few folders with a page at the top"
    elif bad > FEW_BAD * len(good):
        doubt = f"pages are others in {bad} folders beside {len(good)}"
    elif not form.mark and evidence.agree < FEW_PAGES:
        doubt = "their names are mere words, of which more are needed"
    elif len(good) > MAX_NAMES or len(left) > min(MAX_NAMES, evidence.agree):
        doubt = "of too many names there it is not known whether they are at the top"
    elif leading_on(stage.views, groups):
        doubt = "only redirects say so"
    if doubt or not judge.accepts(evidence):
        every = [group for one in ones for group, _ in one.groups]
        if sum(group.outcome >= NEAR for group in every) > 1:
            stage.reject(every, judge, REWRITE, value, FAMILY, what, doubt)
        return None
    why = f"{what} makes no difference to {on_pages(evidence)}, in {len(good)} folders"
    return stage.on_host(form.host, REWRITE, value, evidence, FAMILY, why)


def _folders(ones: Iterable[_One]) -> dict[str, _Folder]:
    """Return what was seen below each folder."""
    folders: dict[str, _Folder] = defaultdict(_Folder)
    for one in ones:
        for group, folder in one.groups:
            for below in {folder, one.first} - {""}:
                if group.outcome == DIFFERENT:
                    folders[below].is_bad = True
                elif one.at_top:
                    folders[below].groups.append(group)
    return folders


def _names(places: Places, form: _Form, folders: Iterable[str]) -> set[str]:
    """Return the names of the form below some folders."""
    found = set[str]()
    for folder in folders:
        marks = places.names.get((f"{form.host}{form.tree}/{folder}", form.extension), {})
        found = found.union(*([marks.get(form.mark, set())] if form.mark else marks.values()))
    return found


def _edits(
    form: _Form, folders: AbstractSet[str], left: AbstractSet[str], listing: AbstractSet[str], seen: AbstractSet[str]
) -> list[dict[str, str]]:
    """Return the edits for any names below `folders` but those `left`, and for those `seen` below `listing` ones."""
    kind = re.escape(form.mark).replace("0", "[0-9]+") + re.escape(form.extension)
    end = f"{form.end}$"
    but = f"(?!(?:{one_of(left)}){end})" if left else ""
    names = [(folders, f"{but}(?={f'[^/?]+{kind}' if kind else '[^/?.]+'}{end})")]
    names += [(listing, f"(?=(?:{one_of(seen)}){end})")] if seen else []
    top = f"{form.tree}/"
    replace = top.replace("\\", r"\\")
    edits = [
        {"pattern": f"^{re.escape(top)}(?:{one_of(below)})/{name}", "replace": replace}
        for below, name in names
        if below
    ]
    return edits or [{"pattern": form.shown, "replace": ""}]
