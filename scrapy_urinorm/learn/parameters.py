"""Candidates on the query: parameters dropped, alone and in bundles, their values, and their names."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import combinations
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.candidate import REJECTED
from scrapy_urinorm.learn.edits import MOMENT, edited_value, text_value, value_kinds
from scrapy_urinorm.learn.judge import Group, judged
from scrapy_urinorm.learn.narrow import fixed_values
from scrapy_urinorm.learn.priors import default_prior, name_prior
from scrapy_urinorm.learn.repeats import repeats
from scrapy_urinorm.learn.risk import DEFAULT_PRIOR, TRACKER_PRIOR
from scrapy_urinorm.learn.siblings import siblings
from scrapy_urinorm.learn.stage import Stage, against_text, distinct
from scrapy_urinorm.learn.unchanged import LUCK, by_luck
from scrapy_urinorm.learn.values import is_volatile
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy_urinorm.learn.candidate import Candidate
    from scrapy_urinorm.learn.edits import Name
    from scrapy_urinorm.learn.evidence import Neighbours
    from scrapy_urinorm.learn.search import Conclusion

MAX_ALIAS_VALUES = 40
"""Values of a parameter compared two by two: 780 pairs."""
MAX_VALUES_IN_GROUP = 12
"""A page with more values of one parameter shows a list, not spellings (DustBuster's small buckets, 11)."""
MAX_VALUE = 64
"""Longer values are texts or addresses."""
ONE_BEGINNING = 0.9
"""Values of which so many begin alike are of one kind; the few others tell nothing."""


def parameters(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop parameters, single and in bundles, and those on their values."""
    found = repeats(stage)
    for name, neighbours in stage.new_groups("drop"):
        groups = [judged(n, stage.views) for n in neighbours]
        if len(name) == 2:
            groups = _narrow(stage, name[1], neighbours, groups)
        found += _drops(stage, name, groups, neighbours)
        stage.rejected += siblings(stage, name[1:], neighbours)
        if len(name) == 2:
            found += _values(stage, name[1], neighbours)
    return found


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
        known = {_value(stage, page, name) for _, page in near.members if stage.views[page].page.label >= 0}
        alike = any(len({of[value] for value in known if value in of}) == 1 for of in beginnings)
        out.append(group._replace(narrow=True) if alike and len(group.values) > 1 else group)
    return out


def _drops(stage: Stage, name: Name, groups: list[Group], neighbours: list[Neighbours]) -> list[Candidate]:
    params = name[1:]
    shown = [decoded(p) for p in params]
    if any("*" in p for p in shown):
        return []
    prior = max(name_prior(p, stage.declared) for p in shown)
    judge = stage.judge(prior)
    findings = stage.search(groups, judge, frozenset(params), exceptions=True)
    what = " and ".join(f"`{p}`" for p in shown)
    family = "drop" if len(params) == 1 else "joint drop"
    if not findings:
        stage.reject(groups, judge, "remove_params", shown, family, what)
    out = []
    for whole in findings:
        finding, params = _varied(stage, whole, name[1:], neighbours)
        if not params:
            continue
        e = finding.evidence
        shown = [decoded(p) for p in params]
        what = " and ".join(f"`{p}`" for p in shown)
        if e.constant:
            why = f"{what} took {e.values} values here and the page never changed"
            rule, value = _constant(stage, finding, params, neighbours)
            found = stage.candidate(finding, rule, value, "constant view", why, params)
            if by_luck(neighbours, groups, finding.support, stage.views, params) <= LUCK:
                out.append(found)
            else:
                found.status = REJECTED
                found.why += ", but its siblings change so seldom that it may, too"
                stage.rejected.append(found)
        else:
            why = f"{what} made no difference to {distinct(e.agree)}" + against_text(e)
            out.append(stage.candidate(finding, "remove_params", shown, family, why, params))
    return out


def _varied(
    stage: Stage, finding: Conclusion, params: tuple[str, ...], neighbours: list[Neighbours]
) -> tuple[Conclusion, tuple[str, ...]]:
    """Return a finding on a bundle for those that had several values there, and which these are; none where that is one
    alone, which is looked at by itself. The others keep their values: of other ones the finding does not speak.
    """
    asked = frozenset(p for p in params if name_prior(decoded(p), stage.declared) < TRACKER_PRIOR)
    if len(params) < 2 or not asked:
        return finding, params
    pages = (page for n in finding.support for _, page in neighbours[n].members)
    fixed = fixed_values(asked, (stage.views[page] for page in pages if stage.views[page].page.label >= 0))
    varied = tuple(p for p in params if all(atom.name != p for atom in fixed))
    return finding._replace(context=finding.context + fixed), varied if len(varied) > 1 else ()


def _constant(
    stage: Stage, finding: Conclusion, params: tuple[str, ...], neighbours: list[Neighbours]
) -> tuple[str, Any]:
    """Return the rule of a constant view: the parameters are dropped where the page without them was seen to be it.

    Else one value stands for all, as the address without may show another page. It is never looked at; what is gone
    tomorrow is none, and an empty one stands for it where another parameter has one that lasts.
    """
    dropped = "remove_params", [decoded(p) for p in params]
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


def _values(stage: Stage, name: str, neighbours: list[Neighbours]) -> list[Candidate]:
    """Default values and aliases of one parameter, where dropping it is not right as it stands."""
    shown = decoded(name)
    if "*" in shown:
        return []
    defaults, aliases = _value_pairs(stage, name, neighbours)
    out = []
    for value, groups in sorted(defaults.items()):
        text = decoded(value)
        judge = stage.judge(default_prior(shown, text), constant=False)
        findings = stage.search(groups, judge, frozenset((name,)), exceptions=False)
        if not findings:
            stage.missed(groups, judge, "default_params", {shown: text}, "default value", f"`{shown}={text}`")
        for finding in findings:
            e = finding.evidence
            why = f"`{shown}={text}` showed what its absence shows on {distinct(e.agree)}" + against_text(e)
            out.append(stage.candidate(finding, "default_params", {shown: text}, "default value", why, (name,)))
    for (one, other), groups in sorted(aliases.items()):
        judge = stage.judge(DEFAULT_PRIOR, constant=False)
        findings = stage.search(groups, judge, frozenset((name,)), exceptions=False)
        if not findings and not stage.nearly(groups):
            continue
        keep, replaced = _by_frequency(stage, name, one, other)
        value_map = {shown: [[keep, replaced]]}
        if not findings:
            said = f"`{shown}={replaced}` for `{shown}={keep}`"
            stage.missed(groups, judge, "map_params", value_map, "value alias", said)
        for finding in findings:
            e = finding.evidence
            why = f"`{shown}={replaced}` showed what `{shown}={keep}` shows on {distinct(e.agree)}" + against_text(e)
            out.append(stage.candidate(finding, "map_params", value_map, "value alias", why, (name,)))
    return out


def _value_pairs(
    stage: Stage, name: str, neighbours: list[Neighbours]
) -> tuple[dict[str, list[Group]], dict[tuple[str, str], list[Group]]]:
    """Return the comparisons of each value with absence, and of each two values."""
    defaults: dict[str, list[Group]] = defaultdict(list)
    aliases: dict[tuple[str, str], list[Group]] = defaultdict(list)
    frequent = _frequent_values(stage, name, neighbours)
    for group in neighbours:
        by_value: dict[str, int] = {}
        for _, page in group.members:
            value = _value(stage, page, name)
            if value is not None and value in frequent:
                by_value.setdefault(value, page)
        if group.absent >= 0:
            for value, page in by_value.items():
                defaults[value].append(stage.pair(page, group.absent))
        if 2 <= len(by_value) <= MAX_VALUES_IN_GROUP:
            for one, other in combinations(sorted(by_value), 2):
                aliases[one, other].append(stage.pair(by_value[one], by_value[other]))
    return defaults, aliases


def _frequent_values(stage: Stage, name: str, neighbours: Iterable[Neighbours]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for group in neighbours:
        counts.update({v for _, page in group.members if (v := _value(stage, page, name)) is not None})
    common = [(n, v) for v, n in counts.items() if n >= 2 and len(v) <= MAX_VALUE and not is_volatile(decoded(v))]
    return frozenset(v for _, v in sorted(common, key=lambda c: (-c[0], c[1]))[:MAX_ALIAS_VALUES])


def _value(stage: Stage, page: int, name: str) -> str | None:
    values = [v for n, v in stage.views[page].items if n == name]
    return values[0] if len(values) == 1 else None


def _by_frequency(stage: Stage, name: str, one: str, other: str) -> tuple[str, str]:
    counts = Counter(v for view in stage.views for n, v in view.items if n == name and v in (one, other))
    keep, replaced = sorted((one, other), key=lambda v: (-counts[v], len(v), v))
    return decoded(keep), decoded(replaced)


def renames(stage: Stage) -> list[Candidate]:
    """Return the candidates that give two parameters one name."""
    names = {text_value(n): n for view in stage.views for n, _ in view.items}
    pairs: dict[tuple[str, str], list[Group]] = defaultdict(list)
    for group in stage.groups.get(("rename",), ()):
        known: dict[str, int] = {}
        for value, page in group.members:
            if value in names:
                known.setdefault(names[value], page)
        if 2 <= len(known) <= 6:
            for one, other in combinations(sorted(known), 2):
                pairs[one, other].append(stage.pair(known[one], known[other]))
    counts = Counter(n for view in stage.views for n, _ in view.items)
    out = []
    for pair, groups in sorted(pairs.items()):
        keep, replaced = sorted(pair, key=lambda n: (-counts[n], len(n), n))
        renamed = {decoded(replaced): decoded(keep)}
        judge = stage.judge(DEFAULT_PRIOR, constant=False)
        findings = stage.search(groups, judge, frozenset(pair), exceptions=False)
        if not findings:
            said = f"`{decoded(replaced)}` for `{decoded(keep)}`"
            stage.missed(groups, judge, "rename_params", renamed, "rename", said)
        for finding in findings:
            e = finding.evidence
            what = f"`{decoded(replaced)}` and `{decoded(keep)}` with one value showed one page"
            why = f"{what}, {distinct(e.agree)} in all" + against_text(e)
            out.append(stage.candidate(finding, "rename_params", renamed, "rename", why, (replaced,)))
    return out


def kinds_by_name(stage: Stage) -> dict[str, set[str]]:
    """Return the edits of values worth trying, by parameter."""
    return {name: kinds for name, texts in stage.values.items() if len(texts) > 2 and (kinds := value_kinds(texts))}


def edited_values(stage: Stage) -> list[Candidate]:
    """Return the candidates that edit a value: lower case, order of a list, what precedes a separator."""
    out = []
    for name, neighbours in stage.new_groups("value"):
        if "*" in decoded(name[1]):
            continue
        groups = [judged(n, stage.views) for n in neighbours]
        shown, kind = decoded(name[1]), name[2]
        judge = stage.judge(DEFAULT_PRIOR)
        rule, value, what = _value_rule(shown, kind)
        findings = stage.search(groups, judge, frozenset((name[1],)), exceptions=False)
        if not findings:
            stage.missed(groups, judge, rule, value, "value edit", f"the edit of `{shown}`")
        for finding in findings:
            e = finding.evidence
            shown_by = f"{e.values} values" if e.constant else distinct(e.agree)
            why = f"{what}, by {shown_by}" + against_text(e)
            out.append(stage.candidate(finding, rule, value, "value edit", why, (name[1],)))
    return out


def _value_rule(name: str, kind: str) -> tuple[str, Any, str]:
    if kind == "lower":
        return "lowercase_params", [name], f"upper and lower case in the value of `{name}` make no difference"
    if kind == "day":
        edit = {"pattern": MOMENT.pattern, "replace": r"\1"}
        return "rewrite_params", {name: edit}, f"of the moment in the value of `{name}` only the day makes a difference"
    separator = kind[6:]
    if kind.startswith("sorted"):
        return (
            "unordered_values",
            {name: separator},
            f"the order of the list in the value of `{name}` makes no difference",
        )
    mark = re.escape(separator)
    edit = {"pattern": f"^(.*{mark})?[^{mark}]*$", "replace": r"\1"}
    return (
        "rewrite_params",
        {name: edit},
        f"of the value of `{name}` only what precedes the last `{separator}` makes a difference",
    )
