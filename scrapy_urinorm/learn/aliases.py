"""Candidates for hosts that show what another host shows: mirrors, and names of one server."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.candidate import Candidate
from scrapy_urinorm.learn.risk import DEFAULT_PRIOR
from scrapy_urinorm.learn.stage import against_text, distinct

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from scrapy_urinorm.learn.evidence import Neighbours
    from scrapy_urinorm.learn.judge import Group
    from scrapy_urinorm.learn.stage import Stage

MAX_ORIGINALS = 8
"""Hosts that one is compared with: of those with the same content at an address the largest, and the largest of all.
All pairs of the hosts of a blog service would be millions; a mirror has the content of the largest of its kind.
"""


def host_aliases(stage: Stage, neighbours: Iterable[Neighbours]) -> list[Candidate]:
    """Return the hosts that show what a larger host of the site shows, wherever both have an address."""
    counts = Counter(view.host for view in stage.views)

    def rank(host: str) -> tuple[int, int, str]:
        return -counts[host], len(host), host

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

    def groups(alias: str, keep: str) -> Iterator[Group]:
        # in the order of names, as both pages of a pair stand for it
        one, other = sorted((alias, keep))
        for by_host in on_host[alias]:
            if keep in by_host:
                yield stage.pair(by_host[one], by_host[other])

    judge = stage.judge(DEFAULT_PRIOR, constant=False)
    out = []
    for alias, originals in sorted(_originals(stage, addresses, rank).items()):
        for keep in originals:
            evidence = judge.weigh(groups(alias, keep))
            if judge.accepts(evidence):
                why = f"{alias} shows what {keep} shows on {distinct(evidence.agree)}" + against_text(evidence)
                candidate = Candidate(keep, "host_aliases", [alias], evidence, "origin", why, host=alias)
                stage.illustrate(candidate, evidence)
                out.append(candidate)
    return out


def _originals(
    stage: Stage, addresses: Sequence[dict[str, int]], rank: Callable[[str], tuple[int, int, str]]
) -> dict[str, list[str]]:
    """Return the larger hosts that each host is worth being compared with, those it shares most addresses with."""
    met: dict[str, Counter[str]] = defaultdict(Counter)
    for by_host in addresses:
        ranked = sorted(by_host, key=rank)
        alike: dict[int, list[str]] = defaultdict(list)
        for host in ranked:
            label = stage.views[by_host[host]].page.label
            same = alike[label] if label >= 0 and label not in stage.soft else []
            for original in dict.fromkeys((*same, *ranked[:MAX_ORIGINALS])):
                if rank(original) >= rank(host):
                    break
                # the host with and without `www.` is another rule's
                if original.removeprefix("www.") != host.removeprefix("www."):
                    met[host][original] += 1 + (original in same)
            if len(same) < MAX_ORIGINALS:
                same.append(host)
    return {
        host: sorted(known, key=lambda one: (-known[one], rank(one)))[:MAX_ORIGINALS] for host, known in met.items()
    }
