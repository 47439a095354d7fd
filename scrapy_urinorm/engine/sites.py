"""From the host of a URL to its site: the rules on scheme, host and port, and the plan of the host that they end at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.engine.bits import mask_of
from scrapy_urinorm.engine.plan import HostAct, Plan, Site
from scrapy_urinorm.engine.steps import Shared, bind
from scrapy_urinorm.rules import CATALOGUE, Stage, at
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Sequence

    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Layer
    from scrapy_urinorm.url import Url

#: A step is repeated until nothing changes, this many times at most: of 4,000 random rule sets, no one needed more.
MAX_ROUNDS = 4
#: Hosts of one crawl that are remembered: some 40 MB.
_MAX_SITES = 50_000
#: Octets that the plans kept at once take, as far as that can be told: a crawl of more sites with rules of their own
#: compiles some again. 57,000 tables of two rules, 18,000 of ten lines.
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


class Sites:
    """The sites of a rule set: hosts with their rules, remembered up to a bound."""

    def __init__(self, ruleset: RuleSet, counts: Counter[str]):
        self._ruleset = ruleset
        self._counts = counts
        self._plans: dict[tuple[int, ...], Plan] = {}
        self._weight = 0
        #: By `scheme://host[:port]` as it stands in URLs, for the module in C.
        self.known: dict[str, Site] = {}
        self.bare = Plan([])
        self._shared = Shared([layer.body for layer in ruleset.everywhere])
        self._has_scopes = bool(ruleset.sites or ruleset.hosts)
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
            return self.known.get(origin) or self._resolve(origin, Origin(usual[1], usual[2], ""))
        return self.learn(origin) if _origin(origin) else None

    def all_layers(self) -> Sequence[Layer]:
        """The layers of every scope of the rule set."""
        return [*self._ruleset.layers()]

    def host_steps(self, parts: Url) -> Sequence[HostStep]:
        """The rules that change an origin.

        The scope chain is that of the host as it is at each round. Empty where they do not settle.
        """
        return self._moved(Origin(parts.scheme, parts.host, parts.port))

    def _moved(self, state: Origin) -> list[HostStep]:
        steps = []
        for _ in range(MAX_ROUNDS):
            plan = self.plan_of(state.host, state.port)
            before_round = state
            for rule, part, asks, run in self._host_acts(plan):
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
        if plan.host_acts is None:
            rules = {**plan.base.host_rules, **self._ruleset.host_maps}
            acts = ((act, rules.get(act.rule)) for act in at(Stage.PORT, Stage.HOST, Stage.SCHEME))
            plan.host_acts = [
                HostAct(act.rule, act.stage.value, act.asks, bind(act, value).run)
                for act, value in acts
                if value is not None and not CATALOGUE[act.rule].kind.is_inert(value)
            ]
        return plan.host_acts

    def _resolve(self, origin: str, state: Origin) -> Site:
        scheme, host, port = state
        if len(host) > _MAX_HOST:
            # no name in DNS: nothing is looked up by its labels, nothing remembered
            return Site(origin, scheme, host, port, self._plan(self._ruleset.everywhere))
        plan = self.plan_of(host, port)
        site = Site(origin, scheme, host, port, plan, plan.fast)
        if self._moves or plan.has_host_rules:
            steps = self._moved(state)
            if steps:
                end = steps[-1].after
                plan = self.plan_of(end.host, end.port)
                site = Site(str(end), *end, plan, plan.fast, mask_of([step.rule for step in steps]))
        self._remember(origin, site)
        return site

    def plan_of(self, host: str, port: str = "") -> Plan:
        """The plan of a canonical host."""
        if not self._has_scopes and self._everywhere is not None:
            return self._everywhere
        plan = self._plan(self._ruleset.chain(host, port))
        if not self._has_scopes:
            self._everywhere = plan
        return plan

    def _plan(self, layers: Sequence[Layer]) -> Plan:
        """The plan of a scope chain, shared by all hosts of equal tables."""
        bodies = tuple([id(layer.body) for layer in layers])
        plan = self._plans.get(bodies)
        if plan is None:
            plan = Plan(layers, self._shared)
            if self._weight + plan.weight > MAX_WEIGHT:
                self._forget_plans()
            self._weight += plan.weight
            self._plans[bodies] = plan
        return plan

    def _forget_plans(self) -> None:
        """Drop the older half of the plans, and the sites that would keep them alive."""
        for bodies in list(self._plans)[: (len(self._plans) + 1) // 2]:
            # that of hosts without a table of their own serves too many
            if len(bodies) > len(self._ruleset.everywhere):
                self._weight -= self._plans.pop(bodies).weight
        kept = {id(plan) for plan in self._plans.values()}
        for origin, site in list(self.known.items()):
            if id(site.plan) not in kept:
                del self.known[origin]

    def _remember(self, origin: str, site: Site) -> None:
        if len(self.known) >= _MAX_SITES:
            # the older half goes at once: nothing is paid on the way of each URL
            for old in list(self.known)[: _MAX_SITES // 2]:
                del self.known[old]
        self.known[origin] = site
