"""Candidates that drop parameters, alone and in bundles: for the values that were seen to make no difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import NEAR, UNKNOWN
from scrapy_urinorm.importers.facets import turns_pages
from scrapy_urinorm.learn.evidence.candidate import (
    ACTIVE,
    LATEST,
    PROPOSED,
    REJECTED,
    TITLED,
    TREES,
    TWO_NUMBERS,
    Candidate,
)
from scrapy_urinorm.learn.evidence.edits import edited_value, value_kinds
from scrapy_urinorm.learn.evidence.judge import Group, Judge, judged, on_pages, rank, unless_titled
from scrapy_urinorm.learn.evidence.luck import Siblings
from scrapy_urinorm.learn.evidence.narrow import fixed_values
from scrapy_urinorm.learn.evidence.risk import ID_PRIOR, TRACKER_PRIOR, name_prior
from scrapy_urinorm.learn.families.constant import constant_view, counts, spoken, told_of, values_told_of, without_home
from scrapy_urinorm.learn.families.versions import are_latest, changed_elsewhere
from scrapy_urinorm.learn.pages.spelled import are_writable, numbered, one_of, tell_of_others
from scrapy_urinorm.learn.pages.values import are_newest_and_older, are_numbers, chooses_tree, is_number, is_volatile
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.evidence.search import Conclusion
    from scrapy_urinorm.learn.families.stage import Stage

DROP = "remove_params"
MOST = 0.5
"""Of the values of a parameter so many show pages of their own beside a view in which none does; chosen. In a wiki
nearly all do; where most say that there is nothing, all of one view may say so by luck."""
MANY_TITLES = 45
"""Values of one page from which its titles are those of the pages that lead there: as a constant view of a name."""
ONE_BEGINNING = 0.9
"""Values of which so many begin alike are of one kind; the few others tell nothing."""


def drops(stage: Stage, params: tuple[str, ...], neighbours: list[Neighbours]) -> list[Candidate]:
    """Return the candidates that drop one parameter, or a bundle of those that come together (key spelling)."""
    shown = [decoded(p) for p in params]
    groups = [judged(n, stage.views) for n in neighbours]
    if len(params) == 1:
        groups = _narrow(stage, params[0], neighbours, groups)
    if any("*" in p for p in shown):
        return []
    judge = stage.judge(max(name_prior(p, stage.declared) for p in shown))
    groups = named(stage, params, neighbours, groups)
    family = "drop" if len(params) == 1 else "joint drop"
    if any(asks_tree(stage, p) for p in params) and not stage.said_one(groups):
        stage.reject(groups, judge, DROP, shown, family, spoken(shown), TREES)
        return []
    extent = not stage.contexts.switches.isdisjoint(params)
    untitled = groups
    if extent:
        groups = [
            group if near.absent >= 0 else unless_titled(stage.views, group, [page for _, page in near.members])
            for near, group in zip(neighbours, groups, strict=True)
        ]
    findings = stage.search(groups, judge, frozenset(params), exceptions=True, extent=extent)
    if not findings:
        doubt = TITLED if groups != untitled else ""
        stage.reject(untitled, judge, DROP, shown, family, spoken(shown), doubt)
    out: list[Candidate] = []
    for whole in findings:
        finding, varied = _varied(stage, whole, params, neighbours, groups, judge)
        if not varied:
            continue
        if not finding.evidence.constant:
            found = _dropped(stage, finding, varied, neighbours, groups, family)
        else:
            said = _constant(stage, finding, varied, neighbours)
            found = constant_view(stage, finding, said, varied, neighbours, groups)
        (out if found.status == ACTIVE else stage.rejected).append(found)
    if len(params) == 1 and not out:
        out += _beside_another(stage, params[0], neighbours)
    return out


def _beside_another(stage: Stage, name: str, neighbours: list[Neighbours]) -> list[Candidate]:
    """Return the constant views of a parameter whose page without it is another: one value stands for all others.

    A form for each page of a wiki is the same, and is another one for the wiki. But that it is another says that the
    parameter may decide on something, so more is asked for: as many values as of a name of a page, none that count, and
    other views beside it in which nearly each value shows a page of its own. Words without a hit have no such.
    """
    near = [without_home(one) for one in neighbours]
    apart = {n for n, (one, was) in enumerate(zip(near, neighbours, strict=True)) if one is not was}
    if not apart or counts(stage, name):
        return []
    groups = _narrow(stage, name, near, [judged(n, stage.views) for n in near])
    groups = named(stage, (name,), near, groups)
    out = []
    for finding in stage.search(groups, stage.judge(ID_PRIOR), frozenset((name,))):
        if not finding.evidence.constant or not apart.issuperset(finding.support):
            continue
        if Siblings(near, groups, finding.support, stage.views, (name,)).change() < MOST:
            continue
        said = _constant(stage, finding, (name,), near)
        found = constant_view(stage, finding, said, (name,), near, groups)
        if found.status == ACTIVE and said[0] == "rewrite_params":
            out.append(found)
    return out


def _dropped(
    stage: Stage,
    finding: Conclusion,
    params: tuple[str, ...],
    neighbours: list[Neighbours],
    groups: list[Group],
    family: str,
) -> Candidate:
    """Return the candidate that drops parameters where they were seen to make no difference."""
    entries = _entries(stage, finding, params, neighbours)
    why = f"{spoken(map(decoded, params))} made no difference to {on_pages(finding.evidence)}"
    found = stage.candidate(finding, DROP, entries, family, why, params)
    listed = [entry["value"].split("|") for entry in entries if isinstance(entry, dict)]
    if _are_two_numbers(finding, listed, neighbours):
        found.status, found.why = REJECTED, f"{why}, but {TWO_NUMBERS}"
    elif any(map(are_newest_and_older, listed)) and not stage.said_one(groups):
        found.status, found.why = REJECTED, f"{why}, but {TREES}"
    elif len(params) == 1 and (other := changed_elsewhere(stage, params[0], finding, neighbours, groups)):
        found.status, found.needs_word = PROPOSED, True
        found.why = f"{why}, but it counts what changes some pages under other values of `{decoded(other)}`"
    elif len(params) == 1 and may_be_latest(stage, params[0], neighbours):
        found.status, found.needs_word, found.why = PROPOSED, True, f"{why}, but {LATEST}"
    return found


def named(stage: Stage, names: Iterable[str], neighbours: list[Neighbours], groups: list[Group]) -> list[Group]:
    """Return groups, nothing known of those whose titles differ where a parameter may name a page.

    Of two files with one text a repository shows the one and the other. Of a form that takes the title of each page it
    is opened from there are more addresses.
    """
    switches = stage.contexts.switches
    if any(cuts_slices(stage, name) for name in names):
        pages = [[page for _, page in near.members] for near in neighbours]
        groups = [unless_equal(stage, *pair) for pair in zip(pages, groups, strict=True)]
    if any(counts(stage, name) for name in names):
        groups = [_unless_ranked(stage, *pair) for pair in zip(neighbours, groups, strict=True)]
    if not any(name not in switches and _may_name_a_page(stage, name) for name in names):
        return groups
    out = []
    for near, group in zip(neighbours, groups, strict=True):
        titles = {stage.views[page].page.title for _, page in near.members if stage.views[page].page.label >= 0}
        several = group.outcome >= NEAR and len(group.values) < MANY_TITLES and len(titles - {0}) > 1
        out.append(group._replace(outcome=UNKNOWN, saved=0) if several else group)
    return out


def _unless_ranked(stage: Stage, near: Neighbours, group: Group) -> Group:
    """Return a group, nothing known of it where its numbered pages are rankings of the same names."""
    ranked = group.outcome >= NEAR and rank((page for _, page in near.members), stage.views)
    return group._replace(outcome=UNKNOWN, saved=0) if ranked else group


def cuts_slices(stage: Stage, name: str) -> bool:
    """Whether a parameter turns pages by number."""
    return turns_pages(decoded(name)) and all(map(is_number, stage.values.get(name, ())))


def unless_equal(stage: Stage, pages: Iterable[int], group: Group) -> Group:
    """Return a group, nothing known of it where its pages only resemble each other: all pages of comments on a long
    article name it as canonical, and most of their text is the article's.
    """
    labels = {stage.views[page].page.label for page in pages} - {-1}
    return group if group.outcome < NEAR or len(labels) < 2 else group._replace(outcome=UNKNOWN, saved=0)


def _may_name_a_page(stage: Stage, name: str) -> bool:
    values = stage.values.get(name, ())
    return name_prior(decoded(name), stage.declared) <= ID_PRIOR and not all(
        is_volatile(decoded(one)) for one in values
    )


def asks_tree(stage: Stage, name: str) -> bool:
    """Whether a parameter asks for a version or a language: its pages are equal until one of them changes."""
    values = [decoded(value) for value in stage.values.get(name, ())]
    return name_prior(decoded(name), stage.declared) < TRACKER_PRIOR and chooses_tree(decoded(name), values)


def may_be_latest(stage: Stage, name: str, neighbours: list[Neighbours]) -> bool:
    """Whether a parameter may choose among the versions of a page, each of which was seen under its latest number."""
    return name_prior(decoded(name), stage.declared) <= ID_PRIOR and are_latest(stage, name, neighbours)


def _are_two_numbers(finding: Conclusion, listed: Iterable[list[str]], neighbours: list[Neighbours]) -> bool:
    """Whether the pages of two numbers were equal, and none without was seen: of two months none has an event."""
    return any(map(are_numbers, listed)) and not any(neighbours[n].absent >= 0 for n in finding.support)


def _narrow(stage: Stage, name: str, neighbours: list[Neighbours], groups: list[Group]) -> list[Group]:
    """Mark the groups whose values all begin alike (`wiki:a`, `wiki:b`) where those of the site do not.

    They may agree for that beginning alone: with another one the page may well be another.
    """
    values = stage.values.get(name, set())
    beginnings = [
        {value: edited_value(kind, value) for value in values} for kind in value_kinds(values) if kind[:6] == "prefix"
    ]
    beginnings = [of for of in beginnings if max(Counter(of.values()).values()) < ONE_BEGINNING * len(of)]
    if not beginnings:
        return groups
    out = []
    for near, group in zip(neighbours, groups, strict=True):
        known = {stage.value_of(page, name) for _, page in near.members if stage.views[page].page.label >= 0}
        alike = any(len({of[value] for value in known if value in of}) == 1 for of in beginnings)
        out.append(group._replace(narrow=True) if alike and len(group.values) > 1 else group)
    return out


def _entries(
    stage: Stage, finding: Conclusion, params: tuple[str, ...], neighbours: list[Neighbours]
) -> list[str | dict[str, str]]:
    """Return what stands in `remove_params`: of a switch the values that were seen to make no difference, no others.

    It has few words, each of which comes again and again: of one that nobody has seen nothing is known, and little
    is saved by it. Nor do a few values tell of all: `page=1` is the list itself; but a session is another each time.
    """
    known = values_told_of(stage, finding, neighbours)
    return [_entry(stage, name, set(map(decoded, known[name]))) for name in params]


def _entry(stage: Stage, name: str, values: set[str]) -> str | dict[str, str]:
    shown = decoded(name)
    if name_prior(shown, stage.declared) >= TRACKER_PRIOR or all(map(is_volatile, values)):
        return shown
    # an empty one is zero
    several = tell_of_others(values - {""})
    if not are_writable(values) or (name not in stage.contexts.switches and several):
        # `ref=list7` says nothing of `ref=price`, which may choose something, unless others are known, too
        alike = numbered({*map(decoded, stage.values.get(name, ()))} - {""})
        return shown if alike is None or alike[:1] == "[" else {"name": shown, "value": alike}
    return {"name": shown, "value": one_of(values)}


def _varied(
    stage: Stage,
    finding: Conclusion,
    params: tuple[str, ...],
    neighbours: list[Neighbours],
    groups: list[Group],
    judge: Judge,
) -> tuple[Conclusion, tuple[str, ...]]:
    """Return a finding on a bundle for those of which it speaks, and which these are; none where that is one alone,
    which is looked at by itself. It speaks of what took several values on one page, and on enough pages; the others
    keep theirs, and one that had a single value everywhere is a condition.
    """
    asked = frozenset(p for p in params if name_prior(decoded(p), stage.declared) < TRACKER_PRIOR)
    if len(params) < 2 or not asked:
        return finding, params

    def is_told_of(name: str) -> bool:
        told = [groups[n] for n in finding.support if _differs(stage, name, neighbours[n])]
        return bool(told) and judge.accepts(judge.weigh(told, finding.context))

    fixed = fixed_values(asked, told_of(stage, finding, neighbours))
    varied = tuple(p for p in params if p not in asked or is_told_of(p))
    return finding._replace(context=finding.context + fixed), varied if len(varied) > 1 else ()


def _differs(stage: Stage, name: str, near: Neighbours) -> bool:
    """Whether a parameter took several values among the pages of a group, its absence one of them."""
    known = (page for _, page in near.members if stage.views[page].page.label >= 0)
    return len({tuple(stage.views[page].values_of(name)) for page in known}) > 1


def _constant(
    stage: Stage, finding: Conclusion, params: tuple[str, ...], neighbours: list[Neighbours]
) -> tuple[str, Any]:
    """Return the rule of a constant view: the parameters are dropped where the page without them was seen to be it.

    Else one value stands for all, as the address without may show another page. It is never looked at; what is gone
    tomorrow is none, and an empty one stands for it where another parameter has one that lasts.
    """
    dropped = DROP, [decoded(p) for p in params]
    absent = {neighbours[n].absent for n in finding.support} - {-1}
    if finding.exceptions or any(stage.views[page].page.label >= 0 for page in absent):
        return dropped
    pages = (page for n in finding.support for _, page in neighbours[n].members)
    for items in sorted((stage.views[page].items for page in pages), key=lambda items: (len(str(items)), items)):
        values = {decoded(name): decoded(value) for name, value in items if name in params}
        if len(values) == len(params) == sum(name in params for name, _ in items) and all(values.values()):
            kept = {one: "" if is_volatile(value) else value for one, value in values.items()}
            if any(kept.values()):
                return "rewrite_params", {
                    one: {"pattern": "^.+$", "replace": value.replace("\\", r"\\")} for one, value in kept.items()
                }
    return dropped
