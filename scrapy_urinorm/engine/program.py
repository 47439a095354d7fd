"""What the tables of a scope chain come to: the acts of their rules with their values bound, stage by stage."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from scrapy_urinorm.engine.concerns import Concerns
from scrapy_urinorm.engine.steps import Shared, Step, merge_bodies, steps_of
from scrapy_urinorm.rules import CATALOGUE, Stage, at
from scrapy_urinorm.url import Item, join_items, path_key, sort_items

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.scopes import Body

    class Trace(Protocol):
        """Is told of a rule that changed path or items, with what they became."""

        def __call__(self, rule: str, path: str, items: list[Item]) -> None:
            """Path and items after a rule."""


#: For the many stages at which most tables say nothing: one list for all.
_NOTHING: list[Step] = []
_HOST_STAGES = Stage.PORT, Stage.HOST, Stage.SCHEME


class Program:
    """The compiled rules of a chain of tables for paths and queries.

    `host_rules` are the values of the rules on scheme, host and port, `order_rules` the names of those on the order.
    `order` sorts the items of the key, `join` writes them; `joins` says that a rule does. `sorts` and
    `tidies` say what becomes of the query of a canonical URL: its order is that of the key, its empty fields go.
    `keeps_fragment` says that the key may have one, `always` that a rule must see the items whatever their names
    are, `fixed` that path and query stay as they are.
    """

    __slots__ = (
        "_path_runs",
        "always",
        "body_steps",
        "concerns",
        "display_steps",
        "drops_fragment",
        "fixed",
        "fragment_steps",
        "header_steps",
        "host_rules",
        "item_steps",
        "join",
        "joins",
        "keeps_fragment",
        "order",
        "order_rules",
        "path_steps",
        "sorts",
        "sorts_by_pair",
        "target_steps",
        "text_steps",
        "tidies",
        "unwrap_steps",
        "userinfo_steps",
        "value_needs",
        "verdict_steps",
    )

    def __init__(self, bodies: Sequence[Body], shared: Shared | None = None):
        if shared is not None and shared.leads(bodies):
            merged = merge_bodies(bodies[len(shared.bodies) :], dict(shared.merged))
        else:
            merged = merge_bodies(bodies)
        self.host_rules = {act.rule: merged[act.rule] for act in at(*_HOST_STAGES) if act.rule in merged}
        stages: dict[Stage, list[Step]] = {}
        for step in _steps(merged, shared):
            stage = step.act.stage
            if stage in stages:
                stages[stage].append(step)
            else:
                stages[stage] = [step]
        get = stages.get
        self.text_steps = get(Stage.TEXT, _NOTHING)
        self.path_steps = get(Stage.PATH, _NOTHING)
        self.item_steps = get(Stage.ITEMS, _NOTHING)
        # what the module in C takes never asks for them
        self._path_runs: list[tuple[tuple[str, ...], Callable[[str], str]]] | None = None
        self.target_steps = get(Stage.TARGET, _NOTHING)
        self.unwrap_steps = get(Stage.UNWRAP, _NOTHING)
        self.verdict_steps = get(Stage.VERDICT, _NOTHING)
        self.display_steps = get(Stage.DISPLAY, _NOTHING)
        self.fragment_steps = get(Stage.FRAGMENT, _NOTHING)
        self.body_steps = get(Stage.BODY, _NOTHING)
        self.header_steps = get(Stage.HEADERS, _NOTHING)
        self.joins = Stage.JOIN in stages
        self.join: Callable[..., str] = stages[Stage.JOIN][-1].run if self.joins else _joined
        order = get(Stage.ORDER, _NOTHING)
        self.sorts = bool(order)
        self.order_rules = tuple([act.rule for act in at(Stage.ORDER) if act.rule in merged])
        # said, and inert: the items stay as they came
        unsorted = not order and bool(self.order_rules)
        self.order: Callable[[list[Item]], list[Item]] = order[-1].run if order else list if unsorted else sort_items
        self.sorts_by_pair = not unsorted and (not order or _sorts_by_pair(self.order))
        removing = self.fragment_steps and [
            step for step in self.fragment_steps if step.act.gone is not None and merged[step.name] == step.act.gone
        ]
        # nothing is left for the others
        self.fragment_steps = removing or self.fragment_steps
        self.drops_fragment = bool(removing)
        self.keeps_fragment = bool(self.fragment_steps) and not self.drops_fragment
        self.userinfo_steps = get(Stage.USERINFO, _NOTHING)
        self.tidies = self.always = False
        needs: list[str] = []
        plain: list[Step] = []
        for step in self.item_steps:
            act = step.act
            self.tidies |= act.tidies
            self.always |= not act.each or bool(CATALOGUE[step.name].kind.adds(merged[step.name]))
            needs += act.needs
            if not act.needs:
                plain.append(step)
        self.value_needs = tuple(dict.fromkeys(needs))
        self.concerns = Concerns(plain)
        self.fixed = not (self.path_steps or self.item_steps or self.target_steps)

    def leaves(self, path: str, items: list[Item]) -> bool:
        """Whether no rule changes path and items, as far as that is known at little cost."""
        runs = self._path_runs
        if runs is None:
            runs = self._path_runs = [(step.act.needs, step.run) for step in self.path_steps]
        # loops, since a generator costs as much as what it asks
        for needs, run in runs:
            if needs:
                for text in needs:
                    if text in path:
                        break
                else:
                    continue
            if run(path) != path:
                return False
        return not self.target_steps and not self.may_act(items)

    def may_act(self, items: list[Item]) -> bool:
        """Whether a rule may change the items."""
        if self.always:
            return bool(self.item_steps)
        if not items:
            return False
        if self.concerns.any_of(items):
            return True
        for text in self.value_needs:
            for _, value in items:
                if text in value:
                    return True
        return False

    def left_fragment(self, fragment: str | None) -> str | None:
        """What the rules leave of a fragment."""
        for step in self.fragment_steps:
            fragment = step.run(fragment)
        return fragment

    def left_userinfo(self, userinfo: str) -> str:
        """What the rules leave of user and password."""
        for step in self.userinfo_steps:
            userinfo = step.run(userinfo)
        return userinfo


_UNSORTED = [("b", "2"), ("a", "2"), ("b", "1"), ("a", "1")]


@functools.lru_cache(64)
def _sorts_by_pair(order: Callable[[list[Item]], list[Item]]) -> bool:
    return order([*_UNSORTED]) == sort_items(_UNSORTED)


def _joined(items: list[Item], query: str) -> str:
    return join_items(items)


def _steps(merged: dict[str, Any], shared: Shared | None) -> list[Step]:
    """The acts of the rules that are set and not inert, in the order of execution within each stage."""
    found: list[Step] = []
    if shared is None:
        for name, value in merged.items():
            found += steps_of(name, value)
    else:
        known = shared.steps
        for name, value in merged.items():
            place = known.get(name)
            found += place[1] if place is not None and place[0] is value else steps_of(name, value)
    found.sort(key=_place)
    for step in found:
        if step.act.under and step.act.under not in merged:
            return [step for step in found if not step.act.under or step.act.under in merged]
    return found


_place = operator.attrgetter("act.place")


def run_round(program: Program, path: str, items: list[Item], trace: Trace | None = None) -> tuple[str, list[Item]]:
    """Apply every rule of a program once, stage by stage in the order of the catalogue."""
    for step in program.path_steps:
        after = step.run(path)
        if after != path:
            if trace is not None:
                trace(step.name, after, items)
            path = after
    # a name of which no rule speaks is known for free
    if program.may_act(items):
        for step in program.item_steps:
            kept = step.run(items, path)
            if kept != items:
                if trace is not None:
                    trace(step.name, path, kept)
                items = kept
    # patterns see the sorted query, so that no rule tells apart what Scrapy merges
    if program.target_steps:
        items = program.order(items)
        for step in program.target_steps:
            new_path, new_items = step.run((path, items))
            if (new_path, new_items) != (path, items):
                if trace is not None:
                    trace(step.name, new_path, new_items)
                path, items = new_path, new_items
    # what a rule has left of a last segment is read as any path is: its empty `;` goes, `..;b` is a dot segment
    return path_key(path) if ";" in path else path, items


def changes(program: Program, rule: str, path: str, items: list[Item]) -> bool:
    """Whether a rule of a program changes a URL."""
    named: set[str] = set()
    run_round(program, path, items, lambda name, path, items: named.add(name))
    return rule in named
