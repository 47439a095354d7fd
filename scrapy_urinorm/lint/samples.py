"""Paths and queries that speak to the rules of a table: names, values, index files, shapes and patterns in it."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.lint.reach import path_sample
from scrapy_urinorm.rules import CATALOGUE, Stage
from scrapy_urinorm.rules.kinds import Edits, Templates
from scrapy_urinorm.rules.kinds.samples import pattern_sample
from scrapy_urinorm.url import encoded

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where

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
        wanted = {name: _wanted(value) for name, value in where.raw.get("query", {}).items()}
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
