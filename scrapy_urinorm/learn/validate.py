"""Rules decided by fetching: a sequential test per rule, on pairs of addresses that the rule makes one.

Both addresses of a pair are fetched one after the other, so that a page that changes with time does not look like two.
The test is Wald's (1945): 31 agreeing pairs in a row accept, each failure costs 24 more, two early failures reject.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy_urinorm.content import DIFFERENT, EXACT, UNKNOWN, Frame, Titles, compare, is_answer, plain_content
from scrapy_urinorm.content.frame import MIN_FRAME_PAGES
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, REJECTED, Candidate, tables
from scrapy_urinorm.learn.evidence.risk import BELIEVED, standing
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.visits.features import page_features
from scrapy_urinorm.visits.page import take_features
from scrapy_urinorm.visits.record import Visit

if TYPE_CHECKING:
    from scrapy_urinorm.learn.fetch import Response

_ANYWHERE = """
    activate addto checkout confirm delete destroy disable download enable export install log-?off log-?out posting
    print=1& purge read= remove reply restore rollback sign-?out submit subscribe toggle upload
"""
_WORDS = "add buy cart edit like mail mark order/new rate report reset send vote"
_OF = "all comment favou?rite friend item message msg page poll post read thread topic"
# the short ones are words of their own, or stand before what they are of: `add` is in "/address/1" as well
_acts = re.compile(
    "{}|(?<![a-z])(?:{})(?:{})?(?![a-z])".format(*("|".join(one.split()) for one in (_ANYWHERE, _WORDS, _OF)))
).search
_humps = re.compile("(?<=[a-z])(?=[A-Z])").sub


@dataclass(slots=True)
class Proposal:
    """The state of one rule under test."""

    candidate: Candidate
    pairs: list[tuple[str, str]]
    agree: int = 0
    against: int = 0
    unknown: int = 0
    examples: list[tuple[str, str]] = field(default_factory=list)
    counterexamples: list[tuple[str, str]] = field(default_factory=list)

    def add(self, outcome: int, pair: tuple[str, str]) -> None:
        """Count one pair."""
        if outcome == EXACT:
            self.agree += 1
            self.examples = [*self.examples, pair][:3]
        elif outcome == DIFFERENT:
            self.against += 1
            self.counterexamples = [*self.counterexamples, pair][:3]
        else:
            self.unknown += 1

    @property
    def verdict(self) -> bool | None:
        """True = accepted, False = rejected, None = not decided yet."""
        found = standing(self.agree, self.against)
        return found > 0 if abs(found) >= BELIEVED else None


def pairs_of(candidate: Candidate, urls: Sequence[str], preset: str, *, limit: int = 200) -> list[tuple[str, str]]:
    """Return addresses that the rule changes, each with what it makes of it; one per result, none that may act."""
    with_rule = Normalizer(tables([candidate]), preset, check_examples=False)
    without = Normalizer(None, preset)
    pairs: dict[str, tuple[str, str]] = {}
    for url in [*(one for pair in candidate.examples for one in pair), *urls]:
        after = with_rule.normalize(url)
        if with_rule.key(url) != without.key(url) and after != url and not may_act(url) and not may_act(after):
            pairs.setdefault(with_rule.key(url), (url, after))
    drawn = list(pairs.values())
    random.Random(0).shuffle(drawn)
    return drawn[:limit]


def may_act(url: str) -> bool:
    """Whether an address may do something when it is fetched, though GET should not, by a word of its path or query."""
    parts = urlsplit(url)
    return _acts(_humps("-", f"{parts.path}?{parts.query}").lower().replace("_", "-")) is not None


class Validation:
    """Tests the rules of a site until each is decided or the budget is spent.

    `fetch` makes one polite GET (see `fetch`) and returns None where it may not or could
    not; `budget` counts fetches per site; `progress` is told of each.
    """

    def __init__(
        self,
        fetch: Callable[[str], Response | None],
        *,
        budget: int = 200,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self._fetch = fetch
        self._progress = progress
        self.budget = budget
        self.spent: dict[str, int] = defaultdict(int)
        self._frames: dict[str, Frame] = defaultdict(Frame)
        self._titles: dict[str, Titles] = defaultdict(Titles)

    def run(self, trials: Sequence[Proposal]) -> list[Proposal]:
        """Test the rules in the order given, the one that saves most first; return them with their counts."""
        waiting: dict[str, list[tuple[Proposal, tuple[str, str], Visit | None, Visit | None]]] = defaultdict(list)
        for trial in trials:
            site = trial.candidate.scope
            for pair in trial.pairs:
                if trial.verdict is not None or self.spent[site] + 2 > self.budget:
                    break
                waiting[site].append((trial, pair, self._visit(site, pair[0]), self._visit(site, pair[1])))
                # before the frame is known each title that echoes the address looks like content
                if self._frames[site].pages >= MIN_FRAME_PAGES:
                    self._compare(site, waiting)
        for site in list(waiting):
            self._compare(site, waiting)
        return list(trials)

    def _compare(
        self, site: str, waiting: dict[str, list[tuple[Proposal, tuple[str, str], Visit | None, Visit | None]]]
    ) -> None:
        # all that are here, before two are compared: how many titles a text has tells whether it is a page's
        rows = [
            (trial, pair, [(visit.status, self._page(site, visit)) for visit in visits if visit is not None])
            for trial, pair, *visits in waiting.pop(site)
        ]
        for trial, pair, answers in rows:
            trial.add(self._outcome(site, answers), pair)

    def _page(self, site: str, visit: Visit) -> Page:
        content = self._frames[site].content(visit) if visit.lines else plain_content(visit)
        page = Page(visit.url, visit.url)
        page.show(-1 if content.label is None else int.from_bytes(content.label, "little"), content)
        page.canonical = visit.canonical
        self._titles[site].add(page)
        return page

    def _outcome(self, site: str, answers: Sequence[tuple[int | None, Page]]) -> int:
        if len(answers) < 2:
            return UNKNOWN
        statuses, pages = zip(*answers, strict=True)
        if not all(map(is_answer, statuses)):
            # one answers and the other does not: the rule would lose the page, or ask for one that is not there
            return UNKNOWN if statuses[0] == statuses[1] else DIFFERENT
        for page in pages:
            self._titles[site].forget_shell(page)
        return compare(*pages)

    def _visit(self, site: str, url: str) -> Visit | None:
        before = getattr(self._fetch, "requests", 0)
        response = self._fetch(url)
        # redirects and robots.txt are requests, too
        spent = max(1, getattr(self._fetch, "requests", 0) - before)
        self.spent[site] += spent
        if self._progress is not None:
            self._progress(spent)
        if response is None:
            return None
        features = page_features(response.body, response.content_type, None, response.url)
        visit = Visit(url=url, status=response.status, content_type=response.content_type)
        take_features(visit, features)
        visit.canonical = features.canonical
        if visit.lines and is_answer(visit.status):
            frame = self._frames[site]
            frame.add(visit.lines, visit.line_words)
            frame.forget_slots()
        return visit


def decided(trial: Proposal) -> Candidate:
    """Return the candidate with the status and the reason that its test gave it; undecided ones stay what they were."""
    candidate = trial.candidate
    counts = f"{trial.agree} of {trial.agree + trial.against} pairs fetched showed one page"
    if trial.unknown:
        counts += f", {trial.unknown} could not be compared"
    candidate.evidence.agree += trial.agree
    candidate.evidence.against += trial.against
    candidate.examples = trial.examples or candidate.examples
    candidate.counterexamples = trial.counterexamples or candidate.counterexamples
    if trial.verdict is None:
        candidate.why += f"; not decided: {counts}"
    else:
        candidate.status = ACTIVE if trial.verdict else REJECTED
        candidate.why = counts
    return candidate
