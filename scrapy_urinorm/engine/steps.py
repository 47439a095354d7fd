"""The rules of a chain of tables, merged, and their acts with their values bound."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.rules import CATALOGUE, Stage
from scrapy_urinorm.rules.kinds import JoinedNames

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scrapy_urinorm.rules import Act
    from scrapy_urinorm.rulesets.scopes import Body


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
    certain: Callable[[str], bool | None] | None = None


class Shared:
    """What tables for every site come to, which stand in many scope chains: merged, and their steps bound, once."""

    __slots__ = ("_steps", "bodies", "merged")

    def __init__(self, bodies: Sequence[Body]):
        self.bodies = bodies
        #: The value of every rule over these tables.
        self.merged = merge_bodies(bodies)
        self._steps: dict[str, list[Step]] = {}

    def leads(self, bodies: Sequence[Body]) -> bool:
        """Whether a chain begins with these tables."""
        return len(bodies) >= len(self.bodies) and all(map(operator.is_, self.bodies, bodies))

    def steps(self, name: str, value: Any) -> list[Step] | None:
        """The steps of a rule whose value is that of these tables; None where it is another one."""
        if self.merged.get(name) is not value:
            return None
        found = self._steps.get(name)
        if found is None:
            found = self._steps[name] = steps_of(name, value)
        return found


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


def steps_of(name: str, value: Any) -> list[Step]:
    """The acts of a rule with a value that is not inert."""
    rule = CATALOGUE[name]
    if rule.kind.is_inert(value):
        return []
    return [bind(act, value) for act in rule.acts if not (act.inert is not None and act.inert == value)]


def bind(act: Act, value: Any) -> Step:
    """An act with a checked value bound."""
    kind = CATALOGUE[act.rule].kind
    bound = kind.bind(value)
    if act.stage is not Stage.ITEMS:
        return Step(act.rule, act.bound(bound), act, bound)
    certain = (lambda name: kind.certain(bound, name)) if act.drops else None
    return Step(act.rule, act.bound(bound), act, bound, kind.speaks(bound), certain)
