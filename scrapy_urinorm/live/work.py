"""One study of a site as a piece of work: begun with what was seen so far, run wherever there is time for it."""

from __future__ import annotations

import re
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.priors import FAMILY
from scrapy_urinorm.live.study import Studied, study
from scrapy_urinorm.live.watched import Standing, Store, Trying, Watched
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recipe import hash_of

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.live.priors import Prior

_digits = re.compile("[0-9]+").findall


@dataclass(frozen=True)
class Seen:
    """What is known of a site of so many `pages` when a study of it begins; for what the others are see `study`."""

    site: str
    pages: int
    store: Store
    options: Options
    rules: Sequence[Any]
    struck: frozenset[str]
    earlier: Sequence[Candidate]
    learned: Sequence[Candidate]
    priors: Sequence[Prior]
    waiting: Mapping[bytes, str]
    fresh: int
    since: Mapping[str, str]
    doubts: int
    """How many there were."""
    counts: Mapping[str, list[int]]
    """Of the rules that are believed, the pairs that agreed and did not."""

    @classmethod
    def of(
        cls,
        site: Watched,
        store: Store,
        options: Options,
        rules: Sequence[Any],
        priors: Sequence[Prior],
        fresh: int,
    ) -> Seen:
        """Return what is known of a site now."""
        # what a study counts is of this one
        learned = [replace(one, evidence=replace(one.evidence)) for one in site.learned]
        earlier = site.found.believed if site.found is not None else learned
        return cls(
            site=site.name,
            pages=site.pages,
            store=store,
            options=options,
            rules=rules,
            struck=frozenset(site.struck),
            earlier=[one for one in earlier if one.family != FAMILY],
            learned=learned,
            priors=[*site.priors.rules, *priors],
            waiting=dict(site.waiting),
            fresh=fresh,
            since=dict(site.since),
            doubts=site.doubts,
            counts={rule: [*count] for rule, count in site.counts.items()},
        )


@dataclass
class Work:
    """A study: what has begun it, and what it has found; None, and `failure`, where it could not be done."""

    seen: Seen
    found: Studied | None = None
    failure: str = ""
    alone: dict[str, Normalizer] = field(default_factory=dict)
    normalizer: Normalizer | None = None
    classes: dict[bytes, Standing] = field(default_factory=dict)
    trials: list[Trying] = field(default_factory=list)
    stopgaps: dict[bytes, str] = field(default_factory=dict)
    """The addresses that stand for a class and show what another page shows, too, by class. It may be shown instead of
    both, as where a server refuses to go on, and then says nothing of what is kept back for its sake.
    """

    def run(self) -> None:
        """Study, and make ready what further visits are held against; nothing that others change is touched."""
        seen = self.seen
        visits = islice(seen.store.visits(seen.site), seen.pages)
        try:
            found = study(
                seen.site,
                visits,
                seen.options,
                seen.rules,
                seen.struck,
                seen.earlier,
                seen.priors,
                seen.waiting,
                seen.fresh,
                seen.since,
                seen.learned,
            )
            self._make_ready(found)
            self.found = found
        except Exception:  # noqa: BLE001  whatever a site makes of the learner: what is believed so far goes on
            self.failure = traceback.format_exc(limit=-3)

    def _make_ready(self, found: Studied) -> None:
        self.alone = {name: Normalizer([one], "safe", check_examples=False) for name, one in found.alone.items()}
        for name, (source, counts, proven) in found.tried.items():
            trial = Trying(name, Normalizer([source], "safe", check_examples=False), counts, proven)
            self.trials.append(trial)
            for page in found.pages:
                if page.label >= 0:
                    trial.classes.setdefault(trial.alone.key(page.key), page)
        if found.alone:
            rules = [found.source, *self.seen.rules]
            self.normalizer = Normalizer(rules, self.seen.options.preset, check_examples=False)
            first, stopgaps = dict[int, set[str]](), set[int]()
            for page in found.pages:
                if page.label >= 0:
                    key = self.normalizer.key(page.key)
                    self.classes.setdefault(hash_of(key), Standing(page, page.url))
                    if page.final is not None:
                        # it serves where the redirect led to, which is a page as well
                        continue
                    names, other = _names(key), first.get(page.label, set())
                    if names >= other:
                        # the longest of a page and its views: what shows the same beside it is neither
                        first[page.label] = names
                    elif not names <= other:
                        stopgaps.add(page.label)
            standing = ((key, one) for key, one in self.classes.items() if one.page.final is None)
            self.stopgaps = {key: one.url for key, one in standing if one.page.label in stopgaps}
        found.pages = []

    def is_refuted(self, since: Mapping[str, str]) -> bool:
        """Whether a page has spoken against something that rules are about since the study of them began.

        Against others one may: while old rules are held against pages many do, and no study would ever count.
        """
        found = self.found
        about = () if found is None else (one for name in found.alone for one in found.subjects[name])
        return found is None or any(self.seen.since.get(one) != since.get(one) for one in about)

    def message(self) -> dict[str, Any]:
        """Return the rules that were found, as the crawl is told."""
        found, none = self.found, no_rules(self.seen.site, self.seen.pages)
        if found is None:
            return none
        rules = [
            {
                "id": one,
                "said": found.said[one],
                "source": alone,
                "proven": one in found.proven,
                "splits": one in found.splits.values(),
            }
            for one, alone in found.alone.items()
        ]
        later = {"later": found.later, "combined": found.combined}
        told = {"source": found.source, "lasting": found.lasting, "likely": found.likely}
        return {**none, **told, **later, "rules": rules, "rows": found.rows}


def _names(key: str) -> set[str]:
    """Return what names a page in its address: each part of the path, and numbers of the query. A view has more."""
    path, _, query = key.partition("?")
    return {*accumulate(path.rstrip("/").split("/"), "{}/{}".format), *_digits(query)}


def no_rules(site: str, pages: int) -> dict[str, Any]:
    """Return what the crawl is told of a site without rules."""
    # no two studies have seen equally much, whoever may have been restarted between them
    said = {"do": "rules", "site": site, "version": pages, "pages": pages}
    return {**said, "source": {}, "lasting": {}, "likely": {}, "rules": [], "rows": []}
