"""One act of a rule with its value bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.rules import CATALOGUE, Stage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

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
    """The steps of values that stand in many scope chains: those of tables for every site, bound once."""

    __slots__ = ("_steps", "_values")

    def __init__(self, bodies: Iterable[Body]):
        # held, so that their identities are theirs alone
        self._values = {id(value): value for body in bodies for value in body.rules.values()}
        self._steps: dict[tuple[int, int], Step] = {}

    def step(self, act: Act, value: Any) -> Step:
        """The act with the value bound."""
        if id(value) not in self._values:
            return bind(act, value)
        key = act.place, id(value)
        found = self._steps.get(key)
        if found is None:
            found = self._steps[key] = bind(act, value)
        return found


def bind(act: Act, value: Any) -> Step:
    """An act with a checked value bound."""
    kind = CATALOGUE[act.rule].kind
    bound = kind.bind(value)
    if act.stage is not Stage.ITEMS:
        return Step(act.rule, act.bound(bound), act, bound)
    certain = (lambda name: kind.certain(bound, name)) if act.drops else None
    return Step(act.rule, act.bound(bound), act, bound, kind.speaks(bound), certain)
