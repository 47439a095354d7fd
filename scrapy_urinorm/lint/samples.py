"""Paths and queries that speak to the rules of a table: names, values, index files, shapes and patterns in it."""

from __future__ import annotations

import itertools
import re
from re import _constants as sre  # type: ignore[attr-defined]
from re import _parser as sre_parser  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.lint.reach import path_sample
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules.kinds import Name, Names
from scrapy_urinorm.url import encoded

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where

_PATHS = ("/", "/x", "/x/", "/x//y", "/X/Y.html", "/x/y/z")
_MAX_NAMES = 40
_MAX_PROBES = 400


def probes(layers: Iterable[Layer], ruleset: RuleSet) -> Iterator[str]:
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
        yield path if "?" in path else f"{path}"
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
        return str(value["below"] - 1 if "below" in value else value.get("above", 0) + 1)
    return str(value).replace("*", "x")


def _paths(body: Body) -> Iterator[str]:
    raw, rules = body.raw, body.rules
    for rule, shape in (
        ("directory_index", "/x/{0}"), ("directory_index", "/x/{0}/{0}"), ("remove_segments", "/x/{0}/y"),
        ("remove_extensions", "/x/y.{0}"), ("path_params", "/x;{0}=1/y"),
    ):  # fmt: skip
        for entry in raw.get(rule, ()):
            yield shape.format(_entry_sample(entry))
    for one in rules.get("template", ()):
        for text in (one.source, one.target):
            yield re.sub(r"\{\w+\}", "x", text)
    for edit in rules.get("rewrite", ()):
        yield pattern_sample(edit.pattern.text)


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
            if CATALOGUE[rule].part != "query" or isinstance(value, (str, bool)):
                continue
            for entry in value:
                if isinstance(entry, Name):
                    name, given = entry.name, [pattern_sample(entry.value.text)] if entry.value else []
                elif isinstance(CATALOGUE[rule].kind, Names):
                    continue
                else:
                    name, given = entry[0], list(_texts(rule, entry[1]))
                if len(out) < _MAX_NAMES:
                    out.setdefault(name.replace("*", "x"), ["1"]).extend(given[:5])
    return {name: list(dict.fromkeys([*given[1:], given[0]])) for name, given in out.items()}


def _texts(rule: str, value: Any) -> Iterator[str]:
    if rule == "map_params":
        yield from (v for group in value for v in group.values if v is not None)
    elif rule == "rewrite_params":
        yield from (pattern_sample(edit.pattern.text) for edit in value)
    elif rule == "unordered_values":
        yield f"b{value[0]}a"
    elif rule == "default_params":
        yield from value


def pattern_sample(pattern: str) -> str:
    """A text that a regular expression matches; near enough for a probe where it looks around."""
    try:
        return _sample(sre_parser.parse(pattern))
    except re.error:
        return "x"


def _sample(parsed: Any) -> str:
    out = ""
    for op, argument in parsed:
        if op is sre.LITERAL:
            out += chr(argument)
        elif op is sre.IN:
            out += _member(argument)
        elif op in (sre.ANY, sre.NOT_LITERAL):
            out += "x" if op is sre.ANY or argument != ord("x") else "y"
        elif op in (sre.MAX_REPEAT, sre.MIN_REPEAT, sre.POSSESSIVE_REPEAT):
            low, high, body = argument
            out += _sample(body) * max(low, min(1, high))
        elif op is sre.SUBPATTERN:
            out += _sample(argument[-1])
        elif op is sre.BRANCH:
            out += _sample(argument[1][0])
        elif op is sre.ATOMIC_GROUP:
            out += _sample(argument)
    return out


_CATEGORIES = {sre.CATEGORY_DIGIT: "1", sre.CATEGORY_WORD: "x", sre.CATEGORY_SPACE: " "}


def _member(members: Any) -> str:
    if members[0][0] is sre.NEGATE:
        taken = {chr(v) for op, v in members[1:] if op is sre.LITERAL}
        return next((c for c in "x1-_" if c not in taken), "z")
    for op, value in members:
        if op is sre.LITERAL:
            return chr(value)
        if op is sre.RANGE:
            return chr(value[0])
        if op is sre.CATEGORY:
            return _CATEGORIES.get(value, "x")
    return "x"
