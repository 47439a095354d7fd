"""Candidates on parameters that stand there twice with one value: filters, which each of their links adds once more."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from scrapy_urinorm.content import soft_labels
from scrapy_urinorm.learn.edits import repeat_edits
from scrapy_urinorm.learn.judge import Judge, judged
from scrapy_urinorm.learn.stage import Stage, against_text, distinct

if TYPE_CHECKING:
    from scrapy_urinorm.learn.candidate import Candidate

REPEAT_PRIOR = 0.5
"""The probability that saying a parameter twice is saying it once, before anything is seen; chosen: only what is
counted, as in a cart, tells them apart."""


def repeats(stage: Stage) -> list[Candidate]:
    """Return the candidates that drop a parameter which stands there already, with the same value."""
    out = []
    for _, neighbours in stage.new_groups("repeat"):
        groups = [judged(n, stage.views) for n in neighbours]
        judge = Judge(stage.options, _soft_without_repeats(stage), REPEAT_PRIOR, constant=False)
        findings = stage.search(groups, judge, frozenset(), exceptions=False, beside=_never_repeated(stage))
        what = "a parameter that is repeated with its value"
        if not findings:
            stage.reject(groups, judge, "dedupe_params", "pair", "repeat", what)
        for finding in findings:
            e = finding.evidence
            why = f"{what} made no difference to {distinct(e.agree)}" + against_text(e)
            out.append(stage.candidate(finding, "dedupe_params", "pair", "repeat", why))
    return out


def _never_repeated(stage: Stage) -> frozenset[str]:
    names: set[str] = set()
    repeated: set[str] = set()
    for view in stage.views:
        counts = Counter(view.items)
        names.update(name for name, _ in counts)
        repeated.update(name for (name, _), n in counts.items() if n > 1)
    return frozenset(names - repeated)


def _soft_without_repeats(stage: Stage) -> frozenset[int]:
    """The texts that too many addresses share even where repeated parameters are not told apart.

    A filter that each of its links adds once more shows one page at thousands of addresses, which is no error for that.
    """
    labels: dict[int, int] = {}
    for view in stage.views:
        hashed = next((hashed for _, hashed, _ in repeat_edits(view)), view.hash)
        labels.setdefault(hashed, view.page.label)
    return soft_labels([*labels.values()])
