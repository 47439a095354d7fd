"""From groups of neighbours to the contexts in which an edit is harmless."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import DIFFERENT, NEAR, UNKNOWN
from scrapy_urinorm.learn.pages.contexts import host_of_context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_urinorm.learn.evidence.judge import Evidence, Group, Judge
    from scrapy_urinorm.learn.pages.contexts import Atom, Context

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


def cover(
    groups: Sequence[Group],
    atoms_of: Callable[[Group], frozenset[Atom]],
    judge: Judge,
    *,
    hosts: Sequence[str],
    least: Callable[[Context], float],
    exceptions: bool,
) -> list[Conclusion]:
    """Return the contexts in which the groups agree, the most general first (reference 7.4).

    Where a site has several `hosts`, what holds for all of them must be seen on each, and contradicted on none: one
    user of a hosting domain must not speak for the others. A finding must save the `least` of its context.
    """
    whole = judge.weigh(groups)
    if not any(group.outcome >= NEAR for group in groups):
        return []
    atoms = [atoms_of(group) for group in groups]
    index = _index(range(len(groups)), atoms)
    if judge.accepts(whole) and _everywhere(range(len(groups)), groups, atoms, hosts):
        finding = _with_exceptions((), list(range(len(groups))), groups, index, judge, exceptions)
        if finding is not None:
            return [finding._replace(support=_agreeing(range(len(groups)), groups))]
    found: list[tuple[Conclusion, list[int]]] = []
    left = {n for n, group in enumerate(groups) if group.outcome >= NEAR}
    frontier: list[tuple[Context, list[int]]] = [((), list(range(len(groups))))]
    for _depth in range(MAX_DEPTH):
        frontier = _extended(frontier, groups, atoms, judge, left, found, least, hosts, exceptions)
        if not frontier or sum(groups[n].saved for n in left) < 1:
            break
    return [finding._replace(support=_agreeing(members, groups)) for finding, members in found]


def _agreeing(members: Iterable[int], groups: Sequence[Group]) -> tuple[int, ...]:
    return tuple(n for n in members if groups[n].outcome >= NEAR)


def _extended(
    frontier: list[tuple[Context, list[int]]],
    groups: Sequence[Group],
    atoms: Sequence[frozenset[Atom]],
    judge: Judge,
    left: set[int],
    found: list[tuple[Conclusion, list[int]]],
    least: Callable[[Context], float],
    hosts: Sequence[str],
    exceptions: bool,
) -> list[tuple[Context, list[int]]]:
    """Narrow each context by one condition; move what is accepted to `found`, return the rest to narrow further."""
    accepted, rest = [], []
    for saved, context, members in _narrower(frontier, groups, atoms, left, least):
        evidence = judge.weigh((groups[n] for n in members), context)
        if judge.accepts(evidence):
            if host_of_context(context) is not None or _everywhere(members, groups, atoms, hosts):
                accepted.append((saved, context, members))
            else:
                rest.append((context, members))
        elif evidence.agree >= 2 or evidence.values >= judge.least_values:
            rest.append((context, members))
    for _saved, context, members in accepted:
        gain = sum(groups[n].saved for n in members if n in left)
        if gain < least(context):
            continue
        index = _index(members, atoms)
        finding = _with_exceptions(context, members, groups, index, judge, exceptions)
        if finding is None:
            rest.append((context, members))
            continue
        found.append((finding, members))
        left.difference_update(members)
    return [(c, m) for c, m in rest if any(n in left for n in m)][:BEAM]


def _narrower(
    frontier: list[tuple[Context, list[int]]],
    groups: Sequence[Group],
    atoms: Sequence[frozenset[Atom]],
    left: set[int],
    least: Callable[[Context], float],
) -> list[tuple[int, Context, list[int]]]:
    """Return contexts of one condition more with their groups, those that save most first."""
    tried: set[frozenset[Atom]] = set()
    candidates = []
    for context, numbers in frontier:
        if len(numbers) > SEARCH_GROUPS and context:
            numbers = numbers[:: len(numbers) // SEARCH_GROUPS + 1]
        for atom, members in _index(numbers, atoms).items():
            kinds = frozenset((*context, atom))
            if kinds in tried or not _compatible(context, atom) or not _narrows(atom, members, numbers):
                continue
            tried.add(kinds)
            saved = sum(groups[n].saved for n in members if n in left)
            if saved >= least((*context, atom)):
                candidates.append((saved, (*context, atom), members))
    candidates.sort(key=lambda c: (-c[0], _order(c[1])))
    return candidates[: 8 * BEAM]


def _everywhere(
    numbers: Iterable[int], groups: Sequence[Group], atoms: Sequence[frozenset[Atom]], hosts: Sequence[str]
) -> bool:
    """Whether what holds for all hosts is seen on each, and contradicted on none."""
    if len(hosts) < 2:
        return True
    seen = set()
    for n in numbers:
        if groups[n].outcome == DIFFERENT:
            return False
        if groups[n].outcome >= NEAR:
            seen |= {atom.name for atom in atoms[n] if atom.kind == "host"}
    return len(seen) == len(hosts)


def _narrows(atom: Atom, members: list[int], numbers: list[int]) -> bool:
    """Whether a condition adds something: a literal may, even where it holds for all, as it makes a constant view, and
    a host does, as the rule is then for that host.
    """
    return len(members) < len(numbers) or atom.is_literal or atom.kind == "host"


def _order(context: Context) -> tuple[tuple[str, str, str], ...]:
    return tuple((a.kind, a.name, str(a.value)) for a in context)


def _compatible(context: Context, atom: Atom) -> bool:
    return not any(
        a == atom or (a.kind == atom.kind and (atom.kind != "query" or a.name == atom.name)) for a in context
    )


def _index(numbers: Iterable[int], atoms: Sequence[frozenset[Atom]]) -> dict[Atom, list[int]]:
    index: dict[Atom, list[int]] = defaultdict(list)
    for n in numbers:
        for atom in atoms[n]:
            index[atom].append(n)
    return index


def _with_exceptions(
    context: Context,
    members: list[int],
    groups: Sequence[Group],
    index: dict[Atom, list[int]],
    judge: Judge,
    exceptions: bool,
) -> Conclusion | None:
    """Return the finding, its bad parts taken out; None where that leaves too little or cannot be said."""
    inside = set(members)
    excepted: list[Atom] = []
    for _ in range(MAX_EXCEPTIONS + 1):
        bad = _worst_child(context, inside, groups, index)
        if bad is None:
            evidence = judge.weigh((groups[n] for n in members if n in inside), context)
            return Conclusion(context, evidence, tuple(excepted)) if judge.accepts(evidence) else None
        if not exceptions:
            return None
        excepted.append(bad)
        inside.difference_update(index[bad])
    return None


def _worst_child(
    context: Context, inside: set[int], groups: Sequence[Group], index: dict[Atom, list[int]]
) -> Atom | None:
    worst: tuple[float, int, Atom] | None = None
    for atom, numbers in index.items():
        if not _compatible(context, atom) or atom.value is False:
            continue
        decided = [groups[n].outcome for n in numbers if n in inside and groups[n].outcome != UNKNOWN]
        if len(decided) < CHILD_GROUPS or len(decided) >= len(inside):
            continue
        share = decided.count(DIFFERENT) / len(decided)
        if share > CHILD_AGAINST and (worst is None or (share, len(decided), str(atom)) > (*worst[:2], str(worst[2]))):
            worst = (share, len(decided), atom)
    return worst[2] if worst is not None else None
