"""Findings on the entries of one table: covered, dead, excepted from nothing, undone by a neighbour."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from scrapy_urinorm.engine.steps import bind
from scrapy_urinorm.lint.lookups import Touching, covering, of_catalogue
from scrapy_urinorm.lint.tables import Finding, Table, dropping
from scrapy_urinorm.rules import CATALOGUE, Drops, Stage, Verdict, at, rules_at
from scrapy_urinorm.rules.kinds import Choice, Flag, Name, Names, NameTable, Renames, Segments
from scrapy_urinorm.url import encoded


@of_catalogue
def _adding() -> list[str]:
    return [n for n, r in CATALOGUE.items() if isinstance(r.kind, Names) and not r.kind.replace and not r.into]


@of_catalogue
def _of_items() -> list[str]:
    """The rules whose values name items of the query, in the order of execution."""
    return [
        rule.name
        for rule in rules_at(Stage.ITEMS)
        if rule.part == "query" and not isinstance(rule.kind, (Choice, Flag))
    ]


@of_catalogue
def _renaming() -> list[str]:
    return [name for name in _of_items() if isinstance(CATALOGUE[name].kind, Renames)]


def findings(table: Table) -> Iterator[Finding]:
    """All findings on the entries of a table."""
    for check in (
        _covered,
        _excepted,
        _not_kept,
        _removed,
        _renamed,
        _added_and_removed,
        _query_gone,
        _skipped,
        _eaten,
    ):
        yield from check(table)


def _eaten(table: Table) -> Iterator[Finding]:
    """A path condition may end what a removal by place would go on with."""
    if table.where is not None and "path" in table.where.raw:
        return
    segments = [
        (rule.name, segment)
        for rule in rules_at(Stage.PATH)
        if isinstance(rule.kind, Segments)
        for segment in table.body.rules.get(rule.name, ())
    ]
    for name, segment in segments:
        if segment.takes_any():
            yield table.finding(
                "eats-paths",
                name,
                "an entry takes any segment, then the next in its place, until no path is left and all pages are one",
                "make the name or pattern narrower, or add `of`, the number of segments, or a `where` with a path",
            )


def _named(value: Any) -> Iterator[str]:
    """The names or globs that the value of a rule speaks of."""
    for entry in value:
        yield entry.name if isinstance(entry, Name) else entry[0]


def _covered(table: Table) -> Iterator[Finding]:
    for rule in _adding():
        own = table.body.rules.get(rule, ())
        if not own:
            continue
        inherited = table.inherited().names(rule)
        in_own = _others(own)
        for entry in own:
            by = in_own(entry) or covering(inherited, entry)
            if by is not None:
                where = table.origin(rule, by)
                said = "stands there already" if _same(by, entry) else f"is covered by {by.name!r}"
                yield table.finding("covered", rule, f"{entry.name!r} {said} ({where})", "leave it out")


def _others(own: Sequence[Name]) -> Callable[[Name], Name | None]:
    """What finds the entry of a list that covers another one of it; of two equal ones the later is superfluous."""
    names = NameTable(own)
    places = {id(entry): place for place, entry in enumerate(own)}

    def by(entry: Name) -> Name | None:
        place = places[id(entry)]
        return covering(names, entry, lambda o: o is entry or (places[id(o)] > place and _same(o, entry)))

    return by


def _same(one: Name, other: Name) -> bool:
    guards = [e.value.text if e.value else None for e in (one, other)]
    return one.name.lower() == other.name.lower() and guards[0] == guards[1]


def _excepted(table: Table) -> Iterator[Finding]:
    for rule in CATALOGUE.values():
        if not rule.into or rule.name not in table.body.rules:
            continue
        removed = table.effective().touching(rule.into)
        # of `where` tables that hold at once the later one has the last word
        earlier = [entry.name for where in table.before(rule.into) for entry in where.body.rules[rule.into]]
        before = Touching(earlier)
        for entry in table.body.rules[rule.name]:
            if not removed(entry.name) and not before(entry.name):
                yield table.finding(
                    "nothing-to-except",
                    rule.name,
                    f"no {rule.into} of this scope or a wider one removes {entry.name!r}",
                    "leave it out, or look for a typo",
                )


def _not_kept(table: Table) -> Iterator[Finding]:
    """Entries on names that a list of kept names drops, and kept names that are gone before."""
    effective = table.effective()
    keeper = effective.keeper()
    if not keeper:
        return
    where = table.origin(keeper)
    for rule in _of_items():
        for name, target in table.body.rules.get(rule, ()) if rule in _renaming() else ():
            if not effective.keeps(target[0]):
                yield table.finding(
                    "undone",
                    rule,
                    f"{name!r} becomes {target[0]!r}, which {keeper} of {where} drops",
                    f"add {target[0]!r} to {keeper}",
                )
        if rule == keeper or rule in _renaming():
            continue
        for name in _named(table.body.rules.get(rule, ())):
            if not effective.keeps(name):
                yield table.finding(
                    "dead", rule, f"{keeper} of {where} drops {name!r} anyway", "leave it out, or keep the name"
                )
    for entry in table.body.rules.get(keeper, ()):
        found = effective.removes(entry.name)
        if found is not None:
            remover, by = found
            where = table.origin(remover, by)
            yield table.finding(
                "dead",
                keeper,
                f"{entry.name!r} is not kept: {remover} of {where} drops {by.name!r} before",
                f"take it back with {_exception(remover)} = [{entry.name!r}], or do not list it",
            )


def _exception(rule: str) -> str:
    return next((other.name for other in CATALOGUE.values() if other.into == rule), "an exception")


def _removed(table: Table) -> Iterator[Finding]:
    """Rules on parameters that another rule drops whatever their value."""
    effective = table.effective()
    for rule in _of_items():
        if CATALOGUE[rule].drops not in (None, Drops.VALUES):
            continue
        for entry in table.body.rules.get(rule, ()):
            name = entry.name if isinstance(entry, Name) else entry[0]
            gone = entry[1][0] if rule in _renaming() else name
            found = effective.removes(gone)
            if found is None:
                continue
            remover, by = found
            where = table.origin(remover, by)
            if rule in _renaming():
                message = f"{name!r} becomes {gone!r}, which {remover} of {where} drops"
                yield table.finding("undone", rule, message, f"remove {name!r} too, in place of renaming it")
            else:
                message = f"{remover} of {where} drops {name!r} anyway"
                yield table.finding("dead", rule, message, "leave it out, or guard the removal with a value")


def _renamed(table: Table) -> Iterator[Finding]:
    """Rules that speak of a name which another has replaced before."""
    for renaming in _renaming():
        renamed = {name.lower(): target[0] for name, target in table.effective().rules.get(renaming, ())}
        if renamed:
            yield from _replaced(table, renaming, renamed)


def _replaced(table: Table, renaming: str, renamed: dict[str, str]) -> Iterator[Finding]:
    where = table.origin(renaming)
    rules = _of_items()
    for rule in rules[rules.index(renaming) + 1 :]:
        for name in _named(table.body.rules.get(rule, ())):
            target = renamed.get(name.lower())
            if target is not None:
                yield table.finding(
                    "dead",
                    rule,
                    f"{renaming} of {where} turns {name!r} into {target!r} before this rule sees it",
                    f"write {target!r}",
                )
    for name in table.where.raw.get("query", {}) if table.where else ():
        target = renamed.get(name.lower())
        if target is not None:
            yield table.finding(
                "spelling",
                "query",
                f"a condition on {name!r}, which {renaming} of {where} turns into {target!r}",
                f"write the condition on {target!r}",
            )


def _added_and_removed(table: Table) -> Iterator[Finding]:
    """Values that a rule adds where the parameter is absent, and a later one that speaks of the name drops again."""
    effective = table.effective().rules
    acts = [act for act in at(Stage.ITEMS) if act.rule in effective and act.each and act.drops in (None, Drops.VALUES)]
    for adding in acts:
        for name, kept in CATALOGUE[adding.rule].kind.adds(table.body.rules.get(adding.rule, ())):
            item = [(encoded(name), encoded(kept))]
            for act in acts[acts.index(adding) + 1 :]:
                if not bind(act, effective[act.rule]).run(item, "/"):
                    yield table.finding(
                        "undone",
                        adding.rule,
                        f"{name}={kept} is added where {name!r} is absent, and {act.rule} drops it again",
                        "put false first in the group, or leave the default out",
                    )


def _query_gone(table: Table) -> Iterator[Finding]:
    for removing in dropping(Drops.ALL):
        if not table.effective().rules.get(removing):
            continue
        where = table.origin(removing)
        for rule in rules_at(Stage.ITEMS, Stage.ORDER):
            if rule.part == "query" and rule.name != removing and table.body.rules.get(rule.name):
                yield table.finding("dead", rule.name, f"{removing} of {where} removes the whole query", "leave it out")


def _skipped(table: Table) -> Iterator[Finding]:
    rules = table.body.rules
    skips = [
        act.rule for act in at(Stage.VERDICT) if act.rule in rules and _says(act.rule, rules[act.rule], Verdict.SKIP)
    ]
    for name in skips[:1]:
        for rule, value in rules.items():
            if rule != name and not CATALOGUE[rule].kind.is_inert(value):
                yield table.finding("dead", rule, f"a URL with {name} = true is never requested", "leave it out")


def _says(rule: str, value: Any, verdict: Verdict) -> bool:
    """Whether a rule says so of every URL: its value is a flag."""
    act = CATALOGUE[rule].acts[0]
    return isinstance(value, bool) and bind(act, value).run(("/", [])) is verdict
