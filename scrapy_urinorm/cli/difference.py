"""Which rules make URLs one page, and what to write so that they are two: found out by trying it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rules import CATALOGUE, Drops
from scrapy_urinorm.rules.kinds import Choice, Flag
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.rulesets.scopes import Body, Layer, check_body
from scrapy_urinorm.url import decoded, items_of, split

if TYPE_CHECKING:
    from scrapy_urinorm.engine.explanation import Explanation

_LEFT_AS_IT_IS = ("off", "keep")
"""The words of rules for "change nothing": without `sort_query` and `fragment` a key has no order and no fragment."""

_KNOWN = 64
"""Rule sets without some rules that are kept, each with all tables of the files: the groups of a list ask for few."""


class Differences:
    """Finds, of the rules that change some URLs, those without which they would not be one page.

    What every key leaves out without a rule, the order of parameters and fragments, counts as a rule where `strict`.
    """

    def __init__(self, rules: RuleSet, *, strict: bool = False):
        self._rules = rules
        self._strict = strict
        self._without: dict[frozenset[str], Normalizer] = {}

    def needed(self, urls: Sequence[str], rules: Iterable[str]) -> list[str]:
        """The fewest of some rules that make URLs one page; of two of which either would do, the first.

        All, where these rules alone do not make them one: a fingerprinter of the project's own then says so.
        """
        names = list(dict.fromkeys(rules))
        if not self.same(urls):
            return names
        left_out: set[str] = set()
        for name in reversed(names):
            if self.same(urls, left_out | {name}):
                left_out.add(name)
        return [name for name in names if name not in left_out]

    def same(self, urls: Sequence[str], left_out: Iterable[str] = ()) -> bool:
        """Whether URLs have one key without some rules."""
        names = frozenset(left_out)
        normalizer = self._without.get(names)
        if normalizer is None:
            if len(self._without) >= _KNOWN:
                self._without.clear()
            rules = _without(self._rules, names, strict=self._strict) if names else self._rules
            normalizer = self._without[names] = Normalizer(rules, check_examples=False)
        return one_page(normalizer, urls)


def one_page(normalizer: Normalizer, urls: Iterable[str]) -> bool:
    """Whether URLs have one key."""
    return len({normalizer.key(url) for url in urls}) == 1


def _without(rules: RuleSet, names: frozenset[str], *, strict: bool) -> RuleSet:
    """The same tables without some rules; tables that have none of them are shared."""

    def body(one: Body) -> Body:
        wheres = tuple(where._replace(body=body(where.body)) for where in one.wheres)
        if names.isdisjoint(one.rules):
            return one._replace(wheres=wheres) if wheres else one
        left = {name: value for name, value in one.rules.items() if name not in names}
        for name in names & one.rules.keys() if strict else ():
            kind = CATALOGUE[name].kind
            word = next((word for word in _LEFT_AS_IT_IS if isinstance(kind, Choice) and word in kind.options), None)
            if word is not None:
                left[name] = word
        return one._replace(rules=left, wheres=wheres)

    def layers(many: Iterable[Layer]) -> tuple[Layer, ...]:
        return tuple(layer._replace(body=body(layer.body)) for layer in many)

    out = RuleSet()
    out.preset = rules.preset
    out.everywhere = layers(rules.everywhere)
    out.sites = {name: layers(many) for name, many in rules.sites.items()}
    out.hosts = {name: layers(many) for name, many in rules.hosts.items()}
    out.host_maps = {name: table for name, table in rules.host_maps.items() if name not in names}
    return out


def near(rules: RuleSet, urls: Iterable[str]) -> RuleSet:
    """The tables that URLs, or their keys, get to: of many sites the few that are asked about."""
    out = RuleSet()
    out.preset, out.everywhere, out.host_maps = rules.preset, rules.everywhere, rules.host_maps
    sites, hosts = {}, {}
    for url in urls:
        parts = split(url)
        labels = parts.host.removesuffix(".").split(".") if parts else []
        for name in (".".join(labels[at:]) for at in range(len(labels))):
            if name in rules.sites:
                sites[name] = rules.sites[name]
        for name in (parts.host, f"{parts.host}:{parts.port}") if parts else ():
            if name in rules.hosts:
                hosts[name] = rules.hosts[name]
    out.sites, out.hosts = sites, hosts
    return out


class Apart(NamedTuple):
    """What keeps two URLs apart: a line to write into a table, or, where `write` is empty, a rule to take out of it."""

    rule: str
    table: str
    place: str
    write: str


def ways_apart(rules: RuleSet, told: tuple[Explanation, Explanation], needed: Iterable[str]) -> list[Apart]:
    """What to write, for each rule that makes two URLs one, so that they are two; each is tried before it is said."""
    urls = [one.url for one in told]
    rules = near(rules, [*urls, *(one.key for one in told)])
    return [way for rule in needed if (way := _way(rules, told, urls, rule)) is not None]


def _way(rules: RuleSet, told: tuple[Explanation, Explanation], urls: list[str], rule: str) -> Apart | None:
    steps = [step for one in told for step in one.steps if step.rule == rule]
    parts = split(told[0].key)
    if parts is None or not steps:
        return None
    own = [layer for layer in rules.chain(parts.host, parts.port) if not layer.preset and '"' in layer.label]
    label = own[-1].label if own else f'site."{parts.host}"'
    place = own[-1].place("") if own and not own[-1].learned else ""
    for name, value in _values(rules, told, rule, label):
        if not one_page(Normalizer(_with(rules, label, {name: value}), check_examples=False), urls):
            return Apart(rule, label, place, f"{name} = {json.dumps(value, ensure_ascii=False)}")
    if not Differences(rules, strict=True).same(urls, {rule}):
        return Apart(rule, steps[0].scope, steps[0].source, "")
    return None


def _values(rules: RuleSet, told: tuple[Explanation, Explanation], rule: str, label: str) -> Iterator[tuple[str, Any]]:
    """What may be written for a rule, or for its exceptions, in a table that is narrower than all others."""
    kind = CATALOGUE[rule].kind
    dropped = sorted(_dropped(told, rule))
    for other in CATALOGUE.values():
        if other.into == rule and dropped:
            yield other.name, dropped
    if isinstance(kind, Flag):
        yield rule, False
    elif isinstance(kind, Choice):
        yield from ((rule, word) for word in _LEFT_AS_IT_IS if word in kind.options)
    elif CATALOGUE[rule].drops is Drops.OTHERS and dropped:
        layers = [layer for layer in rules.layers() if layer.label == label]
        if layers and (kept := layers[-1].body.raw.get(rule)):
            yield rule, [*kept, *dropped]


def _dropped(told: tuple[Explanation, Explanation], rule: str) -> set[str]:
    """The names of parameters that a rule drops of one URL or the other, and that tell the two apart."""
    dropped = set()
    for one in told:
        for step in one.steps:
            if step.rule == rule:
                before, after = ({name for name, _ in _items(text)} for text in (step.before, step.after))
                dropped |= before - after
    first, second = (_items(one.url) for one in told)
    return {name for name in dropped if _of(first, name) != _of(second, name) and "*" not in name}


def _items(url: str) -> list[tuple[str, str]]:
    return [(decoded(name), value) for name, value in items_of(url)]


def _of(items: list[tuple[str, str]], name: str) -> list[str]:
    return [value for one, value in items if one == name]


def _with(rules: RuleSet, label: str, table: dict[str, Any]) -> RuleSet:
    """The same tables, and one more after those of its scope."""
    body = check_body(table, lambda *_: None, scope="site")
    layer = Layer(label, body, "", {})
    out = RuleSet()
    out.preset, out.everywhere, out.host_maps = rules.preset, rules.everywhere, rules.host_maps
    kind, name = label.partition(".")[0], label.partition('"')[2].rstrip('"')
    out.sites, out.hosts = dict(rules.sites), dict(rules.hosts)
    scope = out.sites if kind == "site" else out.hosts
    scope[name] = (*scope.get(name, ()), layer)
    return out
