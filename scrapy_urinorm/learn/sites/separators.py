"""Whether `;` separates the parameters of a host's queries: nearly all that have one read so, and of the addresses that
this alone makes one no two show different pages.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, NEAR, Content, compare
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, REJECTED, SEPARATORS, SPLIT, Candidate, signature, tables
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.own_pairs import OwnPairs, reject
from scrapy_urinorm.learn.evidence.risk import risk
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

MIN_QUERIES = 5
"""Queries that must read `a=1;b=2`; chosen, as is that one in ten with a `;` may read otherwise."""
SORT, BY_NAME = "sort_query", "key"
_PAIR, _FLAG = "[^=&;#]++=[^&;#]*+", r"[A-Za-z_][\w.-]*+(?=;|\Z)"
# `board=2;sort=views;desc`: a bare word is a parameter where another one has a value; `tags=red;blue` is a list, and
# so are several bare words, whose order may say something: `stops=ada;bonn;celle;by=train`
_SPLIT_QUERY = re.compile(
    f"(?![^=]*[?])(?=[^=;]++=[^;]*+;(?:[^=;]*+;)*+[^=;]++=){_PAIR}(?:;{_PAIR})*+(?:;{_FLAG}(?:;{_PAIR})*+)?+"
)


class Separators:
    """The queries of a site's hosts that have a `;`, counted; and what is made of them."""

    def __init__(self) -> None:
        self._queries: dict[str, Counter[bool]] = defaultdict(Counter)

    def see(self, host: str, query: str) -> None:
        """Count a query, if it has a `;`."""
        if ";" in query:
            self._queries[host][_SPLIT_QUERY.fullmatch(query) is not None] += 1

    def hosts(self) -> list[str]:
        """Return the hosts whose queries are split at `;`, should pages not speak against it."""
        return sorted(host for host, n in self._queries.items() if n[True] >= MIN_QUERIES and n[True] >= 9 * n[False])

    def judge(
        self,
        visits: Iterable[tuple[Visit, Content]],
        content_of: Callable[[Visit, Content], Content],
        rules: Sequence[Any],
        preset: str,
        struck: Container[str],
    ) -> list[Candidate]:
        """Return two rules for each host: its queries are split, and repeated names of it stay in their order, as they
        do where `;` is no separator. The one is rejected, and the other is none, where pages that this alone makes one
        differ, or where it breaks a pair of the user's own rules; what is `struck` is not looked at.
        """
        hosts = [host for host in self.hosts() if signature(_candidate(host, SPLIT, True)) not in struck]
        if not hosts:
            return []
        plain = Normalizer(list(rules) or None, preset, check_examples=False)
        made = {host: [_candidate(host, SPLIT, True)] for host in hosts}
        for host, of in made.items():
            if plain.key(f"http://{host}/?x=2&x=1") == plain.key(f"http://{host}/?x=1&x=2"):
                of.append(_candidate(host, SORT, BY_NAME))
        keyed = Normalizer([*rules, base_of(chain(*made.values()))], preset, check_examples=False)
        merged: dict[str, dict[str, dict[str, tuple[Visit, Content]]]] = {host: defaultdict(dict) for host in hosts}
        for visit, content in visits:
            parts = split(visit.url) if "?" in visit.url else None
            if parts is not None and parts.host in merged:
                group = merged[parts.host][keyed.key(visit.url)]
                group.setdefault(plain.key(visit.url), (visit, content))
        for host, groups in merged.items():
            pages = [pages_of(group, content_of) for group in groups.values() if len(group) > 1]
            made[host] = self._judged(host, made[host], pages)
            splits = made[host][0]
            splits.saved = sum(map(len, groups.values())) - len(groups)
            if splits.status == ACTIVE and (broken := OwnPairs(rules, preset, host).broken((), base_of(made[host]))):
                made[host] = [splits]
                reject(splits, broken)
        return list(chain(*made.values()))

    def _judged(self, host: str, candidates: list[Candidate], classes: list[list[Page]]) -> list[Candidate]:
        shown, n = Evidence(), self._queries[host]
        equal, apart = [], []
        for first, *others in (pages for pages in classes if len(pages) > 1):
            outcomes = [compare(page, first) for page in others]
            apart += [(first.url, page.url) for page, one in zip(others, outcomes, strict=True) if one == DIFFERENT]
            if min(outcomes) >= NEAR:
                shown.agree += 1
                shown.saved += len(others)
                equal.append((first.url, others[0].url))
        shown.against, shown.risk = len(apart), risk(shown.agree, len(apart))
        why = f"{n[True]} of {n.total()} queries with a `;` read `a=1;b=2`"
        if shown.agree or apart:
            why += f", and {shown.agree + len(apart)} pages have several addresses that differ in the separators alone"
        rule, *beside = candidates
        rule.evidence, rule.why = shown, why
        rule.examples, rule.counterexamples = equal[:3], apart[:3]
        if apart:
            rule.status = REJECTED
            rule.why += f" or their order; but of {len(apart)} the pages differ"
            return [rule]
        for one in beside:
            one.evidence = Evidence(risk=shown.risk)
            one.why = "where `;` separates: repeated parameters are in their order what they were without"
        return candidates


def _candidate(host: str, rule: str, value: Any) -> Candidate:
    candidate = Candidate(host, rule, value, Evidence(), SEPARATORS, "")
    candidate.this_host = True
    return candidate


def pages_of(group: dict[str, tuple[Visit, Content]], content_of: Callable[[Visit, Content], Content]) -> list[Page]:
    """Return what some addresses show, as pages that can be compared with one another alone."""
    labels: dict[bytes, int] = {}
    pages = []
    for key, (visit, known) in group.items():
        content = content_of(visit, known)
        if content.label is not None:
            page = Page(key, visit.url)
            page.show(labels.setdefault(content.label, len(labels)), content)
            pages.append(page)
    return pages


def base_of(candidates: Iterable[Candidate]) -> dict[str, Any]:
    """Return what holds before anything else is learned, as a rule source."""
    return tables(one for one in candidates if one.status == ACTIVE)
