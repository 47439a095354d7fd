"""From the host of a URL to its site: the rules on scheme, host and port, and the plan of the host that they end at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.bits import mask_of
from scrapy_urinorm.engine.plan import Plan, Site
from scrapy_urinorm.engine.program import bind
from scrapy_urinorm.rules import CATALOGUE, Stage, at
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator, Sequence

    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Layer
    from scrapy_urinorm.url import Url

#: A step is repeated until nothing changes, this many times at most: of 4,000 random rule sets, no one needed more.
MAX_ROUNDS = 4
#: Hosts of one crawl that are remembered: some 40 MB.
_MAX_SITES = 50_000
#: How many plans are kept at once: a crawl of more sites with rules of their own compiles some again.
MAX_PLANS = 20_000
#: RFC 1035 2.3.4.
_MAX_HOST = 253


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
    layers: list[Layer]
    before: Origin
    after: Origin


class Sites:
    """The sites of a rule set: hosts with their rules, remembered up to a bound."""

    def __init__(self, ruleset: RuleSet, counts: Counter[str]):
        self._ruleset = ruleset
        self._counts = counts
        self._plans: dict[tuple[int, ...], Plan] = {}
        #: By ``scheme://host[:port]`` as it stands in URLs, for the module in C.
        self.known: dict[str, Site] = {}
        self.bare = Plan([])

    def of(self, parts: Url) -> Site:
        """The site of a parsed URL."""
        origin = parts.origin
        return self.known.get(origin) or self._resolve(parts, origin)

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

    def all_layers(self) -> Sequence[Layer]:
        """The layers of every scope of the rule set."""
        return [*self._ruleset.layers()]

    def host_steps(self, parts: Url) -> Iterator[HostStep]:
        """The rules that change an origin.

        The scope chain is that of the host as it is at each round. Yields nothing where they do not settle.
        """
        state = Origin(parts.scheme, parts.host, parts.port)
        steps = []
        for _ in range(MAX_ROUNDS):
            layers = self._ruleset.chain(state.host, state.port)
            rules = {**self._plan(layers).base.rules, **self._ruleset.host_maps}
            before_round = state
            for act in at(Stage.PORT, Stage.HOST, Stage.SCHEME):
                value = rules.get(act.rule)
                if value is None or CATALOGUE[act.rule].kind.is_inert(value):
                    continue
                part = act.stage.value
                told: dict[str, Any] = {name: getattr(state, name) for name in act.asks}
                after = state._replace(**{part: bind(act, value).run(getattr(state, part), **told)})
                if after != state:
                    steps.append(HostStep(act.rule, layers, state, after))
                    state = after
            if state == before_round:
                yield from steps
                return
        self._counts["unstable"] += 1

    def _resolve(self, parts: Url, origin: str) -> Site:
        if len(parts.host) > _MAX_HOST:
            # no name in DNS: nothing is looked up by its labels, nothing remembered
            return Site(origin, parts.scheme, parts.host, parts.port, self._plan(self._ruleset.everywhere))
        plan = self._plan(self._ruleset.chain(parts.host, parts.port))
        site = Site(origin, parts.scheme, parts.host, parts.port, plan, plan.fast)
        if plan.has_host_rules or self._ruleset.host_maps:
            steps = list(self.host_steps(parts))
            if steps:
                end = steps[-1].after
                plan = self._plan(self._ruleset.chain(end.host, end.port))
                site = Site(str(end), *end, plan, plan.fast, mask_of([step.rule for step in steps]))
        self._remember(origin, site)
        return site

    def _plan(self, layers: Sequence[Layer]) -> Plan:
        """The plan of a scope chain, shared by all hosts of equal tables."""
        bodies = tuple([id(layer.body) for layer in layers])
        plan = self._plans.get(bodies)
        if plan is None:
            if len(self._plans) >= MAX_PLANS:
                self._forget_plans()
            plan = self._plans[bodies] = Plan(layers)
        return plan

    def _forget_plans(self) -> None:
        """Drop the older half of the plans, and the sites that would keep them alive."""
        for bodies in list(self._plans)[: MAX_PLANS // 2]:
            # that of hosts without a table of their own serves too many
            if len(bodies) > len(self._ruleset.everywhere):
                del self._plans[bodies]
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
