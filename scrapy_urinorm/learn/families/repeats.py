"""Candidates on parameters that stand there twice with one value: filters, which each of their links adds once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.content import soft_labels
from scrapy_urinorm.learn.evidence.edits import repeat_edits
from scrapy_urinorm.learn.evidence.judge import Judge, judged
from scrapy_urinorm.learn.families.stage import Stage, on_pages
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate

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
        findings = stage.search(groups, judge, frozenset(), exceptions=False, beside=others)
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
