"""Addresses that need not be requested: shapes found elsewhere, endless parameters, what earlier files say of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from scrapy_urinorm.learn.candidate import DEFER, SILENT, SKIP
from scrapy_urinorm.learn.covered import COVERED_RISK, also_covered, covered
from scrapy_urinorm.learn.guilt import BLIND_FEW, BLIND_SHARE
from scrapy_urinorm.learn.reach import Reach
from scrapy_urinorm.learn.traps import traps

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_urinorm.learn.candidate import Candidate
    from scrapy_urinorm.learn.contexts import Contexts
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.proof import Proof
    from scrapy_urinorm.learn.replay import Replay
    from scrapy_urinorm.learn.shapes import Shapes
    from scrapy_urinorm.learn.site import Site
    from scrapy_urinorm.learn.view import View, Views


class Learner(Protocol):
    """What is known of a site when its other rules are settled."""

    site: Site
    options: Options
    replay: Replay
    proof: Proof | None
    views: Views
    earlier: Sequence[Candidate]
    scope: str
    skipped: set[int]
    skipped_keys: int
    silent_views: set[int]
    others: list[Candidate]

    def refuse(self, candidate: Candidate, why: str) -> None:
        """Note a candidate that is no rule, with the reason."""

    def contexts_of(self, views: list[View]) -> Contexts:
        """Return the conditions of views."""

    def shapes(self) -> Shapes:
        """Return the shapes of the site under the rules so far."""


def recall_silent(learner: Learner) -> None:
    """Take in what earlier files skip or put off, unless a crawl of the recorded links would miss something."""
    for candidate in learner.earlier:
        if candidate.rule not in SILENT:
            continue
        trial = learner.replay.normalizer([*learner.replay.accepted, candidate])
        silent = {n for n, page in enumerate(learner.site.pages) if trial.verdict(page.key)[0]} - learner.skipped
        labels = {learner.site.pages[n].label for n in silent} - {-1} - learner.site.soft
        elsewhere = {page.label for n, page in enumerate(learner.site.pages) if n not in silent}
        losses = (
            learner.proof.losses(learner.replay.keys, learner.skipped | silent) if learner.proof is not None else []
        )
        if losses or not labels <= elsewhere:
            learner.refuse(
                candidate, f"in these visits {len(losses) or len(labels - elsewhere)} pages were found by it alone"
            )
            continue
        learner.skipped |= silent
        learner.skipped_keys += len(silent)
        learner.replay.accepted.append(candidate)
    if any(candidate.rule in SILENT for candidate in learner.replay.accepted):
        verdict = learner.replay.normalizer(learner.replay.accepted).verdict
        views = learner.views.of(learner.replay)
        learner.silent_views |= {n for n, view in enumerate(views) if any(verdict(view.page.key))}


def _is_known(learner: Learner, candidate: Candidate) -> bool:
    """Whether an earlier file skips or puts off the same addresses: it was taken in before any is looked for."""
    place = candidate.scope, candidate.this_host, candidate.where
    known = (one for one in learner.replay.accepted if one.rule in SILENT)
    return any(place == (one.scope, one.this_host, one.where) for one in known)


def endless(learner: Learner) -> None:
    """Skip what lies beyond the last page of an endless parameter; without recorded links it is put off."""
    views = learner.views.of(learner.replay)
    missed = _missed(learner, learner.skipped)
    number = {page.key: n for n, page in enumerate(learner.site.pages)}
    for candidate, members in traps(views, learner.contexts_of(views), learner.scope):
        if _is_known(learner, candidate):
            continue
        trial = learner.replay.normalizer([*learner.replay.accepted, candidate])
        silent = _newly_silent(learner, trial.verdict, views)
        labels = {views[n].page.label for n in members}
        if len(members) < learner.replay.least(candidate):
            continue
        if not {views[n].page.label for n in silent} <= labels | learner.site.soft:
            learner.refuse(candidate, "its conditions also hold for other addresses")
            continue
        skipped = {number[page.key] for n in silent for page in views[n].pages}
        without = _missed(learner, learner.skipped | skipped)
        if without - missed or learner.proof is None:
            candidate.rule = DEFER
            candidate.why += "; other pages may only be found behind them"
        else:
            learner.skipped |= skipped
            missed = without
            learner.skipped_keys += len(silent)
            candidate.saved = len(silent)
        learner.replay.accepted.append(candidate)
        learner.silent_views |= silent


def _newly_silent(learner: Learner, verdict: Callable[[str], tuple[bool, bool]], views: Sequence[View]) -> set[int]:
    """Return the views that a rule silences and none did before."""
    known = learner.silent_views
    return {n for n, view in enumerate(views) if n not in known and any(verdict(view.page.key))}


def _missed(learner: Learner, skipped: set[int]) -> set[int]:
    """Return the content classes that a crawl under the rules would miss which skips these pages."""
    return learner.proof.missed(learner.replay.keys, skipped) if learner.proof is not None else set()


def redundant_shapes(learner: Learner) -> None:
    """Skip, or put off, the shapes whose pages are found under other shapes."""
    shapes = learner.shapes()
    views = shapes.views
    reach = (
        Reach(learner.site.pages, learner.replay.keys)
        if learner.proof is None and learner.site.knows_referers
        else None
    )
    before = reach.labels() - learner.site.soft if reach is not None else set()
    missed = _missed(learner, learner.skipped)
    number = {page.key: n for n, page in enumerate(learner.site.pages)}
    for candidate, members in covered(shapes, learner.proof is not None or reach is not None):
        if _is_known(learner, candidate):
            continue
        trial = learner.replay.normalizer([*learner.replay.accepted, candidate])
        silent = _newly_silent(learner, trial.verdict, views)
        others = silent - set(members)
        if others and not also_covered(shapes, others):
            learner.refuse(candidate, "its conditions also hold for other addresses")
            continue
        members = sorted(silent | set(members))
        skipped = {number[page.key] for n in members for page in views[n].pages}
        without = _missed(learner, learner.skipped | skipped)
        gone = without - missed
        if reach is not None:
            gone = before - reach.labels(learner.skipped | skipped)
        if why := _why_later(learner, candidate, gone):
            if learner.proof is not None and not leads_nowhere(learner, members, lists=False):
                # a crawl that is stopped would never see what they alone lead to
                learner.refuse(candidate, f"{why}, and they lead to others")
                continue
            candidate.rule = DEFER
            candidate.why += f"; {why}"
        if candidate.rule == SKIP:
            learner.skipped |= skipped
            missed = without
            learner.skipped_keys += len(members)
            candidate.saved = len(members)
        learner.replay.accepted.append(candidate)
        learner.silent_views |= set(members)


def leads_nowhere(learner: Learner, members: Iterable[int], *, lists: bool) -> bool:
    """Whether a crawl without some views would meet all others, and hardly anything else.

    Of `lists`, which lead to the same again and again, what was fetched stands for what was not.
    """
    assert learner.proof is not None
    views = learner.views.of(learner.replay)
    pages = learner.site.pages
    number = {page.key: n for n, page in enumerate(pages)}
    without = {number[page.key] for n in members for page in views[n].pages}
    own = {pages[n].label for n in without}
    before = learner.proof.missed(learner.replay.keys, learner.skipped)
    after = learner.proof.missed(learner.replay.keys, learner.skipped | without)
    if after - before - own:
        return False
    unseen, seen = learner.proof.behind(learner.replay.keys, learner.skipped, without)
    expected = unseen / (seen + len(without) + 1) if lists else unseen
    return expected <= BLIND_FEW + BLIND_SHARE * len(without)


def _why_later(learner: Learner, candidate: Candidate, gone: set[int]) -> str:
    """Return why a shape is put off and not skipped; empty where nothing speaks against that.

    `gone` are the content classes that a crawl of the recorded links would miss.
    """
    evidence = candidate.evidence
    if gone:
        return f"without it a crawl of the recorded links would miss {len(gone)} pages"
    if evidence.against:
        # a page that only these addresses showed is one, however rare it is among them
        return f"{evidence.against} pages were found there alone"
    if learner.proof is not None and not learner.proof.is_finished and evidence.risk > COVERED_RISK:
        # too few to say of those that were not fetched that they, too, are found elsewhere
        return "the crawl had not come to its end"
    return ""
