"""The rules of a chain of tables, merged, and their acts with their values bound."""

from __future__ import annotations

import functools
import operator
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_urinorm.rules import CATALOGUE, Act, Stage
from scrapy_urinorm.rules.kinds import JoinedNames
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Body


#: Plans that have their programs: some 10 MB of them.
MAX_AWAKE = 2000


class Resting(Protocol):
    """A plan, as far as is needed here: awake while it has its programs."""

    def rest(self) -> None:
        """Drop the programs."""

    def woken(self, chosen: tuple[int, ...], /) -> Sequence[Step]:
        """The steps that look at one name at a time, of the program of some `where` tables: for a sleeping memo."""


class Step(NamedTuple):
    """One act with its value bound: `run(part)`, or `run(items, path)` at the stage of items.

    `bound` is that value; `speaks` tells whether it may concern an item of a decoded name; None where it may
    concern every one.
    """

    name: str
    run: Callable[..., Any]
    act: Act
    bound: Any = None
    speaks: Callable[[str], Any] | None = None

    def certain(self, name: str) -> bool | None:
        """Whether the rule, one that drops items, speaks of a decoded name; None where that depends on the value."""
        return CATALOGUE[self.name].kind.certain(self.bound, name)


class Shared:
    """The tables for every site, with which each scope chain begins: merged and bound once for all of them."""

    __slots__ = ("_awake", "bodies", "merged", "steps")

    def __init__(self, bodies: Sequence[Body]):
        self.bodies = bodies
        #: The value of every rule over these tables.
        self.merged = merge_bodies(bodies)
        #: The value of each rule, and its steps.
        self.steps = {name: (value, steps_of(name, value)) for name, value in self.merged.items()}
        self._awake: deque[Resting] = deque()

    def woke(self, plan: Resting) -> None:
        """Note that a plan is awake; where too many are, the one that has been for longest is put to rest.

        Two threads that wake one plan at the same moment note it twice, and it rests sooner: it only compiles again.
        """
        self._awake.append(plan)
        if len(self._awake) > MAX_AWAKE:
            self._awake.popleft().rest()

    def keep(self, plans: set[int]) -> None:
        """Let go of all plans but those of some ids."""
        self._awake = deque(plan for plan in tuple(self._awake) if id(plan) in plans)

    def leads(self, bodies: Sequence[Body]) -> bool:
        """Whether a chain begins with these tables."""
        return len(bodies) >= len(self.bodies) and all(map(operator.is_, self.bodies, bodies))


def merge_bodies(bodies: Iterable[Body], merged: dict[str, Any] | None = None) -> dict[str, Any]:
    """The value of every rule over a chain of tables, widest first; exceptions stand in line with what they except.

    `merged` has those of wider ones, and is added to.
    """
    merged = {} if merged is None else merged
    for body in bodies:
        exceptions = []
        for name, value in body.rules.items():
            rule = CATALOGUE[name]
            if rule.into:
                exceptions.append((rule.into, value))
                continue
            old = merged.get(name)
            merged[name] = value if old is None else rule.kind.merge(old, value)
        for name, value in exceptions:
            # after the list itself of the same table: within one table the exception wins
            merged[name] = JoinedNames(merged.get(name, ()), value)
    return merged


def steps_of(name: str, value: Any) -> Sequence[Step]:
    """The acts of a rule with a value that is not inert."""
    return _steps_of_word(name, value) if isinstance(value, (str, bool)) else _steps_of(name, value)


@functools.lru_cache(4096, typed=True)
def _steps_of_word(name: str, value: str | bool) -> Sequence[Step]:
    # few words are said in many tables
    return _steps_of(name, value)


def _steps_of(name: str, value: Any) -> list[Step]:
    rule = CATALOGUE[name]
    if rule.kind.is_inert(value):
        return []
    acts = [act for act in rule.acts if not (act.inert is not None and act.inert == value)]
    # what is bound is the same for all of them
    return _bound(acts, rule.kind.bind(value)) if acts else []


def bind(act: Act, value: Any) -> Step:
    """An act with a checked value bound."""
    return _bound([act], CATALOGUE[act.rule].kind.bind(value))[0]


def _bound(acts: Iterable[Act], bound: Any) -> list[Step]:
    return [
        Step(act.rule, act.bound(bound), act, bound, CATALOGUE[act.rule].kind.speaks(bound))
        if act.stage is Stage.ITEMS
        else Step(act.rule, act.bound(bound), act, bound)
        for act in acts
    ]
