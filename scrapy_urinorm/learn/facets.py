"""Proposals for filters that multiply: so many at a time, and what a crawl of the recorded links misses then."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.importers.facets import LIMIT, FacetCount, part_of
from scrapy_urinorm.learn.candidate import DEFER, FACETS, PROPOSED, Candidate
from scrapy_urinorm.learn.judge import Evidence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scrapy_urinorm.importers.facets import Facets
    from scrapy_urinorm.learn.silent import Learner
    from scrapy_urinorm.learn.view import View

MIN_ITEMS = 10
"""Pages outside of the part that its lists lead to: else it holds no lists but pages, which parameters name."""
LISTS = 0.8
"""Of the pages that would be skipped and have links at all so many lead to items."""
LIMITS = (1, 2, 3)
"""Filters at a time, tried in this order."""
MIN_SAVED = 25
"""Requests that a limit is worth writing for, chosen."""


def facets(learner: Learner) -> None:
    """Propose limits for filters, in place of none where other pages would be missed under each.

    They are never rules that skip: what a combined list shows is a page of its own, and only a person knows whether
    such pages are wanted.
    """
    if learner.proof is None:
        return
    views = learner.views.of(learner.replay)
    counts: dict[str, FacetCount] = defaultdict(FacetCount)
    for view in views:
        counts[view.host].add(view.path, [name for name, value in view.items if value])
    for host, count in sorted(counts.items()):
        for found in count.found():
            candidate = _proposed(learner, views, host, found)
            if candidate is not None:
                learner.others.append(candidate)


class _Lists(NamedTuple):
    """The views of a part of a site by their number, and of each that has links how many items it leads to."""

    members: set[int]
    items: dict[int, int]


def _proposed(learner: Learner, views: Sequence[View], host: str, found: Facets) -> Candidate | None:
    assert learner.proof is not None
    lists = _lists(learner, views, host, found)
    if lists is None:
        return None
    number = {page.key: n for n, page in enumerate(learner.site.pages)}
    own = {views[n].page.label for n in lists.members}
    before = _missed(learner, learner.skipped)
    last = None
    for at_most in LIMITS:
        candidate = _candidate(learner, host, found, at_most)
        verdict = learner.replay.normalizer([*learner.replay.accepted, candidate]).verdict
        gone = {n for n in lists.members if verdict(views[n].page.key)[0]} - learner.silent_views
        shown = [lists.items[n] > 0 for n in gone if n in lists.items]
        if len(gone) < MIN_SAVED or not shown or sum(shown) < LISTS * len(shown):
            break
        skipped = learner.skipped | {number[page.key] for n in gone for page in views[n].pages}
        missed = _missed(learner, skipped) - before
        # nothing was compared, so there is no risk to tell
        candidate.evidence = Evidence(values=len(gone), constant=True)
        candidate.why = f"{found}; {len(gone):,} with more than {at_most}"
        if missed <= own:
            candidate.saved = candidate.evidence.saved = len(gone)
            candidate.why += f", without which a crawl of the recorded links misses {len(missed):,} such lists alone"
            return candidate
        if last is None:
            last = candidate
            last.value[DEFER] = True
            last.why += f" come last, as {len(missed - own):,} other pages were found by them alone"
    return last


def _missed(learner: Learner, skipped: set[int]) -> set[int]:
    assert learner.proof is not None
    return {loss.label for loss in learner.proof.losses(learner.replay.keys, skipped)}


def _lists(learner: Learner, views: Sequence[View], host: str, found: Facets) -> _Lists | None:
    """The lists of a part, where they are some: what most of its pages lead to is the frame and no item."""
    assert learner.proof is not None
    part = found.path.removesuffix("**")
    members = {n for n, view in enumerate(views) if view.host == host and part in (view.path, part_of(view.path))}
    pages = learner.site.pages
    number = {page.key: n for n, page in enumerate(pages)}
    inside = {number[page.key] for n in members for page in views[n].pages}
    links = {n: set(learner.proof.graph.links[number[views[n].page.key]]) for n in members}
    often = Counter(target for targets in links.values() for target in targets - inside)
    items = {target for target, uses in often.items() if uses < len(members) / 2}
    if len(items) < MIN_ITEMS:
        return None
    return _Lists(members, {n: len(targets & items) for n, targets in links.items() if targets})


def _candidate(learner: Learner, host: str, found: Facets, at_most: int) -> Candidate:
    scope = learner.scope if len({view.host for view in learner.views.of(learner.replay)}) < 2 else host
    candidate = Candidate(scope, LIMIT, found.table(at_most)[LIMIT], Evidence(), FACETS, "", status=PROPOSED)
    candidate.conditions = {"path": found.path}
    return candidate
