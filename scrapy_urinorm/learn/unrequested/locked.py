"""Shapes whose addresses all lead to one form to log in, or deny this visitor what is there: requested last.

A form to log in is known by what the site does: addresses of a shape redirect to it for the time being, each to the
same page, and none of them shows anything. Where the address of the form names the way back, the site says itself that
it stands in between. Another visitor, or this one once signed in, may see what is there: nothing is ever skipped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, urlsplit

from scrapy_urinorm.content import NEAR, compare
from scrapy_urinorm.learn.evidence.candidate import DEFER
from scrapy_urinorm.learn.sites.site import HOPS
from scrapy_urinorm.learn.unrequested.refused import ANSWERED, MIN_REFUSED, MOST_SHAPES, candidate_of
from scrapy_urinorm.learn.unrequested.silent import Learner, is_known, leads_nowhere, newly_silent, silence

if TYPE_CHECKING:
    from scrapy_urinorm.learn.families.shapes import Shape, Shapes
    from scrapy_urinorm.learn.pages.page import Page

MIN_LOCKED = 31
"""Addresses of a shape that must lead to the form, or be denied, and none otherwise: as many pages as make a rule
believed (`risk.BELIEVED`). Nothing is lost where it is wrong, so it is fewer than what is skipped needs."""
MOST_FORMS = 8
"""Texts that a form may have, each near to the first: it may name what it was opened for; chosen."""


class Door(NamedTuple):
    """Where a redirect leads: the place of the form with what its address says but for the way back, and whether it
    names that.
    """

    form: tuple[str, str, tuple[tuple[str, str], ...]]
    names_back: bool


DENIED = Door(("", "", ()), names_back=True)
"""What answered 401 or 403 says as much by itself."""


def locked(learner: Learner) -> None:
    """Put off the shapes whose addresses all lead to a form to log in."""
    shapes = learner.shapes()
    doubts = _Doubts(learner)
    looked_at = [(shape, members, _ways(learner, shape, shapes, members)) for shape, members in shapes.ranked()]
    for shape, members, ways in [one for one in looked_at if one[2]][:MOST_SHAPES]:
        form = "an answer that they are for others" if ways[0] == DENIED else ways[0].form[1]
        why = f"addresses of the form {shapes.text(shape, None)}, {len(members)} of them, lead to {form}"
        candidate = candidate_of(shapes, shape, members, why)
        candidate.rule = DEFER
        if is_known(learner, candidate):
            continue
        if why := doubts.against(shapes, members, ways):
            learner.refuse(candidate, why)
            continue
        silent = newly_silent(learner, candidate)
        if any(_way(learner, page) != ways[0] for n in silent for page in shapes.views[n].pages):
            learner.refuse(candidate, "its conditions also hold for other addresses")
        elif learner.proof is not None and not leads_nowhere(learner, silent, lists=False):
            learner.refuse(candidate, "they lead to others")
        else:
            silence(learner, candidate, silent)


def _ways(learner: Learner, shape: Shape, shapes: Shapes, members: Sequence[int]) -> list[Door]:
    """Return the ways of a shape that is worth a look, those of most addresses first."""
    if len(members) < MIN_LOCKED or not shape.is_open or not learner.silent_views.isdisjoint(members):
        return []
    ways = Counter(way for n in members for page in shapes.views[n].pages if (way := _way(learner, page)) is not None)
    if not ways or max(ways.values()) < MIN_LOCKED:
        return []
    return sorted(ways, key=lambda way: (-ways[way], way))


class _Doubts:
    """What speaks against putting a shape off."""

    def __init__(self, learner: Learner) -> None:
        self.learner = learner
        self._answered: list[int] = []

    def against(self, shapes: Shapes, members: Sequence[int], ways: Sequence[Door]) -> str:
        """Return why the addresses of a shape are asked for in their turn; empty where nothing says so."""
        learner = self.learner
        pages = [page for n in members for page in shapes.views[n].pages]
        others = sum(_way(learner, page) is None for page in pages)
        if others:
            return f"{others} of them showed a page, or something else"
        if len(ways) > 1:
            return f"they lead to {len(ways)} pages"
        if not _is_one(learner, pages):
            return "the pages that they lead to differ"
        partial = learner.proof is None or not learner.proof.is_finished
        if partial and not ways[0].names_back and len(members) < MIN_REFUSED:
            # of a shop whose sold products lead to the front of a department, those may have come first
            return "the crawl had not come to its end, and nothing names the way back"
        numbers = learner.site.numbers
        at = sorted(numbers[page.key] for page in pages)
        middle = at[len(at) // 2]
        # of a server that has had enough the later half has none
        between = min(self._between(at[0], middle, pages), self._between(middle, at[-1], pages))
        if between < ANSWERED * len(members) / 2:
            return "hardly a page was answered in between"
        return ""

    def _between(self, first: int, last: int, pages: Iterable[Page]) -> int:
        """Return how many pages were answered between two, but for the form itself."""
        if not self._answered:
            answered = (page.label >= 0 and page.final is None for page in self.learner.site.pages)
            self._answered = [0, *accumulate(answered)]
        numbers = self.learner.site.numbers
        forms = {numbers[page.final] for page in pages if page.final in numbers}
        shown = sum(first <= n <= last and self.learner.site.pages[n].label >= 0 for n in forms)
        return self._answered[last + 1] - self._answered[first] - shown


def _way(learner: Learner, page: Page) -> Door | None:
    """Return where a page leads to; None where it shows something, or leads there for good."""
    site = learner.site
    if page.key in site.changed:
        return None
    if page.denied and page.label < 0:
        return DENIED
    if page.final is None or not page.passing:
        return None
    end = _end(learner, page)
    try:
        parts, asked = urlsplit(end.url if end is not page else page.final), urlsplit(page.url)
    except ValueError:
        # what looks like the address of a host and is none
        return None
    if end is not page and end.label < 0:
        # it was fetched, and is no page
        return DENIED if end.denied else None
    items = parse_qsl(parts.query, keep_blank_values=True)
    said = tuple(sorted((name, value) for name, value in items if not _is_back(value, asked.path)))
    if parts.path in ("", "/") and not said:
        # the start, whatever it is told
        return None
    return Door((parts.netloc, parts.path, said), len(said) < len(items))


def _is_back(value: str, path: str) -> bool:
    """Whether a value is the address that was asked for."""
    if value.startswith(("http://", "https://")):
        # no urlsplit: a value may be any text
        value = "/" + value.partition("://")[2].partition("/")[2]
    return value.startswith("/") and value.partition("#")[0].partition("?")[0] == path


def _end(learner: Learner, page: Page) -> Page:
    """Return the last page of a chain of redirects, as far as it was seen."""
    end = page
    for _ in range(HOPS):
        target = learner.site.by_key.get(end.final or "")
        if target is None:
            break
        end = target
    return end


def _is_one(learner: Learner, pages: Iterable[Page]) -> bool:
    """Whether what addresses show, and what they lead to, is one page, as far as it was seen."""
    shown: dict[int, Page] = {}
    for page in pages:
        for one in (page, _end(learner, page)):
            if one.label >= 0 and len(shown) <= MOST_FORMS:
                shown.setdefault(one.label, one)
    forms = list(shown.values())
    return len(forms) <= MOST_FORMS and all(compare(forms[0], other) >= NEAR for other in forms[1:])
