"""Candidates tried on every page with the product's own normalizer: what the composed rules really merge.

Rules that are right alone can be wrong together (`a:b` -> `a` -> nothing), so each is judged on top of those that
are in already, by the fixpoint that a crawl will run.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.content import DIFFERENT, NEAR, compare
from scrapy_urinorm.learn.evidence.candidate import DECLARED, REJECTED, Candidate, tables
from scrapy_urinorm.learn.evidence.own_pairs import Broken, OwnPairs, reject
from scrapy_urinorm.learn.pages.page import Page, Word
from scrapy_urinorm.learn.proof.members import Members, touched
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.suffixes import without_port

if TYPE_CHECKING:
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.sites.site import Site

ALL_AGAINST = 6
"""A wrong merge that loses nothing, as its page is also found under another key, weighs this many times less."""


class Trial(NamedTuple):
    """What a candidate does on top of the others: new keys by page, requests saved, pages and content classes merged,
    wrong merges; and a pair of the user's own rules that would not hold.
    """

    keys: dict[int, str]
    saved: int
    merged: int
    classes: int
    lost: int
    wrong: int
    pairs: list[tuple[int, int]]
    broken: Broken | None = None


def host_of_key(key: str) -> str:
    """Return the host of a key, without its port."""
    return without_port(key.partition("://")[2].partition("/")[0])


def refute(candidate: Candidate, trial: Trial, pages: Sequence[Page], said: str) -> None:
    """Make a candidate no rule, with what its trial has merged: `said` is of that many different pages."""
    if trial.broken is not None:
        reject(candidate, trial.broken)
        return
    candidate.status = REJECTED
    candidate.why += f"; but {said} {trial.wrong} different pages"
    candidate.counterexamples = [(pages[a].url, pages[b].url) for a, b in trial.pairs[:3]]


class Replay:
    """The pages of a site under the rules accepted so far."""

    def __init__(self, site: Site, options: Options, rules: Sequence[Any] = ()) -> None:
        self.site = site
        self.options = options
        self.rules = list(rules)
        self.own = OwnPairs(rules, options.preset, site.name)
        self.accepted: list[Candidate] = []
        self.moves = 0
        self._moved_by: dict[int, frozenset[int]] = {}
        self._mover: dict[int, Candidate] = {}
        self.keys = [page.key for page in site.pages]
        self.members = Members(self.keys)
        self._on_host: dict[str, set[int]] = defaultdict(set)
        for n, key in enumerate(self.keys):
            self._on_host[host_of_key(key)].add(n)
        self.totals = Counter(page.label for page in site.pages)
        self._word = Word(site.pages) if options.exact else None
        self._pages_of = Counter(host_of_key(key) for key in self.keys)

    def normalizer(self, candidates: Iterable[Candidate], preset: str | None = None) -> Normalizer:
        """Return the normalizer of some candidates on top of the preset.

        Keys have been through the preset already, so that for a trial `safe`, which loads at once, does as well.
        """
        source = tables(candidates, self.site.base)
        return Normalizer([*self.rules, source], preset or self.options.preset, check_examples=False)

    def trial(self, candidate: Candidate) -> Trial:
        """Return what the candidate would do."""
        alone = self.normalizer([candidate], "safe").key
        # the key is a fixed point of what is in already
        known = touched(candidate, self.keys, self._on_host, self.site.name)
        moved = [n for n in known if alone(self.keys[n]) != self.keys[n]]
        new = {}
        if moved:
            together = self.normalizer([*self.accepted, candidate], "safe").key
            new = {n: together(self.site.pages[n].key) for n in moved}
        return self._moved_trial(new)._replace(broken=self.broken([*self.accepted, candidate]))

    def broken(self, candidates: Iterable[Candidate]) -> Broken | None:
        """Return a pair of the user's own rules that would not hold under some candidates."""
        return self.own.broken(candidates, self.site.base)

    def _trial(self, key: Any, touched: Iterable[int]) -> Trial:
        return self._moved_trial({n: key(self.site.pages[n].key) for n in touched})

    def _moved_trial(self, keys: dict[int, str]) -> Trial:
        new = {n: after for n, after in keys.items() if after != self.keys[n]}
        moved_to: dict[str, list[int]] = defaultdict(list)
        left: Counter[str] = Counter()
        for n, after in new.items():
            moved_to[after].append(n)
            left[self.keys[n]] += 1
        gone = sum(1 for before, n in left.items() if n == self.members.count(before) and before not in moved_to)
        born = sum(1 for after in moved_to if after not in self.members)
        merged = lost = wrong = 0
        classes: set[int] = set()
        pairs: list[tuple[int, int]] = []
        for after, movers in moved_to.items():
            stay = [n for n in self.members.of(after) if n not in new]
            if len(stay) + len(movers) < 2:
                continue
            merged += len(movers) - (not stay)
            classes |= {self.site.pages[n].label for n in movers}
            one_lost, bad = self._wrong(movers, stay)
            lost += one_lost
            wrong += len(bad)
            pairs += bad[:2]
        return Trial(new, gone - born, merged, len(classes - self.site.soft - {-1}), lost, wrong, pairs[:8])

    def _wrong(self, movers: list[int], stay: list[int]) -> tuple[int, list[tuple[int, int]]]:
        """Return how many content classes a merge would lose, and the pairs of different pages in it."""
        pages = self.site.pages
        members = (*stay, *movers)
        drawn = {pages[n].data: n for n in members if pages[n].label < 0 and pages[n].data}
        apart = list(pairwise(drawn.values()))
        # most merges are of one content
        if len({pages[n].label for n in members} - {-1}) < 2:
            return len(apart), apart
        by_label: dict[int, int] = {}
        counts: Counter[int] = Counter()
        for n in members:
            label = pages[n].label
            if label >= 0:
                by_label.setdefault(label, n)
                counts[label] += 1
        best = max(counts, key=lambda label: (counts[label], -label))
        first = by_label[best]
        bad = []
        private = 0
        for label, n in by_label.items():
            if label == best or not self._differ(n, first):
                continue
            bad.append((n, first))
            private += counts[label] == self.totals[label]
        if not bad:
            return len(apart), apart
        # a class is lost where it is found nowhere else; one of those here is fetched
        here = private + (counts[best] == self.totals[best])
        return here - (here == len(bad) + 1) + len(apart), bad + apart

    def _differ(self, one: int, other: int) -> bool:
        """Whether two pages that are merged are two; strict learning asks for the site's word where they are near."""
        outcome = compare(self.site.pages[one], self.site.pages[other])
        if self._word is None or outcome < NEAR:
            return outcome == DIFFERENT
        return not self._word.are_one(one, other)

    def least(self, candidate: Candidate) -> float:
        """Return the requests that a rule must save: a share of the pages of its host, or of all."""
        pages = self._pages_of.get(candidate.scope, 0) if candidate.scope != self.site.name else 0
        return max(1.0, self.options.min_gain * (pages or len(self.keys)) / 1000)

    def accepts(self, trial: Trial, min_saved: float) -> bool:
        """Whether a trial saves enough and loses little enough."""
        limit = self.options.wrong_merges
        if trial.saved < min_saved or trial.broken:
            return False
        return trial.lost <= limit * trial.merged and trial.wrong <= ALL_AGAINST * limit * trial.merged

    def add(self, candidate: Candidate, trial: Trial) -> None:
        """Take a candidate in."""
        candidate.saved = trial.saved
        self._moved_by[id(candidate)] = frozenset(trial.keys)
        self._mover.update(dict.fromkeys(trial.keys, candidate))
        self.accepted.append(candidate)
        self._move(trial.keys)

    def _move(self, keys: dict[int, str]) -> None:
        self.moves += bool(keys)
        for n, after in keys.items():
            before = self.keys[n]
            self.members.remove(before, n)
            self.members.add(after, n)
            self.keys[n] = after
            old, new = host_of_key(before), host_of_key(after)
            if old != new:
                self._on_host[old].discard(n)
                self._on_host[new].add(n)

    def movers(self, *nodes: int) -> list[Candidate]:
        """Return the rules that changed the key of one of these pages when they were taken in."""
        known = self._moved_by
        return [c for c in self.accepted if id(c) in known and not known[id(c)].isdisjoint(nodes)]

    def moved(self, candidate: Candidate) -> frozenset[int]:
        """Return the pages that a rule moved when it was taken in."""
        return self._moved_by[id(candidate)]

    def remove(self, candidate: Candidate) -> None:
        """Take a rule out again."""
        self.accepted = [c for c in self.accepted if c is not candidate]
        moved = self._moved_by[id(candidate)]
        self._move(self._trial(self.normalizer(self.accepted, "safe").key, moved).keys)
        self.credit(moved)

    def credit(self, nodes: Iterable[int]) -> None:
        """Find which rules change the keys of some pages now: where one is gone, others move what it moved before."""
        pages = self.site.pages
        left = {n for n in nodes if self.keys[n] != pages[n].key}
        found: set[int] = set()
        for alone in (True, False):
            for candidate in self.accepted if left else ():
                known = self._moved_by.get(id(candidate))
                if known is None:
                    continue
                rules = [candidate] if alone else [c for c in self.accepted if c is not candidate]
                key = self.normalizer(rules, "safe").key
                # by itself it changes the address, or else what another makes of it: without it the key is another
                own = {n for n in left if key(pages[n].key) != (pages[n].key if alone else self.keys[n])}
                self._moved_by[id(candidate)] = known | own
                found |= own
            left -= found

    def prune(self) -> list[Candidate]:
        """Drop the rules that save nothing beside the others, the smallest first; return what was dropped."""
        dropped = []
        for candidate in sorted(self.accepted, key=lambda c: (c.saved, str(c.value))):
            moved = self._moved_by[id(candidate)]
            if candidate.family == DECLARED or candidate.earlier:
                continue
            # only what later rules moved again may be theirs alone
            if 2 * sum(self._mover[n] is not candidate for n in moved) < len(moved):
                continue
            rest = [c for c in self.accepted if c is not candidate]
            trial = self._trial(self.normalizer(rest, "safe").key, moved)
            if -trial.saved < self.least(candidate) and not trial.lost:
                self.accepted = rest
                self._move(trial.keys)
                self.credit(moved)
                dropped.append(candidate)
        return dropped

    def _changed(self, normalizer: Normalizer) -> tuple[dict[int, str], bool]:
        """Return the pages of which the key is another under all rules, and whether each key is a fixed point."""
        # a text for each page of a large site takes as much memory as its addresses
        keys = [
            before if (key := normalizer.key(page.key)) == before else key
            for page, before in zip(self.site.pages, self.keys, strict=True)
        ]
        known = {page.key: key for page, key in zip(self.site.pages, keys, strict=True)}
        fixed = not normalizer.counts["unstable"] and all(
            (known[key] if key in known else normalizer.key(key)) == key for key in set(keys)
        )
        return {n: key for n, key in enumerate(keys) if key is not self.keys[n]}, fixed

    def breaker(self, candidates: Sequence[Candidate]) -> Candidate:
        """Return the latest of some rules without which the user's own pairs hold, else the latest."""
        alone = (c for c in reversed(candidates) if not self.broken(other for other in candidates if other is not c))
        return next(alone, candidates[-1])

    def settle(self) -> list[Candidate]:
        """Run all rules over all pages once more; drop the last ones until keys are fixed points and losses few."""
        dropped = []
        while self.accepted:
            changed, fixed = self._changed(self.normalizer(self.accepted))
            trial = self._moved_trial(changed)
            broken = self.broken(self.accepted)
            if fixed and not broken and trial.lost <= self.options.wrong_merges * trial.merged:
                self._move(trial.keys)
                break
            candidate = self.accepted[-1] if broken is None else self.breaker(self.accepted)
            self.accepted = [c for c in self.accepted if c is not candidate]
            if broken is not None:
                reject(candidate, broken)
                dropped.append(candidate)
                continue
            candidate.status = REJECTED
            candidate.why += (
                "; with the other rules it does not settle" if not fixed else "; with the others it loses pages"
            )
            dropped.append(candidate)
        return dropped
