"""Addresses that need not be requested: shapes found elsewhere, and what earlier files say of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, NamedTuple, Protocol

from scrapy_urinorm.learn.evidence.candidate import DEFER, REJECTED, SILENT, SKIP, Candidate
from scrapy_urinorm.learn.links.reach import Reach
from scrapy_urinorm.learn.proof.proof import BLIND_FEW, BLIND_SHARE, Proof
from scrapy_urinorm.learn.unrequested.covered import COVERED_RISK, also_covered, covered
from scrapy_urinorm.suffixes import host_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn.families.passing import Passing
    from scrapy_urinorm.learn.families.shapes import Shapes
    from scrapy_urinorm.learn.pages.contexts import Contexts
    from scrapy_urinorm.learn.pages.view import View
    from scrapy_urinorm.learn.proof.replay import Replay
    from scrapy_urinorm.learn.sites.site import Site

FOLLOWED = 0.5
"""Of the links in one place of some pages so many must have led to these, that the others are taken to do so: most, as
what was followed may be what lay nearest."""


class Learner(Protocol):
    """What is known of a site when its other rules are settled."""

    site: Site
    replay: Replay
    proof: Proof | None
    earlier: Sequence[Candidate]
    scope: str
    skipped: set[int]
    skipped_keys: int
    silent_views: set[int]
    others: list[Candidate]
    passing: Passing

    def refuse(self, candidate: Candidate, why: str) -> None:
        """Note a candidate that is no rule, with the reason."""

    @property
    def views(self) -> list[View]:
        """The views of the site under the rules so far."""

    @property
    def contexts(self) -> Contexts:
        """The conditions that hold for them."""

    def shapes(self, *, open_dates: bool = False) -> Shapes:
        """Return the shapes of the site under the rules so far."""


def recall_silent(learner: Learner) -> None:
    """Take in what earlier files skip or put off, unless a crawl of the recorded links would miss something."""
    for candidate in learner.earlier:
        if candidate.rule not in SILENT or candidate.status == REJECTED:
            continue
        if broken := learner.replay.broken([*learner.replay.accepted, candidate]):
            learner.refuse(candidate, broken.said)
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
        learner.silent_views |= {n for n, view in enumerate(learner.views) if any(verdict(view.page.key))}


def is_known(learner: Learner, candidate: Candidate) -> bool:
    """Whether an earlier file skips or puts off the same addresses: it was taken in before any is looked for."""
    place = candidate.scope, candidate.this_host, candidate.where
    known = (one for one in learner.replay.accepted if one.rule in SILENT)
    return any(place == (one.scope, one.this_host, one.where) for one in known)


def silence(learner: Learner, candidate: Candidate, members: AbstractSet[int]) -> None:
    """Take in a rule that skips some views or puts them off; the pages of the former are missing from now on.

    What a pair of the user's own rules keeps apart is put off where it would be skipped.
    """
    if candidate.rule == SKIP and (broken := learner.replay.broken([*learner.replay.accepted, candidate])):
        candidate.rule = DEFER
        candidate.why += f"; {broken.said}"
    if candidate.rule == SKIP:
        learner.skipped |= pages_of(learner, members)
        learner.skipped_keys += len(members)
        candidate.saved = len(members)
    learner.replay.accepted.append(candidate)
    learner.silent_views |= members


def pages_of(learner: Learner, members: Iterable[int]) -> set[int]:
    """Return the pages that some views stand for; both go by their numbers."""
    views = learner.views
    return {learner.site.numbers[page.key] for n in members for page in views[n].pages}


def newly_silent(
    learner: Learner, candidate: Candidate, others: Iterable[Candidate] = (), known: AbstractSet[int] = frozenset()
) -> set[int]:
    """Return the views that a rule silences and that are not silent yet, nor `known` to be by `others`."""
    verdict = learner.replay.normalizer([*learner.replay.accepted, *others, candidate]).verdict
    silent = learner.silent_views | known
    return {n for n, view in enumerate(learner.views) if n not in silent and any(verdict(view.page.key))}


def missed(learner: Learner, skipped: AbstractSet[int]) -> set[int]:
    """Return the content classes that a crawl under the rules would miss which skips these pages."""
    return learner.proof.missed(learner.replay.keys, skipped) if learner.proof is not None else set()


def redundant_shapes(learner: Learner) -> None:
    """Skip, or put off, the shapes whose pages are found under other shapes."""
    shapes = learner.shapes(open_dates=True)
    reach = (
        Reach(learner.site.pages, learner.replay.keys)
        if learner.proof is None and learner.site.knows_referers
        else None
    )
    reached = reach.labels() - learner.site.soft if reach is not None else set()

    def absent(skipped: set[int]) -> set[int]:
        """Return the content classes that are not met where these pages are skipped."""
        return reached - reach.labels(skipped) if reach is not None else missed(learner, skipped)

    found = [
        (candidate, members)
        for candidate, members in covered(shapes, proved=learner.proof is not None or reach is not None)
        if not is_known(learner, candidate)
    ]
    if not found:
        return
    # by referers alone, what earlier files skip counts as missed, too
    before = absent(learner.skipped) if reach is None else set()
    if len(found) > 1 and all(not _why_later(learner, candidate, members, set()) for candidate, members in found):
        # mirrors have the same shapes on each host: where nothing is lost without all, one crawl says so of each
        together = _silenced(learner, shapes, found)
        if absent(learner.skipped.union(*(silenced.pages for silenced in together if not silenced.others))) <= before:
            for silenced in together:
                _take_in(learner, silenced, set())
            return
    for one in found:
        [silenced] = _silenced(learner, shapes, [one])
        without = before if silenced.others else absent(learner.skipped | silenced.pages)
        if _take_in(learner, silenced, without - before):
            before = without


class _Silenced(NamedTuple):
    """A shape that need not be fetched: the views and pages that its rule silences; `others` says that there are some
    among them which are not found elsewhere.
    """

    candidate: Candidate
    views: set[int]
    pages: set[int]
    others: bool


def _silenced(learner: Learner, shapes: Shapes, found: Iterable[tuple[Candidate, list[int]]]) -> list[_Silenced]:
    """Return what each shape silences that no one before it does."""
    accepted: list[Candidate] = []
    known, out = set[int](), []
    for candidate, members in found:
        silent = newly_silent(learner, candidate, accepted, known)
        others = silent - set(members)
        silent |= set(members)
        elsewhere = not others or also_covered(shapes, others, learner.silent_views | known | silent)
        out.append(_Silenced(candidate, silent, pages_of(learner, silent), not elsewhere))
        if elsewhere:
            accepted.append(candidate)
            known |= silent
    return out


def _take_in(learner: Learner, silenced: _Silenced, gone: set[int]) -> bool:
    """Accept a shape's rule, or refuse it, and return whether its pages are skipped.

    `gone` are the content classes that a crawl would miss without them.
    """
    candidate = silenced.candidate
    if silenced.others:
        learner.refuse(candidate, "its conditions also hold for other addresses")
        return False
    if why := _why_later(learner, candidate, silenced.views, gone):
        if learner.proof is not None and not leads_nowhere(learner, silenced.views, lists=False):
            # a crawl that is stopped would never see what they alone lead to
            learner.refuse(candidate, f"{why}, and they lead to others")
            return False
        candidate.rule = DEFER
        candidate.why += f"; {why}"
    elif learner.proof is not None and not learner.proof.is_finished and hides_ways(learner, silenced.pages):
        # of a rule that folds them the same is asked, and to skip them hides all of their links
        learner.refuse(candidate, "they lead to others, of which a crawl that was cut short saw too little")
        return False
    silence(learner, candidate, silenced.views)
    return candidate.rule == SKIP


def hides_ways(learner: Learner, pages: AbstractSet[int], least: float = FOLLOWED) -> bool:
    """Whether some pages, by their numbers, alone lead to much that was never followed, and may be of another kind."""
    assert learner.proof is not None
    unknown = learner.proof.unknown_behind(learner.replay.keys, learner.skipped, pages, least)
    return unknown > BLIND_FEW + learner.proof.blind_share * len(pages)


def leads_nowhere(learner: Learner, members: Iterable[int], *, lists: bool) -> bool:
    """Whether a crawl without some views would meet all others, and hardly anything else.

    Of `lists`, which lead to the same again and again, what was fetched stands for what was not.
    """
    assert learner.proof is not None
    without = pages_of(learner, members)
    own = {learner.site.pages[n].label for n in without}
    gone = missed(learner, learner.skipped | without) - own
    if gone and gone - missed(learner, learner.skipped):
        return False
    unseen, seen = learner.proof.behind(learner.replay.keys, learner.skipped, without)
    expected = unseen / (seen + len(without) + 1) if lists else unseen
    return expected <= BLIND_FEW + BLIND_SHARE * len(without)


def _why_later(learner: Learner, candidate: Candidate, members: Iterable[int], gone: set[int]) -> str:
    """Return why a shape is put off and not skipped; empty where nothing speaks against that.

    `gone` are the content classes that a crawl of the recorded links would miss.
    """
    evidence = candidate.evidence
    if doubt := learner.passing.doubt(candidate):
        return doubt
    if gone:
        return f"without it a crawl of the recorded links would miss {len(gone)} pages"
    if evidence.against:
        # a page that only these addresses showed is one, however rare it is among them
        return f"{evidence.against} pages were found there alone"
    if learner.proof is not None and learner.proof.is_untold(pages_of(learner, members)):
        return "the crawl does not tell whether they are asked from"
    partial = learner.proof is not None and not learner.proof.is_finished
    if partial and (evidence.risk > COVERED_RISK or _may_be_anything(learner, candidate, members)):
        # too few to say of those that were not fetched that they, too, are found elsewhere
        return "the crawl had not come to its end"
    if any(host_of(one) != host_of(other) for one, other in candidate.examples):
        # a city's shop has what all have, and one day something of its own
        return "they were found at another host, and each may have pages of its own"
    return ""


def _may_be_anything(learner: Learner, candidate: Candidate, members: Iterable[int]) -> bool:
    """Whether a shape holds for words in a place of the path: beside short links (`/weblog/2V/`) there may be pages
    (`/weblog/about/`), and beside numbers none.
    """
    where = candidate.conditions or {}
    places = [at for at, segment in enumerate(str(where.get("path", "")).split("/")) if "*" in segment]
    if not places or "query" in where:
        return False
    views = learner.views
    paths = [views[n].path.split("/") for n in members]
    return not all(path[at].isdecimal() for path in paths for at in places if at < len(path))
