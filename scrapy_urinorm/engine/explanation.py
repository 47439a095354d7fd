"""Why a URL has its key, told by the very pipeline that makes it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.pipeline import Outcome, Watcher
from scrapy_urinorm.engine.program import Program, changes
from scrapy_urinorm.engine.texts import without_userinfo
from scrapy_urinorm.rules import Stage, at
from scrapy_urinorm.url import Item, Url, join, join_items

if TYPE_CHECKING:
    from scrapy_urinorm.engine.plan import Plan, Site
    from scrapy_urinorm.engine.program import Trace
    from scrapy_urinorm.engine.sites import Sites
    from scrapy_urinorm.rulesets.scopes import Body, Layer, Where


class Step(NamedTuple):
    """One rule that changed a URL: its scope, where it is written, the URL before and after (without userinfo)."""

    rule: str
    scope: str
    source: str
    before: str
    after: str


class Explanation(NamedTuple):
    """The steps from a URL to its key in order, the result, and notes on what did not apply."""

    url: str
    steps: tuple[Step, ...]
    canonical: str
    key: str
    skip: bool
    defer: bool
    notes: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The explanation as JSON-ready data."""
        return {**self._asdict(), "steps": [s._asdict() for s in self.steps], "notes": list(self.notes)}


class NameWatcher(Watcher):
    """Writes down only which rules changed a URL."""

    def __init__(self) -> None:
        self.rules: dict[str, None] = {}

    def host(self, sites: Sites, parts: Url, site: Site) -> None:
        if site.origin != parts.origin:
            self.rules.update((step.rule, None) for step in sites.host_steps(parts))

    def tracing(self, plan: Plan, program: Program, site: Site, path: str, items: list[Item]) -> Trace:
        def trace(rule: str, path: str, items: list[Item]) -> None:
            self.rules[rule] = None

        return trace

    def note(self, text: str, *, undo: bool = False) -> None:
        if undo:
            hosts = _host_rules()
            self.rules = {name: None for name in self.rules if name in hosts}


class StepWatcher(Watcher):
    """Writes down every step with its texts."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.notes: list[str] = []

    def safe(self, before: str, after: str) -> None:
        """Write down what is done to every URL, without a rule, as if it were one."""
        self.step(_SAFE_STEP, ("always", "RFC 3986 6.2.2, URL Standard"), before, after)

    def step(self, rule: str, scope: tuple[str, str], before: str, after: str) -> None:
        """Write down one step; what shows no difference is none."""
        before, after = without_userinfo(before), without_userinfo(after)
        if before != after:
            self.steps.append(Step(rule, *scope, before, after))

    def host(self, sites: Sites, parts: Url, site: Site) -> None:
        if site.origin == parts.origin:
            return
        for rule, layers, before, after in sites.host_steps(parts):
            texts = [join(parts._replace(**one._asdict(), userinfo="")) for one in (before, after)]
            holders = layers if any(rule in layer.body.rules for layer in layers) else sites.all_layers()
            self.step(rule, _told(_holders(holders, rule)), *texts)

    def tracing(self, plan: Plan, program: Program, site: Site, path: str, items: list[Item]) -> Trace:
        before = (path, items)
        wheres = _chosen(plan, program)

        def trace(rule: str, path: str, items: list[Item]) -> None:
            nonlocal before
            holders = _holders(plan.layers, rule, wheres)
            # of the tables whose entries were put together, those that change this URL by themselves
            acting = [one for one in holders if changes(Program((one.body,)), rule, *before)]
            self.step(rule, _told(acting or holders), _shown(site, *before), _shown(site, path, items))
            before = (path, items)

        return trace

    def unwrapped(self, rule: str, parts: Url, outcome: Outcome, target: Url) -> None:
        before = _shown(outcome.site, outcome.path, outcome.items)
        self.step(rule, _scope_of(outcome, rule), before, join(target))

    def finish(self, parts: Url, outcome: Outcome) -> None:
        """What happens to the canonical URL beside path and items: splitting, order, fragment; and the verdicts."""
        site, path, items, program, _, exempt = outcome
        if exempt:
            return
        for step in program.text_steps:
            if parts.query and step.run(parts.query) != parts.query:
                self.notes.append(f"{step.name} ({_scope_of(outcome, step.name)[0]}) says how the query is split")
        order = program.order(items)
        if program.sorts and order != items:
            for rule in dict.fromkeys(program.order_rules):
                self.step(rule, _scope_of(outcome, rule), _shown(site, path, items), _shown(site, path, order))
        fragment = parts.fragment
        for step in program.fragment_steps:
            left = step.run(fragment)
            before, after = (_shown(site, path, order) + (f"#{f}" if f is not None else "") for f in (fragment, left))
            self.step(step.name, _scope_of(outcome, step.name), before, after)
            fragment = left
        for step in program.verdict_steps:
            if step.run((path, items)) is not None:
                scope, source = _scope_of(outcome, step.name)
                self.notes.append(f"{step.name} is said by {scope} ({source})")

    def note(self, text: str, *, undo: bool = False) -> None:
        self.notes.append(text)
        if undo:
            hosts = _host_rules()
            self.steps = [s for s in self.steps if s.rule in hosts or s.rule == _SAFE_STEP]


_SAFE_STEP = "safe"


def _host_rules() -> set[str]:
    return {act.rule for act in at(Stage.PORT, Stage.HOST, Stage.SCHEME)}


def _scope_of(outcome: Outcome, rule: str) -> tuple[str, str]:
    plan = outcome.site.plan
    return _told(_holders(plan.layers, rule, _chosen(plan, outcome.program)))


class _Holder(NamedTuple):
    """A table that has a rule: its scope, where the rule is written."""

    scope: str
    place: str
    body: Body


def _holders(layers: Sequence[Layer], rule: str, wheres: Iterable[Where] = ()) -> list[_Holder]:
    """The tables that have a rule, narrowest first; `wheres` are those that hold, widest first."""
    found = []
    for where in reversed([*wheres]):
        if rule in where.body.rules:
            layer = next(layer for layer in layers if where in layer.body.wheres)
            place = layer.place(rule, layer.body.wheres.index(where))
            found.append(_Holder(f"{layer.label} where {where.describe()}", place, where.body))
    for layer in reversed(layers):
        if rule in layer.body.rules:
            scope = "every site" if layer.label == "rules" else layer.label
            found.append(_Holder(scope, layer.place(rule), layer.body))
    return found


def _chosen(plan: Plan, program: Program) -> list[Where]:
    return [plan.wheres[number] for number in plan.chosen(program)]


def _told(holders: list[_Holder]) -> tuple[str, str]:
    scopes = dict.fromkeys(holder.scope for holder in holders)
    return ", ".join(scopes) or "every site", ", ".join(dict.fromkeys(holder.place for holder in holders))


def _shown(site: Site, path: str, items: list[Item]) -> str:
    return f"{site.origin}{path}{'?' if items else ''}{join_items(items)}"
