"""Shapes whose pages are all found under others.

`?p=123` beside the slug of the same page cannot be rewritten, as nothing in it says the slug. But when every page
of that shape was also seen under other shapes, it need not be fetched.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, risk
from scrapy_urinorm.learn.families.passing import REDUNDANT

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.families.shapes import Shape, Shapes

MIN_COVERED = 15
"""Pages that a shape must show; twice as many where no crawl of recorded links can tell what would be missed."""
MAIN_COVER = 0.8
"""The share of them that one or two other shapes must show: else they are there by chance."""
COVERED_RISK = 0.01
"""The risk from which a shape is put off, and not skipped, where the links are not known or the crawl
was cut short: some seventy pages, all found elsewhere, are below it."""
MAX_UNCOVERED = 20
"""One page in so many may be found nowhere else where the recorded links are known, else one in `RARELY`; with any the
shape is put off, and not skipped."""
RARELY = 500  # chosen: content alone does not say that others lead to what a page links
SEVERAL = 1.5
"""Addresses of a page from which a shape is put off rather than another one that has the same pages; chosen."""
MAX_UNKNOWN = 0.2
"""The share of a shape's pages whose content may be unknown; chosen."""


def covered(shapes: Shapes, *, proved: bool) -> list[tuple[Candidate, list[int]]]:
    """Return the shapes whose pages are found under other shapes, with their views.

    Whether its pages can be reached without it decides later between `skip` and `defer`; `proved` says that a crawl
    of recorded links will tell.
    """
    homes: dict[int, Counter[Shape]] = defaultdict(Counter)
    asking = shapes.asking
    variants = {shape: shape.variant(asking) for shape in shapes.of}
    # of a page in hundreds of versions those of one: no others may stand for each other
    alike: dict[tuple[int, frozenset[str]], dict[Shape, None]] = defaultdict(dict)
    drawn: dict[int, set[Shape]] = defaultdict(set)
    for n, view in enumerate(shapes.views):
        if view.page.label < 0 and view.page.data:
            drawn[view.page.data].add(shapes.shape[n])
        if view.page.label >= 0 and view.page.label not in shapes.soft and not view.only_leads_on:
            homes[view.page.label][shapes.shape[n]] += 1
            alike[view.page.label, variants[shapes.shape[n]]][shapes.shape[n]] = None
    out = []
    least = MIN_COVERED if proved else 2 * MIN_COVERED
    rare = MAX_UNCOVERED if proved else RARELY
    for shape in sorted(shapes.of, key=lambda s: s.order(len(shapes.of[s]), several=_has_several(shapes, s))):
        members = shapes.of[shape]
        labels = {shapes.views[n].page.label for n in members}
        known = labels - {-1} - shapes.soft
        unknown = sum(shapes.views[n].page.label < 0 for n in members)
        if len(known) < least or unknown > MAX_UNKNOWN * len(members) or not shape.is_open:
            continue
        mine = variants[shape]
        uncovered = [
            label for label in known if not any(other.may_stand_for(shape) for other in alike.get((label, mine), ()))
        ]
        # what a script draws from data that no other shape has
        uncovered += [data for data, of in drawn.items() if of == {shape}]
        if len(uncovered) * rare > len(known) or not _has_main_cover(shape, known, homes):
            continue
        here = sum(label in known for label in uncovered)
        evidence = Evidence(agree=len(known) - here, against=len(uncovered), saved=len(members))
        evidence.groups, evidence.groups_against = len(known) + len(uncovered) - here, len(uncovered)
        evidence.risk = risk(evidence.agree, evidence.against, DEFAULT_PRIOR)
        if uncovered and not proved and evidence.risk > min(COVERED_RISK, shapes.options.risk):
            continue
        if not shapes.options.wrong_merges and uncovered:
            continue
        out.append((_skip(shapes, shape, evidence, members, known), members))
        for label in known:
            del homes[label][shape]
            alike[label, mine].pop(shape, None)
    return out


def _has_several(shapes: Shapes, shape: Shape) -> bool:
    """Whether a page has several addresses of the shape: a topic has those of its posts beside its own."""
    labels = [shapes.views[n].page.label for n in shapes.of[shape]]
    known = [label for label in labels if label >= 0 and label not in shapes.soft]
    return len(known) > SEVERAL * len(set(known))


def also_covered(shapes: Shapes, numbers: set[int], silent: set[int]) -> bool:
    """Whether the pages of these views, too, are all found under other addresses than those that are `silent`."""
    labels = {shapes.views[n].page.label for n in numbers}
    elsewhere = {view.page.label for n, view in enumerate(shapes.views) if n not in silent and not view.only_leads_on}
    return -1 not in labels and labels <= elsewhere | shapes.soft


def _has_main_cover(shape: Shape, known: set[int], homes: dict[int, Counter[Shape]]) -> bool:
    """Whether two other shapes show most of the pages."""
    covers = {label: {other.outline() for other in homes[label] if other != shape} for label in known}
    counts = Counter(outline for outlines in covers.values() for outline in outlines)
    main = {outline for outline, _ in counts.most_common(2)}
    return sum(not main.isdisjoint(outlines) for outlines in covers.values()) >= MAIN_COVER * len(known)


def _skip(shapes: Shapes, shape: Shape, evidence: Evidence, members: list[int], known: set[int]) -> Candidate:
    mine = set(members)
    others: dict[int, int] = {}
    for n, view in enumerate(shapes.views):
        if view.page.label in known and n not in mine and not view.only_leads_on:
            others.setdefault(view.page.label, n)
    pairs = [(n, others[label]) for n in members if (label := shapes.views[n].page.label) in others]
    shown = shapes.text(shape, None)
    why = f"{evidence.agree} of {evidence.groups} pages of the form {shown} were also found under other addresses"
    candidate = shapes.skip(shape, evidence, REDUNDANT, why)
    candidate.examples = [(shapes.views[a].page.url, shapes.views[b].page.url) for a, b in pairs[:3]]
    return candidate
