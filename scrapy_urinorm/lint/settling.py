"""Findings on rules that do not settle, by trying them on URLs made from the tables, their examples and given URLs."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.plan import matching
from scrapy_urinorm.engine.program import Program, run_round
from scrapy_urinorm.engine.sites import MAX_ROUNDS
from scrapy_urinorm.errors import Problem
from scrapy_urinorm.lint.reach import path_sample
from scrapy_urinorm.lint.tables import Finding, Table, host_and_port, line_of
from scrapy_urinorm.rules import CATALOGUE, Stage
from scrapy_urinorm.rules.globs import name_glob
from scrapy_urinorm.rules.kinds import Edits, Templates
from scrapy_urinorm.rules.kinds.samples import pattern_sample
from scrapy_urinorm.url import Item, encoded, join_items, path_key, query_items, sort_items, split

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where

#: Chains of tables that are tried; a rule set of 100,000 sites repeats itself long before.
MAX_CHAINS = 5000


def findings(ruleset: RuleSet, normalizer: Normalizer, urls: Iterable[str]) -> Iterator[Finding]:
    """A finding for each set of tables that does not settle on some URL."""
    told: set[tuple[object, ...]] = set()
    for url in (*_made(ruleset), *urls):
        normalizer.counts.clear()
        normalizer.key(url)
        if normalizer.counts["unstable"]:
            for finding in _explained(ruleset, url):
                place = finding.problem[:3]
                if place not in told:
                    told.add(place)
                    yield finding


def _made(ruleset: RuleSet) -> Iterator[str]:
    """URLs for every chain of tables: each chain once, whatever the number of its hosts."""
    seen: set[tuple[int, ...]] = set()
    scopes = [("site.example", ""), *((name, "") for name in ruleset.sites), *map(host_and_port, ruleset.hosts)]
    for host, port in scopes:
        layers = ruleset.chain(host, port)
        chain = tuple(id(layer.body) for layer in layers)
        if chain in seen or len(seen) >= MAX_CHAINS:
            continue
        seen.add(chain)
        authority = f"{host}{':' if port else ''}{port}"
        for target in probes([layer for layer in layers if not layer.preset]):
            yield f"http://{authority}{target}"
    for aliases in ruleset.host_maps.values():
        yield from (f"http://{alias.replace('*', 'x')}/" for alias in aliases)
    for example in ruleset.examples:
        host = example.layer.label.partition('"')[2].rstrip('"') or "site.example"
        yield from (url if "://" in url else f"http://{host}{url}" for url in example.pair)


class _Part(NamedTuple):
    """A table that may take part in a circle: a layer's own rules, or one of its `where` tables."""

    layer: Layer
    number: int
    where: Where | None


def _explained(ruleset: RuleSet, url: str) -> Iterator[Finding]:
    """The smallest set of rules that still does not settle on a URL, as a finding at its narrowest table."""
    parts = split(url)
    if parts is None:
        return
    layers = ruleset.chain(parts.host, parts.port)
    path, items = path_key(parts.path), query_items(parts.query or "")
    if _circle(layers, path, items) is None:
        yield from _host_circle(parts.host, layers)
        return
    layers = _smallest(layers, path, items)
    circle = _circle(layers, path, items) or []
    parts_left = [
        _Part(layer, number, where)
        for layer in layers
        for number, where in ((0, None), *enumerate(layer.body.wheres, 1))
        if (where.body if where else layer.body).rules
    ]
    if not parts_left:
        return
    shown = " -> ".join(f"{p}{'?' if i else ''}{join_items(i)}" for p, i in circle[:3])
    last = parts_left[-1]
    others = [_name(part) for part in parts_left[:-1]]
    rules = ", ".join(
        dict.fromkeys(rule for p in parts_left for rule in (p.where.body if p.where else p.layer.body).rules)
    )
    beside = f", together with {' and '.join(others)}," if others else ""
    message = f"{rules}{beside} do not settle: {shown} ..."
    key = f"where[{last.number}]" if last.where else ""
    line = line_of(last.layer, key)
    hint = "narrow the condition, or let both lead to one form"
    yield Finding("unstable", Problem(last.layer.file, last.layer.label, key, line, message, hint))


def _name(part: _Part) -> str:
    place = f"[{part.layer.label}]" if not part.layer.preset else part.layer.file
    return f"where[{part.number}] of {place}" if part.where else place


def _circle(layers: Sequence[Layer], path: str, items: list[Item]) -> list[tuple[str, list[Item]]] | None:
    """The URLs that a chain of tables goes through without end, or None where it settles."""
    bodies = [layer.body for layer in layers]
    wheres = [where for body in bodies for where in body.wheres]
    states = [(path, sort_items(items))]
    for _ in range(MAX_ROUNDS):
        chosen = matching(wheres, path, items)
        path, items = run_round(Program([*bodies, *(wheres[n].body for n in chosen)]), path, items)
        state = path, sort_items(items)
        if state == states[-1]:
            return None
        states.append(state)
    return states[1:]


