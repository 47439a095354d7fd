"""Which rules would remove the duplicates that are left: what the learner says, ready to be copied."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.importers.document import Document
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.candidate import ACTIVE, PROPOSED, tables
from scrapy_urinorm.visits.reader import read_visits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from scrapy_urinorm.learn.candidate import Candidate
    from scrapy_urinorm.rulesets.ruleset import RuleSet

VISITS = 30_000
"""Visits that are learned from, the first ones of the crawl; `urinorm learn` reads all."""
# the page says how many more there are
SHOWN = 60


def proposals(
    paths: Iterable[str | Path],
    ruleset: RuleSet,
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    only: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Learn on top of the rules of the report; `rules` are the candidates, `toml` is the safe ones as one file."""
    visits = islice(read_visits(paths, format=format, columns=columns, base=base, only=only), VISITS)
    options = Options(preset=ruleset.preset, jobs=1)
    result = learn(visits, options, ruleset.sources)
    found = sorted(result.active, key=lambda c: -(c.saved or c.evidence.saved))
    maybe = sorted((c for c in result.others if c.status == PROPOSED), key=lambda c: -(c.saved or c.evidence.saved))
    return {
        "visits": result.visits,
        "urls": result.urls,
        "keys": result.keys,
        "rules": [_row(candidate) for candidate in [*found[:SHOWN], *maybe[:SHOWN]]],
        "toml": _toml(result.active, result.base) if result.active else "",
    }


def _row(candidate: Candidate) -> dict[str, Any]:
    evidence = candidate.evidence
    return {
        "active": candidate.status == ACTIVE,
        "site": candidate.scope,
        "rule": candidate.rule,
        "family": candidate.family,
        "why": candidate.why.replace(" 1 distinct pages", " 1 distinct page"),
        "saved": candidate.saved or evidence.saved,
        "agrees": evidence.values if evidence.constant else evidence.agree,
        "differs": evidence.against,
        "risk": None if evidence.constant else round(evidence.risk, 4),
        "toml": _toml([candidate]),
        "examples": [list(pair) for pair in candidate.examples[:3]],
        "counterexamples": [list(pair) for pair in candidate.counterexamples[:3]],
    }


def _toml(candidates: list[Candidate], base: dict[str, Any] | None = None) -> str:
    document = Document()
    for kind, scopes in tables(candidates, base).items():
        for name, table in scopes.items():
            document.tables[kind, name] = table
    return document.to_toml()
