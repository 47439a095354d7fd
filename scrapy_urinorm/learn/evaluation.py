"""How good rules are, on pages that they were not learned from.

Content classes are split in two halves; rules come from the visits of one half and are judged on the addresses of the
other. A crawl that meets addresses in random order fetches the first of every key. Pages that a tenth of a site's
addresses or so share (errors served as pages, log-in forms) are scored apart: half of their addresses are held out.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import FAR_SHARE as FAR
from scrapy_urinorm.content import NEAR_SHARE as NEAR
from scrapy_urinorm.content import resemblance
from scrapy_urinorm.learn.baselines import BASELINES
from scrapy_urinorm.learn.learner import learn
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.processes import in_order
from scrapy_urinorm.suffixes import host_of, site_at

if TYPE_CHECKING:
    from scrapy_urinorm.learn.baselines import Baseline, Decide
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.visits.record import Visit

MIN_SITE = 20
"""Pages of a site of which halves are worth scoring."""


@dataclass(slots=True)
class Scores:
    """Counts of one crawl; the shares are computed from them, so that sites add up.

    `lost` classes have no fetched member and no stand-in that resembles them by half, `changed` ones a stand-in of
    half to nine tenths; `mixed` counts addresses whose key holds a page of another content. `soft_urls` are held-out
    addresses of soft errors, `soft_keys` the requests that they cost, `soft_mixed` the keys that they share with pages.
    """

    urls: int = 0
    classes: int = 0
    fetched: int = 0
    saved: int = 0
    lost: int = 0
    changed: int = 0
    mixed: int = 0
    merged_pairs: int = 0
    same_pairs: int = 0
    soft_urls: int = 0
    soft_keys: int = 0
    soft_mixed: int = 0

    def add(self, other: Scores) -> None:
        """Add the counts of another crawl."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))

    @property
    def cut(self) -> float:
        """The share of addresses that need not be fetched."""
        return 1 - self.fetched / self.urls if self.urls else 0.0

    @property
    def recall(self) -> float:
        """The share of redundant addresses that were not fetched and whose page was (DustBuster's)."""
        redundant = self.urls - self.classes
        return self.saved / redundant if redundant else 0.0

    @property
    def loss(self) -> float:
        """The share of content classes that were lost."""
        return self.lost / self.classes if self.classes else 0.0

    @property
    def precision(self) -> float:
        """The share of merged pairs that show one page."""
        return self.same_pairs / self.merged_pairs if self.merged_pairs else 1.0


def judge(pages: Sequence[Page], decide: Decide, seed: int = 0) -> Scores:
    """Return the scores of a crawl over pages of known content, in an order drawn with `seed`."""
    order = list(range(len(pages)))
    random.Random(seed).shuffle(order)
    first: dict[str, int] = {}
    seen: set[int] = set()
    answers = [decide(page.url) for page in pages]
    for n in order:
        key, skipped = answers[n]
        if not skipped and key not in first:
            first[key] = n
            final = pages[n].final
            # who follows a redirect to what is skipped gets nothing
            if final is None or not decide(final)[1]:
                seen.add(pages[n].label)
    scores = Scores(len(pages), len({page.label for page in pages}), len(first))
    stand_in: dict[int, float] = defaultdict(float)
    for n in order:
        key, skipped = answers[n]
        other = first.get(key)
        label = pages[n].label
        if other == n:
            continue
        if label in seen:
            scores.saved += 1
        elif other is not None and not skipped:
            stand_in[label] = max(stand_in[label], _alike(pages[n], pages[other]))
        else:
            stand_in[label] += 0.0
    scores.lost = sum(share < FAR for share in stand_in.values())
    scores.changed = sum(FAR <= share < NEAR for share in stand_in.values())
    _pairs(pages, answers, scores)
    return scores


def _alike(one: Page, other: Page) -> float:
    if one.label == other.label:
        return 1.0
    if not one.sketches or len(one.sketches) != len(other.sketches):
        return 0.0
    return min(map(resemblance, one.sketches, other.sketches))


