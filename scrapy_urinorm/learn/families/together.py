"""Default values of parameters that come together: `sort=date&dir=desc` is what a list shows without both.

No list links to one of them alone, so that neither is the default of anything by itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_urinorm.content import NEAR
from scrapy_urinorm.learn.evidence.candidate import LATEST, TREES, Candidate
from scrapy_urinorm.learn.evidence.judge import Group, on_pages
from scrapy_urinorm.learn.evidence.luck import LUCKY, by_luck
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, name_prior
from scrapy_urinorm.learn.families.drops import DROP, asks_tree, cuts_slices, may_be_latest
from scrapy_urinorm.learn.pages.contexts import Atom
from scrapy_urinorm.learn.pages.values import is_volatile, names_release
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

MOST_TOGETHER = 40
"""Sets of values that are compared with their absence, as many as of one parameter."""
LONGEST_VALUE = 64
"""Longer values are texts or addresses."""

Values = tuple[str, ...]


def defaults_together(stage: Stage, names: Values, neighbours: list[Neighbours]) -> list[Candidate]:
    """Return the candidates that drop a bundle of parameters (key spelling) where each has the value of a default.

    Their values are conditions, so that another value of one of them keeps all. What turns pages is in no such set: a
    list of one page shows it under each of its orders.
    """
    shown = [decoded(name) for name in names]
    if any("*" in name for name in shown) or any(cuts_slices(stage, name) for name in names):
        return []
    compared = _compared(stage, names, neighbours)
    judge = stage.judge(min(DEFAULT_PRIOR, *(name_prior(name, stage.declared) for name in shown)), constant=False)
    tree = any(asks_tree(stage, name) for name in names)
    latest = any(may_be_latest(stage, name, neighbours) for name in names)
    out = []
    for values, groups in sorted(compared.items(), key=_most_agreeing):
        texts = [decoded(value) for value in values]
        refused = (tree or any(map(names_release, texts))) and not stage.said_one(groups)
        every = [] if refused or latest else stage.search(groups, judge, frozenset(names), extent=True)
        findings = [one for one in every if not by_luck(one.evidence, values, compared, stage.options.risk)]
        said = "`" + "&".join(f"{name}={text}" for name, text in zip(shown, texts, strict=True)) + "`"
        if not findings:
            doubt = TREES if refused else LATEST if latest else LUCKY if every else ""
            stage.missed(groups, judge, DROP, shown, "joint default", said, doubt)
        atoms = tuple(Atom("query", name, value) for name, value in zip(names, values, strict=True))
        for finding in findings:
            why = f"{said} showed what its absence shows on {on_pages(finding.evidence)}"
            found = finding._replace(context=finding.context + atoms)
            out.append(stage.candidate(found, DROP, shown, "joint default", why, names))
    return out


def _compared(stage: Stage, names: Values, neighbours: list[Neighbours]) -> dict[Values, list[Group]]:
    """Return the comparisons of each set of values with the absence of all, of those sets that come more than once."""
    pairs: dict[Values, list[tuple[int, int]]] = defaultdict(list)
    counts: Counter[Values] = Counter()
    for near in neighbours:
        known: dict[Values, int] = {}
        for _, page in near.members:
            values = _values_of(stage, page, names)
            if values is not None:
                known.setdefault(values, page)
                counts[values] += 1
        if near.absent >= 0:
            for values, page in known.items():
                pairs[values].append((page, near.absent))
    common = sorted((-n, values) for values, n in counts.items() if n > 1 and values in pairs)[:MOST_TOGETHER]
    return {values: [stage.pair(*pair) for pair in pairs[values]] for _, values in common}


def _values_of(stage: Stage, page: int, names: Values) -> Values | None:
    """Return the values of a page, None where one is not there once, or means nothing tomorrow."""
    found = [stage.views[page].values_of(name) for name in names]
    if any(len(values) != 1 for values in found):
        return None
    values = tuple(value for one in found for value in one)
    bad = any(len(value) > LONGEST_VALUE or is_volatile(decoded(value)) for value in values)
    return None if bad else values


def _most_agreeing(value: tuple[Values, list[Group]]) -> tuple[int, Values]:
    return -sum(group.outcome >= NEAR for group in value[1]), value[0]
