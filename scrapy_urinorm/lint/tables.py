"""The tables of a rule set as lint sees them: each with the wider ones around it, and where its keys are written."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.steps import merge_bodies
from scrapy_urinorm.errors import Problem
from scrapy_urinorm.lint.lookups import Touching, covering, of_catalogue, once, overlap
from scrapy_urinorm.rules import Drops, Stage, rules_at
from scrapy_urinorm.rules.globs import without_ranges
from scrapy_urinorm.rules.kinds import Name, NameTable
from scrapy_urinorm.rulesets.sources import line_index, read_text

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where

#: What a finding may be called, for filters of continuous integration, and what it says.
CODES = {
    "covered": "an entry that a wider one already covers",
    "nothing-to-except": "an exception from a removal that does not exist",
    "dead": "a rule or entry that never finds what it is for, since another rule comes first",
    "undone": "a rule whose effect another rule takes back",
    "unreachable": "a table that no URL ever reaches",
    "never-holds": "a condition that no URL meets",
    "spelling": "a condition on a spelling that other rules remove, so that equal URLs are treated differently",
    "costly-pattern": "a pattern that could take long, and so is not run on long texts",
    "own-site-only": "a wrapper of links that names no targets, and so is followed within its own site only",
    "eats-paths": "a removal of segments that goes on until no path is left",
    "never-matches": "a table that holds for none of the URLs that were tried",
    "never-acts": "a rule that changes none of the URLs that its table holds for",
    "unstable": "rules that lead from one URL to another and back for ever",
}


class Finding(NamedTuple):
    """One finding: `code` is a key of CODES, `problem` says where, what, and what to do."""

    code: str
    problem: Problem


class Table(NamedTuple):
    """One table: `number` counts the `where` tables of its layer from 1; `wider` are the tables it is merged into."""

    layer: Layer
    body: Body
    wider: tuple[Body, ...]
    layers: tuple[Layer, ...]
    where: Where | None = None
    number: int = 0

    def finding(self, code: str, key: str, message: str, hint: str = "") -> Finding:
        """A finding about a key of this table."""
        layer = self.layer
        full = f"where[{self.number}]{'.' if key else ''}{key}" if self.where else key
        return Finding(code, Problem(layer.file, layer.label, full, line_of(layer, full), message, hint))

    def inherited(self) -> Merged:
        """What the wider tables say."""
        return merged(self.wider)

    def effective(self) -> Merged:
        """What this table and the wider ones say."""
        return merged((*self.wider, self.body))

    def before(self, rule: str) -> list[Where]:
        """The `where` tables with a rule that come before this one, be it in another file, and may hold here."""
        found: list[Where] = []
        if self.where is None:
            return found
        for layer in self.layers:
            for number, where in _with_rule(layer.body, rule):
                if layer is self.layer and number >= self.number:
                    break
                own = [without_ranges(other) for other in self.where.globs]
                globs = [(without_ranges(one), other) for one in where.globs for other in own]
                if not globs or any(overlap(one, other) for one, other in globs):
                    found.append(where)
            if layer is self.layer:
                break
        return found

    def origin(self, rule: str, entry: object = None) -> str:
        """The table among this and the wider ones that has a rule (or this very entry of it), for a message."""
        layer: Layer
        for layer in reversed(self.layers):
            entries = _entries(layer.body, rule)
            if entries is not None and (entry is None or id(entry) in entries):
                if layer.preset:
                    return layer.file
                return f"[{layer.label}]" if layer is not self.layer else "this table"
        return "a wider table"


class Merged(NamedTuple):
    """The value of every rule of a chain of tables; name lists also as look-up tables."""

    rules: dict[str, Any]
    tables: dict[str, NameTable]
    touched: dict[str, Touching]

    def names(self, rule: str) -> NameTable:
        """The merged list of a rule that takes names."""
        table = self.tables.get(rule)
        if table is None:
            table = self.tables[rule] = NameTable(self.rules.get(rule, ()))
        return table

    def removes(self, name: str) -> tuple[str, Name] | None:
        """The rule, and its entry, that drops a parameter whatever its value, or None."""
        for rule in dropping(Drops.NAMED):
            entry = covering(self.names(rule), Name(name, lambda _: False))
            if entry is not None:
                return rule, entry
        return None

    def keeper(self) -> str:
        """The rule that drops all parameters but those that it names; empty where none is set."""
        return next((rule for rule in dropping(Drops.OTHERS) if rule in self.rules), "")

    def keeps(self, name: str) -> bool:
        """Whether the rule that keeps parameters, if one is set, may keep this one."""
        rule = self.keeper()
        return not rule or self.touching(rule)(name)

    def touching(self, rule: str) -> Touching:
        """Whether any entry of a rule, exceptions aside, takes a name that a glob takes."""
        found = self.touched.get(rule)
        if found is None:
            names = [entry.name for entry in self.rules.get(rule, ()) if not entry.keep]
            found = self.touched[rule] = Touching(names)
        return found


@of_catalogue
def dropping(which: Drops) -> list[str]:
    """The rules that drop items in one way."""
    return [rule.name for rule in rules_at(Stage.ITEMS) if rule.drops is which]


_merged: dict[tuple[int, ...], tuple[tuple[Body, ...], Merged]] = {}


def merged(bodies: tuple[Body, ...]) -> Merged:
    """The merged rules of bodies; remembered, since thousands of sites stand in the same wide tables."""
    key = tuple(map(id, bodies))
    found = _merged.get(key)
    if found is None:
        if len(_merged) > 1000:
            _merged.clear()
        # the bodies are kept beside the result, so that no other object can get one of these ids
        found = _merged[key] = bodies, Merged(merge_bodies(bodies), {}, {})
    return found[1]


@once
def _with_rule(body: Body, rule: str) -> list[tuple[int, Where]]:
    """The `where` tables of a table that have a rule, with their numbers from 1."""
    return [(number, where) for number, where in enumerate(body.wheres, 1) if rule in where.body.rules]


@once
def _entries(body: Body, rule: str) -> set[int] | None:
    """The entries of a rule in a table and its `where` tables, each by its identity; None where it is in none."""
    values = [one.rules[rule] for one in (body, *(where.body for where in body.wheres)) if rule in one.rules]
    lists = [value for value in values if isinstance(value, (list, tuple))]
    return {id(entry) for value in lists for entry in value} if values else None


def tables(ruleset: RuleSet) -> Iterator[Table]:
    """Every table that a file wrote, `where` tables included, widest scope first."""
    everywhere = list(ruleset.everywhere)
    yield from _of_chain(everywhere, everywhere)
    for name, own in ruleset.sites.items():
        yield from _of_chain(ruleset.chain(name, ""), list(own))
    for name, own in ruleset.hosts.items():
        yield from _of_chain(ruleset.chain(*host_and_port(name)), list(own))


def host_and_port(name: str) -> tuple[str, str]:
    """The host and the port in the name of a `host` table, the port empty where it has none."""
    host, colon, port = name.rpartition(":")
    return (host, port) if colon and port.isdigit() else (name, "")


def _of_chain(chain: Sequence[Layer], own: list[Layer]) -> Iterator[Table]:
    for at, layer in enumerate(chain):
        if layer.preset or not any(layer is one for one in own):
            continue
        bodies = tuple(la.body for la in chain)
        yield Table(layer, layer.body, bodies[:at], tuple(chain[: at + 1]))
        for number, where in enumerate(layer.body.wheres, 1):
            yield Table(layer, where.body, bodies, tuple(chain), where, number)


def line_of(layer: Layer, key: str) -> int | None:
    """The line of a key of a layer, else that of its table, else None."""
    index = _index(layer.file)
    found = re.match(r"where\[(\d+)\]\.?(.*)", key)
    places = [(layer.label, key)]
    if found:
        place = f"{layer.label}.where[{found[1]}]"
        places = [(place, found[2].partition(".")[0]), (place, "")]
    return next((index[p] for p in places if p in index), layer.line)


@functools.lru_cache(64)
def _index(file: str) -> dict[tuple[str, str], int]:
    try:
        return {} if file.endswith(".json") else line_index(read_text(file))
    except (OSError, ModuleNotFoundError, UnicodeDecodeError):
        return {}  # rules of a dict, or a preset
