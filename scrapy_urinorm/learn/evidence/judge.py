"""What groups of neighbours say for an edit and against it, and what is enough."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content import DIFFERENT, EXACT, NEAR, UNKNOWN, are_one, compare
from scrapy_urinorm.learn.evidence.neighbours import ABSENT, Neighbours
from scrapy_urinorm.learn.evidence.risk import DEFAULT_PRIOR, ID_PRIOR, risk

if TYPE_CHECKING:
    from scrapy_urinorm.learn.options import Options
    from scrapy_urinorm.learn.pages.contexts import Context
    from scrapy_urinorm.learn.pages.view import View

AGAINST_CAP = 16
"""One huge group of different pages is many disagreements, but not more than these."""
NARROWED = 0.3
"""What is left of the prior with each condition."""
UNREPEATED = 0.02
"""What is left of the prior where each page had one value and each value one page: that the page is the same without
it then says nothing about another value. `rev` may have shown the newest revision, page after page."""
REPEATED_SHARE = 0.2
"""The share of groups in which a value must come again to say something of other pages; chosen."""
ORDERS = 10
"""Orders of one text in a group of numbered pages from which they are what the number asks for; chosen: programs number
the columns by which a list may be sorted, of which few have so many."""
EXAMPLES = 3
"""Pairs written down for and against: what fits beside a rule."""


class Group(NamedTuple):
    """The outcome of one group: `against` is its weight as a disagreement, `page` the view that stands for it,
    `values` hashes what the edit took away from its members (the first of them, in a huge group), absence left out;
    `narrow` says that they are all of one kind where the site has others, `doubtful` that one of them resembles what it
    is taken for, and nothing more.
    """

    page: int
    outcome: int
    label: int
    against: int
    saved: int
    values: frozenset[int]
    examples: tuple[tuple[int, int], ...]
    narrow: bool = False
    doubtful: bool = False

    @classmethod
    def of_pair(cls, views: Sequence[View], page: int, other: int) -> Group:
        """Return the group of two views, of which the second stands for both."""
        one, two = views[page].page, views[other].page
        outcome = compare(one, two)
        against, saved = int(outcome == DIFFERENT), int(outcome >= NEAR)
        doubtful = outcome == NEAR and not are_one(one, two)
        return cls(other, outcome, two.label, against, saved, frozenset(), ((page, other),), doubtful=doubtful)


def unless_titled(views: Sequence[View], group: Group, pages: Sequence[int] = ()) -> Group:
    """Return the comparison of two views of a program, nothing known of it where they have titles of their own: that of
    questions without a chosen answer, and of those without votes, where none has either. Of more than two, all `pages`.
    """
    titles = {views[page].page.title for page in pages or group.examples[0]}
    apart = group.outcome >= NEAR and len(titles - {0}) > 1
    return group._replace(outcome=UNKNOWN, saved=0) if apart else group


@dataclass(slots=True)
class Evidence:
    """What speaks for an edit in a context and what against it.

    `agree` counts distinct pages, `against` weighted disagreements, `values` distinct values that a page was seen with
    beside others, `chosen` the conditions that were chosen among many, `doubtful` the groups of which a page only
    resembles.
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
    doubtful: int = 0
    risk: float = 1.0
    prior: float = DEFAULT_PRIOR
    constant: bool = False
    chosen: int = 0
    examples: list[tuple[int, int]] = field(default_factory=list)
    counterexamples: list[tuple[int, int]] = field(default_factory=list)


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
        # of several that a script draws, each from data of its own, at most one is what another is
        drawn = {data: page for page in pages if views[page].page.label < 0 and (data := views[page].page.data)}
        if len(drawn) > 1:
            one, two, *_ = drawn.values()
            return Group(stands, DIFFERENT, label, min(AGAINST_CAP, len(drawn) - 1), 0, values, ((one, two),))
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
    doubtful = False
    for _, page in neighbours.members:
        mine = views[page].page.label
        if page == first or mine < 0:
            continue
        outcome = EXACT if mine == label else seen.get(mine)
        if outcome is None:
            outcome = seen[mine] = compare(views[page].page, views[first].page)
            if outcome == DIFFERENT:
                against.append(page)
            doubtful |= outcome == NEAR and not are_one(views[page].page, views[first].page)
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
    return Group(stands, outcome, label, 0, len(agree), values, ((agree[0], first),), doubtful=doubtful)


