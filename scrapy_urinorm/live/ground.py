"""What holds on a site before its other rules: how queries are split, and whose session a link bears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import ACTIVE, SPLIT, Candidate, signature, tables
from scrapy_urinorm.learn.sites.separators import base_of
from scrapy_urinorm.live.pairs import subjects
from scrapy_urinorm.live.trial import Tried
from scrapy_urinorm.normalizer import Normalizer

if TYPE_CHECKING:
    from scrapy_urinorm.learn.sites.site import Site


@dataclass
class GroundRules:
    """What of the base of a site holds in the crawl: `source` is that as one rule source, `alone` and `said` each rule
    by its name, as `Studied` has them.
    """

    alone: dict[str, dict[str, Any]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    rules: list[Candidate] = field(default_factory=list)
    splits: dict[str, str] = field(default_factory=dict)
    """The rules that split queries, by host."""
    unsplit: Normalizer | None = None
    """What leaves them unsplit."""

    @property
    def source(self) -> dict[str, Any]:
        """All of it."""
        return tables(self.rules)

    @property
    def subjects(self) -> dict[str, frozenset[str]]:
        """What its rules are about."""
        return {mark: subjects(one) for one in self.rules if (mark := signature(one)) in self.alone}

    @property
    def proven(self) -> set[str]:
        """Those that were proven on real installations."""
        return {mark for one in self.rules if one.proven and (mark := signature(one)) in self.alone}

    def _take(self, one: Tried, alone: dict[str, Any]) -> str:
        mark = signature(one.candidate)
        self.alone[mark], self.said[mark] = alone, one.said
        return mark


def ground_of(site: Site, rules: Sequence[Any], preset: str, *, everywhere: bool) -> GroundRules:
    """Return the ground of a site: queries are split where other rules hold, thus `everywhere`, or where it is believed
    for itself; sessions are what the program that was recognized says, unless its pages contradict.
    """
    found = GroundRules()
    for one in (one for one in site.said_sessions if one.status == ACTIVE):
        found.rules.append(one)
        found._take(_tried(one), tables([one]))
    active = [one for one in site.separators if one.status == ACTIVE]
    whole = [_tried(one) for one in active if one.rule == SPLIT]
    used = {one.candidate.scope: one for one in whole if everywhere or one.believed}
    found.rules += (one for one in active if one.scope in used)
    for host, splitting in used.items():
        found.splits[host] = found._take(splitting, base_of(one for one in active if one.scope == host))
    if used:
        found.unsplit = Normalizer(list(rules) or None, preset, check_examples=False)
    return found


def _tried(one: Candidate) -> Tried:
    shown = one.evidence
    return Tried(one, one.proven, shown.agree, shown.against, shown.agree)
