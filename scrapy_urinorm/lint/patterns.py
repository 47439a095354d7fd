"""Findings on patterns that could take long, and so are not run on long texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.rules.patterns import Pattern, compile_pattern

if TYPE_CHECKING:
    from scrapy_urinorm.lint.tables import Finding, Table

#: Of 66,416 URLs of real crawls 0.3 % have a longer path and query.
USUAL = 200


def findings(table: Table) -> Iterator[Finding]:
    """A finding for each pattern of a table that is not run on texts of a usual length."""
    found = [(rule, pattern) for rule, value in table.body.rules.items() for pattern in _patterns(value)]
    conditions = table.where.raw.get("query") if table.where is not None else None
    for name, condition in (conditions or {}).items():
        if isinstance(condition, dict) and "matches" in condition:
            found.append((f"query.{name}", compile_pattern(condition["matches"])))
    for key, pattern in found:
        if pattern.limit < USUAL:
            yield table.finding(
                "costly-pattern",
                key,
                f"'{pattern.text}' could take long, so it is run on texts up to {pattern.limit} characters only",
                "let each character decide how to go on: [^,]* instead of .*?, no two repeats of the same side by side",
            )


def _patterns(value: Any) -> Iterator[Pattern]:
    if isinstance(value, Pattern):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _patterns(part)
    elif isinstance(value, (tuple, list, frozenset)):
        for part in value:
            yield from _patterns(part)
