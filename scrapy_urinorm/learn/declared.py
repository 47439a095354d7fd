"""What a site itself declares: `Clean-param` in robots.txt, `No-Vary-Search` in headers; and addresses that nest.

A declaration is strong evidence, not proof: it becomes a rule unless the pages say otherwise.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.candidate import DECLARED, Candidate
from scrapy_urinorm.learn.search import Evidence
from scrapy_urinorm.url import decoded, encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_urinorm.learn.site import Site
    from scrapy_urinorm.learn.view import View

MIN_HEADERS = 3
MIN_NESTED = 3
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
_MEMBER = re.compile(r"(?:^|,)\s*([a-z*][a-z0-9_.*-]*)\s*(?:=\s*(\([^)]*\)|\?[01]))?")


class Ignored(NamedTuple):
    """The parameters that do not change a page: `names`, or all but `kept` where `names` is None."""

    names: frozenset[str] | None
    kept: frozenset[str] = frozenset()


def no_vary_search(header: str) -> Ignored | None:
    """Parse the header (draft-ietf-httpbis-no-vary-search, a structured-field dictionary); None = nothing ignored."""
    names: frozenset[str] | None = frozenset()
    kept: frozenset[str] = frozenset()
    for name, value in _MEMBER.findall(_STRING.sub(lambda m: m.group().replace(",", "%2C"), header)):
        if name == "params":
            if value in ("", "?1"):
                names = None
            elif value.startswith("("):
                names = frozenset(s.replace("%2C", ",") for s in _STRING.findall(value))
        elif name == "except" and value.startswith("("):
            kept = frozenset(s.replace("%2C", ",") for s in _STRING.findall(value))
    return Ignored(names, kept) if names is None or names else None


def clean_param(value: str) -> tuple[tuple[str, ...], str] | None:
    """Parse `p0[&p1&p2] [path]` (Yandex): the names, and the path as a glob; None where it is neither."""
    fields = value.split()
    if not fields or len(fields) > 2 or "=" in fields[0]:
        return None
    names = tuple(name for name in fields[0].split("&") if name and "*" not in name)
    path = fields[1] if len(fields) == 2 else ""
    if not names:
        return None
    if not path or path in ("/", "/*"):
        return names, ""
    if not path.startswith(("/", "*")):
        return None
    return names, path.rstrip("*") + "**"


def declarations(site: Site, scope: str) -> list[Candidate]:
    """Return the candidates that the site's own words make; those of one host stay on it."""
    out = []
    for host, values in sorted(site.clean_params.items()):
        for said in sorted(values):
            parsed = clean_param(said)
            if parsed is not None:
                names, path = parsed
                why = f"the site's robots.txt says `Clean-param: {said}`"
                where = {"path": path} if path else {}
                out.append(_declared(_scope(site, host, scope), "remove_params", list(names), where, why))
    for (host, path), headers in sorted(site.no_vary_search.items()):
        header, count = headers.most_common(1)[0]
        ignored = no_vary_search(header) if header else None
        if ignored is None or count < MIN_HEADERS or count < headers.total() or "*" in path:
            continue
        why = f"{count} responses of {path} said `No-Vary-Search: {header}`"
        value: Any
        if ignored.names is not None:
            rule, value = "remove_params", sorted(n for n in ignored.names if "*" not in n)
        elif ignored.kept:
            rule, value = "keep_params", sorted(ignored.kept)
        else:
            rule, value = "remove_query", True
        if value:
            out.append(_declared(_scope(site, host, scope), rule, value, {"path": path}, why))
    return out


def _scope(site: Site, host: str, scope: str) -> str:
    return scope if scope != site.name else host


def _declared(scope: str, rule: str, value: Any, where: dict[str, Any], why: str) -> Candidate:
    candidate = Candidate(scope, rule, value, Evidence(risk=0.0), DECLARED, why)
    candidate.conditions = where
    if rule == "remove_params":
        candidate.names = frozenset(encoded(name) for name in value)
    return candidate


def nested(views: Sequence[View], scope: str) -> list[Candidate]:
    """Return a candidate for each parameter that carries the address of its own page, one level more at each hop."""
    pairs: dict[str, list[View]] = defaultdict(list)
    for view in views:
        for name, value in view.items:
            if _nests(decoded(name), decoded(value), view.path):
                pairs[name].append(view)
    out = []
    for name, found in sorted(pairs.items()):
        if len(found) >= MIN_NESTED and "*" not in decoded(name):
            shown = decoded(name)
            why = f"`{shown}` carried the address of its own page at {len(found)} addresses: a chain without an end"
            evidence = Evidence(risk=0.0, values=len(found), saved=len(found))
            candidate = Candidate(scope, "collapse_nested", [shown], evidence, "self-nesting", why)
            candidate.names = frozenset((name,))
            candidate.counterexamples = []
            candidate.examples = [(view.page.url, view.page.url) for view in found[:1]]
            out.append(candidate)
    return out


def _nests(name: str, value: str, path: str) -> bool:
    if not value.startswith(("/", "http://", "https://")):
        return False
    return f"{name}=" in value or f"{name}%3D" in value or (len(path) > 1 and path in value.partition("?")[0])


def declared_names(candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the parameters that a site declares irrelevant somewhere, lower case."""
    return frozenset(name.lower() for c in candidates if c.rule == "remove_params" for name in c.value)
