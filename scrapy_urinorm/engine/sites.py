"""From the host of a URL to its site: the rules on scheme, host and port, and the plan of the host that they end at."""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.engine.bits import bit_of
from scrapy_urinorm.engine.native import Moved, Usual
from scrapy_urinorm.engine.plan import HostAct, Plan, Site, weight_of
from scrapy_urinorm.engine.steps import Shared, Step, bind
from scrapy_urinorm.rules import CATALOGUE, Stage, at
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import Url, split

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Layer

#: A step is repeated until nothing changes, this many times at most: of 4,000 random rule sets, no one needed more.
MAX_ROUNDS = 4
#: Hosts of one crawl that are remembered, beside as many as have tables: some 40 MB.
_MAX_SITES = 50_000
#: Octets that the plans kept at once may take, as far as that can be told; or what one plan for each table takes, where
#: that is more: about what the tables themselves do. A crawl that needs more compiles some again.
MAX_WEIGHT = 256_000_000
#: RFC 1035 2.3.4.
_MAX_HOST = 253


_origin = re.compile(r"https?://[A-Za-z0-9.\-]+(?::[0-9]+)?").fullmatch
# What any parser leaves as it is: labels of lower-case letters, digits and single hyphens, the last of which begins
# with a letter, so that it is no IPv4 address; no port.
_usual_origin = re.compile(
    r"(https?)://((?:[a-z0-9]++(?:-[a-z0-9]++)*+\.)*+[a-z][a-z0-9]*+(?:-[a-z0-9]++)*+)"
).fullmatch


class Origin(NamedTuple):
    """Scheme, host and port, by the names of the stages whose rules act on them."""

    scheme: str
    host: str
    port: str

    def __str__(self) -> str:
        return f"{self.scheme}://{self.host}{':' if self.port else ''}{self.port}"


class HostStep(NamedTuple):
    """A rule that changed an origin, and the layers that held for the host as it was before."""

    rule: str
    layers: Sequence[Layer]
    before: Origin
    after: Origin


def _host_act(step: Step) -> HostAct:
    act = step.act
    needs = act.needs_of(step.bound) if act.needs_of else act.needs
    return HostAct(act.rule, act.stage.value, act.asks, step.run, 1 << bit_of(act.rule), needs)


