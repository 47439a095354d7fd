"""How a rule is declared: a decorator, from which engine, schema, the tests' first row and the docs are derived.

A rule acts at one stage or, where it concerns two parts of a URL, at several: `rule` declares it with its main
act, `half` adds another. The engine runs stages, in the order of `Stage`, and the acts of a stage in the
order of their declaration; it knows no rule by name.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Container, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.rules.stages import Drops, PathAction, Safety, Stage, TextEdit, Verdict
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy_urinorm.rules.kinds import Kind


#: The part of a URL by which the documentation lists the rules of a stage.
_PARTS = {
    Stage.TEXT: "query", Stage.ITEMS: "query", Stage.ORDER: "query", Stage.JOIN: "query", Stage.DISPLAY: "query",
    Stage.EXCEPTION: "query", Stage.TARGET: "whole", Stage.UNWRAP: "whole", Stage.VERDICT: "whole",
    Stage.HEADERS: "body",
}  # fmt: skip


class Act(NamedTuple):
    """What a rule does at one stage.

    `each`: it judges every item by itself, by nothing but name, value and path, and leaves an item alone where the
    rule's value does not speak of its name; without it the rule is asked for every URL (ITEMS). `drops`: which items go
    whatever else the URL holds. `tidies`: it also drops empty fields and a `?` without a query. `needs`: it changes
    its part, or a value of the query, only where one of these texts is in it, and need not be asked elsewhere; empty:
    it is always asked; `needs_of`: the same as a function of the bound value. `gone`: the value of the rule at which
    nothing is left of the part. `inert`: a value at which this act does nothing, beside the one that its kind knows.
    `under`: it acts only where that rule is set. `values`: given a bound value and a decoded name, the values in the
    key spelling at which the item goes (Drops.VALUES). `native`: given a bound value, what the module in C does in
    place of the act, with the texts that it needs for that; None where it calls the act (PATH). `edit`: given a bound
    value, what the act does to path and query as one text (TARGET). `keywords`: the names of the function's
    keyword-only parameters: first that of the value, then what it asks to know. `place`: its number in the order of
    declaration.
    """

    rule: str
    stage: Stage
    function: Callable[..., Any]
    keywords: tuple[str, ...]
    place: int
    each: bool = False
    drops: Drops | None = None
    tidies: bool = False
    needs: tuple[str, ...] = ()
    needs_of: Callable[[Any], tuple[str, ...]] | None = None
    gone: Any = None
    inert: Any = None
    under: str = ""
    values: Callable[[Any, str], Iterable[str]] | None = None
    native: Callable[[Any], tuple[PathAction, tuple[str, ...]] | None] | None = None
    edit: Callable[[Any], TextEdit | None] | None = None

    @property
    def asks(self) -> tuple[str, ...]:
        """What the function wants to be told beside its part and its value."""
        return self.keywords[1:]

    def bound(self, value: Any) -> Callable[..., Any]:
        """The function with a value bound that `bind` gave; an act on items takes (items, path)."""
        # functions of C over values, not closures: a crawl of many tables has the garbage collector look at each part
        if self.stage is not Stage.ITEMS:
            return functools.partial(self.function, **{self.keywords[0]: value})
        return functools.partial(_on_items if self.asks else _on_items_alone, self.function, self.keywords[0], value)


def _on_items(function: Callable[..., Any], keyword: str, value: Any, items: Any, path: str) -> Any:
    return function(items, path=path, **{keyword: value})


def _on_items_alone(function: Callable[..., Any], keyword: str, value: Any, items: Any, _: str) -> Any:
    return function(items, **{keyword: value})


class Rule(NamedTuple):
    """One normalization: its function, its schema and its documentation.

    `name` is also the config key, the stat, the CLI name and the docs row. `before`, `after` and `value` are
    the declared example, `extra` holds other rules that it needs. `kind` checks, merges, binds and documents the
    value. `scope` is "any", "site" (not under `where`), "path" (under a `where` without `query`) or "file" (top level
    only). `splits` says that the rule
    may keep apart what Scrapy merges. `into` is the rule whose value an exception is put into. `probes` are targets
    in which `{}` stands for an entry of its value: what `check` tries.
    """

    name: str
    safety: Safety
    before: str
    after: str
    value: Any
    kind: Kind
    acts: list[Act]
    scope: str = "any"
    splits: bool = False
    into: str = ""
    probes: tuple[str, ...] = ()
    extra: Mapping[str, Any] = MappingProxyType({})

    @property
    def function(self) -> Callable[..., Any]:
        """The function that was declared as this rule: its first act."""
        return self.acts[0].function

    @property
    def stage(self) -> Stage:
        """The stage of that function."""
        return self.acts[0].stage

    @property
    def drops(self) -> Drops | None:
        """Which items the rule drops whatever else the URL holds."""
        return next((act.drops for act in self.acts if act.drops), None)

    @property
    def part(self) -> str:
        """The part of a URL that it is listed under."""
        return _PARTS.get(self.stage, self.stage.value)

    @property
    def doc(self) -> str:
        """The whole docstring."""
        import inspect

        return inspect.getdoc(self.function) or ""

    @property
    def summary(self) -> str:
        """The first line of the docstring: the row that users read."""
        return self.doc.partition("\n")[0]

    def may_stand_in(self, where: Container[str]) -> bool:
        """Whether the rule may stand in a `where` table of these keys."""
        return self.scope == "any" or (self.scope == "path" and "query" not in where)


#: Every rule by name, in the order of declaration, which is the order of the source.
CATALOGUE: dict[str, Rule] = {}
_acts: dict[Stage, list[Act]] = {stage: [] for stage in Stage}
_places = itertools.count()


def _declared(rule: str, stage: Stage, function: Callable[..., Any], more: Mapping[str, Any]) -> Act:
    code = function.__code__
    keywords = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    act = Act(rule, stage, function, keywords, next(_places), **more)
    _acts[stage].append(act)
    return act


def at(*stages: Stage) -> list[Act]:
    """The acts of some stages in the order of execution."""
    return [act for stage in stages for act in _acts[stage]]


def rules_at(*stages: Stage) -> list[Rule]:
    """The rules that act at some stages, in the order of execution."""
    return [CATALOGUE[name] for name in dict.fromkeys(act.rule for act in at(*stages))]


def rule(
    safety: Safety,
    before: str,
    after: str,
    *,
    stage: Stage,
    kind: Kind,
    value: Any,
    scope: str = "any",
    splits: bool = False,
    into: str = "",
    probes: tuple[str, ...] = (),
    act: Mapping[str, Any] = MappingProxyType({}),
    **extra: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function as a rule of the catalogue, under its own name.

    `before` becomes `after` when the rule is set to `value`: a test runs it and the docs print it. `act` says
    more of how it acts (the fields of `Act`), `extra` holds other rules that the example needs.
    """

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        main = _declared(name, stage, function, act)
        others = [one for acts in _acts.values() for one in acts if one.rule == name and one is not main]
        CATALOGUE[name] = Rule(
            name, safety, before, after, value, kind, [main, *others], scope, splits, into, probes,
            MappingProxyType(extra),
        )  # fmt: skip
        return function

    return declare


def half(name: str, *, stage: Stage, **more: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare the decorated function as what the rule `name` does at another stage; `more` as in `Act`."""

    def declare(function: Callable[..., Any]) -> Callable[..., Any]:
        act = _declared(name, stage, function, more)
        if name in CATALOGUE:
            CATALOGUE[name].acts.append(act)
        return function

    return declare


def forget(name: str) -> None:
    """Take a rule out of the catalogue again: for what is declared for a while."""
    del CATALOGUE[name]
    for acts in _acts.values():
        acts[:] = [act for act in acts if act.rule != name]


SAFE, USUALLY_SAFE, LOSSY = Safety.SAFE, Safety.USUALLY_SAFE, Safety.LOSSY

__all__ = [
    "CATALOGUE", "LOSSY", "SAFE", "USUALLY_SAFE", "Act", "Drops", "PathAction", "Rule", "Safety", "Stage", "TextEdit",
    "Verdict", "at", "forget", "half", "rule", "rules_at",
]  # fmt: skip
