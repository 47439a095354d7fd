"""How likely it is that a rule merges two different pages, and the test that decides it by one pair after the other.

What a name and a value suggest before anything is compared is a prior, and never a verdict.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from math import exp, lgamma, log, sqrt

ID_PRIOR = 0.02
DEFAULT_PRIOR = 0.1
START_PRIOR = 0.5
DECLARED_PRIOR = 0.95
TRACKER_PRIOR = 0.9
"""Probabilities that a part is irrelevant before anything is seen: an id, any part, the first page of a list or an
empty value said explicitly, a name that the site itself declares irrelevant, a known tracker."""

_IRRELEVANT = (30.0, 1.0)
_RELEVANT = (0.5, 2.0)
Z_95 = 1.645  # one side, 95 %


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


@lru_cache(1 << 16)
def risk(agree: int, against: int, prior: float = DEFAULT_PRIOR) -> float:
    """Return the expected share of disagreement under a mixture of two Beta distributions.

    "This part is irrelevant" is Beta(30, 1) with probability `prior`, "relevant" is Beta(0.5, 2). `agree` counts
    distinct content classes, `against` weighted disagreements.
    """
    a1, b1 = _IRRELEVANT
    a0, b0 = _RELEVANT
    one = log(prior) + _log_beta(agree + a1, against + b1) - _log_beta(a1, b1)
    zero = log(1 - prior) + _log_beta(agree + a0, against + b0) - _log_beta(a0, b0)
    weight = 1 / (1 + exp(min(700.0, zero - one)))
    n = agree + against
    return weight * (against + b1) / (n + a1 + b1) + (1 - weight) * (against + b0) / (n + a0 + b0)


GOOD, BAD = 0.99, 0.90
"""A rule that is right in so large a share of cases is to be believed; one that is right in so few is not."""
ERROR = 0.05
"""How often either is missed. Looked at after each pair, Wald's test (1945) keeps that; a posterior does not: it
believes a rule that is wrong in one of ten cases with probability 0.86."""
_FOR, _AGAINST = log(GOOD / BAD), log((1 - GOOD) / (1 - BAD))
BELIEVED = log((1 - ERROR) / ERROR)
"""31 pairs that agree and none against; 56 with one."""


def standing(agree: int, against: int) -> float:
    """Return the evidence for a rule, the logarithm of a likelihood ratio: believed from `BELIEVED` on, disbelieved
    from `-BELIEVED`.
    """
    return agree * _FOR + against * _AGAINST


def wilson_lower(agree: int, against: int) -> float:
    """Return the lower end of Wilson's one-sided 95 % interval of the share that agrees."""
    n = agree + against
    if not n:
        return 0.0
    p, z = agree / n, Z_95
    centre = p + z * z / (2 * n)
    margin = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (centre - margin) / (1 + z * z / n)


_ID = re.compile(
    r"(.*[_-])?(id|ids|no|nr|num|page|p|t|f|u|q|s|query|search|keyword|title|name|slug|tag|cat|category|start|offset|"
    r"from|rev|revision|ver|version|edition|release|diff|snapshot|backup|date|year|month|day|lang|language|pp|"
    r"per_?page|page_?size|size|limit|max|count|rows)"
    r"|.*(id|Id|ID)"
)
# the short ones are words of their own: a post, a list and an artist have no start
_START = re.compile(
    r"(?i:.*(page|paged|pg|start|startwith|offset|skip|begin))|(?i:(.*[^a-z])?(from|first|pos|st))|.*[a-z](From|First|Pos)"
)


_LONGEST = 100
"""Letters of a name that is remembered: those of trackers have 30 at the most."""


@cache
def _is_tracker() -> Callable[[str], bool]:
    from scrapy_urinorm.rules.globs import glob_pattern
    from scrapy_urinorm.rulesets.sources import preset_table

    entries = preset_table("recommended")["rules"]["remove_params"]
    globs = [glob_pattern(entry if isinstance(entry, str) else entry["name"]) for entry in entries]

    def is_tracker(name: str) -> bool:
        return any(glob(name) for glob in globs)

    # a site has few names, each of which is asked about for each group that it tells apart
    known = lru_cache(4096)(is_tracker)
    return lambda name: (known if len(name) <= _LONGEST else is_tracker)(name)


def name_prior(name: str, declared: frozenset[str] = frozenset()) -> float:
    """Return the probability that a parameter of this name (decoded) has nothing to do with the page."""
    if name.lower() in declared:
        return DECLARED_PRIOR
    if _is_tracker()(name):
        return TRACKER_PRIOR
    return ID_PRIOR if _ID.fullmatch(name) else DEFAULT_PRIOR


def default_prior(name: str, value: str) -> float:
    """Return the probability that this value (decoded) says what absence says."""
    if value == "" or (value in ("0", "1") and _START.fullmatch(name)):
        return START_PRIOR
    return min(DEFAULT_PRIOR, name_prior(name))
