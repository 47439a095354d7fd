"""What is known of all URLs of equal scope chains: which of their tables hold, and the program that comes of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.engine.native import PlanFast, Programs, Usual, plan_of
from scrapy_urinorm.engine.program import Program
from scrapy_urinorm.rules import Stage, at
from scrapy_urinorm.rules.globs import ascii_fold, name_glob
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import Item, decoded

if TYPE_CHECKING:
    from scrapy_urinorm.engine.steps import Shared, Step
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where

#: Sets of `where` tables of one plan whose program is kept; others are compiled each time they hold together.
_MAX_PROGRAMS = 4096


def _compiles_nothing(chosen: tuple[int, ...]) -> Program:
    raise LookupError(chosen)


#: Those of a plan without `where` tables.
_NO_PROGRAMS = Programs(_compiles_nothing, 0)


def weight_of(bodies: Iterable[Body]) -> int:
    """Octets that a plan of some tables takes at rest with a site, about: measured on two rules, and on ten lines."""
    return 1300 + sum([200 * len(body.rules) + 3000 * len(body.wheres) for body in bodies])


class HostAct(NamedTuple):
    """An act on a part of an origin with its value bound; `asks` are the other parts that it is told.

    `bit` is that of its rule, as `engine.bits` has them. `needs` are texts of which a part has one where the act
    changes it; without any it must be asked.
    """

    rule: str
    part: str
    asks: tuple[str, ...]
    run: Callable[..., str]
    bit: int
    needs: tuple[str, ...]


class Plan:
    """A program for each set of `where` tables that holds; `base` is that without any.

    A plan is awake while it has its programs. `Shared` keeps count of the plans that are awake, and makes the oldest
    rest where there are too many; a plan that rests compiles a program again as soon as one is asked for.

    Who owns what: the plan owns its programs. The memo of names (`Concerns`) of a program is owned by `fast` once the
    module in C was told of that program, since C goes on asking it while the plan rests; a program that is compiled
    again takes over that memo instead of its own new one. Where C was told nothing, a memo dies with its program.

    Threads take no lock, so each attribute is read once and may be None or replaced at the next look. Two threads may
    compile the same program; both results are equal, and either may stay.
    """

    __slots__ = (
        "_preset_free",
        "_programs",
        "_shared",
        "_splitting",
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
        self.wheres: tuple[Where, ...] = tuple([w for layer in layers for w in layer.body.wheres])
        # the `where` tables that say how a query is split, by their paths alone
        self._splitting = _splitting(self.wheres) if self.wheres else ()
        self.has_preset = any(layer.preset for layer in layers)
        self._programs: dict[tuple[int, ...], Program] | None = None
        self._preset_free: Plan | None = None
        #: Made by the sites, which know the aliases of all hosts.
        self.host_acts: list[HostAct] | None = None
        self.fast: PlanFast | None = None
        base = self.of(())
        self.has_host_rules = bool(base.host_rules)
        self.weight = weight_of([layer.body for layer in layers if not layer.preset])
        programs = Programs(self.of, _MAX_PROGRAMS) if self.wheres else _NO_PROGRAMS
        self.fast = plan_of(self.wheres, base, programs)

    @property
    def bodies(self) -> list[Body]:
        """The tables, widest first."""
        return [layer.body for layer in self.layers]

    @property
    def base(self) -> Program:
        """The program without any `where` table."""
        return self.of(())

    def program(self, path: str, items: list[Item]) -> Program:
        """The program for a URL of this plan."""
        return self.of(matching(self.wheres, path, items) if self.wheres else ())

    def splitting(self, path: str) -> Program:
        """The program that splits the query of a path: before that, no condition on a parameter can be looked at."""
        return self.of(tuple([n for n, where in self._splitting if where.on_path(path)]) if self._splitting else ())

    def of(self, chosen: tuple[int, ...]) -> Program:
        """The program of the `where` tables of some numbers, compiled where the plan does not have it.

        A program that is compiled again wakes the memo that C still asks, and shares it.
        """
        programs = self._programs
        if programs is None:
            programs = self._programs = {}
            if self._shared is not None:
                self._shared.woke(self)
        found = programs.get(chosen)
        if found is None:
            found = self._compiled(chosen)
            if self.fast is not None:
                told = dict.get(self.fast.programs, chosen) if chosen else self.fast.base
                if told is not None:
                    told.concerns.wake(found.concerns)
                    found.concerns = told.concerns
            if not chosen or len(programs) < _MAX_PROGRAMS:
                programs[chosen] = found
        return found

    def rest(self) -> None:
        """Drop the programs and put their memos to sleep: half of the memory of a plan.

        What the module in C was told stays, so known names on its path cost no more than before. A new name, or a URL
        that C leaves to the loop, wakes the plan.

        Another thread may be running one of the programs. It holds a reference, a program does not change, and the
        memo of a program answers while it sleeps, by way of `woken`: so what that thread has at hand stays right.
        """
        programs, self._programs = self._programs, None
        for chosen, program in list((programs or {}).items()):
            program.concerns.sleep(self, chosen)
        self._preset_free = self.host_acts = None

    def woken(self, chosen: tuple[int, ...]) -> Sequence[Step]:
        """The steps for a sleeping memo of the program of some `where` tables: called by that memo alone.

        Wakes the plan (`of`), and with it the memo that asks. Never None, whatever other threads do meanwhile.
        """
        steps = self.of(chosen).concerns.steps
        # another thread may have put the plan to rest again: then a program is compiled for these steps alone
        return self._compiled(chosen).concerns.steps or () if steps is None else steps

    def _compiled(self, chosen: tuple[int, ...]) -> Program:
        return Program([*self.bodies, *[self.wheres[n].body for n in chosen]], self._shared)

    def chosen(self, program: Program) -> tuple[int, ...]:
        """The `where` tables that a program comes from."""
        return next((numbers for numbers, known in list((self._programs or {}).items()) if known is program), ())

    def without_preset(self) -> Plan:
        """The same rules without what those of the preset do to path and query.

        How the texts are written stays: a canonical URL must not change when it is normalized again.
        """
        found = self._preset_free
        if found is None:
            layers = [_without_edits(layer) if layer.preset else layer for layer in self.layers]
            found = self._preset_free = Plan(layers, self._shared)
        return found


def _splitting(wheres: Sequence[Where]) -> tuple[tuple[int, Where], ...]:
    texts = {act.rule for act in at(Stage.TEXT)}
    return tuple([(n, where) for n, where in enumerate(wheres) if not texts.isdisjoint(where.body.rules)])


def _without_edits(layer: Layer) -> Layer:
    edits = {act.rule for act in at(Stage.PATH, Stage.ITEMS, Stage.TARGET, Stage.UNWRAP)}
    body = layer.body
    return layer._replace(body=body._replace(rules={k: v for k, v in body.rules.items() if k not in edits}))


class Site(NamedTuple):
    """One canonical scheme, host and port (`origin` is their text), and the plan of its URLs.

    `fast` is the plan's; None where every URL goes through the loop. `moved` has the bits of the rules that made it
    of an origin. `usual` is there where the site stands for every usual origin.
    """

    origin: str
    scheme: str
    host: str
    port: str
    plan: Plan
    fast: PlanFast | None = None
    moved: int = 0
    usual: Usual | None = None


def matching(wheres: Sequence[Where], path: str, items: list[Item]) -> tuple[int, ...]:
    """The numbers of the `where` tables whose conditions hold."""
    here = [(number, where) for number, where in enumerate(wheres) if where.on_path(path)]
    if not here:
        return ()
    values: dict[str, list[str]] = {}
    # a site may put thousands of parameters into an address
    if asked := {condition.name for _, where in here for condition in where.conditions}:
        globs = [(name, match) for name in asked if (match := name_glob(name)) is not None]
        for name, value in items:
            folded = ascii_fold(decoded(name))
            if folded in asked:
                values.setdefault(folded, []).append(decoded(value))
            for glob, match in globs:
                if folded != glob and match(folded):
                    values.setdefault(glob, []).append(decoded(value))
    return tuple([number for number, where in here if where.on_values(values)])
