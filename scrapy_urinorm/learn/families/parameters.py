"""Candidates on the query: parameters dropped (`drops`), their values, and their names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import NEAR, soft_labels
from scrapy_urinorm.importers.facets import FIRST
from scrapy_urinorm.learn.evidence.candidate import LATEST, TITLED, TREES, TWO_NUMBERS, Candidate
from scrapy_urinorm.learn.evidence.edits import MOMENT, repeat_edits, text_value, value_kinds
from scrapy_urinorm.learn.evidence.judge import Group, Judge, against_text, distinct, judged, on_pages, unless_titled
from scrapy_urinorm.learn.evidence.luck import LUCKY, by_luck
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, default_prior, name_prior
from scrapy_urinorm.learn.families.constant import told_of
from scrapy_urinorm.learn.families.drops import asks_tree, cuts_slices, drops, may_be_latest, named, unless_equal
from scrapy_urinorm.learn.families.siblings import siblings
from scrapy_urinorm.learn.families.together import defaults_together
from scrapy_urinorm.learn.pages.contexts import Atom
from scrapy_urinorm.learn.pages.spelled import before_last
from scrapy_urinorm.learn.pages.values import are_newest_and_older, are_numbers, is_volatile, names_release
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage
    from scrapy_urinorm.learn.pages.view import View

MAX_ALIAS_VALUES = 40
"""Values of a parameter compared two by two: 780 pairs."""
MAX_VALUES_IN_GROUP = 12
"""A page with more values of one parameter shows a list, not spellings (DustBuster's small buckets, 11)."""
MAX_VALUE = 64
"""Longer values are texts or addresses."""
RECURRING = 2
"""Days on which a time of day comes again in the mean, from which it was chosen, as that of a performance: that a house
plays once a day says nothing of one that plays twice. The times of changes are other ones each time. Chosen."""
DAY, HOUR = len("2026-11-27"), len("2026-11-27T20")
HOURS = 24
"""Hours in which something is changed, where it is told to the hour: nobody plays around the clock."""
SHOWINGS = "its times of day come again on other days, as those of performances do, of which a day may have two"


def parameters(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop parameters, single and in bundles, and those on their values."""
    found = repeats(stage)
    for name, neighbours in stage.new_groups("drop"):
        found += drops(stage, name[1:], neighbours)
        stage.rejected += siblings(stage, name[1:], neighbours)
        if len(name) == 2:
            found += _values(stage, name[1], neighbours)
        else:
            found += defaults_together(stage, name[1:], neighbours)
    return found


def _values(stage: Stage, name: str, neighbours: list[Neighbours]) -> list[Candidate]:
    """Default values and aliases of one parameter, where dropping it is not right as it stands."""
    shown = decoded(name)
    if "*" in shown:
        return []
    defaults, aliases = _value_pairs(stage, name, neighbours)
    out: list[Candidate] = []
    # one value may well be the default of what names a page; two of them are the same only where it names none
    several = min(DEFAULT_PRIOR, name_prior(shown, stage.declared))
    tree, latest = asks_tree(stage, name), len(defaults) > 1 and may_be_latest(stage, name, neighbours)
    for value, groups in sorted(defaults.items(), key=_most_agreeing):
        text = decoded(value)
        judge = stage.judge(max(several, 0 if out else default_prior(shown, text)), constant=False)
        if (tree or names_release(text)) and not stage.said_one(groups):
            said = f"`{shown}={text}`"
            stage.reject(groups, judge, "default_params", {shown: text}, "default value", said, TREES)
            continue
        every = [] if latest else stage.search(groups, judge, frozenset((name,)), extent=True)
        findings = [one for one in every if not by_luck(one.evidence, value, defaults, stage.options.risk)]
        if not findings:
            said, doubt = f"`{shown}={text}`", LATEST if latest else LUCKY if every else ""
            stage.missed(groups, judge, "default_params", {shown: text}, "default value", said, doubt)
        for finding in findings:
            why = f"`{shown}={text}` showed what its absence shows on {on_pages(finding.evidence)}"
            out.append(stage.candidate(finding, "default_params", {shown: text}, "default value", why, (name,)))
    for (one, other), groups in sorted(aliases.items()):
        judge = stage.judge(several, constant=False, spelled=True)
        keep, replaced = _by_frequency(stage, name, one, other)
        value_map = {shown: [[keep, replaced]]}
        said = f"`{shown}={replaced}` for `{shown}={keep}`"
        trees = tree or names_release(keep) or names_release(replaced) or are_newest_and_older((keep, replaced))
        refused = (trees or are_numbers((keep, replaced))) and not stage.said_one(groups, lasting=trees)
        asked = [unless_titled(stage.views, group) for group in groups]
        every = [] if refused else stage.search(asked, judge, frozenset((name,)), extent=True)
        findings = [found for found in every if not by_luck(found.evidence, (one, other), aliases, stage.options.risk)]
        if not findings:
            doubt = TITLED if asked != groups else LUCKY if every else ""
            doubt = (TREES if trees else TWO_NUMBERS) if refused else doubt
            stage.missed(groups, judge, "map_params", value_map, "value alias", said, doubt)
        for finding in findings:
            why = f"`{shown}={replaced}` showed what `{shown}={keep}` shows on {on_pages(finding.evidence)}"
            out.append(stage.candidate(finding, "map_params", value_map, "value alias", why, (name,)))
    return out


def _most_agreeing(value: tuple[str, list[Group]]) -> tuple[int, str]:
    return -sum(group.outcome >= NEAR for group in value[1]), value[0]


def _value_pairs(
    stage: Stage, name: str, neighbours: list[Neighbours]
) -> tuple[dict[str, list[Group]], dict[tuple[str, str], list[Group]]]:
    """Return the comparisons of each value with absence, and of each two values."""
    defaults: dict[str, list[Group]] = defaultdict(list)
    aliases: dict[tuple[str, str], list[Group]] = defaultdict(list)
    frequent = _frequent_values(stage, name, neighbours)
    slices = cuts_slices(stage, name)

    def pair(page: int, other: int) -> Group:
        found = stage.pair(page, other)
        return unless_equal(stage, (page, other), found) if slices else found

    for group in neighbours:
        by_value: dict[str, int] = {}
        for _, page in group.members:
            value = stage.value_of(page, name)
            if value is not None and value in frequent:
                by_value.setdefault(value, page)
        if group.absent >= 0:
            others = (page for value, page in by_value.items() if value not in FIRST) if slices else ()
            # where the second page of comments resembles the article, it says nothing that the first one does
            alike = any(stage.pair(page, group.absent).outcome >= NEAR for page in others)
            for value, page in by_value.items():
                compared = stage.pair if value in FIRST and not alike else pair
                defaults[value].append(compared(page, group.absent))
        if 2 <= len(by_value) <= MAX_VALUES_IN_GROUP:
            for one, other in combinations(sorted(by_value), 2):
                aliases[one, other].append(pair(by_value[one], by_value[other]))
    return defaults, aliases


def _frequent_values(stage: Stage, name: str, neighbours: Iterable[Neighbours]) -> frozenset[str]:
    counts: Counter[str] = Counter()
    for group in neighbours:
        counts.update({v for _, page in group.members if (v := stage.value_of(page, name)) is not None})
    common = [(n, v) for v, n in counts.items() if n >= 2 and len(v) <= MAX_VALUE and not is_volatile(decoded(v))]
    return frozenset(v for _, v in sorted(common, key=lambda c: (-c[0], c[1]))[:MAX_ALIAS_VALUES])


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
        findings = stage.search(groups, judge, frozenset(pair))
        # where both stand they may say two things, and a name twice has one order
        alone = Atom("query", keep, False)
        findings = [finding._replace(context=(*finding.context, alone)) for finding in findings]
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
        groups = named(stage, name[1:2], neighbours, groups)
        doubt = SHOWINGS if kind == "day" and _recur(stage.values.get(name[1], ())) else ""
        if kind not in ("lower", "day") and asks_tree(stage, name[1]) and not stage.said_one(groups):
            doubt = TREES
        findings = [] if doubt else stage.search(groups, judge, frozenset((name[1],)))
        if not findings:
            pages = (page for n in neighbours for _, page in n.members)
            rule, value, _ = _value_rule(shown, kind, _seen(name[1], (stage.views[page] for page in pages)))
            stage.missed(groups, judge, rule, value, "value edit", f"the edit of `{shown}`", doubt)
        for finding in findings:
            rule, value, what = _value_rule(shown, kind, _seen(name[1], told_of(stage, finding, neighbours)))
            e = finding.evidence
            why = f"{what}, by " + (f"{e.values} values" if e.constant else on_pages(e))
            out.append(stage.candidate(finding, rule, value, "value edit", why, (name[1],)))
    return out


def _recur(values: Iterable[str]) -> bool:
    """Whether the times of day of moments (key spelling) come again on other days, and are not at every hour."""
    moments = [text for text in map(decoded, values) if MOMENT.fullmatch(text)]
    recurs = RECURRING * len({text[DAY:] for text in moments}) <= len(moments)
    return recurs and len({text[DAY:HOUR] for text in moments}) < HOURS


def _seen(name: str, views: Iterable[View]) -> set[str]:
    return {decoded(value) for view in views for value in view.values_of(name)}


def _value_rule(name: str, kind: str, seen: set[str]) -> tuple[str, Any, str]:
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
    edit = {"pattern": before_last(separator, seen), "replace": r"\1"}
    return (
        "rewrite_params",
        {name: edit},
        f"of the value of `{name}` only what precedes the last `{separator}` makes a difference",
    )


REPEAT_PRIOR = 0.5
"""The probability that saying a parameter twice is saying it once, before anything is seen; chosen: only what is
counted, as in a cart, tells them apart."""


def repeats(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop a parameter which stands there already, with the same value.

    Each is for addresses that have the parameter, as another may be counted.
    """
    out = []
    soft = None
    for (_, name), neighbours in stage.new_groups("repeat"):
        if "*" in decoded(name):
            continue
        soft = _soft_without_repeats(stage) if soft is None else soft
        groups = [judged(n, stage.views) for n in neighbours]
        judge = Judge(stage.options, soft, REPEAT_PRIOR, constant=False)
        others = frozenset(other for view in stage.views for other, _ in view.items) - {name}
        findings = stage.search(groups, judge, beside=others)
        what = f"`{decoded(name)}`, repeated with its value,"
        if not findings:
            stage.reject(groups, judge, "dedupe_params", "pair", "repeat", what)
        for finding in findings:
            why = f"{what} made no difference to {on_pages(finding.evidence)}"
            # what a name said twice means does not depend on the script
            context = tuple(one for one in finding.context if one.kind != "path" or not isinstance(one.value, tuple))
            finding = finding._replace(context=context)
            out.append(stage.candidate(finding, "dedupe_params", "pair", "repeat", why))
    return out


def _soft_without_repeats(stage: Stage) -> frozenset[int]:
    """The texts that too many addresses share even where repeated parameters are not told apart.

    A filter that each of its links adds once more shows one page at thousands of addresses, which is no error for that.
    """
    labels: dict[int, int] = {}
    for view in stage.views:
        hashed = next((hashed for _, hashed, _ in repeat_edits(view)), view.hash)
        labels.setdefault(hashed, view.page.label)
    return soft_labels([*labels.values()])
