"""How many of some URLs each table holds for, and how many each rule in it changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.engine.pipeline import Outcome, Watcher, unwrapped
from scrapy_urinorm.engine.program import Program, changes
from scrapy_urinorm.lint.tables import Finding, Table, line_of, tables
from scrapy_urinorm.rules import CATALOGUE, Stage
from scrapy_urinorm.url import Item, Url, split

if TYPE_CHECKING:
    from scrapy_urinorm.engine.plan import Plan, Site
    from scrapy_urinorm.engine.program import Trace
    from scrapy_urinorm.engine.sites import Sites
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Body

_SEEN_TO_ACT = (
    Stage.PORT, Stage.HOST, Stage.SCHEME, Stage.PATH, Stage.ITEMS, Stage.TARGET, Stage.UNWRAP, Stage.VERDICT,
)  # fmt: skip

#: A table: its layer, and the number of the `where` table in it, counted from 1; 0 for the layer's own rules.
Place = tuple[int, int]


class Match(NamedTuple):
    """Of how many URLs a table holds, and how many each of its rules changes (or, of `skip` and `defer`, decides)."""

    table: Table
    urls: int
    rules: dict[str, int]

    @property
    def name(self) -> str:
        """The table as messages say it, with the conditions of a `where`."""
        where = self.table.where
        return f"[{self.table.layer.label}]" + (f" where[{self.table.number}] {where.describe()}" if where else "")

    @property
    def line(self) -> int | None:
        """Where it is written."""
        return line_of(self.table.layer, f"where[{self.table.number}]" if self.table.where else "")


class _Counting(Watcher):
    """Writes down for one URL which tables hold and which of their rules act."""

    def __init__(self, ruleset: RuleSet, programs: dict[int, Program]) -> None:
        self.held: set[Place] = set()
        self.acted: set[tuple[Place, str]] = set()
        self._ruleset = ruleset
        self._programs = programs

    def host(self, sites: Sites, parts: Url, site: Site) -> None:
        self.held |= {(id(layer), 0) for layer in self._ruleset.chain(parts.host, parts.port)}
        if site.origin != parts.origin:
            for rule, layers, *_ in sites.host_steps(parts):
                # the maps of hosts are one for all tables
                holders = [layer for layer in layers if rule in layer.body.rules] or sites.all_layers()
                places = {(id(layer), 0) for layer in holders if rule in layer.body.rules}
                self.held |= places
                self.acted |= {(place, rule) for place in places}

    def tracing(self, plan: Plan, program: Program, site: Site, path: str, items: list[Item]) -> Trace:
        places = self._places(plan, program, site)
        before = (path, items)

        def trace(rule: str, path: str, items: list[Item]) -> None:
            nonlocal before
            holders = [(place, body) for place, body in places if rule in body.rules]
            for place, body in holders:
                if len(holders) == 1 or self._changes(body, rule, *before):
                    self.acted.add((place, rule))
            before = (path, items)

        return trace

    def unwrapped(self, rule: str, parts: Url, outcome: Outcome, target: Url) -> None:
        places = self._places(outcome.site.plan, outcome.program, outcome.site)
        self.acted |= {(place, rule) for place, body in places if rule in body.rules}

    def end(self, outcome: Outcome) -> None:
        """What holds for the URL that this one became."""
        if outcome.exempt:
            return
        places = self._places(outcome.site.plan, outcome.program, outcome.site)
        for step in outcome.program.verdict_steps:
            if step.run((outcome.path, outcome.items)) is not None:
                self.acted |= {(place, step.name) for place, body in places if step.name in body.rules}

    def _places(self, plan: Plan, program: Program, site: Site) -> list[tuple[Place, Body]]:
        """The tables that hold, each with what it says."""
        # plans are shared by hosts of equal tables: the layers are those of this very host
        layers = self._ruleset.chain(site.host, site.port)
        found = [((id(layer), 0), layer.body) for layer in layers]
        wheres = [(layer, n, where) for layer in layers for n, where in enumerate(layer.body.wheres, 1)]
        for number in plan.chosen(program):
            layer, n, where = wheres[number]
            found.append(((id(layer), n), where.body))
        self.held |= {place for place, _ in found}
        return found

    def _changes(self, body: Body, rule: str, path: str, items: list[Item]) -> bool:
        program = self._programs.get(id(body))
        if program is None:
            program = self._programs[id(body)] = Program((body,))
        return changes(program, rule, path, items)


def matches(ruleset: RuleSet, normalizer: Normalizer, urls: Iterable[str]) -> tuple[int, list[Match]]:
    """How many URLs could be read, and every table of the files with its counts."""
    held: Counter[Place] = Counter()
    acted: Counter[tuple[Place, str]] = Counter()
    programs: dict[int, Program] = {}
    read = 0
    for url in urls:
        parts = split(url)
        if parts is None:
            continue
        read += 1
        counting = _Counting(ruleset, programs)
        _, outcome = unwrapped(normalizer.sites, parts, normalizer.counts, counting)
        counting.end(outcome)
        held.update(counting.held)
        acted.update(counting.acted)
    found = []
    for table in tables(ruleset):
        place = (id(table.layer), table.number)
        rules = {rule: acted[place, rule] for rule in table.body.rules if _is_seen_to_act(rule, table.body)}
        found.append(Match(table, held[place], rules))
    return read, found


def _is_seen_to_act(rule: str, body: Body) -> bool:
    declared = CATALOGUE[rule]
    return not declared.kind.is_inert(body.rules[rule]) and any(act.stage in _SEEN_TO_ACT for act in declared.acts)


def findings(read: int, found: Iterable[Match]) -> Iterator[Finding]:
    """Tables that hold for no URL at all, and rules that never act where their table holds."""
    for match in found:
        if not read:
            return
        if not match.urls:
            hint = "compare the condition with `urinorm explain URL`" if match.table.where else "is the name right?"
            hint += "; what a crawl under these rules did not request is not in its visits"
            yield match.table.finding("never-matches", "", f"holds for none of {read:,} URLs", hint)
            continue
        for rule, count in match.rules.items():
            if not count:
                said = f"{rule} changes none of the {match.urls:,} URLs that its table holds for"
                yield match.table.finding("never-acts", rule, said, "a name or a pattern that no URL has")