def _pairs(pages: Sequence[Page], answers: Sequence[tuple[str, bool]], scores: Scores) -> None:
    groups: dict[str, dict[int, list[Page]]] = defaultdict(lambda: defaultdict(list))
    for page, (key, skipped) in zip(pages, answers, strict=True):
        if not skipped:
            groups[key][page.label].append(page)
    for by_label in groups.values():
        classes = _united(list(by_label.values()))
        total = sum(classes)
        scores.merged_pairs += total * (total - 1) // 2
        scores.same_pairs += sum(n * (n - 1) // 2 for n in classes)
        scores.mixed += total - max(classes)


def _united(classes: list[list[Page]]) -> list[int]:
    """Return the sizes of content classes, near duplicates united with the first that they resemble."""
    firsts: list[Page] = []
    sizes: list[int] = []
    for members in classes:
        at = next((n for n, first in enumerate(firsts[:64]) if _alike(members[0], first) >= NEAR), None)
        if at is None:
            firsts.append(members[0])
            sizes.append(len(members))
        else:
            sizes[at] += len(members)
    return sizes


class Split(NamedTuple):
    """A site in two halves: the pages that rules are learned from, those that are scored, and soft errors held out."""

    train: list[Page]
    test: list[Page]
    soft: list[Page]


def halves(pages: Sequence[Page], seed: int) -> Split:
    """Split the content classes of a site in two halves, and the addresses of its soft errors.

    Pages of unknown content train as they do in life and are not scored.
    """
    counts = Counter(page.label for page in pages)
    limit = max(50, 0.01 * len(pages))
    labels = sorted(label for label, n in counts.items() if label >= 0 and n <= limit)
    rng = random.Random(seed)
    rng.shuffle(labels)
    held_out = set(labels[len(labels) // 2 :])
    split = Split([], [], [])
    for page in pages:
        if page.label in held_out:
            split.test.append(page)
        elif page.label >= 0 and counts[page.label] > limit and rng.random() < 0.5:
            split.soft.append(page)
        else:
            split.train.append(page)
    return split


def evaluate(
    visits: Iterable[Visit],
    options: Options,
    *,
    seeds: Sequence[int] = (1, 2, 3, 4, 5),
    baselines: Mapping[str, Decide] | None = None,
    rivals: Mapping[str, Baseline] = BASELINES,
    identities: Mapping[str, str] | None = None,
    jobs: int = 1,
) -> dict[str, dict[str, Scores]]:
    """Return the scores by site and then by name: `learned`, `rivals` (that learn as well), `baselines`.

    `identities` names the page at an address where that is known better than from the visits: pages are then split and
    scored by it, and learned from what the visits say all the same. Visits are held in memory. Sites of fewer than
    `MIN_SITE` pages are left out. `jobs` processes (0: one for each core) score halves side by side, for which what
    decides must be picklable.
    """
    by_site: dict[str, list[Visit]] = defaultdict(list)
    for visit in visits:
        if name := site_at(visit.url):
            by_site[name].append(visit)
    out: dict[str, dict[str, Scores]] = {}
    work = partial(_scored, replace(options, jobs=1), dict(baselines or {}), rivals, identities)
    splits = [(name, by_site[name], seed) for name in sorted(by_site) for seed in seeds]
    # one alone would wait for its process; the threads of NumPy's libraries do not survive a fork
    for name, found in in_order(work, splits, jobs if len(splits) > 1 else 1, fork=False):
        scores = out.setdefault(name, {}) if found else {}
        for rival, one in found.items():
            scores.setdefault(rival, Scores()).add(one)
    return out


def _scored(
    options: Options,
    baselines: Mapping[str, Decide],
    rivals: Mapping[str, Baseline],
    identities: Mapping[str, str] | None,
    split_of: tuple[str, Sequence[Visit], int],
) -> tuple[str, dict[str, Scores]]:
    """Score one way to split one site; nothing where it is too small."""
    name, visits, seed = split_of
    site = Site("evaluated")
    for visit in visits:
        site.add(visit, host_of(visit.url) or "")
    site.build(options.preset)
    scores: dict[str, Scores] = {}
    if len(site.pages) < MIN_SITE:
        return name, scores
    split = halves(site.pages if identities is None else _identified(site, identities), seed)
    held_out = {page.key for page in (*split.test, *split.soft)}
    for rival, decide in (_rivals(visits, site, held_out, options, rivals) | dict(baselines)).items():
        scores[rival] = judge(split.test, decide, seed)
        _judge_soft(split, decide, scores[rival])
    return name, scores


def _identified(site: Site, identities: Mapping[str, str]) -> list[Page]:
    """Return the pages of a site with the labels of what they are known to be."""
    labels: dict[str, int] = {}
    pages = []
    for page in site.pages:
        target = site.by_key.get(page.final) if page.final is not None else None
        known = identities.get(page.url) or (identities.get(target.url) if target is not None else None)
        label = -1 if known is None else labels.setdefault(known, len(labels))
        pages.append(replace(page, label=label, sketches=()))
    return pages


def _rivals(
    visits: Sequence[Visit], site: Site, held_out: set[str], options: Options, rivals: Mapping[str, Baseline]
) -> dict[str, Decide]:
    """Return what decides on addresses, each learned from the pages that are not held out."""
    normalizer = Normalizer(site.ground(()) or None, options.preset)
    pages = [page for page in site.pages if page.key not in held_out]
    learned = Normalizer(learn(_training(visits, normalizer, held_out), options).rules)

    def by_rules(url: str) -> tuple[str, bool]:
        decision = learned.decide(url)
        return decision.key, decision.skip

    return {"learned": by_rules, **{name: make(pages, normalizer) for name, make in rivals.items()}}


def _training(visits: Iterable[Visit], normalizer: Normalizer, held_out: set[str]) -> list[Visit]:
    """Return the visits that say nothing of what is held out, where they redirect to included."""
    return [
        visit
        for visit in visits
        if normalizer.key(visit.url) not in held_out
        and (visit.final_url is None or normalizer.key(visit.final_url) not in held_out)
    ]


def _judge_soft(split: Split, decide: Decide, scores: Scores) -> None:
    pages = {decide(page.url)[0] for page in split.test}
    answers = [decide(page.url) for page in split.soft]
    keys = {key for key, skipped in answers if not skipped}
    scores.soft_urls, scores.soft_keys, scores.soft_mixed = len(answers), len(keys), len(keys & pages)


def macro(scores: Iterable[Scores]) -> dict[str, float]:
    """Return the means over sites of cut, recall and loss."""
    rows = list(scores)
    n = max(1, len(rows))
    return {name: sum(getattr(row, name) for row in rows) / n for name in ("cut", "recall", "loss")}
