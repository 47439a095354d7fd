"""Siblings: addresses that differ in a switch alone, the orders of one list. What a crawl may expect of the next ones.

Whether a list has one entry does not stand in its address, so that its orders are one page cannot be a rule. But where
two orders of a list showed one page, and so far all the others did then, too, a crawl that has seen two may wait with
the rest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import SIBLINGS, Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.families.constant import spoken
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

MIN_SIBLINGS = 3
"""Two that agree say nothing of a third where there is none."""
MIN_TRIALS = 12
"""Groups of which two members agreed, below which nothing is said; chosen."""


def siblings(stage: Stage, params: tuple[str, ...], neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Return for each path how often siblings under some switches agreed once two of them did; no rules."""
    if not stage.contexts.switches.issuperset(params):
        return []
    views = stage.views
    places: dict[tuple[str, str], Evidence] = defaultdict(Evidence)
    for group in neighbours:
        known = [page for _, page in group.members if views[page].page.label >= 0]
        if len(known) < MIN_SIBLINGS:
            continue
        found = places[views[known[0]].host, views[known[0]].path]
        found.groups += 1
        labels = [views[page].page.label for page in known]
        # members come by the hashes of their values, which is as good as by chance
        if labels[0] != labels[1] or labels[0] in stage.soft:
            continue
        odd = next((page for page in known if views[page].page.label != labels[0]), None)
        if odd is None:
            found.agree += 1
            found.examples = found.examples or [(known[1], known[0])]
        else:
            found.against += 1
            found.counterexamples = found.counterexamples or [(odd, known[0])]
    return [
        _row(stage, place, params, found)
        for place, found in sorted(places.items())
        if found.agree + found.against >= MIN_TRIALS
    ]


def _row(stage: Stage, place: tuple[str, str], params: tuple[str, ...], evidence: Evidence) -> Candidate:
    host, path = place
    shown = [decoded(name) for name in params]
    trials = evidence.agree + evidence.against
    evidence.groups_for, evidence.groups_against = evidence.agree, evidence.against
    evidence.risk = risk(evidence.agree, evidence.against, DEFAULT_PRIOR)
    why = (
        f"of {evidence.groups} groups of addresses that differ in {spoken(shown)} alone two showed one page in"
        f" {trials}, and then all did in {evidence.agree}"
    )
    candidate = stage.on_host(host, SIBLINGS, shown, evidence, SIBLINGS, why)
    candidate.status = SIBLINGS
    candidate.conditions = {"path": path} if "*" not in path else {}
    return candidate