class Sites:
    """The sites of a rule set: hosts with their rules, remembered up to a bound."""

    def __init__(self, ruleset: RuleSet, counts: Counter[str]):
        self._ruleset = ruleset
        self._counts = counts
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._weight = 0
        #: By `scheme://host[:port]` as it stands in URLs, for the module in C. Where no host has rules of its own, the
        #: empty text stands for every usual origin, and those are not remembered.
        self.known: dict[str, Site] = {}
        self.bare = Plan([])
        self._shared = Shared([layer.body for layer in ruleset.everywhere])
        tables = len(ruleset.sites) + len(ruleset.hosts)
        self._has_scopes = bool(tables)
        self._most_sites = _MAX_SITES + tables
        self._moves = bool(ruleset.host_maps)
        self._everywhere: Plan | None = None

    def of(self, parts: Url) -> Site:
        """The site of a parsed URL."""
        origin = parts.origin
        return self.known.get(origin) or self._resolve(origin, Origin(parts.scheme, parts.host, parts.port))

    def bare_site(self, parts: Url) -> Site:
        """The site of a parsed URL without any rule."""
        return Site(parts.origin, parts.scheme, parts.host, parts.port, self.bare)

    def learn(self, origin: str) -> Site | None:
        """The site of an origin as it stands in a URL, remembered; None where the parser sees it otherwise."""
        parts = split(origin + "/")
        if parts is None or parts.userinfo or parts.path != "/" or parts.query is not None:
            return None
        site = self.of(parts)
        if origin not in self.known and len(parts.host) <= _MAX_HOST:
            self._remember(origin, site)
        return site

    def learn_written(self, origin: str) -> Site | None:
        """What `learn` gives, for a text of octets that the module in C takes for an origin."""
        usual = _usual_origin(origin)
        if usual is not None and len(origin) <= _MAX_HOST:
            if not self._has_scopes and "" not in self.known and (every := self._every()) is not None:
                self.known[""] = every
            return self.known.get(origin) or self._resolve(origin, Origin(usual[1], usual[2], ""))
        return self.learn(origin) if _origin(origin) else None

    def _every(self) -> Site | None:
        """The site that stands for all usual origins; None where rules ask for more than the host or the scheme."""
        plan = self.plan_of("")
        acts = self._host_acts(plan) if self._moves or plan.has_host_rules else []
        hosts = [act for act in acts if act.part == "host"]
        if any(act.asks for act in hosts) or any(
            act.part not in (Stage.HOST.value, Stage.SCHEME.value) or not {"port"}.issuperset(act.asks) for act in acts
        ):
            return None

        # the empty text is in each host
        runs = [(act.needs[0] if len(act.needs) == 1 else "", act.run, act.bit) for act in hosts]

        def move(host: str) -> tuple[str, int] | None:
            end, bits = host, 0
            for _ in range(MAX_ROUNDS):
                before = end
                for need, run, bit in runs:
                    if need in end and (new := run(end)) != end:
                        end, bits = new, bits | bit
                if end == before:
                    return end, bits
            return None

        (http, of_http), (https, of_https) = (self._scheme(scheme, acts) for scheme in ("http", "https"))
        needs = () if any(not act.needs for act in hosts) else [text.encode() for act in hosts for text in act.needs]
        usual = Usual(http, of_http, https, of_https, tuple(needs), Moved(move) if hosts else None)
        return Site("", "", "", "", plan, plan.fast, 0, usual if acts else None)

    @staticmethod
    def _scheme(scheme: str, acts: Sequence[HostAct]) -> tuple[bytes, int]:
        """What rules on the scheme alone make of one, and their bits."""
        bits = 0
        for act in acts:
            if act.part == Stage.SCHEME.value and (new := act.run(scheme, **dict.fromkeys(act.asks, ""))) != scheme:
                scheme, bits = new, bits | act.bit
        return scheme.encode(), bits

    def all_layers(self) -> Sequence[Layer]:
        """The layers of every scope of the rule set."""
        return [*self._ruleset.layers()]

    def host_steps(self, parts: Url) -> Sequence[HostStep]:
        """The rules that change an origin.

        The scope chain is that of the host as it is at each round. Empty where they do not settle.
        """
        state = Origin(parts.scheme, parts.host, parts.port)
        steps = []
        for _ in range(MAX_ROUNDS):
            plan = self.plan_of(state.host, state.port)
            before_round = state
            for rule, part, asks, run, *_ in self._host_acts(plan):
                old = getattr(state, part)
                new = run(old, **{name: getattr(state, name) for name in asks}) if asks else run(old)
                if new != old:
                    after = state._replace(**{part: new})
                    steps.append(HostStep(rule, plan.layers, state, after))
                    state = after
            if state == before_round:
                return steps
        self._counts["unstable"] += 1
        return []

    def _host_acts(self, plan: Plan) -> list[HostAct]:
        """The acts on an origin under a plan, bound once."""
        found = plan.host_acts
        if found is None:
            rules = {**plan.base.host_rules, **self._ruleset.host_maps}
            acts = ((act, rules.get(act.rule)) for act in at(Stage.PORT, Stage.HOST, Stage.SCHEME))
            found = plan.host_acts = [
                _host_act(bind(act, value))
                for act, value in acts
                if value is not None and not CATALOGUE[act.rule].kind.is_inert(value)
            ]
        return found

    def _resolve(self, origin: str, state: Origin) -> Site:
        scheme, host, port = state
        if len(host) > _MAX_HOST:
            # no name in DNS: nothing is looked up by its labels, nothing remembered
            return Site(origin, scheme, host, port, self._plan(self._ruleset.everywhere))
        plan = self.plan_of(host, port)
        site = Site(origin, scheme, host, port, plan, plan.fast)
        if self._moves or plan.has_host_rules:
            end, moved = self._end(state, plan) or (state, 0)
            if moved:
                plan = self.plan_of(end.host, end.port)
                site = Site(str(end), *end, plan, plan.fast, moved)
        self._remember(origin, site)
        return site

    def _end(self, state: Origin, plan: Plan) -> tuple[Origin, int] | None:
        """Where `host_steps` end, and the bits of the rules that led there; None where they do not settle.

        A broad crawl asks this of every host.
        """
        parts, moved = state._asdict(), 0
        for _ in range(MAX_ROUNDS):
            before = [*parts.values()]
            for _, part, asks, run, bit, _ in self._host_acts(plan):
                old = parts[part]
                new = run(old, **{name: parts[name] for name in asks}) if asks else run(old)
                if new != old:
                    parts[part] = new
                    moved |= bit
            if before == [*parts.values()]:
                return Origin(**parts) if moved else state, moved
            plan = self.plan_of(parts["host"], parts["port"])
        self._counts["unstable"] += 1
        return None

    def plan_of(self, host: str, port: str = "") -> Plan:
        """The plan of a canonical host."""
        everywhere = self._ruleset.everywhere
        layers = self._ruleset.chain(host, port) if self._has_scopes else everywhere
        if layers is not everywhere:
            return self._plan(layers)
        # most hosts of a broad crawl
        plan = self._everywhere
        if plan is None:
            plan = self._everywhere = self._plan(everywhere)
        return plan

    def _plan(self, layers: Sequence[Layer]) -> Plan:
        """The plan of a scope chain, shared by all hosts of equal tables."""
        bodies = tuple([id(layer.body) for layer in layers])
        plan = self._plans.get(bodies)
        if plan is None:
            plan = Plan(layers, self._shared)
            if self._weight + plan.weight > MAX_WEIGHT and self._weight + plan.weight > self._weight_of_all:
                self._forget_plans()
            self._weight += plan.weight
            self._plans[bodies] = plan
        return plan

    @functools.cached_property
    def _weight_of_all(self) -> int:
        ruleset = self._ruleset
        wide = [layer.body for layer in ruleset.everywhere if not layer.preset]
        scopes = (*ruleset.sites.values(), *ruleset.hosts.values())
        tables = {id(layer.body): layer.body for layers in scopes for layer in layers}
        return weight_of(wide) + sum([weight_of([*wide, body]) for body in tables.values()])

    def _forget_plans(self) -> None:
        """Drop the older half of the plans, and the sites that would keep them alive."""
        for bodies in list(self._plans)[: (len(self._plans) + 1) // 2]:
            # that of hosts without a table of their own serves too many
            if len(bodies) > len(self._ruleset.everywhere) and (plan := self._plans.pop(bodies, None)) is not None:
                self._weight -= plan.weight
        kept = {id(plan) for plan in tuple(self._plans.values())}
        self._shared.keep(kept)
        for origin, site in list(self.known.items()):
            if id(site.plan) not in kept:
                self.known.pop(origin, None)

    def _remember(self, origin: str, site: Site) -> None:
        if len(self.known) >= self._most_sites:
            # the older half goes at once: nothing is paid on the way of each URL
            usual = self.known.pop("", None)
            for old in list(self.known)[: self._most_sites // 2]:
                self.known.pop(old, None)
            if usual is not None:
                self.known[""] = usual
        self.known[origin] = site
