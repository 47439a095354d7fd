"""Learned files in a crawl with live rules: their rules hold from the first page on, and are tested while they do.

What such a rule makes one page waits as it does for a live rule, and is drawn from by lot; without live rules it is
dropped, and nobody looks again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.facets import LIMIT
from scrapy_urinorm.learn.earlier import candidates_of
from scrapy_urinorm.learn.evidence.candidate import DEFER, REJECTED, SKIP, SPLIT, Candidate, forms, signature, tables
from scrapy_urinorm.live.trial import Tried
from scrapy_urinorm.rulesets.before import before
from scrapy_urinorm.rulesets.ruleset import RuleSet, merged_tables
from scrapy_urinorm.suffixes import site_of, without_port

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Layer

_STAYS = frozenset((DEFER, LIMIT, SPLIT))
"""What keeps nothing from being fetched: what is put off, and how queries are split, which others may need."""
_CONDITIONS = ("path", "query", "where")


def set_aside(ruleset: RuleSet) -> tuple[RuleSet, list[dict[str, Any]]]:
    """Return a rule set without the rules of learned files that can be tested, and these as rows of evidence.

    What no row of a file tells of, as a person has written it there, stays in its table.
    """
    rows: list[dict[str, Any]] = []
    left = RuleSet()
    vars(left).update(vars(ruleset), _digest=None)
    source: dict[str, Any] = {}
    by_table = _by_table(ruleset.evidence)
    for kind, scopes in (("site", ruleset.sites), ("host", ruleset.hosts)):
        kept: dict[str, tuple[Layer, ...]] = {}
        for name, layers in scopes.items():
            own = []
            for layer in layers:
                told = by_table.get((layer.file, name, kind == "host"), []) if layer.learned else []
                tested, rest = _divided(merged_tables([layer]), told) if told else ([], {})
                rows += tested
                if not tested:
                    own.append(layer)
                elif rest:
                    source.setdefault(kind, {})[name] = rest
            if own:
                kept[name] = tuple(own)
        setattr(left, f"{kind}s", kept)
    if not rows:
        return ruleset, []
    gone = set(map(id, rows))
    left.evidence = [row for row in ruleset.evidence if id(row) not in gone]
    left.sources = (left.to_dict(pairs=True),)
    if source:
        # the row has it count as learned
        left = before([{**source, "evidence": [{"rule": "", "site": ""}]}], left, ruleset.preset)
        left.examples = ruleset.examples
    return left, rows


def _by_table(evidence: Iterable[dict[str, Any]]) -> dict[tuple[str, str, bool], list[dict[str, Any]]]:
    """Return the rows that are of rules, by the file, the site and the kind of the table that they tell of."""
    found = defaultdict[tuple[str, str, bool], list[dict[str, Any]]](list)
    for row in evidence:
        if row.get("status") != REJECTED:
            found[row["file"], str(row.get("site")), bool(row.get("this_host"))].append(row)
    return found


_Parts = dict[str, tuple[dict[str, Any], str, str | None, Any]]
"""The parts of a table, by their text: conditions, rule, parameter where it is a table by these, and value."""


def _divided(table: dict[str, Any], rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of what stands in a table and can be tested, and what is left of the table without them."""
    known = _parts(table)
    tested, theirs, others = [], set[str](), set[str]()
    for row, candidate in ((told, one) for told in rows for one in candidates_of([told])):
        parts = next((parts for one in forms(candidate) if (parts := _parts(_table(one)).keys()) <= known.keys()), None)
        if parts is not None and candidate.rule not in _STAYS:
            tested.append(row)
            theirs |= parts
        else:
            others |= parts or _parts(_table(candidate)).keys()
    return tested, _joined(part for text, part in known.items() if text not in theirs or text in others)


def _table(candidate: Candidate) -> dict[str, Any]:
    """Return the table that a candidate makes by itself."""
    (scopes,) = tables([replace(candidate)]).values()
    (table,) = scopes.values()
    return dict(table)


def _parts(table: Mapping[str, Any]) -> _Parts:
    found: _Parts = {}
    for rules in (table, *table.get("where", ())):
        where = {} if rules is table else {name: rules[name] for name in ("path", "query") if name in rules}
        for rule, value in rules.items():
            if rule not in _CONDITIONS:
                several = value.items() if isinstance(value, Mapping) else [(None, value)]
                for name, one in several:
                    for part in one if isinstance(one, list) else [one]:
                        text = json.dumps([where, rule, name, part], sort_keys=True, default=str)
                        found[text] = where, rule, name, [part] if isinstance(one, list) else part
    return found


def _joined(parts: Iterable[tuple[dict[str, Any], str, str | None, Any]]) -> dict[str, Any]:
    """Return the table that parts make."""
    table: dict[str, Any] = {}
    wheres: dict[str, dict[str, Any]] = {}
    for where, rule, name, value in parts:
        mark = json.dumps(where, sort_keys=True)
        place = wheres.setdefault(mark, dict(where)) if where else table
        place, key = (place, rule) if name is None else (place.setdefault(rule, {}), name)
        place[key] = [*place[key], *value] if isinstance(value, list) and key in place else value
    return {**table, "where": [*wheres.values()]} if wheres else table


class LearnedSites:
    """The rules of learned files, given as rows of evidence, by the site that they are of."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self._of = defaultdict[str, list[dict[str, Any]]](list)
        for row in rows:
            self._of[site_of(without_port(row["site"]))].append(row)

    def take(self, name: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """Return, once, the rules of a site as a student would say them before there is a page, None where it has none,
        and what says which addresses are skipped, each alone.
        """
        candidates = candidates_of(self._of.pop(name, ()))
        skipped = [tables([one]) for one in candidates if one.rule == SKIP]
        return self._message(name, [one for one in candidates if one.rule != SKIP]), skipped

    @staticmethod
    def _message(name: str, candidates: Sequence[Candidate]) -> dict[str, Any] | None:
        if not candidates:
            return None
        tried = [Tried(one, False, 0, 0, 0, learned=True) for one in candidates]
        rules = [
            {"id": signature(one), "said": told.said, "source": tables([one]), "proven": told.is_known}
            for one, told in zip(candidates, tried, strict=True)
        ]
        source = tables(candidates)
        said = {"do": "rules", "site": name, "version": 0, "pages": 0, "source": source, "lasting": source}
        return {**said, "likely": {}, "rules": rules, "rows": []}
