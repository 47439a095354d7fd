"""Proposals from addresses alone, as DustBuster makes them (Bar-Yossef, Keidar and Schonfeld, TWEB 2009).

Without content nothing is proved. What speaks for a rule is that many addresses exist both with and without the
part (support) and that the part takes few values beside the same rest (small buckets: ids take many). Sizes of an
access log can only speak against. Such rules are never active; `urinorm validate` fetches and decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.candidate import UNVERIFIED, Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.families.constant import spoken
from scrapy_urinorm.learn.families.drops import DROP
from scrapy_urinorm.learn.families.paths import PATH_RULES
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.edits import Name
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.families.stage import Stage

BUCKET = 11
MIN_SUPPORT = 5
MIN_SMALL = 0.8
"""The share of groups that must be small buckets."""
SIZE_TOLERANCE = 0.05
"""Sizes that differ by more are of different pages, whatever varies in a frame; chosen."""
MAX_PROPOSALS = 40
"""Proposals without evidence that a person may be asked to read."""


def proposals(stage: Stage) -> list[Candidate]:
    """Return the unverified candidates of a site of which no content is known, those with most support first."""
    found = []
    for name, neighbours in sorted(stage.groups.items()):
        candidate = _proposal(stage, name, neighbours)
        if candidate is not None:
            found.append(candidate)
    found.sort(key=lambda c: (-c.evidence.groups_for, c.rule, str(c.value)))
    return found[:MAX_PROPOSALS]


def _proposal(stage: Stage, name: Name, neighbours: list[Neighbours]) -> Candidate | None:
    rule: str
    value: Any
    if name[0] == "drop":
        names = [decoded(param) for param in name[1:]]
        if any("*" in one for one in names):
            return None
        rule, value, what = DROP, names, spoken(names)
    else:
        rule, value, what = PATH_RULES[name[0]](name)
    both = [group for group in neighbours if group.absent >= 0]
    small = [group for group in both if group.values <= BUCKET]
    agree = [group for group in small if not _sizes_differ(stage, group)]
    against = len(small) - len(agree)
    large = sum(group.values > BUCKET for group in neighbours)
    if len(agree) < MIN_SUPPORT or len(agree) < MIN_SMALL * (len(small) + large):
        return None
    evidence = Evidence(groups=len(neighbours), groups_for=len(agree), groups_against=against, against=against)
    evidence.saved = sum(group.size - 1 for group in agree)
    why = f"{len(agree)} addresses exist with and without {what}; no content was compared"
    candidate = Candidate(stage.scope, rule, value, evidence, "addresses alone", why, status=UNVERIFIED)
    for group in agree[:3]:
        other = next(page for _, page in group.members if page != group.absent)
        candidate.examples.append((stage.views[other].page.url, stage.views[group.absent].page.url))
    return candidate


def _sizes_differ(stage: Stage, group: Neighbours) -> bool:
    """Whether the bodies of a group are of clearly different sizes; unknown sizes differ from nothing."""
    sizes = [size for _, page in group.members if (size := stage.views[page].page.size) is not None]
    return bool(sizes) and max(sizes) > (1 + SIZE_TOLERANCE) * min(sizes) + 64
