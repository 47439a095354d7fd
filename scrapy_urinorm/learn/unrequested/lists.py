"""Lists that lead to nothing new: orders of lists, and filters upon filters, are requested last.

A sorted or filtered list is a page of its own by its text, so nothing that compares pages can drop it; but where all
that such lists lead to is known from others, a crawl that is stopped early has seen more without them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.facets import ITEMS, LIMIT, count_ids, where_of
from scrapy_urinorm.learn.evidence.candidate import DEFER, Candidate, on_host
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.pages.contexts import BELOW
from scrapy_urinorm.learn.unrequested.silent import Learner, leads_nowhere, silence
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

MIN_LISTS = 50
"""Addresses with a parameter below which putting them off is not worth a rule: a screen or two of links."""
MOST_PARAMETERS = 8
"""Parameters of a site that are looked at, those of most addresses: each takes six crawls."""
NEW_SHARE = 0.2
"""Of so many of its addresses an order may show what no other address shows: the first page of a long list. Chosen on a
shop; items, and pages of lists, have 1.0."""
HAS_LIST = 0.5
"""Of so many addresses the one without the parameter was visited, too; a capped crawl has not met all."""


def put_off(learner: Learner) -> None:
    """Defer the orders of lists, and lists with more than one filter, whose links are all known from others."""
    if learner.proof is None:
        return
    views = learner.views
    found: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for n, view in enumerate(views):
        if n not in learner.silent_views:
            for name in dict.fromkeys(name for name, value in view.items if value):
                found[view.host, _place(view.path), name].append(n)
    # what only leads to a page, as each picture's file may, is no other address that shows it
    known = Counter(view.page.label for view in views if not view.only_leads_on)
    filters: dict[tuple[str, str], list[str]] = defaultdict(list)
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))[:MOST_PARAMETERS]
    for (host, path, name), members in ranked:
        if len(members) < MIN_LISTS or "*" in path.removesuffix(BELOW) or not _have_lists(views, members, name):
            continue
        own = Counter(views[n].page.label for n in members if not views[n].only_leads_on)
        private = sum(label < 0 or n == known[label] for label, n in own.items())
        if private > NEW_SHARE * len(members):
            filters[host, path].append(name)
        elif leads_nowhere(learner, members, lists=True):
            where = {"path": path, "query": {decoded(name): True}}
            why = f"what {len(members)} addresses of {path} with `{decoded(name)}` lead to is all known from others"
            silence(learner, deferred(learner, host, DEFER, True, where, why, members), set(members))
    for (host, path), names in sorted(filters.items()):
        here = [
            n
            for n, view in enumerate(views)
            if n not in learner.silent_views and (view.host, _place(view.path)) == (host, path)
        ]
        items = _items(views[n] for n in here) - set(names)
        members = [
            n
            for n in here
            if sum(bool(value) and name in names for name, value in views[n].items) > 1
            and items.isdisjoint(name for name, value in views[n].items if value)
        ]
        if len(members) >= MIN_LISTS and leads_nowhere(learner, members, lists=True):
            limit = {"of": sorted(map(decoded, names)), "at_most": 1, DEFER: True}
            why = f"what {len(members)} addresses of {path} with several filters lead to is all known from others"
            where = where_of(path, sorted(map(decoded, items)))
            silence(learner, deferred(learner, host, LIMIT, limit, where, why, members), set(members))


def _items(views: Iterable[View]) -> set[str]:
    """Return the parameters that name items, whose pages are no lists."""
    known: dict[str, set[int]] = {}
    for view in views:
        count_ids(known, (item for item in view.items if item[1]))
    return {
        name
        for name, values in known.items()
        if len(values) >= ITEMS and decoded(name).isprintable() and "*" not in decoded(name)
    }


def _place(path: str) -> str:
    """Return the part of a site that a path belongs to, as a glob; a path without folders by itself."""
    first, slash, _ = path[1:].partition("/")
    return f"/{first}{BELOW}" if first and slash and "*" not in first else path


def _have_lists(views: Sequence[View], members: Iterable[int], name: str) -> bool:
    """Whether most addresses were also visited without a parameter, or with one value of it less."""
    hashes = {view.hash for view in views}
    has = total = 0
    for n in members:
        items = views[n].items
        total += 1
        less = ([*items[:at], *items[at + 1 :]] for at, item in enumerate(items) if item[0] == name)
        has += any(views[n].with_items(rest) in hashes for rest in less)
    return has >= HAS_LIST * total


def deferred(
    learner: Learner,
    host: str,
    rule: str,
    value: Any,
    where: dict[str, Any],
    why: str,
    members: Sequence[int],
    family: str = "lists that lead to nothing new",
) -> Candidate:
    """Return the rule that puts off some views, by their numbers, under these conditions."""
    views = learner.views
    evidence = Evidence(agree=len({views[n].page.label for n in members} - {-1}))
    evidence.groups = evidence.groups_for = evidence.agree
    evidence.risk = risk(evidence.agree, 0, DEFAULT_PRIOR)
    candidate = on_host(learner.contexts, host, learner.scope, rule, value, evidence, family, why)
    candidate.conditions = where
    candidate.examples = [(views[n].page.url, views[members[0]].page.url) for n in members[1:4]]
    return candidate
