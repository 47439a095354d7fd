"""Lists without an end, by a parameter or a number in the path: what lies beyond their last page."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import DEFER, SKIP
from scrapy_urinorm.learn.unrequested.numbered import numbered
from scrapy_urinorm.learn.unrequested.silent import hides_ways, is_known, missed, newly_silent, pages_of, silence
from scrapy_urinorm.learn.unrequested.traps import traps

if TYPE_CHECKING:
    from scrapy_urinorm.learn.unrequested.silent import Learner


def endless(learner: Learner) -> None:
    """Skip what lies beyond the last page of an endless parameter or list; without recorded links it is put off."""
    views = learner.views
    known = missed(learner, learner.skipped)
    for candidate, members in (*traps(views, learner.contexts, learner.scope), *numbered(learner)):
        if is_known(learner, candidate):
            continue
        silent = newly_silent(learner, candidate)
        labels = {views[n].page.label for n in members}
        if len(members) < learner.replay.least(candidate):
            continue
        if not {views[n].page.label for n in silent} <= labels | learner.site.soft:
            learner.refuse(candidate, "its conditions also hold for other addresses")
            continue
        skipped = pages_of(learner, silent)
        without = missed(learner, learner.skipped | skipped)
        if candidate.rule == SKIP and (without - known or learner.proof is None):
            candidate.rule = DEFER
            candidate.why += "; other pages may only be found behind them"
        if candidate.rule == SKIP and hides_ways(learner, skipped):
            # pages of one text may each link to another photo
            candidate.rule = DEFER
            candidate.why += "; they link to what was not followed"
        if candidate.rule == SKIP and not _is_a_chain(learner, skipped):
            candidate.rule = DEFER
            candidate.why += "; what lists them may list others, and was not followed to its end"
        if candidate.rule == SKIP:
            known = without
        silence(learner, candidate, silent)


def _is_a_chain(learner: Learner, pages: AbstractSet[int]) -> bool:
    """Whether most of some pages, by their numbers, were met at each other: an archive that lists all of its days may
    have others where the crawl has not been.
    """
    assert learner.proof is not None
    if learner.proof.is_finished:
        return True
    parents = learner.proof.parents
    return 2 * sum(parents.get(n, -1) in pages for n in pages) >= len(pages)
