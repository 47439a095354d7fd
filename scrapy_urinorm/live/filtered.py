"""Lists with more than one filter, closed together: ten filters have a thousand sets of names, each with its own pages.

Which parameters are filters is what the student has found out; the shapes say whether they have a few values each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container
from collections.abc import Set as AbstractSet
from functools import lru_cache

from scrapy_urinorm.importers.facets import is_script
from scrapy_urinorm.learn.evidence.risk import TRACKER_PRIOR, name_prior
from scrapy_urinorm.live.groups import added_to, group_of, parts_of_added
from scrapy_urinorm.live.patterns import LONGEST
from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits.redaction import Redaction

MOST_SHAPES = 20_000
"""Shapes that are counted: as many as patterns; 2 MB."""
_REMEMBERED = 5_000
"""Shapes of which it is remembered whether they are such lists; 2 MB."""
# fewer than those that turn the pages of lists elsewhere: `p` may be a post, and `from` a place
is_paging = re.compile(r"(?i)(?:page|paged|pg|per_?page|limit|offset|start)").fullmatch
# what stands for many values in a shape
_OPEN = frozenset("*#")
# a space, which no name of a group ends with
_WHOLE = " ?& "


def whole_of(pattern: str) -> str:
    """Return the name of all such lists in the folder at the top of a site that a pattern lies in, or of its script."""
    head = pattern.partition("?")[0]
    return (head if is_script(head.rpartition("/")[2]) else "/".join(head.split("/")[:4])) + _WHOLE


def is_whole(name: str) -> bool:
    """Whether a name is that of all lists with more than one filter."""
    return name.endswith(_WHOLE)


def shown(name: str) -> str:
    """Return the name of a pattern or group for people, without secrets: a session may look like a word."""
    name = Redaction()(name)
    if parts := parts_of_added(name):
        return "{}, whatever {} is added to".format(*parts)
    return name.removesuffix(_WHOLE) + ", lists with more than one filter" if is_whole(name) else name


@lru_cache(_REMEMBERED)
def is_filtered(pattern: str, filters: frozenset[str]) -> bool:
    """Whether two parameters of a shape or more are filters, or have one of a few values, and no other names anything.

    Of a repository `a=commit&h=#&p=site` is a list by none of its parameters: what has many values may be a page.
    """
    if len(pattern) >= LONGEST:
        # what was cut off may name anything
        return False
    items = [item.partition("=")[::2] for item in pattern.partition("?")[2].split("&")]
    idle = [not value or is_paging(name) or name_prior(decoded(name)) >= TRACKER_PRIOR for name, value in items]
    lists = [bool(value) and (_OPEN.isdisjoint(value) or decoded(name) in filters) for name, value in items]
    return sum(lists) > 1 and all(a or b for a, b in zip(lists, idle, strict=True))


class Filtered:
    """Such lists of one crawl; `filters` says of an origin, or script, which parameters of its site are filters, and
    `known` holds the patterns that were fetched.
    """

    def __init__(self, filters: Callable[[str], AbstractSet[str]], known: Container[str] = ()) -> None:
        self._filters = filters
        self._known = known
        self._shapes: set[int] = set()

    def has(self, group: str) -> bool:
        """Whether the names of a group are those of more than one filter."""
        origin, _, names = group.partition(" ?")
        filters = self._filters(origin)
        return bool(filters) and sum(decoded(name) in filters for name in names.split("&")) > 1

    def groups(self, pattern: str, *, news: bool) -> list[str]:
        """Return the groups that a pattern belongs to: of its names, of what adds one of them to a pattern that was
        fetched, and all lists with more than one filter.

        News of all that has such names are news of these; that there are none counts only of what is such a list
        without a doubt, as a parameter may have many values by now.
        """
        name = group_of(pattern)
        if not name:
            return []
        whole = [whole_of(pattern)] if self.has(name) and (news or self.holds(pattern)) else []
        return [name, *added_to(pattern, None if news else self._known), *whole]

    def wider(self, pattern: str, *, combined: bool, alone: bool) -> list[str]:
        """Return the groups that a pattern may be closed with, beside that of its names: none that its parameters make
        where it is judged `alone`, and that of lists with more than one filter where it is one, `combined`.
        """
        found = [] if alone else added_to(pattern, self._known)
        if combined and self.has(group_of(pattern)) and self.holds(pattern):
            found.append(whole_of(pattern))
        return found

    def holds(self, pattern: str) -> bool:
        """Whether a pattern is of such lists without a doubt."""
        return is_filtered(pattern, frozenset(self._filters(group_of(pattern).partition(" ?")[0])))

    def is_new(self, pattern: str) -> bool:
        """Whether a shape is one more that is counted."""
        new = hash(pattern) not in self._shapes and len(self._shapes) < MOST_SHAPES
        if new:
            self._shapes.add(hash(pattern))
        return new
