"""When a rule is believed, and when no more: a sequential test, and the share of requests that go on testing it."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.learn.evidence.candidate import ACTIVE, Candidate
from scrapy_urinorm.learn.evidence.pack_lines import FAMILY as PLATFORMS
from scrapy_urinorm.learn.evidence.risk import BELIEVED, risk, standing
from scrapy_urinorm.live.priors import FAMILY
from scrapy_urinorm.wording import brief

if TYPE_CHECKING:
    from scrapy_urinorm.learn.options import Options

PROVEN_PAIRS = 3
"""Pairs that agree, and none against, from which a line is believed that was proven on real installations."""
CANARIES = 3
"""Of what a rule keeps back so many are fetched before the rest is given up, or all."""
# as many as one in five, falling with the root of what was kept back
_MOST, _FEWER = 0.2, 2.0
_TENTH = 0.1


def is_believed(agree: int, against: int, *, proven: bool) -> bool:
    """Whether so many pairs are enough; fewer are for what was proven on real installations of the same program."""
    return (proven and agree >= PROVEN_PAIRS and not against) or standing(agree, against) >= BELIEVED


def canary_share(parked: int, *, fewer: bool = False) -> float:
    """Return the share of a rule's requests that are fetched all the same, when it has kept back so many.

    A rule that is wrong in a tenth of the cases is found after 72 in the median; at 10,000 the share is 2 %. `fewer` is
    a tenth of that: of a line that was proven on real installations, or where enough of them have shown the same.
    """
    return min(_MOST, _FEWER / sqrt(max(1, parked))) * (_TENTH if fewer else 1)


class Tried(NamedTuple):
    """A candidate with the pairs of pages that agree under it, and those that do not; `pages` counts different ones.

    A `learned` one is of a learned file: it is believed until a pair does not agree, and then as any other.
    """

    candidate: Candidate
    proven: bool
    agree: int
    against: int
    pages: int
    learned: bool = False

    @property
    def is_known(self) -> bool:
        """Whether it was proven on real installations; in a learned file, that it is a line of a pack."""
        return self.proven or (self.learned and self.candidate.family == PLATFORMS)

    @property
    def believed(self) -> bool:
        """Whether the test believes it."""
        if self.learned and not self.against:
            return True
        return not self.candidate.needs_word and is_believed(self.agree, self.against, proven=self.proven)

    def lasts(self, options: Options) -> bool:
        """Whether it is for a next crawl, too, which tests nothing: what was first a proposal by the pages of today."""
        known = self.candidate.proven if self.candidate.family == FAMILY else self.candidate.status == ACTIVE
        return known or risk(self.pages, self.against, self.candidate.evidence.prior) <= options.risk

    def trial(self, alone: dict[str, Any]) -> tuple[dict[str, Any], list[int], bool]:
        """Return what further pages are held against."""
        return alone, [self.agree, self.against], self.proven

    @property
    def said(self) -> str:
        """The rule and its evidence in words."""
        one = self.candidate
        where = f" where {brief(one.where)}" if one.where else ""
        of_pack = one.family == FAMILY or (one.family == PLATFORMS and not self.learned)
        line = f", {one.why.partition(':')[0]}" if of_pack else ", of a learned file" if self.learned else ""
        pairs = f"{self.agree} pairs agree, {self.against} do not{line}"
        known = "of a learned file" if self.learned and not (self.agree or self.against) else pairs
        return f"{one.rule} = {brief(one.value)} for {one.scope}{where} ({known})"
