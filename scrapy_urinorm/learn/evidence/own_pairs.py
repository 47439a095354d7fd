"""The pairs of URLs in the user's own rules: what these keep apart no learned rule makes one; no crawl would start."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.learn.evidence.candidate import REJECTED, Candidate, tables
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import Example, RuleSet
from scrapy_urinorm.url import split


class Broken(NamedTuple):
    """A pair that is no more what the user says of it, with the reason in words."""

    pair: tuple[str, str]
    said: str


class OwnPairs:
    """The pairs of the user's own `rules` that are on a site: `distinct` ones, and `examples` of what is one."""

    def __init__(self, rules: Sequence[Any], preset: str, site: str) -> None:
        self._rules, self._preset = list(rules), preset
        known = RuleSet.load(*rules, preset=preset) if rules else None
        self._pairs: list[Example] = []
        self._skipped: set[str] = set()
        if known is not None and known.examples:
            judge = Normalizer(known, check_examples=False).judge
            for one in known.examples:
                said = {url: judge(url) for url in one.urls}
                if (len({of.key for of in said.values()}) == 1) is not one.equal:
                    # rules that were joined to one source may say less than they did apart
                    continue
                self._skipped.update(url for url, of in said.items() if of.skip)
                # a link through a wrapper is on the site that it leads to as well
                if any(_is_on(given, site) or _is_on(of.key, site) for given, of in said.items()):
                    self._pairs.append(one)

    def broken(self, candidates: Iterable[Candidate], base: dict[str, Any] | None = None) -> Broken | None:
        """Return the first pair that would not hold if a crawl had these rules below the user's own."""
        if not self._pairs:
            return None
        learned = {**tables(candidates, base), "evidence": [{}]}
        try:
            judge = Normalizer([learned, *self._rules], self._preset, check_examples=False).judge
        except RuleFileError:
            # what the grammar has no words for is refused for that
            return None
        for one in self._pairs:
            first, second = map(judge, one.urls)
            if (first.key == second.key) is not one.equal:
                what = "addresses are two pages that are one" if one.equal else "addresses are one page that are two"
            elif not one.equal and any(
                of.skip and url not in self._skipped for url, of in zip(one.urls, (first, second), strict=True)
            ):
                what = "an address is never requested that is a page of its own"
            else:
                continue
            line = f":{one.line}" if one.line else ""
            return Broken(one.urls, f"with it {what} by your own rules ({one.layer.file}{line}, `{one.key}`)")
        return None

    def parted(self, candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
        """Return the rules that leave all pairs what they are, taken in one after the other; the others, rejected."""
        kept: list[Candidate] = []
        gone: list[Candidate] = []
        for candidate in candidates:
            broken = self.broken([*kept, candidate])
            if broken is None:
                kept.append(candidate)
            else:
                reject(candidate, broken)
                gone.append(candidate)
        return kept, gone


def _is_on(url: str, site: str) -> bool:
    parts = split(url)
    return parts is not None and f".{parts.host}".endswith(f".{site}")


def reject(candidate: Candidate, broken: Broken) -> None:
    """Make a candidate no rule, with the pair that it breaks."""
    candidate.status = REJECTED
    candidate.why += f"; but {broken.said}"
    candidate.counterexamples = [broken.pair]
