"""Which rules would remove the duplicates that are left: what the learner says, ready to be copied."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, PROPOSED, Candidate, tables
from scrapy_urinorm.learn.output import rules_toml
from scrapy_urinorm.lint.tables import dropping
from scrapy_urinorm.report.trial import Named, Rehearsal, drawn, wrong_merges
from scrapy_urinorm.rules import Drops
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits.reader import read_visits
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.learn.learner import LearnResult
    from scrapy_urinorm.report.figures import Figures
    from scrapy_urinorm.report.merges import RuleName

VISITS = 30_000
"""Visits that are learned from, the first ones of the crawl; `urinorm learn` reads all."""
# the page says how many more there are
SHOWN = 60
TRIES = 200
"""Crawls of a site that are simulated at the most to find the rules that cut something off."""


def proposals(
    paths: Iterable[str | Path],
    ruleset: RuleSet,
    figures: Figures,
    traps: Sequence[dict[str, Any]] = (),
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    only: Mapping[str, str | None] | None = None,
) -> dict[str, Any]:
    """Learn on top of the rules of the report; `rules` are the candidates, `toml` is the safe ones as one file.

    Safe is what the learner says is a rule, unless the comparison that judges the merges of the report finds a pair
    that differs. `trial` says what crawls of the recorded links do: without rules, under those of the report, and under
    the safe proposals as well; nothing where the visits have no links. The rules of `traps` are tried in the same way.
    """
    recorded = Rehearsal()
    visits = islice(read_visits(paths, format=format, columns=columns, base=base, only=only), VISITS)
    options = Options(preset=ruleset.preset, jobs=1)
    result = learn(recorded.seen(visits), options, ruleset.sources)
    recorded.build(figures)
    active, doubted = _judged(result, ruleset, figures)

    # what the rules of the report cut off is no proposal's fault
    own = recorded.missed(ruleset)

    def lost(site: str, some: list[Candidate]) -> int:
        return len(recorded.missed(_with(ruleset, some, result.base), site)[site] - own[site])

    cutting: dict[Candidate, int] = {}
    for site, missed in (recorded.missed(_with(ruleset, active, result.base)) if active else {}).items():
        if missed - own[site]:
            cutting |= cutting_off([one for one in active if one.site == site], partial(lost, site))
    active = [candidate for candidate in active if candidate not in cutting]
    found = sorted(active, key=_saved)
    maybe = sorted([*doubted, *cutting, *(c for c in result.others if c.status == PROPOSED)], key=_saved)
    for trap in traps:
        _check(trap, ruleset, recorded, own)
    both = _with(ruleset, active, result.base) if active else ruleset
    ways = [recorded.crawl(rules) for rules in (None, ruleset, both)]
    return {
        "visits": result.visits,
        "rules": [
            *(_row(candidate, active=True) for candidate in found[:SHOWN]),
            *(
                _row(candidate, active=False, doubt=doubted.get(candidate), cuts=cutting.get(candidate, 0))
                for candidate in maybe[:SHOWN]
            ),
        ],
        "toml": rules_toml(active, result.base) if active else "",
        "trial": [
            {"requests": way.requests, "pages": way.pages, "lost": way.lost, "curve": drawn(way.curve())}
            for way in ways
            if way is not None
        ],
        "rejected": _rejected(result),
    }


def _saved(candidate: Candidate) -> int:
    return -(candidate.saved or candidate.evidence.saved)


def _judged(
    result: LearnResult, ruleset: RuleSet, figures: Figures
) -> tuple[list[Candidate], dict[Candidate, dict[str, Any]]]:
    """The learned rules that the report's own comparison leaves standing, and the others, each with a pair of pages."""
    active = list(result.active)
    doubted: dict[Candidate, dict[str, Any]] = {}
    while active:
        wrong = wrong_merges(figures, _with(ruleset, active, result.base), VISITS)
        told = {c: pair for c in active for name, pair in wrong.items() if _is_of(name, c)}
        if not told:
            break
        doubted |= told
        active = [candidate for candidate in active if candidate not in told]
    return active, doubted


