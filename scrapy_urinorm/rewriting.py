"""Rewriting a URL before it is sent: only the edits of the rules that a table names, every other byte as it came."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rules import CATALOGUE, Stage, at
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.rulesets.scopes import Body, Layer
from scrapy_urinorm.url import split


class Rewriter:
    """Applies the rules that `rewrite_requests` of a host's tables names, and no others.

    `active` tells whether any table names one.
    """

    def __init__(self, normalizer: Normalizer):
        self._rules = normalizer.ruleset
        self.active = any(layer.body.rewrite_requests for layer in self._rules.layers())
        self._by_names: dict[frozenset[str], Normalizer] = {}

    def rewrite(self, url: str) -> str:
        """The URL to request; `url` itself where no named rule changes it."""
        if not self.active:
            return url
        parts = split(url)
        if parts is None:
            return url
        layers = self._rules.chain(parts.host, parts.port)
        names = frozenset(name for layer in layers for name in layer.body.rewrite_requests)
        if not names:
            return url
        normalizer = self._by_names.get(names)
        if normalizer is None:
            normalizer = Normalizer(_restricted(self._rules, names), check_examples=False)
            self._by_names[names] = normalizer
        return normalizer.edit(url)


def _restricted(rules: RuleSet, names: frozenset[str]) -> RuleSet:
    """The same tables with the named rules alone."""
    # an exception belongs to what it excepts from
    names |= {rule.name for rule in CATALOGUE.values() if rule.into in names}
    out = RuleSet()
    out.preset = rules.preset
    out.everywhere = tuple(_layers(rules.everywhere, names))
    out.sites = {k: tuple(_layers(v, names)) for k, v in rules.sites.items()}
    out.hosts = {k: tuple(_layers(v, names)) for k, v in rules.hosts.items()}
    out.host_maps = {name: table for name, table in rules.host_maps.items() if name in names}
    return out


def _layers(layers: Iterable[Layer], names: frozenset[str]) -> Iterable[Layer]:
    for layer in layers:
        wheres = tuple(w._replace(body=Body(_only(w.body, names), w.body.raw)) for w in layer.body.wheres)
        yield layer._replace(body=Body(_only(layer.body, names), layer.body.raw, wheres))


def _only(body: Body, names: frozenset[str]) -> dict[str, object]:
    # how a query is split is no edit, but the edits depend on it
    split = {act.rule for act in at(Stage.TEXT)}
    return {k: v for k, v in body.rules.items() if k in names or k in split}
