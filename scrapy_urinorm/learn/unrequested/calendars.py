"""Calendars: days, weeks and months without an end that lead to nothing but each other are requested last.

Each of their pages has another date, so nothing that compares pages can drop them, and a crawl depth first goes on with
them until it is stopped. What is put off is fetched all the same, when nothing else waits.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import FAR_SHARE, resemblance
from scrapy_urinorm.learn.evidence.candidate import DEFER
from scrapy_urinorm.learn.unrequested.lists import deferred
from scrapy_urinorm.learn.unrequested.silent import Learner, leads_nowhere, missed, newly_silent, silence
from scrapy_urinorm.learn.unrequested.traps import SHARE_OF_KIND, date_text, point_of
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.learn.pages.view import View

is_date = re.compile(
    r"(?i)(?:.*[_-])?(?:date|days?|weeks?|months?|years?|[ymd]|yyyy|mm|dd|datum|woche|kw|monat|jahr|jour|semaine|mois"
    r"|annee|fecha|semana|giorno|settimana|mese|anno)"
).fullmatch
"""Names of parameters whose numbers are dates, also in German, French, Spanish and Italian: pages of a list and
pictures of a gallery are numbered, too."""
MIN_DATES = 50
"""Pages below which putting them off is not worth a rule: a year of weeks."""
MIN_VALUES = 5
"""Values of the parameter among them: years beside months."""
MOST_PLACES = 8
"""Parameters that are looked at, those of most pages: each takes a few crawls."""
_A_DATE = "[0-9]{4}-[0-9]{2}-[0-9]{2}.*"
ALIKE = 0.8
"""Of so many dates the page is like that of the date before, and was found from another date: of a diary or a comic
strip the text or the title is another each time, and articles stand in lists. Chosen."""


# the condition on a value, and the views that it holds for
_Side = tuple[dict[str, Any], list[int]]


class _Line(NamedTuple):
    """A parameter of one path, `*` for its numbers, and its views by the point that its value is: a day or a number."""

    host: str
    path: str
    name: str
    dated: bool
    views: list[tuple[int, int]]


def calendars(learner: Learner) -> None:
    """Put off the dates of calendars beyond those that lead to what is known from nowhere else."""
    proof = learner.proof
    if proof is None:
        return
    views = learner.views
    number = proof.numbers
    for line in _lines(views, learner.silent_views):
        points = {n: at for at, n in line.views if n not in learner.silent_views}
        own = {number[page.key]: at for n, at in points.items() for page in views[n].pages}
        # a page may have its dates under several paths, as in two languages
        kind = {number[page.key] for view in views if view.values_of(line.name) for page in view.pages}
        from_kind = sum(proof.parents.get(node, -1) in kind for node in own)
        if len(points) < MIN_DATES or from_kind < ALIKE * len(own) or not are_alike(views, points):
            continue
        sides = _beyond(points, _leading(learner, own), dated=line.dated)
        if any(len(beyond) >= MIN_DATES and leads_nowhere(learner, beyond, lists=False) for _, beyond in sides):
            _put_off(learner, line, sides)


def _put_off(learner: Learner, line: _Line, sides: Sequence[_Side]) -> None:
    """Put off all sides that lead nowhere: a crawl that went into the future all the time has not seen the past."""
    shown = decoded(line.name)
    for where, beyond in sides:
        if beyond and not leads_nowhere(learner, beyond, lists=False):
            continue
        said = " and ".join(f"{side} {bound}" for side, bound in where.items() if side != "matches")
        said = f" {said}" if said else ""
        why = f"what {len(beyond)} addresses of {line.path} with `{shown}`{said} lead to is known from others"
        if not beyond:
            why = f"no address of {line.path} with `{shown}`{said} was seen, and the other end leads to nothing"
        conditions = {"path": line.path, "query": {shown: where}}
        found = deferred(learner, line.host, DEFER, True, conditions, why, beyond, "calendar that leads to nothing new")
        if newly_silent(learner, found) <= set(beyond):
            silence(learner, found, set(beyond))
        else:
            learner.refuse(found, "its conditions also hold for other addresses")


def _lines(views: Sequence[View], silent: set[int]) -> Iterator[_Line]:
    """Yield the parameters whose values are dates, or numbers, those of most pages."""
    found: dict[tuple[str, str, str, bool], list[tuple[int, int]]] = defaultdict(list)
    counts: Counter[tuple[str, str, str]] = Counter()
    for n, view in enumerate(views):
        if n not in silent and "*" not in view.path:
            # each of a hundred categories may have a calendar
            path = "/".join("*" if segment.isdigit() else segment for segment in view.path.split("/"))
            for name, value in view.items:
                counts[view.host, path, name] += 1
                point = point_of(decoded(value))
                if point is not None and (point[0] or is_date(decoded(name))):
                    found[view.host, path, name, point[0]].append((point[1], n))
    ranked = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    kept = 0
    for (host, path, name, dated), points in ranked:
        if len(points) < MIN_DATES or kept == MOST_PLACES:
            return
        if len({at for at, _ in points}) >= MIN_VALUES and len(points) >= SHARE_OF_KIND * counts[host, path, name]:
            if "*" not in decoded(name):
                kept += 1
                yield _Line(host, path, name, dated, sorted(points))


def _leading(learner: Learner, own: dict[int, int]) -> set[int]:
    """Return the points on the ways to what is known from nowhere else; `own` are the nodes with their points."""
    proof, pages = learner.proof, learner.site.pages
    assert proof is not None
    labels = {pages[node].label for node in own}
    gone = missed(learner, learner.skipped | own.keys()) - missed(learner, learner.skipped) - labels
    # ways are as long as a calendar, and many go through one
    seen, found = {-1}, set()
    for node, page in enumerate(pages):
        if page.label in gone:
            while node not in seen:
                seen.add(node)
                if node in own:
                    found.add(own[node])
                node = proof.parents.get(node, -1)
    return found


def _beyond(points: dict[int, int], leading: AbstractSet[int], *, dated: bool) -> list[_Side]:
    """Return the conditions on what lies beyond the points that lead somewhere, with the views there."""
    if not leading:
        # what is no date may be a list of all
        return [({"matches": _A_DATE if dated else "[0-9]+"}, list(points))]
    first, last = min(leading), max(leading)
    before, after = ([n for n, at in points.items() if at < first], [n for n, at in points.items() if at > last])
    sides = [({"below": date_text(first, dated=dated)}, before), ({"above": date_text(last, dated=dated)}, after)]
    # no number is below the first
    return sides[0 if dated or first > 0 else 1 :]


def are_alike(views: Sequence[View], members: dict[int, int]) -> bool:
    """Whether most pages, in the order of their dates, are like the one before and have its title.

    Of a crawl that met hardly anything else all they say may be the frame of the site, and they show nothing: then the
    data that they hand to their scripts are the same.
    """
    pages = [page for n in members if (page := views[n].page).label >= 0 or page.data]
    return sum(_is_like(one, other) for one, other in pairwise(pages)) >= ALIKE * max(1, len(members) - 1)


def _is_like(one: Page, other: Page) -> bool:
    if one.title != other.title:
        return False
    if min(one.label, other.label) < 0:
        return one.label == other.label and one.data == other.data
    return one.label == other.label or (
        len(one.sketches) == len(other.sketches) > 0
        and min(map(resemblance, one.sketches, other.sketches)) >= FAR_SHARE
    )
