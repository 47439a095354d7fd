"""One study of a site: the learner's rules that the sequential test believes and that hold together, exactly."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, Content, Frame, Titles, compare, plain_content
from scrapy_urinorm.content.echoes import echoed
from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.learn.earlier import names_of
from scrapy_urinorm.learn.evidence.candidate import PROPOSED, Candidate, is_writable, signature, tables
from scrapy_urinorm.learn.evidence.extent import for_all_numbers, for_seen_numbers
from scrapy_urinorm.learn.evidence.risk import BELIEVED, standing
from scrapy_urinorm.learn.output import evidence_row
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.site_learner import SiteLearner
from scrapy_urinorm.learn.sites.own_text import OwnTexts
from scrapy_urinorm.learn.sites.separators import base_of
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.learn.unrequested.facets import combined
from scrapy_urinorm.live.ground import ground_of
from scrapy_urinorm.live.pairs import holds_alone, judge, subjects, with_either_slash
from scrapy_urinorm.live.priors import FAMILY, Prior
from scrapy_urinorm.live.reachable import ASKED, FRESH, Reachable
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.platforms import VERDICTS
from scrapy_urinorm.suffixes import host_of
from scrapy_urinorm.url import decoded, resolve

if TYPE_CHECKING:
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.live.trial import Tried
    from scrapy_urinorm.visits.record import Visit

LIKELY = 3
"""Pairs that agree from which a rule puts requests behind the others; more is not at stake."""
MOST_PROPOSED = 20
"""Proposals that are tried beside what the learner accepts: each costs a fingerprint a page."""
CUT_OFF = 0.1
"""Of the pairs that a rule is believed for, how many ways to something new it may cut off while the crawl goes on: a
page with three links by chance leads to what nothing else has led to so far. At the end it may cut off none."""
ROUNDS = 50
"""Rules taken out one after the other until the others hold together; a site has fewer."""


@dataclass
class Studied:
    """What a study has found: `source` is all rules as one rule source, `alone` and `said` each by its name. `lasting`
    is what the learner accepts of them, for a next crawl, which has no samples.

    `pages` stand for what was seen; `page_of` reads a further visit as the study would.
    """

    source: dict[str, Any] = field(default_factory=dict)
    lasting: dict[str, Any] = field(default_factory=dict)
    alone: dict[str, dict[str, Any]] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    likely: dict[str, Any] = field(default_factory=dict)
    """With what is not believed yet but has something for it and nothing against; empty where there is none."""
    later: dict[str, Any] = field(default_factory=dict)
    """What comes after all else: lists with more than one filter; `combined` says in words where, and what was seen."""
    combined: dict[str, str] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    proven: set[str] = field(default_factory=set)
    """Of `alone` those that were proven on real installations."""
    tried: dict[str, tuple[dict[str, Any], list[int], bool]] = field(default_factory=dict)
    """What is not believed yet, alone, with its pairs for and against, and whether it was proven elsewhere."""
    believed: list[Candidate] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    subjects: dict[str, frozenset[str]] = field(default_factory=dict)
    """What the rules of `alone` and `tried` are about."""
    soft: frozenset[int] = frozenset()
    frame: Frame | None = None
    titles: Titles = field(default_factory=Titles)
    own_texts: OwnTexts = field(default_factory=OwnTexts)
    labels: dict[bytes, int] = field(default_factory=dict)
    normalizer: Normalizer | None = None
    unsplit: Normalizer | None = None
    """What leaves queries unsplit, and `splits` the rules that split them, by host."""
    splits: dict[str, str] = field(default_factory=dict)

    def page_of(self, visit: Visit) -> Page:
        """Return a visit as a page that can be compared with those of the study."""
        assert self.normalizer is not None
        final = visit.final_url or visit.url
        page = Page(self.normalizer.key(final), final)
        read = self.frame.content if visit.lines and self.frame is not None else plain_content
        content: Content = read(visit)
        if content.label is not None:
            page.show(self.labels.setdefault(content.label, len(self.labels)), content)
            self.titles.forget_shell(page)
        page.data = content.data
        if visit.canonical:
            page.canonical = self.normalizer.key(resolve(visit.canonical, final))
            self.own_texts.doubt((page,))
        return page


def study(
    name: str,
    visits: Iterable[Visit],
    options: Options,
    rules: Sequence[Any],
    struck: frozenset[str] = frozenset(),
    earlier: Sequence[Candidate] = (),
    priors: Sequence[Prior] = (),
    waiting: Mapping[bytes, str] | None = None,
    fresh: int = FRESH,
    since: Mapping[str, str] | None = None,
    learned: Sequence[Candidate] = (),
) -> Studied:
    """Learn the rules of a site from its visits.

    Those named in `struck` are not believed whatever speaks for them; `earlier` ones stay, and those of `learned` files
    are believed, until a pair speaks against them. `priors` are tried beside what the learner finds. `waiting` are
    addresses that were met and not fetched, by the hash that links name them by; what the `fresh` latest pages lead to
    is not known yet. `since` is as `judge` has it.
    """
    site = _gathered(name, visits)
    frame = site.frame
    pages = [(visit.url, visit.lines) for visit, _ in site.rows if visit.lines]
    enabled = gc.isenabled()
    gc.disable()
    try:
        site.build(options.preset, rules, struck, sessions=learned)
        for candidate in earlier:
            candidate.earlier = True
        learner = SiteLearner(site, options, rules, [one for one in earlier if signature(one) not in struck])
        graph = learner.proof.graph if learner.proof is not None else None
        # it would take for lost what only waits: that is judged below
        learner.proof = learner.court = None
        learner.run()
        lists = combined(learner, graph) if graph is not None else []
        proven = frozenset(signature(one.candidate) for one in priors if one.proven)
        trusted = frozenset(map(signature, learned))
        offered = [*learned, *(one.candidate for one in priors), *_candidates(learner)]
        held = struck.union(map(signature, site.said_sessions))
        chosen = {signature(one): one for one in reversed(offered) if _is_free(learner, one, held)}
        _doubt_echoes(chosen, trusted, echoed(pages, frame.short()) if frame is not None else frozenset())
        judged = judge(learner, dict(reversed(chosen.items())), proven, since or {}, trusted)
        normalizer = Normalizer(site.ground(rules) or None, options.preset, check_examples=False)
        met = {hashed: normalizer.key(url) for hashed, url in (waiting or {}).items()}
        reachable = Reachable(site.pages, site.ids, met, site.soft, fresh) if site.tells_ways and site.pages else None
        believed = _together(learner, reachable, [one for one in judged if one.believed], CUT_OFF if fresh else 0.0)
    finally:
        if enabled:
            gc.enable()
    ground, apart = ground_of(site, rules, options.preset, everywhere=bool(believed)), base_of(site.separators)
    found = Studied(
        pages=site.pages, soft=site.soft, frame=frame, titles=site.titles, own_texts=site.own_texts, labels=site.labels,
        normalizer=normalizer, alone=ground.alone, said=ground.said, subjects=ground.subjects, proven=ground.proven,
        splits=ground.splits, unsplit=ground.unsplit, rows=[evidence_row(one) for one in ground.rules],
    )  # fmt: skip
    found.later, found.combined = tables(lists), {one.where["path"]: one.why for one in lists}
    found.source = tables([one.candidate for one in believed], ground.source)
    lasting = [
        for_seen_numbers(one.candidate)
        for one in believed
        if one.lasts(options) and not learner.passing.doubt(one.candidate)
    ]
    found.lasting = tables(lasting, site.base if lasting else ground.source)
    likely = [one for one in judged if one not in believed and one.agree >= LIKELY and not one.against]
    together = _unbroken(learner, [one.candidate for one in (*believed, *likely)])
    if len(together) > len(believed):
        found.likely = tables(together, site.base)
    for one in judged:
        mark = signature(one.candidate)
        found.subjects[mark] = subjects(one.candidate)
        if one in believed:
            found.alone[mark] = tables([one.candidate], apart)
            found.said[mark] = one.said
            if one.is_known:
                found.proven.add(mark)
            found.rows.append(evidence_row(one.candidate))
            found.believed.append(one.candidate)
        elif standing(one.agree, one.against) > -BELIEVED:
            found.tried[mark] = one.trial(tables([one.candidate], apart))
    return found


def _gathered(name: str, visits: Iterable[Visit]) -> Site:
    site = Site(name)
    for visit in visits:
        host = host_of(visit.url)
        if host is not None:
            site.add(visit, host)
    return site


def _candidates(learner: SiteLearner) -> list[Candidate]:
    """Return the rules that may be believed: those the learner accepts, and those that it would with more support."""
    proposed = [one for one in learner.others if one.status == PROPOSED]
    known: dict[str, Candidate] = {}
    accepted = [one for one in learner.replay.accepted if one.rule not in VERDICTS]
    accepted = [one if holds_alone(learner, one) else with_either_slash(one) for one in accepted]
    for one in (*accepted, *proposed[:MOST_PROPOSED]):
        if one.rule not in VERDICTS and is_writable(one):
            known.setdefault(signature(one), one)
    return list(map(for_all_numbers, known.values()))


def _doubt_echoes(candidates: Mapping[str, Candidate], trusted: frozenset[str], echoes: frozenset[str]) -> None:
    """Have rules on parameters whose values the pages name put requests behind the others, and no more: what else tells
    such pages apart may not be known yet. The lines of packs were looked at by a person, the `trusted` learned from a
    whole crawl.
    """
    for mark, one in candidates.items():
        if mark not in trusted and one.family != FAMILY and not echoes.isdisjoint(map(decoded, names_of(one))):
            one.needs_word = True


def _is_free(learner: SiteLearner, candidate: Candidate, struck: frozenset[str]) -> bool:
    """Whether a rule was not taken back, and leaves the pairs of the user's own rules what they are."""
    return signature(candidate) not in struck and not learner.replay.broken([candidate])


