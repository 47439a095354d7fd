"""Findings on conditions and scopes: tables that no URL gets to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.program import Program
from scrapy_urinorm.lint.tables import Finding, Table
from scrapy_urinorm.rules import CATALOGUE, Stage
from scrapy_urinorm.rules.globs import glob_key, without_ranges
from scrapy_urinorm.rules.kinds import Names, Wrappers
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Layer

_OF_ORIGIN = (Stage.PORT, Stage.HOST, Stage.SCHEME, Stage.USERINFO)


def table_findings(table: Table) -> Iterator[Finding]:
    """Names that no parameter has; conditions of a `where` table that never hold, or hold for one of several spellings;
    wrappers without targets.
    """
    yield from _names(table)
    yield from _wrappers(table)
    if table.where is None:
        return
    paths = table.where.raw.get("path", ())
    for glob in [paths] if isinstance(paths, str) else paths:
        yield from _path(table, glob)
    for name, value in table.where.raw.get("query", {}).items():
        yield from _condition(table, name, value)


def _names(table: Table) -> Iterator[Finding]:
    for rule, value in table.body.rules.items():
        if not isinstance(CATALOGUE[rule].kind, Names) or CATALOGUE[rule].part != "query":
            continue
        for entry in value:
            name, equals, held = entry.name.strip("?& ").partition("=")
            if entry.name not in (name, "*") or "&" in name:
                hint = f'write {{ name = "{name}", value = "{held}" }}' if equals else f"write {name.split('&')}"
                yield table.finding("never-holds", rule, f"{entry.name!r} is the name of no parameter", hint)


def _wrappers(table: Table) -> Iterator[Finding]:
    for name, value in table.body.rules.items():
        if isinstance(CATALOGUE[name].kind, Wrappers):
            for entry in value:
                if entry.to is None and not entry.paths:
                    yield table.finding(
                        "own-site-only",
                        name,
                        f"{entry.name!r} is followed to addresses of the wrapper's own site, and to no other",
                        f'name the others: {{ name = "{entry.name}", to = ["b.example"] }}; to = [] if that is meant',
                    )


def _path(table: Table, glob: str) -> Iterator[Finding]:
    if "?" in glob:
        yield table.finding(
            "never-holds", "path", f"{glob!r} is a path, in which ? is %3F", "the query has its own condition, `query`"
        )
        return
    if re.search(r"\[\^?\w-\w", glob):
        yield table.finding(
            "never-holds", "path", f"{glob!r}: brackets stand for themselves", "numbers are <0-9>; * is any text"
        )
    sample = path_sample(glob_key(glob))
    before = _settled_path(table, sample)
    if before != sample and table.where is not None and not table.where.on_path(before):
        rules = ", ".join(step.name for step in Program(table.wider).path_steps if step.run(sample) != sample)
        yield table.finding(
            "spelling",
            "path",
            f"{glob!r} matches {sample!r}, which {rules or 'other rules'} of a wider table turns into {before!r}",
            "write the path as it is after those rules",
        )


def path_sample(glob: str) -> str:
    """A path that a glob matches."""
    glob = without_ranges(glob, lambda low, high: low or high or "1")
    return re.sub(r"\*+", lambda m: "x/y" if len(m.group()) > 1 else "x", glob)


def _settled_path(table: Table, path: str) -> str:
    steps = Program(table.wider).path_steps
    for _ in range(4):
        before = path
        for step in steps:
            path = step.run(path)
        if path == before:
            break
    return path


def _comparable(bound: Any) -> Any:
    return bound if isinstance(bound, (int, float)) else str(bound)[:10]


def _condition(table: Table, name: str, value: Any) -> Iterator[Finding]:
    key = f"query.{name}"
    effective = table.inherited()
    if isinstance(value, list) and not value:
        yield table.finding("never-holds", key, "an empty list of values", "write true for `present`")
    if isinstance(value, dict) and {"below", "above"} <= value.keys():
        # dates are texts, or as TOML writes them
        above, below = (_comparable(value[side]) for side in ("above", "below"))
        if above >= below:
            kind = "day" if isinstance(above, str) else "number"
            yield table.finding("never-holds", key, f"no {kind} is above {above} and below {below}", "swap the two")
    if value is False or (isinstance(value, list) and False in value):
        return
    found = effective.removes(name)
    if found is not None:
        rule, by = found
        yield table.finding(
            "spelling",
            key,
            f"{rule} of {table.origin(rule, by)} drops {name!r}: URLs that differ in it alone get two keys",
            "use a parameter that stays, or take it back with except_params",
        )


def scope_findings(ruleset: RuleSet, normalizer: Normalizer) -> Iterator[Finding]:
    """Tables of names that no host has, and of hosts that other rules fold into another host."""
    for kind, scopes in (("site", ruleset.sites), ("host", ruleset.hosts)):
        for name, layers in scopes.items():
            for layer in layers:
                if "*" in name:
                    said = f"{name!r} is the name of a host, and no pattern"
                    hint = "a site has its subdomains, too; what holds for every site is in [rules]"
                    yield Table(layer, layer.body, (), ()).finding("unreachable", "", said, hint)
                else:
                    yield from _folded(ruleset, normalizer, kind, name, layer)


def _folded(ruleset: RuleSet, normalizer: Normalizer, kind: str, name: str, layer: Layer) -> Iterator[Finding]:
    beyond = [r for r in layer.body.rules if CATALOGUE[r].stage not in _OF_ORIGIN]
    if not beyond and not layer.body.wheres:
        return
    ends = []
    # a site that is named with its www is meant for that host alone
    for host in (name, f"sub.{name}") if kind == "site" and not name.startswith("www.") else (name,):
        for scheme in ("http", "https"):
            parts = split(normalizer.key(f"{scheme}://{host}/"))
            if parts is None or any(layer is one for one in ruleset.chain(parts.host, parts.port)):
                return
            ends.append(parts.host)
    what = beyond[0] if beyond else "where"
    yield Table(layer, layer.body, (), ()).finding(
        "unreachable",
        "",
        f"no URL reaches this table: the host becomes {ends[0]!r} first, so that {what} is never used",
        f'put its rules into [{kind}."{ends[0]}"]',
    )
