"""One look at a site under the rules so far: its views, their neighbours, and what becomes of a finding."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.content import DIFFERENT, EXACT, NEAR, UNKNOWN
from scrapy_urinorm.learn.evidence.candidate import PROPOSED, REJECTED, Candidate, on_host
from scrapy_urinorm.learn.evidence.companions import Companions
from scrapy_urinorm.learn.evidence.edits import Name, bundles, closed_segments
from scrapy_urinorm.learn.evidence.extent import as_far_as_seen
from scrapy_urinorm.learn.evidence.ground import Ground
from scrapy_urinorm.learn.evidence.judge import Evidence, Group, Judge, distinct
from scrapy_urinorm.learn.evidence.narrow import in_folders, narrowed, whole_lists
from scrapy_urinorm.learn.evidence.query_paths import on_query_paths
from scrapy_urinorm.learn.evidence.search import Conclusion, cover, part_of
from scrapy_urinorm.learn.evidence.stayed import Stayed
from scrapy_urinorm.learn.pages.contexts import Atom, Context, Contexts, host_of_context
from scrapy_urinorm.learn.pages.view import View, says_one
from scrapy_urinorm.learn.proof.elsewhere import leads_home, stand_elsewhere

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.neighbours import Neighbours
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.proof.proof import Proof

    Memory = dict[Name, tuple[int, list[Candidate]]]
    """Edit -> a hash of the neighbours that were looked at, and what was rejected of them."""

MAX_VALUES = 2_000
LONG_VALUE = 200
"""Values of a parameter that are remembered, and the characters of the longest: 400 kB a name at the most."""


class Stage:
    """One look at a site: the views under the rules so far, and what the families make of their neighbours."""

    def __init__(
        self,
        views: Sequence[View],
        contexts: Contexts,
        soft: frozenset[int],
        options: Options,
        scope: str,
        declared: frozenset[str],
        memory: Memory,
        proof: Proof | None = None,
    ) -> None:
        self.views = views
        self.soft = soft
        self.options = options
        self.scope = scope
        self.declared = declared
        self.contexts = contexts
        self.rejected: list[Candidate] = []
        self.groups: dict[Name, list[Neighbours]] = defaultdict(list)
        self.indifferent = frozenset[int]()
        self._memory, self._proof = memory, proof
        self._companions = Companions(views, contexts)

    def new_groups(self, family: str) -> Iterator[tuple[Name, list[Neighbours]]]:
        """Yield the neighbours of each edit of a family, save those that an earlier round has seen as they are.

        What was rejected of them then is still rejected.
        """
        for name, neighbours in sorted(self.groups.items()):
            if name[0] != family:
                continue
            views = self.views
            mark = hash(tuple([(views[p].key, len(views[p].pages)) for n in neighbours for _, p in n.members]))
            known = self._memory.get(name)
            if known is not None and known[0] == mark:
                self.rejected += known[1]
                continue
            before = len(self.rejected)
            yield name, neighbours
            self._memory[name] = (mark, self.rejected[before:])

    @cached_property
    def bundles(self) -> dict[str, list[Name]]:
        """The parameters that come together."""
        return bundles(self.views)

    @cached_property
    def closed(self) -> frozenset[str]:
        """The segments that are part of the site's structure."""
        return closed_segments(self.views)

    @cached_property
    def ground(self) -> Ground:
        """The places of the site's addresses, and their parameters."""
        return Ground(self.views, self.contexts, lambda: None if self._proof is None else self._proof.linked)

    def may_be_others(self, members: Sequence[tuple[int, str]]) -> bool:
        """Whether others like some views of one page, by number and the part that varies, may show something else; live
        rules look at some of them themselves.
        """
        named = [(self.views[n], part) for n, part in members] if self.options.skip else []
        return bool(named) and (all(leads_home(view) for view, _ in named) or not stand_elsewhere(self._proof, named))

    @cached_property
    def stayed(self) -> Stayed:
        """The addresses that show a page themselves where others like them redirect."""
        return Stayed(self.views, self.contexts)

    @cached_property
    def values(self) -> dict[str, set[str]]:
        """Values of each parameter, long ones and those after many left out."""
        found: dict[str, set[str]] = defaultdict(set)
        for view in self.views:
            for name, value in view.items:
                if len(found[name]) < MAX_VALUES and len(value) <= LONG_VALUE:
                    found[name].add(value)
        return found

    def value_of(self, page: int, name: str) -> str | None:
        """Return the value (key spelling) of a parameter in a view by its number; None where it has not one."""
        values = self.views[page].values_of(name)
        return values[0] if len(values) == 1 else None

    def judge(self, prior: float, *, constant: bool = True, spelled: bool = False) -> Judge:
        """Return a judge with the options of this run; `spelled`: of whether two values are spellings of one."""
        return Judge(self.options, self.soft | self.indifferent if spelled else self.soft, prior, constant=constant)

    def search(
        self,
        groups: Sequence[Group],
        judge: Judge,
        skip: frozenset[str] = frozenset(),
        *,
        exceptions: bool = False,
        beside: frozenset[str] = frozenset(),
        folders: bool = False,
        extent: bool = False,
    ) -> list[Conclusion]:
        """Return where groups agree; conditions on the parameters in `skip` are not asked.

        What is found is not narrowed to where those `beside` it stand or do not; `folders` narrows an edit of the path
        to the folders of the pages that it makes one; `extent` a crawl that was cut short to the numbers it has seen.
        """

        def atoms(group: Group) -> frozenset[Atom]:
            found = self.contexts.atoms(group.page)
            return frozenset(a for a in found if a.kind != "query" or a.name not in skip) if skip else found

        found = cover(groups, atoms, judge, hosts=self.contexts.hosts, least=self.least, exceptions=exceptions)
        lasting = [finding for finding in found if self._lasts(finding.context, groups, skip)]
        wider = [part for finding in lasting for part in self._grounded(finding, groups, judge, atoms, skip)]
        known = groups, judge, atoms, self.views, self.contexts, skip
        parts = [part for one in wider for part in on_query_paths(one, *known)]
        narrower = [self._narrowed(part, groups, skip | beside, folders) for part in parts]
        if not extent or self._proof is None or self._proof.is_finished:
            return narrower
        return [as_far_as_seen(part, groups, self.views, skip) for part in narrower]

    def _lasts(self, context: Context, groups: Iterable[Group], skip: frozenset[str]) -> bool:
        """Whether a finding is of more than one short list: what chooses a slice makes no difference there, today."""
        if skip.isdisjoint(self.contexts.slices):
            return True
        paths = {atom.name for atom in context if atom.kind == "path" and atom.is_literal}
        others = (group for group in groups if group.outcome == DIFFERENT)
        return not paths or all(self.views[group.page].path in paths for group in others)

    def _grounded(
        self,
        finding: Conclusion,
        groups: Sequence[Group],
        judge: Judge,
        atoms: Callable[[Group], frozenset[Atom]],
        skip: frozenset[str],
    ) -> Iterator[Conclusion]:
        """Yield the parts of a finding for which its groups speak."""
        support = [groups[n].page for n in finding.support]
        contexts = self.ground.parts(finding.context, support, skip) if skip else []
        if not skip or contexts == [finding.context]:
            yield finding
            return
        held = [(n, group, atoms(group)) for n, group in enumerate(groups)]
        for context in contexts:
            inside = [
                (n, group)
                for n, group, known in held
                if known.issuperset(context) and known.isdisjoint(finding.exceptions)
            ]
            part = part_of(finding, context, inside, judge)
            if part is not None and part.evidence.saved >= self.least(context):
                yield part

    def _narrowed(
        self, finding: Conclusion, groups: Sequence[Group], skip: frozenset[str], folders: bool
    ) -> Conclusion:
        support = [groups[n].page for n in finding.support]
        context = narrowed(finding.context, support, self.contexts, self.views, skip, self._companions)
        pairs = [pair for n in finding.support for pair in groups[n].examples]
        if any(self._sorts(*pair) for pair in pairs):
            context = whole_lists(context, [*support, *chain(*pairs)], self.contexts, self.views, skip)
        elif folders:
            context = in_folders(context, [(self.views[a].path, self.views[b].path) for a, b in pairs])
        return finding._replace(context=context)

    def _sorts(self, page: int, other: int) -> bool:
        """Whether two views show the same lines in another order."""
        one, two = self.views[page].page, self.views[other].page
        return one.label == two.label and 0 != one.order != two.order != 0

    def least(self, context: Context) -> float:
        """Return the requests that a rule in a context must save: a share of the site, or of its host."""
        host = host_of_context(context)
        pages = len(self.views) if host is None else self.contexts.pages_of[host]
        return max(1.0, self.options.min_gain * pages / 1000)

    def candidate(
        self, finding: Conclusion, rule: str, value: Any, family: str, why: str, names: Iterable[str] = ()
    ) -> Candidate:
        """Return the candidate of a finding, with examples."""
        host = host_of_context(finding.context)
        candidate = Candidate(host or self.scope, rule, value, finding.evidence, family, why, finding.context)
        candidate.exceptions, candidate.names = finding.exceptions, frozenset(names)
        candidate.this_host = host is not None and self.contexts.has_below(host)
        self.illustrate(candidate, finding.evidence)
        return candidate

    def on_host(self, host: str, rule: str, value: Any, evidence: Evidence, family: str, why: str) -> Candidate:
        """Return a candidate for one host, with examples."""
        candidate = on_host(self.contexts, host, self.scope, rule, value, evidence, family, why)
        self.illustrate(candidate, evidence)
        return candidate

    def illustrate(self, candidate: Candidate, evidence: Evidence) -> None:
        """Add the URLs of the pairs that speak for and against."""
        candidate.examples = self._urls(evidence.examples)
        candidate.counterexamples = self._urls(evidence.counterexamples)

    def _urls(self, pairs: Iterable[tuple[int, int]]) -> list[tuple[str, str]]:
        return [(self.views[a].page.url, self.views[b].page.url) for a, b in pairs if a != b][:3]

    def reject(
        self, groups: Sequence[Group], judge: Judge, rule: str, value: Any, family: str, what: str, doubt: str = ""
    ) -> None:
        """Remember what was considered and found wrong, or too thin; or likely, but for a `doubt` that no pages end."""
        evidence = judge.weigh(groups)
        if not evidence.against and not evidence.agree:
            return
        why = f"{what} made no difference to {distinct(evidence.agree)}"
        if evidence.against:
            why = f"{what} changes the page in {evidence.groups_against} of {evidence.groups} groups of neighbours"
        elif judge.mostly_unknown(evidence):
            why += f", but in {evidence.unknown} of {evidence.groups} groups of neighbours too little is known"
        elif self.options.exact and evidence.doubtful:
            why += (
                f", but in {evidence.doubtful} of {evidence.groups} groups of neighbours pages only resemble each other"
            )
        elif evidence.unrepeated:
            why += ", but each was seen with one value and each value on one of them; more are needed"
        elif evidence.narrow and evidence.values >= self.options.min_values:
            why += ", but its values there begin alike, and others of the site do not; more kinds of them are needed"
        elif doubt:
            why += f", but {doubt}"
        else:
            why += "; more are needed"
        candidate = Candidate(self.scope, rule, value, evidence, family, why, status=REJECTED)
        candidate.needs_word = bool(doubt)
        if not evidence.against and evidence.risk <= self.options.suggest:
            candidate.status = PROPOSED
        self.illustrate(candidate, evidence)
        self.rejected.append(candidate)

    def missed(
        self, groups: Sequence[Group], judge: Judge, rule: str, value: Any, family: str, what: str, doubt: str = ""
    ) -> None:
        """Remember an edit of values or names that was refused, one of many, where it was nearly right."""
        agree = sum(group.outcome >= NEAR for group in groups)
        if agree > 1 and agree >= sum(group.outcome == DIFFERENT for group in groups):
            self.reject(groups, judge, rule, value, family, what, doubt)

    def said_one(self, groups: Iterable[Group], *, lasting: bool = True) -> bool:
        """Whether two trees are one: all pairs are equal, and lasting redirects or canonical links say so of each.

        Versions and languages of a site have equal pages, and others that differ in a word.
        """
        for group in groups:
            if group.outcome == EXACT:
                if not all(says_one(self.views[a], self.views[b], lasting=lasting) for a, b in group.examples):
                    return False
            elif group.outcome != UNKNOWN:
                return False
        return True

    def pair(self, page: int, other: int) -> Group:
        """Return the comparison of two views as a group."""
        return Group.of_pair(self.views, page, other)
