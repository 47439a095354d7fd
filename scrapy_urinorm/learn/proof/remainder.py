"""What of a rule that hides pages can stay: the part of the site where nothing speaks against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.evidence.judge import NARROWED
from scrapy_urinorm.learn.evidence.risk import risk
from scrapy_urinorm.learn.pages.contexts import Atom, Context, where_of
from scrapy_urinorm.rules import CATALOGUE

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.proof.replay import Replay

MAX_CONDITIONS = 3
"""As the search for contexts goes no deeper."""
THIN = 31
"""Pages that speak for a rule which drops a parameter with whatever value, below which a record that was cut short is
looked at like one with gaps: as many as a live rule is believed for. Of the first tenth of a repository browser's crawl
depth first 17 spoke for one, 5 of 37 such links led elsewhere, and 61 files were lost."""
UNKNOWN_SHARE = 0.1
"""Share of the pages of one view that a rule makes one with others, of which it may not be known whether they are
equal. Of a repository browser's views for which dropping a hash is right it was 0.03 at most, of the others 0.3 and
more, and of a tracker's feeds 0.26."""


def _are_alike(alike: Mapping[int, bool | None], nodes: Iterable[int]) -> bool:
    """Whether of some pages none is known to differ from what it shares a key with, and of few that is not known."""
    said = [alike[node] for node in nodes if node in alike]
    return False not in said and said.count(None) <= UNKNOWN_SHARE * len(said)


def _deed(candidate: Candidate) -> str:
    return repr((candidate.rule, sorted(candidate.names)))


def _values(atom: Atom) -> Iterable[Any]:
    return atom.value if isinstance(atom.value, tuple) else (atom.value,)


class Remainder:
    """Narrows rules of a replay; `atoms` gives the conditions that hold for a page by its number."""

    def __init__(self, replay: Replay, atoms: Callable[[int], frozenset[Atom]]) -> None:
        self.replay = replay
        self.atoms = atoms
        # of rules by what they do, the values of switches for which too little was seen to be equal
        self._doubted: dict[str, set[Atom]] = defaultdict(set)

    def is_doubted(self, candidate: Candidate) -> bool:
        """Whether a rule is for a view in which too little of what it does was seen to be right."""
        asked = {atom._replace(value=value) for atom in candidate.context for value in _values(atom)}
        return not asked.isdisjoint(self._doubted[_deed(candidate)])

    def alike(self, moved: AbstractSet[int]) -> dict[int, bool | None]:
        """Return of those of some pages that share a key with others, at present, whether all of these are equal; None
        where that is not known.
        """
        keys, pages = self.replay.keys, self.replay.site.pages
        labels: dict[str, list[int]] = {keys[node]: [] for node in moved}
        for node, key in enumerate(keys):
            if key in labels:
                labels[key].append(pages[node].label)
        said = {key: None if -1 in found else len(set(found)) == 1 for key, found in labels.items() if len(found) > 1}
        return {node: said[keys[node]] for node in moved if keys[node] in said}

    def of(
        self, guilty: Candidate, moved: Iterable[int], bad: set[int], alike: Mapping[int, bool | None]
    ) -> Candidate | None:
        """Return the rule under the one further condition that leaves most of it and nothing bad."""
        if guilty.conditions is not None or guilty.evidence.chosen >= MAX_CONDITIONS:
            return None
        found = [*self._further(guilty, moved, bad), *self._fewer(guilty, moved, bad, alike)]
        for nodes, context in sorted(found, key=lambda one: (-len(one[0]), str(one[1])))[:5]:
            narrowed = self._under(guilty, context, nodes)
            if narrowed is not None:
                return narrowed
        return None

    def _further(
        self, guilty: Candidate, moved: Iterable[int], bad: set[int]
    ) -> Iterator[tuple[Sequence[int], Context]]:
        """Yield the context of a rule with a condition more, and the pages that it moves there, none of them bad."""
        there: dict[Atom, list[int]] = defaultdict(list)
        for node in moved:
            for atom in self.atoms(node):
                there[atom].append(node)
        kinds = {(atom.kind, atom.name if atom.kind == "query" else "") for atom in guilty.context}
        for atom, nodes in there.items():
            context = (*guilty.context, atom)
            if (
                len(nodes) >= self.replay.least(guilty)
                and bad.isdisjoint(nodes)
                and atom.kind != "host"
                and (atom.kind, atom.name if atom.kind == "query" else "") not in kinds
                and not (atom.kind == "query" and atom.name in guilty.names)
                and CATALOGUE[guilty.rule].may_stand_in(where_of(context))
            ):
                yield nodes, context

    def _fewer(
        self, guilty: Candidate, moved: Iterable[int], bad: set[int], alike: Mapping[int, bool | None]
    ) -> Iterator[tuple[Sequence[int], Context]]:
        """Yield the context of a rule without those values of a switch that bad pages have, and what it moves there.

        What a repository browser shows of files may be one where what it shows of folders is not. What is left may be
        what has no links that would tell, as the feeds of a tracker's lists, which differ by their order. So enough of
        the pages with each value must be `alike` where they share a key.
        """
        pages = self.replay.site.pages
        for at, atom in enumerate(guilty.context):
            if atom.kind != "query" or not isinstance(atom.value, tuple):
                continue
            found = {value: self._having(Atom("query", atom.name, value), moved) for value in atom.value}
            doubted = {value for value, nodes in found.items() if not _are_alike(alike, nodes)}
            left = [value for value, nodes in found.items() if value not in doubted and bad.isdisjoint(nodes)]
            self._doubted[_deed(guilty)] |= {Atom("query", atom.name, value) for value in doubted}
            nodes = [node for value in left for node in found[value]]
            if 0 < len(left) < len(found) and len({pages[n].label for n in nodes if alike.get(n)}) >= THIN:
                rest = atom._replace(value=left[0] if len(left) == 1 else tuple(left))
                yield nodes, (*guilty.context[:at], rest, *guilty.context[at + 1 :])

    def _having(self, atom: Atom, nodes: Iterable[int]) -> list[int]:
        return [node for node in nodes if atom in self.atoms(node)]

    def _under(self, guilty: Candidate, context: Context, nodes: Iterable[int]) -> Candidate | None:
        """Return a rule under narrower conditions, if what it showed of the pages there is enough."""
        pages = self.replay.site.pages
        labels = {pages[n].label for n in nodes} - self.replay.site.soft - {-1}
        evidence = replace(guilty.evidence, agree=min(len(labels), guilty.evidence.agree), against=0)
        evidence.chosen += 1
        evidence.risk = risk(evidence.agree, 0, evidence.prior * NARROWED**evidence.chosen)
        if not evidence.constant and evidence.risk > self.replay.options.risk:
            return None
        narrowed = replace(guilty, context=context, evidence=evidence, status="active", counterexamples=[])
        narrowed.why = guilty.why.partition("; but a crawl")[0] + "; elsewhere it hides pages that one alone links to"
        return narrowed
