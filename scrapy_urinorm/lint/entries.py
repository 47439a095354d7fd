"""Findings on the entries of one table: covered, dead, excepted from nothing, undone by a neighbour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_urinorm.lint.tables import covering, overlap
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules.kinds import Name, Names, NameTable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy_urinorm.lint.tables import Finding, Table

_ADDING = [n for n, r in CATALOGUE.items() if isinstance(r.kind, Names) and not r.kind.replace and not r.kind.keep]
#: Rules on query items after `rename_params`, in the order of execution.
_ITEM_RULES = (
    "lowercase_names", "lowercase_params", "numeric_params", "map_params", "rewrite_params", "unordered_values",
    "collapse_nested", "remove_params", "keep_params", "default_params", "remove_empty_params",
)  # fmt: skip
_BEFORE_REMOVAL = ("rename_params", *_ITEM_RULES[: _ITEM_RULES.index("remove_params")])
_AFTER_REMOVAL = _ITEM_RULES[_ITEM_RULES.index("remove_params") + 1 :]


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
    for segment in table.body.rules.get("remove_segments", ()):
        if segment.takes_any():
            yield table.finding(
                "eats-paths",
                "remove_segments",
                "an entry takes any segment, then the next in its place, until no path is left and all pages are one",
                "say more of the name or pattern, add `of`, the number of segments, or a `where` with a path",
            )


def _named(value: Any) -> Iterator[str]:
    """The names or globs that the value of a rule speaks of."""
    for entry in value:
        yield entry.name if isinstance(entry, Name) else entry[0]


def _covered(table: Table) -> Iterator[Finding]:
    for rule in _ADDING:
        own = table.body.rules.get(rule, ())
        if not own:
            continue
        inherited = table.inherited().names(rule)
        for at, entry in enumerate(own):
            # in its own list an entry may be covered by any other one; of two equal ones the later is superfluous
            others = [o for n, o in enumerate(own) if n != at and (n < at or not _same(o, entry))]
            by = covering(NameTable(tuple(others)), entry) if others else None
            by = by or covering(inherited, entry)
            if by is not None:
                where = table.origin(rule, by)
                said = "stands there already" if _same(by, entry) else f"is covered by {by.name!r}"
                yield table.finding("covered", rule, f"{entry.name!r} {said} ({where})", "leave it out")


def _same(one: Name, other: Name) -> bool:
    guards = [e.value.text if e.value else None for e in (one, other)]
    return one.name.lower() == other.name.lower() and guards[0] == guards[1]


def _excepted(table: Table) -> Iterator[Finding]:
    effective = table.effective().rules.get("remove_params", ())
    for entry in table.body.rules.get("except_params", ()):
        if not any(overlap(other.name, entry.name) for other in effective if not other.keep):
            yield table.finding(
                "nothing-to-except",
                "except_params",
                f"no remove_params of this scope or a wider one removes {entry.name!r}",
                "leave it out, or look for a slip of the pen",
            )


def _not_kept(table: Table) -> Iterator[Finding]:
    """Entries on names that `keep_params` drops, and kept names that are gone before."""
    effective = table.effective()
    if "keep_params" not in effective.rules:
        return
    where = table.origin("keep_params")
    for rule in _ITEM_RULES:
        if rule == "keep_params" or rule not in table.body.rules:
            continue
        for name in _named(table.body.rules[rule]):
            if not effective.keeps(name):
                yield table.finding(
                    "dead", rule, f"keep_params of {where} drops {name!r} anyway", "leave it out, or keep the name"
                )
    for name, target in table.body.rules.get("rename_params", ()):
        if not effective.keeps(target[0]):
            yield table.finding(
                "undone",
                "rename_params",
                f"{name!r} becomes {target[0]!r}, which keep_params of {where} drops",
                f"add {target[0]!r} to keep_params",
            )
    for entry in table.body.rules.get("keep_params", ()):
        by = effective.removes(entry.name)
        if by is not None:
            where = table.origin("remove_params", by)
            yield table.finding(
                "dead",
                "keep_params",
                f"{entry.name!r} is not kept: remove_params of {where} drops {by.name!r} before",
                f"take it back with except_params = [{entry.name!r}], or do not list it",
            )


def _removed(table: Table) -> Iterator[Finding]:
    """Rules on parameters that `remove_params` drops whatever their value."""
    effective = table.effective()
    for rule in (*_BEFORE_REMOVAL, *_AFTER_REMOVAL):
        if rule == "keep_params":
            continue
        for entry in table.body.rules.get(rule, ()):
            name = entry.name if isinstance(entry, Name) else entry[0]
            gone = entry[1][0] if rule == "rename_params" else name
            by = effective.removes(gone)
            if by is None:
                continue
            where = table.origin("remove_params", by)
            if rule == "rename_params":
                message = f"{name!r} becomes {gone!r}, which remove_params of {where} drops"
                yield table.finding("undone", rule, message, f"remove {name!r} too, in place of renaming it")
            else:
                message = f"remove_params of {where} drops {name!r} anyway"
                yield table.finding("dead", rule, message, "leave it out, or guard the removal with a value")


def _renamed(table: Table) -> Iterator[Finding]:
    """Rules that speak of a name which `rename_params` has replaced before."""
    renamed = {name.lower(): target[0] for name, target in table.effective().rules.get("rename_params", ())}
    if not renamed:
        return
    where = table.origin("rename_params")
    for rule in _ITEM_RULES:
        for name in _named(table.body.rules.get(rule, ())):
            target = renamed.get(name.lower())
            if target is not None:
                yield table.finding(
                    "dead",
                    rule,
                    f"rename_params of {where} makes {target!r} of {name!r} before this rule sees it",
                    f"write {target!r}",
                )
    for name in table.where.raw.get("query", {}) if table.where else ():
        target = renamed.get(name.lower())
        if target is not None:
            yield table.finding(
                "spelling",
                "query",
                f"a condition on {name!r}, of which rename_params of {where} makes {target!r}",
                f"write the condition on {target!r}",
            )


def _added_and_removed(table: Table) -> Iterator[Finding]:
    """Values that `map_params` adds where the parameter is absent, and another rule takes away again."""
    effective = table.effective()
    defaults = {name.lower(): values for name, values in effective.rules.get("default_params", ())}
    for name, groups in table.body.rules.get("map_params", ()):
        for group in groups:
            kept = group.values[0]
            if kept is not None and None in group.values[1:] and kept in defaults.get(name.lower(), ()):
                yield table.finding(
                    "undone",
                    "map_params",
                    f"{name}={kept} is added where {name!r} is absent, and default_params drops it again",
                    "put false first in the group, or leave the default out",
                )


def _query_gone(table: Table) -> Iterator[Finding]:
    if not table.effective().rules.get("remove_query"):
        return
    where = table.origin("remove_query")
    for rule in ("rename_params", *_ITEM_RULES, "dedupe_params", "sort_query"):
        if table.body.rules.get(rule):
            yield table.finding("dead", rule, f"remove_query of {where} removes the whole query", "leave it out")


def _skipped(table: Table) -> Iterator[Finding]:
    rules = table.body.rules
    if not rules.get("skip"):
        return
    for rule in rules:
        if rule != "skip" and rules[rule] not in (False, "keep", "off"):
            yield table.finding("dead", rule, "a URL with skip = true is never requested", "leave it out")
