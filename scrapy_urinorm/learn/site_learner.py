"""The stages of learning on one site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, REJECTED, SILENT, Candidate, is_writable, priority
from scrapy_urinorm.learn.evidence.edits import (
    Name,
    Row,
    drop_edits,
    origin_edits,
    path_edits,
    rename_edits,
    repeat_edits,
    value_edits,
)
from scrapy_urinorm.learn.evidence.indifferent import indifferent
from scrapy_urinorm.learn.evidence.neighbours import MEMBER_CAP, Parts
from scrapy_urinorm.learn.families.declared import declarations, declared_names, nested
from scrapy_urinorm.learn.families.names import piece_edits
from scrapy_urinorm.learn.families.parameters import edited_values, kinds_by_name, parameters, renames
from scrapy_urinorm.learn.families.passing import Passing, proposed
from scrapy_urinorm.learn.families.paths import edited_segments, origins, paths, segments
from scrapy_urinorm.learn.families.pieces import pieces
from scrapy_urinorm.learn.families.programs import known_lines, try_packs
from scrapy_urinorm.learn.families.shapes import Shapes
from scrapy_urinorm.learn.families.stage import Stage
from scrapy_urinorm.learn.families.templates import templates
from scrapy_urinorm.learn.families.unlabelled import proposals
from scrapy_urinorm.learn.families.wrapped import wrapped
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.pages.contexts import Atom, Contexts
from scrapy_urinorm.learn.pages.view import View, Views, view_of
from scrapy_urinorm.learn.proof.guilt import Court
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.proof.replay import Replay, host_of_key, refute
from scrapy_urinorm.learn.unrequested.calendars import calendars
from scrapy_urinorm.learn.unrequested.facets import facets
from scrapy_urinorm.learn.unrequested.lists import put_off
from scrapy_urinorm.learn.unrequested.locked import locked
from scrapy_urinorm.learn.unrequested.numbered import endless
from scrapy_urinorm.learn.unrequested.refused import refused
from scrapy_urinorm.learn.unrequested.silent import recall_silent, redundant_shapes

if TYPE_CHECKING:
    from scrapy_urinorm.learn.families.stage import Memory
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.sites.site import Site

MAX_ROUNDS = 6
"""Rounds of all families; what one accepts opens ground for the others, chosen."""


class SiteLearner:
    """The stages of learning on one site; what each accepts is the ground that the next one stands on."""

    def __init__(self, site: Site, options: Options, rules: Sequence[Any], earlier: Sequence[Candidate] = ()) -> None:
        self.site = site
        self.earlier = earlier
        self.options = options
        self.replay = Replay(site, options, rules)
        graph = graph_of(site.pages, site.ids)
        said = {"exact": not options.wrong_merges, "ended": site.has_ended, "whole": site.is_whole}
        self.proof = None if graph is None else Proof(site.pages, graph, site.soft, **said)
        self.others: list[Candidate] = []
        self._views = Views()
        self._memory: Memory = {}
        self._looked_at: dict[str, tuple[list[View], list[Candidate]]] = {}
        self._contexts: tuple[list[View], Contexts] | None = None
        self.skipped: set[int] = set()
        self.skipped_keys = 0
        self.silent_views: set[int] = set()
        hosts = {host_of_key(page.key) for page in site.pages}
        self.scope = next(iter(hosts)) if len(hosts) == 1 else site.name
        self.declared = frozenset[str]()
        self.court = None if self.proof is None else Court(self.replay, self.proof, self._atoms)
        self.convicted: list[Candidate] = []
        self.refused: list[Candidate] = []
        self._indifferent = frozenset[int]()
        self.passing = Passing(site)

    def _atoms(self, page: int) -> frozenset[Atom]:
        """Return the conditions that hold for a page by its number, whatever rules are in."""
        place, contexts = self._conditions
        return contexts.atoms(place[page]) if page in place else frozenset()

    @cached_property
    def _conditions(self) -> tuple[dict[int, int], Contexts]:
        # a view of each page takes as much memory as the pages, and few sites ask
        views = [view_of(page.key, [page]) for page in self.site.pages]
        known = [n for n, view in enumerate(views) if view is not None]
        return {n: at for at, n in enumerate(known)}, Contexts([view for view in views if view is not None])

    def _prove(self) -> None:
        if self.court is not None:
            self.convicted += self.court.settle()

    def _prune(self) -> None:
        """Drop what others make superfluous, and what does not stand with the others; the former comes back then."""
        pruned = self.replay.prune()
        standing = len(self.replay.accepted)
        self._settle()
        if len(self.replay.accepted) < standing and self._try(pruned):
            self._settle()
        for candidate in pruned:
            if candidate.status == ACTIVE and candidate not in self.replay.accepted:
                candidate.status = REJECTED
                candidate.why += "; the other rules save as much without it"
                self.others.append(candidate)

    def _settle(self) -> None:
        self._prove()
        self.others += self.replay.settle()
        self._prove()

    def withdrawn(self) -> list[Candidate]:
        """Return the earlier rules that are none any more."""
        return [candidate for candidate in self.earlier if candidate not in self.replay.accepted]

    def _recall(self) -> None:
        """Take in what earlier files know, unless these pages contradict or tell that it holds for today only."""
        lasting = self.passing.lasting(self.earlier, self.views, self.refuse)
        for candidate in sorted(lasting, key=lambda c: (len(c.where), -c.saved, c.rule, str(c.value))):
            if candidate.rule in SILENT:
                continue
            trial = self.replay.trial(candidate)
            if trial.lost or not self.replay.accepts(trial, -len(self.site.pages)):
                refute(candidate, trial, self.site.pages, "in these visits it merged")
                self.refused.append(candidate)
                continue
            candidate.add_up(trial.classes, trial.wrong, self.site.crawls)
            self.replay.add(candidate, trial)

    def run(self) -> None:
        """Run the stages until none accepts anything."""
        families = self.options.families
        self._recall()
        if "declared" in families:
            declared = declarations(self.site, self.scope)
            self.declared = declared_names(declared)
            self._try(declared, at_least=0)
        if all(page.label < 0 for page in self.site.pages):
            self._from_addresses()
            return
        if "platforms" in families:
            # first: what is known of the program holds where this crawl has not been
            self.refused += try_packs(known_lines(self.site), self.replay)
            self._prove()
        if "parameters" in families:
            self._try(nested(self.views, self.scope))
            self._unwrap()
        if "origins" in families:
            # of a hundred mirrors each is one member: those beyond a cap would never be made one with the others
            self._stage(lambda _: origin_edits, origins, most=len(self.site.pages))
        # the rounds look at all else anew
        self.refused += self.others
        stages = {family: stage for family, stage in self._stages().items() if family in families}
        for _ in range(MAX_ROUNDS):
            self.others = []
            # every stage is run: the list is made before it is looked at
            if not any([self._once(family, stage) for family, stage in stages.items()]):  # noqa: C419  see above
                break
            self._prove()
        self.others += self.refused
        self._prune()
        recall_silent(self)
        self.others += self.convicted
        if self.options.skip and "shapes" in families:
            endless(self)
            redundant_shapes(self)
            refused(self)
            locked(self)
            facets(self)
            put_off(self)
            calendars(self)

    def _unwrap(self) -> None:
        key = self.replay.normalizer(self.replay.accepted).key
        found = wrapped(self.views, self.contexts, key, self.options, self.scope)
        self.others += [one for one in found if one.status != ACTIVE]
        self._try([one for one in found if one.status == ACTIVE])

    def _once(self, family: str, stage: Callable[[], bool]) -> bool:
        """Run a stage, unless it has seen these very views: it would accept nothing and reject the same again."""
        views = self.views
        known = self._looked_at.get(family)
        if known is not None and known[0] is views:
            self.others += known[1]
            return False
        before = len(self.others)
        changed = stage()
        self._looked_at[family] = views, self.others[before:]
        return changed

    def _stages(self) -> dict[str, Callable[[], bool]]:
        """The families that later ones may open new ground for, in their order."""
        return {
            "paths": lambda: self._stage(lambda _: path_edits, paths),
            "parameters": lambda: self._stage(
                lambda stage: lambda view: chain(repeat_edits(view), drop_edits(view, stage.bundles)), parameters
            ),
            "renames": lambda: self._stage(lambda _: rename_edits, renames),
            "values": lambda: self._stage(lambda stage: value_edits(kinds_by_name(stage)), edited_values),
            "segments": lambda: self._stage(edited_segments, segments),
            "pieces": lambda: self._stage(lambda stage: piece_edits(stage.views), pieces),
            "templates": lambda: self._try(templates(self.shapes(), self._indifferent)),
        }

    def _from_addresses(self) -> None:
        stage = self._looking({}, None)
        _gather(stage, lambda view: chain(drop_edits(view, stage.bundles), path_edits(view)))
        self.others += proposals(stage)

    def _stage(
        self,
        edits: Callable[[Stage], Callable[[View], Iterator[Row]]],
        family: Callable[[Stage], list[Candidate]],
        most: int = MEMBER_CAP,
    ) -> bool:
        if len(self.views) < 2:
            return False
        stage = self._looking(self._memory, self.proof)
        _gather(stage, edits(stage), most)
        self._indifferent |= indifferent(stage.groups, stage.views)
        stage.indifferent = self._indifferent
        changed = self._try(family(stage))
        self.others += stage.rejected
        return changed

    def _looking(self, memory: Memory, proof: Proof | None) -> Stage:
        views, contexts = self.views, self.contexts
        return Stage(views, contexts, self.site.soft, self.options, self.scope, self.declared, memory, proof)

    @property
    def views(self) -> list[View]:
        """The views of the site under the rules so far."""
        return self._views.of(self.replay.moves, self.replay.keys, self.site.pages)

    @property
    def contexts(self) -> Contexts:
        """The conditions that hold for them; those of the latest ones are remembered."""
        views = self.views
        if self._contexts is None or self._contexts[0] is not views:
            self._contexts = views, Contexts(views)
        return self._contexts[1]

    def shapes(self, *, open_dates: bool = False) -> Shapes:
        """Return the shapes of the site under the rules so far."""
        return Shapes(self.views, self.contexts, self.site.soft, self.options, self.scope, open_dates=open_dates)

    def _try(self, candidates: list[Candidate], at_least: float | None = None) -> bool:
        """Take in what stands the replay and saves at least so many requests, general rules first."""
        changed = False
        for candidate in sorted(filter(is_writable, candidates), key=priority):
            if self.court is not None and self.court.forbids(candidate):
                continue
            least = self.replay.least(candidate) if at_least is None else at_least
            try:
                trial = self.replay.trial(candidate)
            except RuleFileError as error:
                # a name or a value that the grammar of rule files has no words for
                candidate.status = REJECTED
                candidate.why += f"; but it cannot be written: {error.problems[0].message}"
                self.others.append(candidate)
                continue
            if self.replay.accepts(trial, least):
                if doubt := self.passing.doubt(candidate):
                    self.refused += proposed(candidate, doubt)
                    continue
                self.replay.add(candidate, trial)
                changed = True
            elif trial.saved >= least:
                refute(candidate, trial, self.site.pages, "the replay of all rules merged")
                self.others.append(candidate)
        return changed

    def refuse(self, candidate: Candidate, why: str) -> None:
        """Note a candidate that is no rule, with the reason."""
        candidate.status = REJECTED
        candidate.why += f"; but {why}"
        (self.refused if candidate.earlier else self.others).append(candidate)


def _gather(stage: Stage, edits: Callable[[View], Iterator[Row]], most: int = MEMBER_CAP) -> None:
    """Fill the stage with the neighbours under some edits, `most` of a group."""
    parts = Parts()
    numbers: dict[Name, int] = {}
    for n, view in enumerate(stage.views):
        # no value may be 0, which stands for absence
        parts.extend([(numbers.setdefault(name, len(numbers)), key, value or 1, n) for name, key, value in edits(view)])
    names = list(numbers)
    views = stage.views
    for group in parts.neighbours([view.hash for view in views], [view.page.label for view in views], most):
        stage.groups[names[group.name]].append(group)