def rank(pages: Iterable[int], views: Sequence[View]) -> bool:
    """Whether most of some pages of one text show its lines in orders of their own, as the charts of each week do."""
    found: dict[int, list[int]] = defaultdict(list)
    for page in pages:
        found[views[page].page.label].append(views[page].page.order)
    found.pop(-1, None)
    # pages that agree but nearly have other lines, and so other orders
    return any(
        len(different := {*orders} - {0}) >= ORDERS and 2 * len(different) > len(orders) for orders in found.values()
    )


class Judge:
    """Weighs groups and says what is accepted, for one edit."""

    def __init__(self, options: Options, soft: frozenset[int], prior: float, *, constant: bool = True) -> None:
        self.options = options
        self.soft = soft
        self.prior = prior
        self.constant = constant
        # of 15 values that all show one page a fifth of the others may show another (95 %), of 45 a fifteenth
        self.least_values = options.min_values * (3 if prior <= ID_PRIOR else 1)

    def weigh(self, groups: Iterable[Group], context: Context = (), *, equal: Sequence[int] = ()) -> Evidence:
        """Return the evidence of some groups; soft classes agree with nothing that counts, but do disagree.

        `equal` are the labels of further pairs of equal pages, each a group that takes nothing away.
        """
        found = Evidence(groups=len(equal), groups_for=len(equal), saved=len(equal))
        labels = set(equal)
        near_labels = set()
        values: set[int] = set()
        # of many pages at two values each it is not known that any of them is constant
        of_page: dict[int, set[int]] = {}
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
                    of_page.setdefault(group.label, set()).update(group.values)
                    repeated += 1
                elif group.values:
                    repeated += not single.isdisjoint(group.values)
                    single |= group.values
                found.narrow |= group.narrow
                found.doubtful += group.doubtful
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
        # a number in eighty lines may be all that a page is asked for
        found.risk = risk(found.agree, found.against + found.doubtful, prior)
        found.constant = (
            self.constant
            and not found.against
            and not found.near
            and not found.narrow
            and max(map(len, of_page.values()), default=0) >= self.least_values
            and found.unknown * 10 <= found.groups
            and any(atom.is_literal for atom in context)
        )
        return found

    def accepts(self, evidence: Evidence) -> bool:
        """Whether the rule may be active: low risk, or a constant view; unknown outcomes are not agreement."""
        if evidence.constant:
            return evidence.saved > 0
        if self.options.exact and (evidence.against or evidence.doubtful):
            return False
        return evidence.saved > 0 and evidence.risk <= self.options.risk and not self.mostly_unknown(evidence)

    def mostly_unknown(self, evidence: Evidence) -> bool:
        """Whether too many groups are neither alike nor different."""
        exact = evidence.groups_for - evidence.near
        near = 0 if exact > evidence.near else evidence.near
        return evidence.unknown + near > max(2, self.options.unknown * (evidence.groups_for - near))


def on_pages(evidence: Evidence) -> str:
    """Return the end of a sentence: to how many pages a part made no difference, and how many it did change."""
    return distinct(evidence.agree) + against_text(evidence)


def against_text(evidence: Evidence) -> str:
    """Return the end of a sentence: how often a part did change the page."""
    n = evidence.groups_against
    return f", and changed {n} other{'s' if n > 1 else ''}" if n else ""


def distinct(pages: int) -> str:
    """Return a number of distinct pages in words."""
    return f"{pages} distinct page{'' if pages == 1 else 's'}"
