"""Shapes that always answer with an error: what is gone is not requested, what is for others is requested last.

A crawl that is signed in may see the latter. Last comes what a crawl that was cut short has seen, too: the products
that old articles name are those that are sold no more. A server that has had enough answers so, too; but then nothing
else is answered in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.candidate import DEFER, Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import ID_PRIOR, risk
from scrapy_urinorm.learn.families.passing import ERRORS, goes_on
from scrapy_urinorm.learn.unrequested.silent import Learner, is_known, newly_silent, silence

if TYPE_CHECKING:
    from scrapy_urinorm.learn.families.shapes import Shape, Shapes
    from scrapy_urinorm.learn.pages.page import Page

MIN_REFUSED = 60
"""Addresses of a shape that must have answered so, and none otherwise: fewer than one in fifty of the others is a page
(95 %, the rule of three)."""
MOST_SHAPES = 50
"""Shapes that are looked at, those of most addresses: each costs a look at all pages."""
ANSWERED = 0.5
"""For each of them so many pages were answered between the first and the last; chosen: breadth first a crawl asks for
forms in rows, and a server that blocks answers none."""


def refused(learner: Learner) -> None:
    """Skip the shapes that answered nothing but that there is nothing, put off those of nothing for this visitor."""
    shapes = learner.shapes()
    views = shapes.views
    errors = [(shape, members) for shape, members in shapes.ranked() if _are_errors(learner, shape, shapes, members)]
    for shape, members in errors[:MOST_SHAPES]:
        form = f"{len(members)} addresses of the form {shapes.text(shape, None)}"
        candidate = candidate_of(shapes, shape, members, f"{form} answered with errors, and none with a page")
        if is_known(learner, candidate):
            continue
        silent = newly_silent(learner, candidate)
        if not all(_refused_at(learner, views[n].pages) for n in silent):
            learner.refuse(candidate, "its conditions also hold for other addresses")
            continue
        later = goes_on(views, candidate, members)
        denied = any(_end(learner, page).denied for n in silent for page in views[n].pages)
        if later or denied or learner.proof is None or not learner.proof.is_finished:
            candidate.rule = DEFER
            candidate.why += f"; {_why_last(denied=denied, later=later)}"
        else:
            candidate.evidence.saved = len(silent)
        silence(learner, candidate, silent)


def _why_last(*, denied: bool, later: bool) -> str:
    if denied:
        return "another visitor may see them"
    return (
        "others of their series are pages, and these may be some day"
        if later
        else "the crawl may not have seen all of them"
    )


def _are_errors(learner: Learner, shape: Shape, shapes: Shapes, members: Sequence[int]) -> bool:
    if len(members) < MIN_REFUSED or not shape.is_open or not learner.silent_views.isdisjoint(members):
        return False
    found = [_refused_at(learner, shapes.views[n].pages) for n in members]
    return 0 not in found and max(found) - min(found) >= ANSWERED * len(members)


def _refused_at(learner: Learner, pages: Iterable[Page]) -> int:
    """Return after how many pages an address was refused, counted from 1; 0 where it once answered otherwise."""
    latest = 0
    for page in pages:
        if page.label >= 0 or not (at := _end(learner, page).refused):
            return 0
        latest = max(latest, at)
    return latest


def _end(learner: Learner, page: Page) -> Page:
    """Return where a page was refused: itself, or what it redirects to."""
    return page if page.refused or page.final is None else learner.site.by_key.get(page.final, page)


def candidate_of(shapes: Shapes, shape: Shape, members: Sequence[int], why: str) -> Candidate:
    """Return the rule that skips a shape whose views, by their numbers, all answered in one way."""
    evidence = Evidence(agree=len(members), groups=len(members), groups_for=len(members))
    evidence.risk = risk(len(members), 0, ID_PRIOR)
    candidate = shapes.skip(shape, evidence, ERRORS, why)
    first, *others = (shapes.views[n].page.url for n in members[:4])
    candidate.examples = [(other, first) for other in others]
    return candidate
