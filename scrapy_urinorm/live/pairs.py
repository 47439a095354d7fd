"""The pairs of pages of a site that speak for a rule, and those that speak against it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from scrapy_urinorm.content import DIFFERENT, EXACT, NEAR, compare
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.learn.evidence.candidate import Candidate, signature
from scrapy_urinorm.live.trial import Tried

if TYPE_CHECKING:
    from scrapy_urinorm.learn.site_learner import SiteLearner

CLASS_PAIRS = 3
"""Pairs of one class that count: a page that is noise may have a hundred addresses."""
ALONE = 5
"""Pairs that agree under a rule alone, and none against, from which those count that it makes one with others."""
LOOKED_AT = 100
"""Addresses of a rule that are looked at to tell whether it needs others: they are of one form as a rule."""


def judge(
    learner: SiteLearner,
    candidates: Mapping[str, Candidate],
    proven: AbstractSet[str],
    since: Mapping[str, str],
    learned: AbstractSet[str],
) -> list[Tried]:
    """Return candidates, given with their signatures, with the pairs of pages that speak for them and against them.

    `proven` are those of real installations. `since` has the pages that spoke against a rule, by its `subjects`: for
    another rule on one of these only pairs count that are later. `learned` are those of learned files.
    """
    after = {subject: learner.site.numbers.get(key, 0) for subject, key in since.items()}
    first = {mark: max(after.get(of, 0) for of in subjects(one)) for mark, one in candidates.items()}
    judged = [
        Tried(one, mark in proven, *_pairs(learner, one, first[mark]), mark in learned)
        for mark, one in candidates.items()
    ]
    joint = _Joint(learner, [one for one in judged if one.agree >= ALONE and not one.against])
    joint.count(first)
    return [joint.counted(one) for one in judged]


def subjects(candidate: Candidate) -> frozenset[str]:
    """Return what a rule is about: parameters, else the kind of rule that it is."""
    return frozenset(candidate.names or {f"/{candidate.rule}"})


def holds_alone(learner: SiteLearner, candidate: Candidate) -> bool:
    """Whether a rule that the learner accepts changes most of its addresses without the others, too."""
    moved = sorted(learner.replay.moved(candidate))[:LOOKED_AT]
    if not moved or "path" not in candidate.where:
        return True
    alone, pages = learner.replay.normalizer([candidate], "safe").key, learner.site.pages
    return 2 * sum(alone(pages[n].key) != pages[n].key for n in moved) >= len(moved)


def with_either_slash(candidate: Candidate) -> Candidate:
    """Return a rule for paths with and without a slash at the end.

    What is found on top of a rule on slashes is for the paths that this one leaves; judged alone, on addresses as they
    are, it would change none of them.
    """
    where = candidate.where
    paths = [where["path"]] if isinstance(where.get("path"), str) else where.get("path", [])
    either = sorted({form for path in paths for form in (path, _other_slash(path))})
    return replace(candidate, conditions={**where, "path": either}) if len(either) > len(paths) else candidate


def _other_slash(path: str) -> str:
    """Return a glob for paths with a slash at the end for one without, and the other way round; `**` has both."""
    if path.endswith("**") or not path.strip("/"):
        return path
    return path[:-1] if path.endswith("/") else path + "/"


class _Joint:
    """The pairs of pages that several rules make one together.

    The addresses of an article with `print=1` and with `from=rel` may both be fetched where the plain one is not: they
    are no pair of either rule alone. Such a pair counts for each of its rules that was right some times by itself and
    never wrong, unless another pair of the kind differs.
    """

    def __init__(self, learner: SiteLearner, able: list[Tried]) -> None:
        self._site = learner.site
        self._alone: dict[str, Callable[[str], str]] = {}
        self._joint: Callable[[str], str] | None = None
        self._agree, self._against = Counter[str](), Counter[str]()
        candidates = [one.candidate for one in able if not one.candidate.needs_word]
        if len(candidates) > 1:
            with suppress(RuleFileError):
                self._joint = learner.replay.normalizer(candidates, "safe").key
                self._alone = {signature(one): learner.replay.normalizer([one], "safe").key for one in candidates}

    def count(self, first: Mapping[str, int]) -> None:
        """Count the pairs, of each rule from the page `first` on, by signature."""
        if self._joint is None:
            return
        classes: dict[str, list[int]] = defaultdict(list)
        for n, page in enumerate(self._site.pages):
            if page.label >= 0:
                classes[self._joint(page.key)].append(n)
        for stands, *others in classes.values():
            self._class(stands, others, first)

    def _class(self, stands: int, others: list[int], first: Mapping[str, int]) -> None:
        pages = self._site.pages
        page, agree = pages[stands], Counter[str]()
        for n in others:
            outcome, both = compare(pages[n], page), (pages[n].key, page.key)
            movers = [mark for mark, key in self._alone.items() if any(key(one) != one for one in both)]
            if outcome == EXACT:
                agree.update(mark for mark in movers if n >= first[mark])
            elif outcome == DIFFERENT and page.label not in self._site.soft:
                self._against.update(movers)
        for mark, number in agree.items():
            self._agree[mark] += min(CLASS_PAIRS, number)

    def counted(self, one: Tried) -> Tried:
        """Return a rule with what was counted, if that is more."""
        mark = signature(one.candidate)
        return one if self._against[mark] else one._replace(agree=max(one.agree, self._agree[mark]))


def _pairs(learner: SiteLearner, candidate: Candidate, first: int = 0) -> tuple[int, int, int]:
    """Return how many pages agree with the first one of their class under a rule alone, and how many do not; and in how
    many classes some agree.

    Of those that agree the ones from the page `first` on count.

    Of a class some are counted, since they stand or fall together; all, where the rule is of a part of the site that
    may well have one page only. Near pages count where exact ones are the most.
    """
    try:
        alone = learner.replay.normalizer([candidate], "safe").key
    except RuleFileError:
        return 0, 1, 0
    pages = learner.site.pages
    most = len(pages) if candidate.where else CLASS_PAIRS
    names = [name + "=" for name in candidate.names]
    classes: dict[str, list[int]] = defaultdict(list)
    for n, page in enumerate(pages):
        if not names or any(name in page.key for name in names):
            key = alone(page.key)
            if key != page.key:
                classes[key].append(n)
    by_key = learner.site.by_key
    exact = near = against = several = 0
    for key, members in classes.items():
        stands = by_key.get(key)
        if stands is None or stands.label < 0:
            stands = pages[members[0]]
        outcomes = [(n, compare(pages[n], stands)) for n in members if pages[n] is not stands]
        wrong = sum(one == DIFFERENT for _, one in outcomes) if stands.label not in learner.site.soft else 0
        agree = [one for n, one in outcomes if n >= first]
        exact += min(most, agree.count(EXACT))
        near += min(most, agree.count(NEAR))
        against += min(most, wrong)
        several += EXACT in agree
    return exact + (near if exact >= near else 0), against, several
