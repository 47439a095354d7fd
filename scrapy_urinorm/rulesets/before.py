"""A few rules before many that are loaded: what a rule set of all of them is, without loading the many again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from scrapy_urinorm.rulesets.ruleset import RuleSet

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.loading import Source
    from scrapy_urinorm.rulesets.scopes import Layer

_Scopes = Mapping[str, tuple["Layer", ...]]


def before(sources: Sequence[Source], rules: RuleSet, preset: str) -> RuleSet:
    """Return what `RuleSet.load(*sources, *rules.sources, preset=preset)` does, at the cost of `sources` alone.

    A crawl with live rules asks for it with each rule that is found, and tables of twenty thousand sites take half a
    second. The examples of `rules` are not in it.
    """
    first = RuleSet.load(*sources, preset=preset)
    if first.host_maps and rules.host_maps:
        # a chain from one to the other is ended when they are loaded
        return RuleSet.load(*sources, *rules.sources, preset=preset)
    own = [layer for layer in rules.everywhere if not layer.preset]
    everywhere = sorted([*first.everywhere, *own], key=lambda layer: (not layer.preset, not layer.learned))
    first.everywhere = tuple(everywhere)
    first.sites = _joined(first.sites, rules.sites)
    first.hosts = _joined(first.hosts, rules.hosts)
    first.host_maps = first.host_maps or rules.host_maps
    first.evidence = [*first.evidence, *rules.evidence]
    first.files = (*first.files, *rules.files)
    first.sources = (*first.sources, *rules.sources)
    return first


def _joined(few: _Scopes, many: _Scopes) -> _Scopes:
    if not few or not many:
        return few or many
    both = {
        name: tuple(sorted((*layers, *many.get(name, ())), key=lambda layer: not layer.learned))
        for name, layers in few.items()
    }
    return _Joined(both, many)


class _Joined(Mapping[str, "tuple[Layer, ...]"]):
    """The scopes of `few`, then those of `many` that have no place there; neither is copied."""

    def __init__(self, few: _Scopes, many: _Scopes) -> None:
        self._few, self._many = few, many

    def __getitem__(self, name: str) -> tuple[Layer, ...]:
        found = self._few.get(name)
        return self._many[name] if found is None else found

    def __iter__(self) -> Iterator[str]:
        return chain(self._few, (name for name in self._many if name not in self._few))

    def __len__(self) -> int:
        return len(self._many) + sum(name not in self._many for name in self._few)
