"""What a name and a value suggest before anything is compared; never a verdict."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache

from scrapy_urinorm.learn.evidence.risk import DECLARED_PRIOR, DEFAULT_PRIOR, ID_PRIOR, START_PRIOR, TRACKER_PRIOR

_ID = re.compile(
    r"(.*[_-])?(id|ids|no|nr|num|page|p|t|f|u|q|s|query|search|keyword|title|name|slug|tag|cat|category|start|offset|"
    r"from|rev|revision|version|date|year|month|day|lang|language|pp|per_?page|page_?size|size|limit|max|count|rows)"
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
