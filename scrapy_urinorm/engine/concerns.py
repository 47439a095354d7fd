"""What the rules of a program say of the names of parameters."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.bits import bit_of
from scrapy_urinorm.engine.exemptions import exemptions
from scrapy_urinorm.rules import Drops
from scrapy_urinorm.rules.kinds.name_tables import Memo
from scrapy_urinorm.url import Item, decoded

if TYPE_CHECKING:
    from scrapy_urinorm.engine.steps import Resting, Step

#: What rules say of a parameter's name: nothing, something, or that it goes whatever its value and company.
FREE, CONCERNED, DROPPED = 0, 1, 2
#: For a name whose items go at some values alone: those values, or what says so of one; None: at every one.
Values = Collection[str] | Callable[[str], bool] | None


class Concerns(Memo[Any]):
    """What rules say of a name in the key spelling: a memo, so that a known name costs one look-up.

    FREE, CONCERNED, DROPPED with the bit of the rule above it, a tuple with (`Values`, bit) of each rule that looks at
    values too, in the order of execution, or a function where a rule may give items another value (`_changed`); false
    where nothing is said.

    The answers never go away by sleep: only `steps`, from which new ones are made, do. `Plan` says who owns a memo. A
    second thread sees either the steps or None; with None it finds the plan, which was set before, and asks that.
    """

    __slots__ = ("_chosen", "_plan", "steps")

    def __init__(self, steps: Sequence[Step]):
        super().__init__()
        #: None while it sleeps.
        self.steps: Sequence[Step] | None = steps
        self._plan: Resting | None = None
        self._chosen: tuple[int, ...] = ()

    def sleep(self, plan: Resting, chosen: tuple[int, ...]) -> None:
        """Let go of the steps: a new name then asks the plan for those of its `where` tables."""
        # `steps` last, and the plan is never taken away again: a thread that sees no steps must find whom to ask
        self._chosen = chosen
        self._plan = plan
        self.steps = None

    def wake(self, other: Concerns) -> None:
        """Take the steps of a new memo of the same rules, which is then thrown away: this one has the answers."""
        self.steps = other.steps

    def any_of(self, items: list[Item]) -> bool:
        """Whether a rule may concern one of the items."""
        for name, _ in items:  # noqa: SIM110  a generator would cost as much again
            if self[name]:
                return True
        return False

    def __missing__(self, name: str) -> Any:
        steps = self.steps
        if steps is None:
            assert self._plan is not None
            # if the plan went to rest meanwhile, this keeps steps that it would have dropped: memory, nothing else
            steps = self.steps = self._plan.woken(self._chosen)
        plain = decoded(name)
        return self.kept(name, CONCERNED if exemptions().signatures[plain] else _said(steps, name, plain))


def _said(steps: Sequence[Step], name: str, plain: str) -> Any:
    by_value: list[tuple[Values, int]] = []
    for step in steps:
        drops = step.act.drops
        if drops is None:
            if step.speaks is None or step.speaks(plain):
                return _changing(steps, name, plain)
        elif step.act.values is not None:
            values = frozenset(step.act.values(step.bound, plain))
            if values:
                by_value.append((values, bit_of(step.name)))
        else:
            named = step.certain(plain)
            if named is None:
                by_value.append((functools.partial(_goes, step.run, name), bit_of(step.name)))
            elif named is (drops is not Drops.OTHERS):
                if not by_value:
                    return DROPPED | bit_of(step.name) << 2
                by_value.append((None, bit_of(step.name)))
                break
    return tuple(by_value) or FREE


def _goes(run: Callable[..., Any], name: str, value: str) -> bool:
    return not run([(name, value)], "")


def _changing(steps: Sequence[Step], name: str, plain: str) -> Any:
    """What makes of an item what all rules that speak of its name make of it; CONCERNED where one asks for the path."""
    speaking = [one for one in steps if one.act.drops is not None or one.speaks is None or one.speaks(plain)]
    if any(one.act.asks for one in speaking):
        return CONCERNED
    return _changed_by(tuple([(one.run, bit_of(one.name)) for one in speaking]))


@functools.lru_cache(64)
def _changed_by(runs: tuple[tuple[Callable[..., Any], int], ...]) -> Callable[[str, str], Any]:
    # a rule that speaks of every name has one for all of them
    return functools.partial(_changed, runs)


def _changed(runs: Sequence[tuple[Callable[..., Any], int]], name: str, value: str) -> Any:
    """What rules make of an item, one after the other: (value, their bits), the value None where it goes.

    None where it stays as it is, False where it gets another name or becomes several.
    """
    items, bits = [(name, value)], 0
    for run, bit in runs:
        after = run(items, "")
        if after != items:
            items, bits = after, bits | 1 << bit
    if len(items) > 1 or (items and items[0][0] != name):
        return False
    return ((items[0][1] if items else None), bits) if bits else None
