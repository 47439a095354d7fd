"""What is known of all URLs of equal scope chains: which of their tables hold, and the program that comes of these."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.engine.native import PlanFast, Programs, plan_of
from scrapy_urinorm.engine.program import Program
from scrapy_urinorm.rules import Stage, at
from scrapy_urinorm.rules.globs import ascii_fold
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_urinorm.engine.steps import Shared
    from scrapy_urinorm.rulesets.scopes import Layer, Where
    from scrapy_urinorm.url import Item

#: Sets of `where` tables of one plan whose program is kept; others are compiled each time they hold together.
_MAX_PROGRAMS = 4096


def _compiles_nothing(chosen: tuple[int, ...]) -> Program:
    raise LookupError(chosen)


#: Those of a plan without `where` tables.
_NO_PROGRAMS = Programs(_compiles_nothing, 0)


class HostAct(NamedTuple):
    """An act on a part of an origin with its value bound; `asks` are the other parts that it is told."""

    rule: str
    part: str
    asks: list[str]
    run: Callable[..., str]


class Plan:
    """A program for each set of `where` tables that holds; `base` is that without any."""

    __slots__ = (
        "_preset_free",
        "_programs",
        "_shared",
        "_splitting",
        "base",
        "bodies",
        "fast",
        "has_host_rules",
        "has_preset",
        "host_acts",
        "layers",
        "weight",
        "wheres",
    )

    def __init__(self, layers: Sequence[Layer], shared: Shared | None = None):
        self.layers = layers
        self._shared = shared
        self.bodies = [layer.body for layer in layers]
        self.wheres: list[Where] = [w for b in self.bodies for w in b.wheres]
        self.base = Program(self.bodies, shared)
        texts = {act.rule for act in at(Stage.TEXT)}
        # the `where` tables that say how a query is split, by their paths alone
        self._splitting = [(n, where) for n, where in enumerate(self.wheres) if not texts.isdisjoint(where.body.rules)]
        self.has_preset = any(layer.preset for layer in layers)
        self.has_host_rules = bool(self.base.host_rules)
        self._programs: dict[tuple[int, ...], Program] = {}
        self._preset_free: Plan | None = None
        #: Made by the sites, which know the aliases of all hosts.
        self.host_acts: list[HostAct] | None = None
        own = [layer.body for layer in layers if not layer.preset]
        #: Octets that it takes, about: measured on tables of two rules (4,500) and of ten lines (14,000).
        self.weight = 1800 + 1350 * sum(len(body.rules) + len(body.wheres) for body in own)
        programs = Programs(self.of, _MAX_PROGRAMS) if self.wheres else _NO_PROGRAMS
        self.fast: PlanFast | None = plan_of(self.wheres, self.base, programs)

    def program(self, path: str, items: list[Item]) -> Program:
        """The program for a URL of this plan."""
        if not self.wheres:
            return self.base
        return self.of(matching(self.wheres, path, items))

    def splitting(self, path: str) -> Program:
        """The program that splits the query of a path: before that, no condition on a parameter can be looked at."""
        if not self._splitting:
            return self.base
        return self.of(tuple([n for n, where in self._splitting if where.on_path(path)]))

    def of(self, chosen: tuple[int, ...]) -> Program:
        """The program of the `where` tables of some numbers."""
        found = self._programs.get(chosen) if chosen else self.base
        if found is None:
            found = Program([*self.bodies, *(self.wheres[n].body for n in chosen)], self._shared)
            if len(self._programs) < _MAX_PROGRAMS:
                self._programs[chosen] = found
        return found

    def chosen(self, program: Program) -> tuple[int, ...]:
        """The `where` tables that a program comes from."""
        return next((numbers for numbers, known in self._programs.items() if known is program), ())

    def without_preset(self) -> Plan:
        """The same rules without what those of the preset do to path and query; this plan itself where it has none.

        How the texts are written stays: a canonical URL must not change when it is normalized again.
        """
        if not self.has_preset:
            return self
        if self._preset_free is None:
            layers = [_without_edits(layer) if layer.preset else layer for layer in self.layers]
            self._preset_free = Plan(layers, self._shared)
        return self._preset_free


def _without_edits(layer: Layer) -> Layer:
    edits = {act.rule for act in at(Stage.PATH, Stage.ITEMS, Stage.TARGET, Stage.UNWRAP)}
    body = layer.body
    return layer._replace(body=body._replace(rules={k: v for k, v in body.rules.items() if k not in edits}))


class Site(NamedTuple):
    """One canonical scheme, host and port (`origin` is their text), and the plan of its URLs.

    `fast` is the plan's; None where every URL goes through the loop. `moved` has the bits of the rules that made it
    of an origin.
    """

    origin: str
    scheme: str
    host: str
    port: str
    plan: Plan
    fast: PlanFast | None = None
    moved: int = 0


def matching(wheres: Sequence[Where], path: str, items: list[Item]) -> tuple[int, ...]:
    """The numbers of the `where` tables whose conditions hold."""
    here = [(number, where) for number, where in enumerate(wheres) if where.on_path(path)]
    if not here:
        return ()
    values: dict[str, list[str]] = {}
    if any(where.conditions for _, where in here):
        for name, value in items:
            values.setdefault(ascii_fold(decoded(name)), []).append(decoded(value))
    return tuple([number for number, where in here if where.on_values(values)])
