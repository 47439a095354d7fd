"""Candidates for hosts that show what another host shows: mirrors, and names of one server."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import TREES, Candidate
from scrapy_urinorm.learn.evidence.judge import EXAMPLES, Evidence, Group, Judge, on_pages
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, ID_PRIOR
from scrapy_urinorm.learn.evidence.stayed import in_examples
from scrapy_urinorm.learn.pages.values import names_tree

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

MAX_ORIGINALS = 8
"""Hosts that one is compared with: of those with the same content at an address the largest, and the largest of all.
All pairs of the hosts of a blog service would be millions; a mirror has the content of the largest of its kind.
"""


def host_aliases(stage: Stage, neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Return the hosts that show what a larger host of the site shows, wherever both have an address."""
    counts = Counter(view.host for view in stage.views)
    ranked = sorted(counts, key=lambda host: (-counts[host], len(host), host))
    place = {host: n for n, host in enumerate(ranked)}
    addresses = []
    on_host: dict[str, list[dict[str, int]]] = defaultdict(list)
    for group in neighbours:
        by_host: dict[str, int] = {}
        for _, page in group.members:
            by_host.setdefault(stage.views[page].host, page)
        if len(by_host) > 1:
            addresses.append(by_host)
            for host in by_host:
                on_host[host].append(by_host)

    strict = stage.judge(ID_PRIOR, constant=False)
    leading = {view.host for view in stage.views if view.only_leads_on}
    out = []
    for alias, originals in sorted(_originals(stage, addresses, place).items()):
        for keep in originals:
            if _names_tree(alias, keep) and not stage.said_one(groups := _pairs(stage, on_host[alias], alias, keep)):
                what = f"the host {alias} for {keep}"
                stage.reject(groups, strict, "host_aliases", [alias], "origin", what, TREES)
                continue
            evidence = _weighed(stage, strict, on_host[alias], alias, keep)
            few = not evidence.against and not strict.accepts(evidence)
            if few or not leading.isdisjoint((alias, keep)):
                groups = _pairs(stage, on_host[alias], alias, keep)
                groups += stage.stayed.against(groups, in_examples(groups))
                evidence = whole_judge(stage, groups).weigh(groups)
            if strict.accepts(evidence):
                why = f"{alias} shows what {keep} shows on {on_pages(evidence)}"
                candidate = Candidate(keep, "host_aliases", [alias], evidence, "origin", why, host=alias)
                stage.illustrate(candidate, evidence)
                out.append(candidate)
    return out


def whole_judge(stage: Stage, groups: Sequence[Group]) -> Judge:
    """Return the judge of what makes whole hosts one: it asks for more pages, unless the site says so of each.

    Such a rule has no conditions, and where one page in four differs after all it costs a quarter of the site.
    """
    return stage.judge(DEFAULT_PRIOR if stage.said_one(groups, lasting=False) else ID_PRIOR, constant=False)


def _names_tree(alias: str, keep: str) -> bool:
    """Whether the names of two hosts differ by what may be a language or a version."""
    return any(map(names_tree, set(alias.split(".")) ^ set(keep.split("."))))


def _pairs(stage: Stage, addresses: Iterable[dict[str, int]], alias: str, keep: str) -> list[Group]:
    return [stage.pair(known[alias], known[keep]) for known in addresses if keep in known]


def _weighed(stage: Stage, judge: Judge, addresses: Sequence[dict[str, int]], alias: str, keep: str) -> Evidence:
    """Return what the addresses of a host say of another one."""
    views = stage.views
    # in the order of names, as both pages of a pair stand for it
    one, other = sorted((alias, keep))
    groups: list[Group] = []
    equal: list[int] = []
    for by_host in addresses:
        if keep in by_host:
            pair = by_host[one], by_host[other]
            label = views[pair[0]].page.label
            if label >= 0 and label == views[pair[1]].page.label:
                # nearly all of a mirror
                equal.append(label)
                if len(equal) > EXAMPLES:
                    continue
            groups.append(stage.pair(*pair))
    return judge.weigh(groups, equal=equal[EXAMPLES:])


def _originals(stage: Stage, addresses: Sequence[dict[str, int]], place: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the larger hosts that each host is worth being compared with, those it shares most addresses with.

    `place` is that of each host, the largest first.
    """
    met: dict[str, Counter[str]] = defaultdict(Counter)
    bare = {host: host.removeprefix("www.") for host in place}
    for by_host in addresses:
        ranked = sorted(by_host, key=place.__getitem__)
        largest = ranked[:MAX_ORIGINALS]
        alike: dict[int, list[str]] = defaultdict(list)
        for host in ranked:
            label = stage.views[by_host[host]].page.label
            same = alike[label] if label >= 0 and label not in stage.soft else []
            counts = met[host]
            for original in dict.fromkeys((*same, *largest)):
                if place[original] >= place[host]:
                    break
                # the host with and without `www.` is another rule's
                if bare[original] != bare[host]:
                    counts[original] += 1 + (original in same)
            if len(same) < MAX_ORIGINALS:
                same.append(host)
    return {
        host: sorted(known, key=lambda one: (-known[one], place[one]))[:MAX_ORIGINALS]
        for host, known in met.items()
        if known
    }