def _unbroken(learner: SiteLearner, candidates: list[Candidate]) -> list[Candidate]:
    """Return the rules under which the pairs of the user's own rules hold."""
    while candidates and learner.replay.broken(candidates):
        breaker = learner.replay.breaker(candidates)
        candidates = [one for one in candidates if one is not breaker]
    return candidates


def _together(
    learner: SiteLearner, reachable: Reachable | None, believed: list[Tried], tolerated: float
) -> list[Tried]:
    """Return the rules that hold together: no two pages that differ share a key, nor two that the user's own rules keep
    apart, and no content is cut off.

    A rule is not blamed for less than `tolerated` of its pairs.
    """
    pages = learner.site.pages
    for _ in range(ROUNDS):
        if not believed:
            break
        candidates = [one.candidate for one in believed]
        try:
            normalizer = learner.replay.normalizer(candidates)
        except RuleFileError:
            believed = believed[:-1]
            continue
        if len(unbroken := _unbroken(learner, candidates)) < len(candidates):
            believed = [one for one in believed if one.candidate in unbroken]
            continue
        known = reachable.keys if reachable is not None else [page.key for page in pages]
        key = dict(zip(known, map(normalizer.key, known), strict=True))
        guilty = [(pages[a].key, pages[b].key) for a, b in _differing(pages, key, learner.site.soft)]
        differing = bool(guilty)
        if not guilty and reachable is not None:
            guilty = [(known[gone.node], known[gone.stand_in]) for gone in reachable.gone(key)]
        if not guilty:
            return believed
        blamed = dict.fromkeys(range(len(believed)), 0)
        alone = [learner.replay.normalizer([one.candidate], "safe").key for one in believed]
        for pair in guilty[:ASKED]:
            for n, of in enumerate(alone):
                blamed[n] += any(of(one) != one for one in pair)
        most = max(blamed.values())
        # of two that only ever changed such addresses together neither is known to be the right one
        worst = {n for n, times in blamed.items() if times == most}
        if not differing:
            worst = {max(worst)}
            if most <= tolerated * believed[max(worst)].agree:
                return believed
        believed = [one for n, one in enumerate(believed) if n not in worst]
    return believed


def _differing(pages: Sequence[Page], keys: Mapping[str, str], soft: frozenset[int]) -> list[tuple[int, int]]:
    """Return the pairs of pages that share a key and differ."""
    first: dict[tuple[str, bool], int] = {}
    pairs = []
    for n, page in enumerate(pages):
        if page.label < 0 and not page.data:
            continue
        other = first.setdefault((keys[page.key], page.label < 0), n)
        if other != n and page.label not in soft and compare(page, pages[other]) == DIFFERENT:
            pairs.append((n, other))
    return pairs