def cutting_off(active: list[Candidate], lost: Callable[[list[Candidate]], int]) -> dict[Candidate, int]:
    """The rules of a site that must go so that a crawl of its recorded links misses no page, the guiltiest first, each
    with the number of pages that it cuts off.

    `lost` says how many pages a crawl under some of the rules would miss. After `TRIES` such crawls all rules go that
    are left.
    """
    cutting: dict[Candidate, int] = {}
    tries = 0
    while active and (missed := lost(active)):
        without = {}
        for candidate in active:
            tries += 1
            without[candidate] = lost([one for one in active if one is not candidate])
        guilty = min(active, key=lambda one: (without[one], one.saved))
        cutting[guilty] = max(1, missed - without[guilty])
        active = [one for one in active if one is not guilty]
        if tries > TRIES:
            return cutting | dict.fromkeys(active, 1)
    return cutting


def _check(trap: dict[str, Any], ruleset: RuleSet, recorded: Rehearsal, own: Mapping[str, set[int]]) -> None:
    """Take the rule of a trap back where a crawl of the recorded links would miss something under it, beside the `own`
    losses of the report's rules.

    One that is doubtful is also taken back where no links were recorded.
    """
    if trap["toml"]:
        rules = Named(tomllib.loads(trap["toml"]))
        missed = recorded.missed(RuleSet.load(*ruleset.sources, rules, preset=ruleset.preset))
        if not missed and trap["doubtful"]:
            trap["toml"] = ""
        if lost := sum(len(contents - own[site]) for site, contents in missed.items()):
            trap["toml"] = ""
            trap["advice"] += f" (The rule for all of it would miss {lost:,} pages here: narrow it by hand.)"


def _is_of(name: RuleName, candidate: Candidate) -> bool:
    """Whether a rule as it acted is a candidate: its name, its place, and the parameter that it concerned."""
    here = f'"{candidate.scope}"' in name.scope.replace("'", '"')
    return name.rule == candidate.rule and here and (not name.name or name.name in repr(candidate.value))


def _with(ruleset: RuleSet, active: list[Candidate], base: dict[str, Any]) -> RuleSet:
    rules = Named({"preset": ruleset.preset, **tables(active, base)})
    return RuleSet.load(*ruleset.sources, rules, preset=ruleset.preset)


def _rejected(result: LearnResult) -> dict[str, dict[str, str]]:
    """By site and parameter what was learned not to be left out, and why."""
    out: dict[str, dict[str, str]] = {}
    for candidate in result.others:
        if (
            candidate.rule in dropping(Drops.NAMED)
            and candidate.status not in (ACTIVE, PROPOSED)
            and not candidate.where
        ):
            for value in candidate.value if isinstance(candidate.value, list) else [candidate.value]:
                out.setdefault(candidate.scope, {})[str(value)] = candidate.why
    return out


def _row(candidate: Candidate, *, active: bool, doubt: dict[str, Any] | None = None, cuts: int = 0) -> dict[str, Any]:
    evidence = candidate.evidence
    counter = [list(pair) for pair in candidate.counterexamples[:3]]
    why = candidate.why.replace(" 1 distinct pages", " 1 distinct page")
    if doubt is not None:
        counter.insert(0, [doubt["a"], doubt["b"]])
        why = f"compared line by line, it makes one what differs; the learner says: {why}"
    if cuts:
        why = f"a crawl of the recorded links would miss {count(cuts, 'page')}; the learner says: {why}"
    return {
        "active": active,
        "site": candidate.scope,
        "rule": candidate.rule,
        "family": candidate.family,
        "why": why,
        "saved": candidate.saved or evidence.saved,
        "agrees": evidence.values if evidence.constant else evidence.agree,
        "differs": max(evidence.against, int(doubt is not None)),
        "risk": None if evidence.constant or doubt is not None else round(evidence.risk, 4),
        "toml": rules_toml([candidate]),
        "examples": [list(pair) for pair in candidate.examples[:3]],
        "counterexamples": counter,
    }
