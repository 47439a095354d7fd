"""From groups of neighbours to the contexts in which an edit is harmless."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import DIFFERENT, EXACT, NEAR, UNKNOWN, compare
from scrapy_urinorm.learn.contexts import host_of_context
from scrapy_urinorm.learn.evidence import ABSENT
from scrapy_urinorm.learn.risk import DEFAULT_PRIOR, risk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_urinorm.learn.contexts import Atom, Context
    from scrapy_urinorm.learn.evidence import Neighbours
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.view import View

AGAINST_CAP = 16
"""One huge group of different pages is many disagreements, but not more than these."""
CHILD_GROUPS = 5
CHILD_AGAINST = 0.3
SEARCH_GROUPS = 4_000
BEAM = 40
MAX_EXCEPTIONS = 5
MAX_DEPTH = 3
NARROWED = 0.3
"""What is left of the prior with each condition."""
UNREPEATED = 0.02
"""What is left of the prior where each page had one value and each value one page: that the page is the same without
it then says nothing about another value. `rev` may have shown the newest revision, page after page."""
REPEATED_SHARE = 0.2
"""The share of groups in which a value must come again to say something of other pages; chosen."""
EXAMPLES = 3
"""Pairs written down for and against: what fits beside a rule."""


class Group(NamedTuple):
    """The outcome of one group: `against` is its weight as a disagreement, `page` the view that stands for it,
    `values` hashes what the edit took away from its members (the first of them, in a huge group), absence left out;
    `narrow` says that they are all of one kind where the site has others.
    """

    page: int
    outcome: int
    label: int
    against: int
    saved: int
    values: frozenset[int]
    examples: tuple[tuple[int, int], ...]
    narrow: bool = False

    @classmethod
    def of_pair(cls, outcome: int, page: int, other: int, label: int) -> Group:
        """Return the group of two views, of which the second stands for both."""
        against, saved = int(outcome == DIFFERENT), int(outcome >= NEAR)
        return cls(other, outcome, label, against, saved, frozenset(), ((page, other),))


@dataclass(slots=True)
class Evidence:
    """What speaks for an edit in a context and what against it.

    `agree` counts distinct pages, `against` weighted disagreements, `values` distinct values that a page was seen with
    beside others, `chosen` the conditions that were chosen among many.
    """

    agree: int = 0
    against: int = 0
    unknown: int = 0
    saved: int = 0
    values: int = 0
    groups: int = 0
    groups_for: int = 0
    groups_against: int = 0
    near: int = 0
    unrepeated: bool = False
    narrow: bool = False
    risk: float = 1.0
    prior: float = DEFAULT_PRIOR
    constant: bool = False
    chosen: int = 0
    examples: list[tuple[int, int]] = field(default_factory=list)
    counterexamples: list[tuple[int, int]] = field(default_factory=list)


class Conclusion(NamedTuple):
    """An edit that holds in a context, save in some of its parts; `support` numbers the groups that agree."""

    context: Context
    evidence: Evidence
    exceptions: tuple[Atom, ...] = ()
    support: tuple[int, ...] = ()


def narrowings(context: Context) -> int:
    """Return how many conditions were chosen among many; that a rule is for one host is not a choice."""
    return sum(atom.kind != "host" for atom in context)


def judged(neighbours: Neighbours, views: Sequence[View]) -> Group:
    """Compare the members of a group with its representative: the page without the part, else the commonest content."""
    members = neighbours.members
    pages = [page for _, page in members]
    labels = Counter(views[page].page.label for page in pages)
    unknown = labels.pop(-1, 0)
    # a page of unknown content speaks for nothing, its value neither
    values = frozenset([v for v, page in members if v != ABSENT and views[page].page.label >= 0])
    home = neighbours.absent
    if home >= 0 and views[home].page.label >= 0:
        first = home
    elif labels:
        best = max(labels, key=lambda label: (labels[label], -label))
        first = next(page for page in pages if views[page].page.label == best)
    else:
        first = pages[0]
    stands = home if home >= 0 else first
    label = views[first].page.label
    if neighbours.labels <= 1:
        outcome = EXACT if neighbours.known >= max(2, neighbours.size - neighbours.known) else UNKNOWN
        other = next((page for page in pages if page != first and views[page].page.label == label), first)
        return Group(stands, outcome, label, 0, neighbours.known - 1, values, ((other, first),))
    return _mixed(neighbours, views, first, stands, unknown, values)


def _mixed(
    neighbours: Neighbours, views: Sequence[View], first: int, stands: int, unknown: int, values: frozenset[int]
) -> Group:
    label = views[first].page.label
    seen: dict[int, int] = {}
    against: list[int] = []
    agree: list[int] = []
    for _, page in neighbours.members:
        mine = views[page].page.label
        if page == first or mine < 0:
            continue
        outcome = EXACT if mine == label else seen.get(mine)
        if outcome is None:
            outcome = seen[mine] = compare(views[page].page, views[first].page)
            if outcome == DIFFERENT:
                against.append(page)
        if outcome >= NEAR:
            agree.append(page)
        elif outcome == UNKNOWN:
            unknown += 1
    if against:
        weight = min(AGAINST_CAP, max(len(against), neighbours.labels - 1 - sum(o != DIFFERENT for o in seen.values())))
        return Group(stands, DIFFERENT, label, weight, 0, values, tuple((page, first) for page in against[:1]))
    if not agree or len(agree) + 1 < unknown:
        return Group(stands, UNKNOWN, label, 0, 0, values, ())
    near = sum(seen[views[page].page.label] == NEAR for page in agree if views[page].page.label != label)
    outcome = EXACT if 2 * near < len(agree) else NEAR
    return Group(stands, outcome, label, 0, len(agree), values, ((agree[0], first),))


class Judge:
    """Weighs groups and says what is accepted, for one edit."""

    def __init__(self, options: Options, soft: frozenset[int], prior: float, *, constant: bool = True) -> None:
        self.options = options
        self.soft = soft
        self.prior = prior
        self.constant = constant

    def weigh(self, groups: Iterable[Group], context: Context = ()) -> Evidence:
        """Return the evidence of some groups; soft classes agree with nothing that counts, but do disagree."""
        found = Evidence()
        labels = set()
        near_labels = set()
        values: set[int] = set()
        single: set[int] = set()
        repeated = 0
        for group in groups:
            found.groups += 1
            if group.outcome >= NEAR:
                found.groups_for += 1
                if group.outcome == NEAR:
                    found.near += 1
                    near_labels.add(group.label)
                else:
                    labels.add(group.label)
                found.saved += group.saved
                if len(group.values) > 1:
                    values |= group.values
                    repeated += 1
                elif group.values:
                    repeated += not single.isdisjoint(group.values)
                    single |= group.values
                found.narrow |= group.narrow
                if len(found.examples) < EXAMPLES:
                    found.examples += group.examples
            elif group.outcome == DIFFERENT:
                found.against += group.against
                found.groups_against += 1
                if len(found.counterexamples) < EXAMPLES:
                    found.counterexamples += group.examples
            else:
                found.unknown += 1
        exact = found.groups_for - found.near
        found.agree = len((labels | near_labels if exact > found.near else labels) - self.soft)
        found.values = len(values)
        # each narrowing follows a refusal, and many are tried
        found.prior, found.chosen = self.prior, narrowings(context)
        prior = self.prior * NARROWED ** narrowings(context)
        found.unrepeated = bool(single) and repeated < REPEATED_SHARE * found.groups_for
        if found.unrepeated:
            prior *= UNREPEATED
        found.risk = risk(found.agree, found.against, prior)
        found.constant = (
            self.constant
            and not found.against
            and not found.near
            and not found.narrow
            and found.values >= self.options.min_values
            and found.unknown * 10 <= found.groups
            and any(atom.is_literal for atom in context)
        )
        return found

    def accepts(self, evidence: Evidence) -> bool:
        """Whether the rule may be active: low risk, or a constant view; unknown outcomes are not agreement."""
        if evidence.constant:
            return evidence.saved > 0
        return evidence.saved > 0 and evidence.risk <= self.options.risk and not self.mostly_unknown(evidence)

    def mostly_unknown(self, evidence: Evidence) -> bool:
        """Whether too many groups are neither alike nor different."""
        exact = evidence.groups_for - evidence.near
        near = 0 if exact > evidence.near else evidence.near
        return evidence.unknown + near > max(2, self.options.unknown * (evidence.groups_for - near))


def cover(
    groups: Sequence[Group],
    atoms_of: Callable[[Group], frozenset[Atom]],
    judge: Judge,
    *,
    hosts: Sequence[str] = (),
    least: Callable[[Context], float] = lambda _: 1.0,
    exceptions: bool = False,
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
        elif evidence.agree >= 2 or evidence.values >= judge.options.min_values:
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
