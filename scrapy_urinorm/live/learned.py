"""Learned files in a crawl with live rules: their rules hold from the first page on, and are tested while they do.

What such a rule makes one page waits as it does for a live rule, and is drawn from by lot; without live rules it is
dropped, and nobody looks again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.facets import LIMIT
from scrapy_urinorm.learn.earlier import candidates_of
from scrapy_urinorm.learn.evidence.candidate import DEFER, REJECTED, SKIP, SPLIT, Candidate, forms, signature, tables
from scrapy_urinorm.learn.learner import by_site
from scrapy_urinorm.live.trial import Tried
from scrapy_urinorm.rulesets.before import before
from scrapy_urinorm.rulesets.ruleset import RuleSet, merged_tables

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
    for kind, scopes in (("site", ruleset.sites), ("host", ruleset.hosts)):
        kept: dict[str, tuple[Layer, ...]] = {}
        for name, layers in scopes.items():
            own = []
            for layer in layers:
                table = merged_tables([layer]) if layer.learned else {}
                tested, rest = _divided(table, _rows(ruleset.evidence, layer, name, this_host=kind == "host"))
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
    left.evidence = [row for row in ruleset.evidence if not any(row is one for one in rows)]
    left.sources = (left.to_dict(pairs=True),)
    if source:
        # the row has it count as learned
        left = before([{**source, "evidence": [{"rule": "", "site": ""}]}], left, ruleset.preset)
    return left, rows


def _rows(
    evidence: Iterable[dict[str, Any]], layer: Layer, name: str, *, this_host: bool
) -> list[tuple[dict[str, Any], Candidate]]:
    """Return the rows of a table's own file on its site that are of rules, each with what it says."""
    own = (row for row in evidence if row["file"] == layer.file and row.get("site") == name)
    told = (row for row in own if bool(row.get("this_host")) == this_host and row.get("status") != REJECTED)
    return [(row, one) for row in told for one in candidates_of([row])]


_Parts = dict[str, tuple[dict[str, Any], str, str | None, Any]]
"""The parts of a table, by their text: conditions, rule, parameter where it is a table by these, and value."""


def _divided(
    table: dict[str, Any], rows: list[tuple[dict[str, Any], Candidate]]
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the rows of what stands in a table and can be tested, and what is left of the table without them."""
    known = _parts(table)
    tested, theirs, others = [], set[str](), set[str]()
    for row, candidate in rows:
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
        self._of = dict(by_site(candidates_of(rows)))

    def take(self, name: str) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        """Return, once, the rules of a site as a student would say them before there is a page, None where it has none,
        and what says which addresses are skipped, each alone.
        """
        candidates = self._of.pop(name, ())
        skipped = [tables([one]) for one in candidates if one.rule == SKIP]
        return self._message(name, [one for one in candidates if one.rule != SKIP]), skipped

    @staticmethod
    def _message(name: str, candidates: Sequence[Candidate]) -> dict[str, Any] | None:
        if not candidates:
            return None
        rules = [
            {"id": signature(one), "said": Tried(one, False, 0, 0, 0, learned=True).said, "source": tables([one]),
             "proven": True}
            for one in candidates
        ]  # fmt: skip
        source = tables(candidates)
        said = {"do": "rules", "site": name, "version": 0, "pages": 0, "source": source, "lasting": source}
        return {**said, "likely": {}, "rules": rules, "rows": []}
