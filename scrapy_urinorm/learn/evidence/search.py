"""From groups of neighbours to the contexts in which an edit is harmless."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import DIFFERENT, NEAR, UNKNOWN
from scrapy_urinorm.learn.pages.contexts import Atom, Context, host_of_context

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.judge import Evidence, Group, Judge

    _Part = tuple[Context, list[int]]
    """A context with the numbers of the groups in it."""

CHILD_GROUPS = 5
CHILD_AGAINST = 0.3
"""A part of a context with so many decided groups, of which more than this share disagree, is taken out."""
SEARCH_GROUPS = 4_000
BEAM = 40
MAX_EXCEPTIONS = 5
MAX_DEPTH = 3
"""Bounds of the search, chosen so that a site of 64,000 pages takes seconds: groups looked at, contexts kept from one
depth to the next, parts taken out, conditions of a context."""


class Conclusion(NamedTuple):
    """An edit that holds in a context, save in some of its parts; `support` numbers the groups that agree."""

    context: Context
    evidence: Evidence
    exceptions: tuple[Atom, ...] = ()
    support: tuple[int, ...] = ()


def part_of(
    finding: Conclusion, context: Context, members: Sequence[tuple[int, Group]], judge: Judge
) -> Conclusion | None:
    """Return a finding for a part of its context, by the groups there with their numbers; None where they say too
    little. The part was not chosen for what it shows, so the prior is that of the whole.
    """
    evidence = judge.weigh((group for _, group in members), finding.context)
    if not judge.accepts(evidence) and (evidence.agree < 2 or evidence.against):
        return None
    support = tuple(n for n, group in members if group.outcome >= NEAR)
    return finding._replace(context=context, evidence=evidence, support=support)


def cover(
    groups: Sequence[Group],
    atoms_of: Callable[[Group], frozenset[Atom]],
    judge: Judge,
    *,
    hosts: Sequence[str],
    least: Callable[[Context], float],
    exceptions: bool,
) -> list[Conclusion]:
    """Return the contexts in which the groups agree, the most general first.

    Where a site has several `hosts`, what holds for all of them must be seen on each, and contradicted on none: one
    user of a hosting domain must not speak for the others. A finding must save the `least` of its context.
    """
    if not any(group.outcome >= NEAR for group in groups):
        return []
    search = _Search(groups, [atoms_of(group) for group in groups], judge, hosts, least, exceptions)
    every = list(range(len(groups)))
    if judge.accepts(judge.weigh(groups)) and search.is_everywhere(every):
        finding = search.with_exceptions((), every)
        if finding is not None:
            return [finding]
    frontier: list[_Part] = [((), every)]
    for _depth in range(MAX_DEPTH):
        frontier = search.extended(frontier)
        if not frontier or search.saved(search.left) < 1:
            break
    return search.found


class _Search:
    """The groups of one edit with the conditions that hold for each, what was found, and what is `left` to find."""

    def __init__(
        self,
        groups: Sequence[Group],
        atoms: Sequence[frozenset[Atom]],
        judge: Judge,
        hosts: Sequence[str],
        least: Callable[[Context], float],
        exceptions: bool,
    ) -> None:
        self._groups, self._atoms, self._judge = groups, atoms, judge
        self._hosts, self._least, self._exceptions = hosts, least, exceptions
        self.found: list[Conclusion] = []
        self.left = {n for n, group in enumerate(groups) if group.outcome >= NEAR}

    def saved(self, members: Iterable[int]) -> int:
        """Return the requests that those of some groups save which are left."""
        return sum(self._groups[n].saved for n in members if n in self.left)

    def extended(self, frontier: list[_Part]) -> list[_Part]:
        """Narrow each context by one condition; note what is accepted, return the rest to narrow further."""
        accepted: list[_Part] = []
        rest: list[_Part] = []
        for context, members in self._narrower(frontier):
            evidence = self._judge.weigh((self._groups[n] for n in members), context)
            if self._judge.accepts(evidence):
                whole = host_of_context(context) is None and not self.is_everywhere(members)
                (rest if whole else accepted).append((context, members))
            elif evidence.agree >= 2 or evidence.values >= self._judge.least_values:
                rest.append((context, members))
        for context, members in accepted:
            if self.saved(members) < self._least(context):
                continue
            finding = self.with_exceptions(context, members)
            if finding is None:
                rest.append((context, members))
                continue
            self.found.append(finding)
            self.left.difference_update(members)
        return [(c, m) for c, m in rest if not self.left.isdisjoint(m)][:BEAM]

    def _narrower(self, frontier: list[_Part]) -> list[_Part]:
        """Return contexts of one condition more with their groups, those that save most first."""
        tried: set[frozenset[Atom]] = set()
        candidates = []
        for context, numbers in frontier:
            if len(numbers) > SEARCH_GROUPS and context:
                numbers = numbers[:: len(numbers) // SEARCH_GROUPS + 1]
            for atom, members in self._index(numbers).items():
                kinds = frozenset((*context, atom))
                if kinds in tried or not _compatible(context, atom) or not _narrows(atom, members, numbers):
                    continue
                tried.add(kinds)
                saved = self.saved(members)
                if saved >= self._least((*context, atom)):
                    candidates.append((saved, (*context, atom), members))
        candidates.sort(key=lambda c: (-c[0], [(a.kind, a.name, str(a.value)) for a in c[1]]))
        return [(context, members) for _, context, members in candidates[: 8 * BEAM]]

    def is_everywhere(self, members: Iterable[int]) -> bool:
        """Whether what holds for all hosts is seen on each, and contradicted on none."""
        if len(self._hosts) < 2:
            return True
        seen = set()
        for n in members:
            if self._groups[n].outcome == DIFFERENT:
                return False
            if self._groups[n].outcome >= NEAR:
                seen |= {atom.name for atom in self._atoms[n] if atom.kind == "host"}
        return len(seen) == len(self._hosts)

    def _index(self, members: Iterable[int]) -> dict[Atom, list[int]]:
        index: dict[Atom, list[int]] = defaultdict(list)
        for n in members:
            for atom in self._atoms[n]:
                index[atom].append(n)
        return index

    def with_exceptions(self, context: Context, members: list[int]) -> Conclusion | None:
        """Return the finding, its bad parts taken out; None where that leaves too little or cannot be said."""
        inside, index = set(members), self._index(members)
        excepted: list[Atom] = []
        for _ in range(MAX_EXCEPTIONS + 1):
            bad = self._worst_child(context, inside, index)
            if bad is None:
                evidence = self._judge.weigh((self._groups[n] for n in members if n in inside), context)
                support = tuple(n for n in members if self._groups[n].outcome >= NEAR)
                accepted = self._judge.accepts(evidence)
                return Conclusion(context, evidence, tuple(excepted), support) if accepted else None
            if not self._exceptions:
                return None
            excepted.append(bad)
            inside.difference_update(index[bad])
        return None

    def _worst_child(self, context: Context, inside: set[int], index: dict[Atom, list[int]]) -> Atom | None:
        worst: tuple[float, int, str, Atom] | None = None
        for atom, numbers in index.items():
            if not _compatible(context, atom) or atom.value is False:
                continue
            decided = [self._groups[n].outcome for n in numbers if n in inside and self._groups[n].outcome != UNKNOWN]
            if len(decided) < CHILD_GROUPS or len(decided) >= len(inside):
                continue
            share = decided.count(DIFFERENT) / len(decided)
            if share > CHILD_AGAINST and (worst is None or (share, len(decided), str(atom)) > worst[:3]):
                worst = (share, len(decided), str(atom), atom)
        return worst[3] if worst is not None else None


def _narrows(atom: Atom, members: list[int], numbers: list[int]) -> bool:
    """Whether a condition adds something: a literal may, even where it holds for all, as it makes a constant view, and
    a host does, as the rule is then for that host.
    """
    return len(members) < len(numbers) or atom.is_literal or atom.kind == "host"


def _compatible(context: Context, atom: Atom) -> bool:
    return not any(
        a == atom or (a.kind == atom.kind and (atom.kind != "query" or a.name == atom.name)) for a in context
    )