def _smallest(layers: Sequence[Layer], path: str, items: list[Item]) -> Sequence[Layer]:
    """The layers without every rule that is not needed for the circle."""
    for at, layer in enumerate(layers):
        for number in range(len(layer.body.wheres) + 1):
            body = layers[at].body
            rules = (body if not number else body.wheres[number - 1].body).rules
            for rule in rules:
                slimmer = _without(layers, at, number, rule)
                if _circle(slimmer, path, items) is not None:
                    layers = slimmer
    return layers


def _without(layers: Sequence[Layer], at: int, number: int, rule: str) -> list[Layer]:
    body = layers[at].body
    if number:
        where = body.wheres[number - 1]
        wheres = list(body.wheres)
        wheres[number - 1] = where._replace(body=_slim(where.body, rule))
        slim = body._replace(wheres=tuple(wheres))
    else:
        slim = _slim(body, rule)
    return [*layers[:at], layers[at]._replace(body=slim), *layers[at + 1 :]]


def _slim(body: Body, rule: str) -> Body:
    return body._replace(rules={k: v for k, v in body.rules.items() if k != rule})


def _host_circle(host: str, layers: Sequence[Layer]) -> Iterator[Finding]:
    own = [layer for layer in layers if not layer.preset]
    if own:
        yield Table(own[-1], own[-1].body, (), ()).finding(
            "unstable",
            "",
            f"the rules on the host lead in a circle from {host!r}: none of them is applied to it",
            "let www, scheme, host_aliases and remove_subdomains agree on one host",
        )


_PATHS = ("/", "/x", "/x/", "/x//y", "/X/Y.html", "/x/y/z")
# bounds of time, chosen: what is tried out grows with names times values
_MAX_NAMES = 40
_MAX_PROBES = 400


def probes(layers: Iterable[Layer]) -> Iterator[str]:
    """Paths with queries, at most a few hundred."""
    layers = list(layers)
    bodies = [layer.body for layer in layers]
    wheres = [where for body in bodies for where in body.wheres]
    everything = [*bodies, *(where.body for where in wheres)]
    yield from itertools.islice(dict.fromkeys(_probes(everything, wheres)), _MAX_PROBES)


def _probes(bodies: list[Body], wheres: list[Where]) -> Iterator[str]:
    paths = list(dict.fromkeys([*_PATHS, *(p for body in bodies for p in _paths(body))]))
    values = _values(bodies)
    every = _query({name: given[0] for name, given in values.items()})
    for path in paths:
        yield path
        if "?" not in path and every:
            yield f"{path}?{every}"
    for name, given in values.items():
        yield from (f"/x?{_query({name: value})}" for value in given)
    for where in wheres:
        globs = where.raw.get("path", "/x")
        conditions = where.raw.get("query", {}).items()
        wanted = {path_sample(name) if name_glob(name) else name: _wanted(value) for name, value in conditions}
        query = {name: value for name, value in wanted.items() if value is not None}
        for glob in [globs] if isinstance(globs, str) else globs:
            path = path_sample(glob)
            yield f"{path}?{_query(query)}" if query else path
            rest = {n: given[0] for n, given in values.items() if n not in wanted}
            yield f"{path}?{_query({**rest, **query})}"
            for name, given in itertools.islice(values.items(), _MAX_NAMES):
                yield from (f"{path}?{_query({**query, name: value})}" for value in given)


def _query(items: dict[str, str]) -> str:
    return "&".join(f"{encoded(name)}={encoded(value)}" for name, value in items.items())


def _wanted(value: Any) -> str | None:
    """A value that a condition asks for; None where it asks for absence."""
    if isinstance(value, list):
        value = next((v for v in value if v is not False), False)
    if value is False:
        return None
    if value is True:
        return "1"
    if isinstance(value, dict):
        if "matches" in value:
            return pattern_sample(value["matches"])
        side = -1 if "below" in value else 1
        bound = value.get("below", value.get("above", 0))
        return str(bound + side) if isinstance(bound, (int, float)) else _day_beside(str(bound)[:10], side)
    return str(value).replace("*", "x")


def _day_beside(day: str, side: int) -> str:
    try:
        return (date.fromisoformat(day) + timedelta(side)).isoformat()
    except OverflowError:
        # there is no day before the first one, or after the last
        return day


def _paths(body: Body) -> Iterator[str]:
    for name, value in body.rules.items():
        rule = CATALOGUE[name]
        for shape in rule.probes:
            for entry in body.raw.get(name, ()):
                yield shape.replace("{}", _entry_sample(entry))
        if isinstance(rule.kind, (Templates, Edits)) and rule.stage is Stage.TARGET:
            yield from rule.kind.targets(value)


def _entry_sample(entry: Any) -> str:
    if isinstance(entry, dict):
        if "pattern" in entry:
            return pattern_sample(entry["pattern"])
        entry = entry.get("name", "x")
    return str(entry).replace("*", "x")


def _values(bodies: list[Body]) -> dict[str, list[str]]:
    """Names of parameters that rules speak of, with values that they speak of."""
    out: dict[str, list[str]] = {}
    for body in bodies:
        for rule, value in body.rules.items():
            if CATALOGUE[rule].part != "query":
                continue
            for name, given in CATALOGUE[rule].kind.samples(value):
                if len(out) < _MAX_NAMES:
                    out.setdefault(name.replace("*", "x"), ["1"]).extend(given[:5])
    return {name: list(dict.fromkeys([*given[1:], given[0]])) for name, given in out.items()}
