"""What is valid in a rule set and yet not meant: rules that never act, that undo each other, that do not settle.

A finding never stops a crawl: it says that a part of a table does nothing, or not what its neighbours say.
"""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_urinorm.lint import entries, patterns, reach, settling
from scrapy_urinorm.lint.tables import CODES, Finding, tables
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet, no_collection

__all__ = ["CODES", "Finding", "lint"]


def lint(ruleset: RuleSet, urls: Iterable[str] = ()) -> list[Finding]:
    """Every finding about a rule set, in the order of its files and lines; presets are not subjects.

    Whether rules settle is tried on URLs made from the tables themselves, on their examples, and on `urls`.
    """
    with no_collection():
        return _found(ruleset, urls)


def _found(ruleset: RuleSet, urls: Iterable[str]) -> list[Finding]:
    normalizer = Normalizer(ruleset, check_examples=False)
    found: dict[Finding, None] = {}
    for table in tables(ruleset):
        for check in (entries.findings, patterns.findings, reach.table_findings):
            found.update(dict.fromkeys(check(table)))
    found.update(dict.fromkeys(reach.scope_findings(ruleset, normalizer)))
    found.update(dict.fromkeys(settling.findings(ruleset, normalizer, urls)))
    order = {file: number for number, file in enumerate(ruleset.files)}
    return sorted(found, key=lambda f: (order.get(f.problem.file, -1), f.problem.line or 0))
