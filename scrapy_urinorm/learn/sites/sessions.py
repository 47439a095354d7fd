"""Sessions that a program puts into each link, told by what their addresses have in common."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.content import FRAME_SHARE
from scrapy_urinorm.learn.pages.values import is_volatile
from scrapy_urinorm.url import decoded
from scrapy_urinorm.visits.links import named_together, url_hash
from scrapy_urinorm.visits.redaction import is_address

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

SESSION_LENGTH = 16
"""Characters of a session at the least; those of PHP have 22 and more, and what is masked keeps its length."""
SESSION_PAGES = 4
"""Addresses without their session, for each session: what identifies a page has as many values as there are pages. Of a
generated wiki each session had twenty."""


def session_names(visits: Sequence[Visit]) -> frozenset[str]:
    """Return the parameters with a session or token in nearly every address of a site, as they stand there.

    A program that finds no cookie puts the session into each link; the id of a search is in those of searches alone,
    and that of an article or commit is another on each page. A page that links to several values of one, to most of
    them in all, lists what they name: the shops of a platform, or its schools.
    """
    counts: Counter[str] = Counter()
    values: defaultdict[str, set[int]] = defaultdict(set)
    rests: defaultdict[str, set[int]] = defaultdict(set)
    for visit in visits:
        drawn, rest = _drawn(visit.url)
        counts.update(drawn.keys())
        for name, value in drawn.items():
            values[name].add(hash(value))
            rests[name].add(rest)
    return frozenset(
        name
        for name, n in counts.items()
        if n >= FRAME_SHARE * len(visits)
        and len(rests[name]) >= SESSION_PAGES * len(values[name])
        and not is_address(name)
        and 2 * len(_listed(name, visits)) <= len(values[name])
    )


def _drawn(url: str) -> tuple[dict[str, str], int]:
    """Return what may be sessions of an address by name, and a hash of the address without them."""
    path, _, query = url.partition("#")[0].partition("?")
    drawn: dict[str, str] = {}
    rest = {path}
    for item in query.split("&"):
        name, equals, value = item.partition("=")
        if equals and len(value) >= SESSION_LENGTH and is_volatile(decoded(value)):
            drawn.setdefault(name, value)
        else:
            rest.add(item)
    return drawn, hash(frozenset(rest))


def _listed(name: str, visits: Iterable[Visit]) -> set[str]:
    """Return the values of a parameter that one page links to beside others."""
    values = {visit.id or url_hash(visit.url): _drawn(visit.url)[0].get(name) for visit in visits}
    return named_together(values, (visit.links for visit in visits))
