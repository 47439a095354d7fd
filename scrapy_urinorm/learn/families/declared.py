"""What a site itself declares: `Clean-param` in robots.txt, `No-Vary-Search` in headers; and addresses that nest.

A declaration is strong evidence, not proof: it becomes a rule unless the pages say otherwise.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.declared import clean_param, exactly, no_vary_search
from scrapy_urinorm.learn.evidence.candidate import DECLARED, Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.rules.nesting import nests
from scrapy_urinorm.url import decoded, encoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.sites.site import Site

MIN_HEADERS = 3
MIN_NESTED = 3
"""Pages that must say so: one may be a mistake, two a pair of mistakes in one template."""
#: Declarations of a host that are tried, each against all that hold already; no robots.txt of an honest site has more.
MAX_DECLARED = 200


def declarations(site: Site, scope: str) -> list[Candidate]:
    """Return the candidates that the site's own words make; those of one host stay on it."""
    out = []
    for host, values in sorted(site.clean_params.items()):
        for said in sorted(values)[:MAX_DECLARED]:
            try:
                names, path = clean_param(said)
            except ValueError:
                continue
            why = f"the site's robots.txt says `Clean-param: {said}`"
            where = {"path": path} if path else {}
            value = [exactly(name) for name in names]
            out.append(_declared(_scope(site, host, scope), "remove_params", value, where, why))
    tried: Counter[str] = Counter()
    for (host, path), headers in sorted(site.no_vary_search.items()):
        header, count = headers.most_common(1)[0]
        if count < MIN_HEADERS or count < headers.total() or "*" in path:
            continue
        rule = no_vary_search(header).rule()
        if rule is not None and tried[host] < MAX_DECLARED:
            tried[host] += 1
            why = f"{count} responses of {path} said `No-Vary-Search: {header}`"
            out.append(_declared(_scope(site, host, scope), *rule, {"path": path}, why))
    return out


def _scope(site: Site, host: str, scope: str) -> str:
    return scope if scope != site.name else host


def _declared(scope: str, rule: str, value: Any, where: dict[str, Any], why: str) -> Candidate:
    candidate = Candidate(scope, rule, value, Evidence(risk=0.0), DECLARED, why)
    candidate.conditions = where
    if rule == "remove_params":
        candidate.names = frozenset(encoded(entry["name"]) for entry in value)
    return candidate


def nested(views: Sequence[View], scope: str) -> list[Candidate]:
    """Return a candidate for each parameter that carries the address of its own page, one level more at each hop.

    One host does not speak for another.
    """
    hosts = {view.host for view in views}
    pairs: dict[tuple[str, str], list[View]] = defaultdict(list)
    for view in views:
        for name, value in view.items:
            if nests(decoded(name), decoded(value), view.path):
                pairs[view.host, name].append(view)
    out = []
    for (host, name), found in sorted(pairs.items()):
        if len(found) >= MIN_NESTED and "*" not in decoded(name):
            shown = decoded(name)
            why = f"`{shown}` carried the address of its own page at {len(found)} addresses: a chain without an end"
            evidence = Evidence(risk=0.0, values=len(found), saved=len(found))
            place = scope if len(hosts) < 2 else host
            candidate = Candidate(place, "collapse_nested", [shown], evidence, "self-nesting", why)
            candidate.this_host = any(other.endswith("." + place) for other in hosts) and len(hosts) > 1
            candidate.names = frozenset((name,))
            candidate.examples = [(view.page.url, view.page.url) for view in found[:1]]
            out.append(candidate)
    return out


def declared_names(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the parameters that a site declares irrelevant somewhere, lower case."""
    return frozenset(entry["name"].lower() for c in candidates if c.rule == "remove_params" for entry in c.value)
