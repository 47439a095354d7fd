"""Proposals for filters that multiply: so many at a time, and what a crawl of the recorded links misses then."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.importers.facets import ITEMS, LIMIT, FacetCount, Facets, part_of, where_of
from scrapy_urinorm.learn.evidence.candidate import DEFER, FACETS, PROPOSED, Candidate, on_host
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.unrequested.silent import Learner, missed, pages_of
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.links.graph import Graph
    from scrapy_urinorm.learn.pages.view import View

MIN_ITEMS = 10
"""Pages outside of the part that its lists lead to: else it holds no lists but pages, which parameters name."""
LISTS = 0.8
"""Of the pages that would be skipped and have links at all so many lead to items."""
LIMITS = (1, 2, 3)
"""Filters at a time, tried in this order."""
MOST_PARTS = 20
"""Parts of a site that are looked at, the largest: each costs a look at all pages, and a site may have thousands."""
MIN_SAVED = 25
"""Requests that a limit is worth writing for, chosen."""


def facets(learner: Learner) -> None:
    """Propose limits for filters, in place of none where other pages would be missed under each.

    They are never rules that skip: what a combined list shows is a page of its own, and only a person knows whether
    such pages are wanted.
    """
    if learner.proof is None:
        return
    views = learner.views
    for host, found in _counted(views):
        candidate = _proposed(learner, views, host, found)
        if candidate is not None:
            learner.others.append(candidate)


def combined(learner: Learner, graph: Graph) -> list[Candidate]:
    """Return limits under which lists with more than one filter come last, whatever else is found by them alone.

    For live rules, which fetch them all the same: most of what they lead to is found by the lists with one filter.
    """
    views = learner.views
    candidates = []
    for host, found in _counted(views):
        lists = _lists(learner, graph, views, host, found)
        if lists is not None:
            candidate = _candidate(learner, host, found._replace(filters=tuple(sorted(found.filters))), 1)
            if _are_lists(_gone(learner, views, lists, candidate), lists):
                candidate.value[DEFER] = True
                candidate.why = str(found)
                candidates.append(candidate)
    return candidates


def _counted(views: Sequence[View]) -> list[tuple[str, Facets]]:
    counts: dict[str, FacetCount] = defaultdict(FacetCount)
    for view in views:
        counts[view.host].add(view.path, [item for item in view.items if item[1]])
    found = [(host, one) for host, count in sorted(counts.items()) for one in count.found()]
    largest = sorted(found, key=lambda item: -item[1].urls)[:MOST_PARTS]
    return [(host, one._replace(filters=independent(host, one, views))) for host, one in largest]


def independent(host: str, found: Facets, views: Sequence[View]) -> tuple[str, ...]:
    """Return the filters without those, the rarest first, that never stand without another one, where one of the two
    has many values: a service is one of a host, and both name a page.
    """
    left = set(found.filters)
    sets: set[frozenset[str]] = set()
    values: dict[str, set[str]] = defaultdict(set)
    for view in views:
        if view.host == host and _lies_in(found, view):
            items = {name: value for one, value in view.items if value and (name := decoded(one)) in left}
            sets.add(frozenset(items))
            for name, value in items.items():
                values[name].add(value)
    for name in reversed(found.filters):
        beside = frozenset.intersection(*(one for one in sets if name in one)) & left if values[name] else frozenset()
        if len(beside) > 1 and any(len(values[one]) >= ITEMS for one in beside):
            left.remove(name)
    return tuple(name for name in found.filters if name in left)


def _lies_in(found: Facets, view: View) -> bool:
    return found.path.removesuffix("**") in (view.path, part_of(view.path))


class _Lists(NamedTuple):
    """The views of a part of a site by their number, and of each that has links how many items it leads to."""

    members: set[int]
    items: dict[int, int]


def _proposed(learner: Learner, views: Sequence[View], host: str, found: Facets) -> Candidate | None:
    assert learner.proof is not None
    lists = _lists(learner, learner.proof.graph, views, host, found)
    if lists is None:
        return None
    own = {views[n].page.label for n in lists.members}
    before = missed(learner, learner.skipped)
    last = None
    for at_most in LIMITS:
        candidate = _candidate(learner, host, found, at_most)
        gone = _gone(learner, views, lists, candidate)
        if not _are_lists(gone, lists):
            break
        further = missed(learner, learner.skipped | pages_of(learner, gone)) - before
        # nothing was compared, so there is no risk to tell
        candidate.evidence = Evidence(values=len(gone), constant=True)
        candidate.why = f"{found}; {len(gone):,} with more than {at_most}"
        if further <= own:
            candidate.saved = candidate.evidence.saved = len(gone)
            candidate.why += f", without which a crawl of the recorded links misses {len(further):,} such lists alone"
            return candidate
        if last is None:
            last = candidate
            last.value[DEFER] = True
            last.why += f" come last, as {len(further - own):,} other pages were found by them alone"
    return last


def _gone(learner: Learner, views: Sequence[View], lists: _Lists, candidate: Candidate) -> set[int]:
    verdict = learner.replay.normalizer([*learner.replay.accepted, candidate]).verdict
    return {n for n in lists.members if verdict(views[n].page.key)[0]} - learner.silent_views


def _are_lists(gone: set[int], lists: _Lists) -> bool:
    """Whether a limit is worth writing for, and ends lists, not pages that parameters name."""
    shown = [lists.items[n] > 0 for n in gone if n in lists.items]
    return len(gone) >= MIN_SAVED and bool(shown) and sum(shown) >= LISTS * len(shown)


def _lists(learner: Learner, graph: Graph, views: Sequence[View], host: str, found: Facets) -> _Lists | None:
    """The lists of a part, where they are some: what most of its pages lead to is the frame and no item."""
    members = {
        n
        for n, view in enumerate(views)
        if view.host == host
        and _lies_in(found, view)
        and not any(value and decoded(name) in found.items for name, value in view.items)
    }
    inside = pages_of(learner, members)
    links = {n: set(graph.links[learner.site.numbers[views[n].page.key]]) for n in members}
    often = Counter(target for targets in links.values() for target in targets - inside)
    items = {target for target, uses in often.items() if uses < len(members) / 2}
    if len(items) < MIN_ITEMS:
        return None
    return _Lists(members, {n: len(targets & items) for n, targets in links.items() if targets})


def _candidate(learner: Learner, host: str, found: Facets, at_most: int) -> Candidate:
    value = found.table(at_most)[LIMIT]
    candidate = on_host(learner.contexts, host, learner.scope, LIMIT, value, Evidence(), FACETS, "")
    candidate.status, candidate.conditions = PROPOSED, where_of(found.path, found.items)
    return candidate
