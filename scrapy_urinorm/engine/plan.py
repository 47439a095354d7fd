"""From a URL's host to its plan, and from its plan to the fixpoint of the rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.engine.program import (
    SESSION_RULES,
    Program,
    is_signed,
    matching,
    merge_bodies,
    run_step,
    unsubscribes,
)
from scrapy_urinorm.rules import host as host_rules
from scrapy_urinorm.rules.kinds import NameTable
from scrapy_urinorm.rules.port import remove_ports
from scrapy_urinorm.rules.scheme import scheme as fold_scheme
from scrapy_urinorm.url import Item, Url, path_key, query_items, sort_items, split

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

    from scrapy_urinorm.engine.program import Concerns, Trace
    from scrapy_urinorm.rulesets.ruleset import RuleSet
    from scrapy_urinorm.rulesets.scopes import Layer, Where

#: A step is repeated until nothing changes, this many times at most (DESIGN section 4).
MAX_ROUNDS = 4
_MAX_SITES = 50_000
_MAX_PROGRAMS = 4096
#: How many plans are kept at once: a crawl of more sites with rules of their own compiles some again.
MAX_PLANS = 20_000
_MAX_HOST = 253

HOST_RULES = (
    "remove_ports", "remove_trailing_dot", "ip_hosts", "host_aliases", "www_numbers", "www", "remove_subdomains",
    "scheme",
)  # fmt: skip


class Plan:
    """What is known of all URLs of equal scope chains: a program for each set of ``where`` tables that holds."""

    __slots__ = (
        "_path_runs",
        "_preset_free",
        "_programs",
        "base",
        "bodies",
        "drops_userinfo",
        "fast",
        "host_rules",
        "layers",
        "wheres",
    )

    def __init__(self, layers: Sequence[Layer]):
        self.layers = layers
        self.bodies = [layer.body for layer in layers]
        self.wheres: list[Where] = [w for b in self.bodies for w in b.wheres]
        self.base = Program(self.bodies)
        merged = merge_bodies(self.bodies)
        self.drops_userinfo = bool(merged.get("remove_userinfo"))
        self.host_rules = {name: merged[name] for name in HOST_RULES if name in merged}
        self._programs: dict[tuple[int, ...], Program] = {(): self.base}
        self._preset_free: Plan | None = None
        self._path_runs = [s.run for s in self.base.path_steps if s.name not in SESSION_RULES]
        self.fast = self._fast()

    def _fast(self) -> Fast | None:
        base = self.base
        if not base.trivial_items:
            return None
        flags = SORTS * base.sort_canonical | DROPS_FRAGMENT * (base.fragment == "remove")
        guard = self.concerns_path if self._path_runs or self.wheres else None
        return Fast(base.concerns, guard, flags | KEY_ONLY * bool(base.display_steps))

    def concerns_path(self, path: str) -> bool:
        """Whether a rule on paths or a ``where`` table may concern a path without session (in the key spelling)."""
        return any(run(path) != path for run in self._path_runs) or any(where.on_path(path) for where in self.wheres)

    def program(self, path: str, items: list[Item]) -> Program:
        """The program for a URL of this plan."""
        if not self.wheres:
            return self.base
        chosen = matching(self.wheres, path, items)
        found = self._programs.get(chosen)
        if found is None:
            found = Program([*self.bodies, *(self.wheres[n].body for n in chosen)])
            if len(self._programs) < _MAX_PROGRAMS:
                self._programs[chosen] = found
        return found

    def chosen(self, program: Program) -> tuple[int, ...]:
        """The ``where`` tables that a program comes from."""
        return next((numbers for numbers, known in self._programs.items() if known is program), ())

    def without_preset(self) -> Plan:
        """The same rules without those of the preset; this plan itself where it has none."""
        if not any(layer.preset for layer in self.layers):
            return self
        if self._preset_free is None:
            self._preset_free = Plan([layer for layer in self.layers if not layer.preset])
        return self._preset_free


#: Flags of :class:`Fast`: the canonical URL is sorted; it loses its fragment; it takes the long way.
SORTS, DROPS_FRAGMENT, KEY_ONLY = 1, 2, 4
#: Grows with every change of what ``_speedups.c`` has and is told: its functions, Site, Fast, their flags, Concerns.
LAYOUT = 3


class Fast(NamedTuple):
    """What the fast path knows of a plan (``_speedups.c`` reads it by position).

    ``guard``, where there is one, says whether a rule may concern a path.
    """

    concerns: Concerns
    guard: Callable[[str], bool] | None
    flags: int


class Site(NamedTuple):
    """One canonical scheme, host and port (``origin`` is their text), and the plan of its URLs.

    ``fast`` is the plan's; None where every URL takes the long way.
    """

    origin: str
    scheme: str
    host: str
    port: str
    plan: Plan
    fast: Fast | None = None


class Outcome(NamedTuple):
    """A URL after the rules: path and items in the key spelling, and the program that holds for it.

    ``exempt`` says that the URL is signed and was left alone.
    """

    site: Site
    path: str
    items: list[Item]
    program: Program
    exempt: bool = False


class Watcher:
    """Is told of everything that happens to one URL; this one lets it pass, an explanation writes it down."""

    def host(self, sites: Sites, parts: Url, site: Site) -> None:
        """The host rules have turned the origin of ``parts`` into that of ``site``."""

    def tracing(self, plan: Plan, program: Program, site: Site, path: str, items: list[Item]) -> Trace | None:
        """A callback for the rules of one step, or None."""
        return None

    def unwrapped(self, parts: Url, outcome: Outcome, target: Url) -> None:
        """A wrapper gave way to its target."""

    def note(self, text: str, *, undo: bool = False) -> None:
        """Something did not apply; ``undo`` says that the steps on path and query so far did not happen."""


class Sites:
    """The sites of a rule set: hosts with their rules, remembered up to a bound."""

    def __init__(self, ruleset: RuleSet, counts: Counter[str]):
        self._ruleset = ruleset
        self._counts = counts
        self._plans: dict[tuple[int, ...], Plan] = {}
        #: By ``scheme://host[:port]`` as it stands in URLs, for the fast path.
        self.known: dict[str, Site] = {}
        self.bare = Plan([])

    def of(self, parts: Url) -> Site:
        """The site of a parsed URL."""
        if len(parts.host) > _MAX_HOST:
            # no name in DNS (RFC 1035 2.3.4): nothing is looked up by its labels, nothing remembered
            return Site(parts.origin, parts.scheme, parts.host, parts.port, self._plan(self._ruleset.everywhere))
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

    def host_steps(self, parts: Url) -> Iterator[tuple[str, list[Layer], tuple[str, str, str], tuple[str, str, str]]]:
        """The host rules that change an origin: rule, layers, (scheme, host, port) before and after.

        The scope chain is that of the host as it is at each round. Yields nothing where they do not settle.
        """
        state = (parts.scheme, parts.host, parts.port)
        steps = []
        for _ in range(MAX_ROUNDS):
            layers = self._ruleset.chain(state[1], state[2])
            rules = self._plan(layers).host_rules
            before_round = state
            for rule in HOST_RULES:
                after = self._host_rule(rule, rules, *state)
                if after != state:
                    steps.append((rule, layers, state, after))
                    state = after
            if state == before_round:
                yield from steps
                return
        self._counts["unstable"] += 1

    def _resolve(self, parts: Url, origin: str) -> Site:
        plan = self._plan(self._ruleset.chain(parts.host, parts.port))
        site = Site(origin, parts.scheme, parts.host, parts.port, plan, plan.fast)
        if plan.host_rules or self._ruleset.aliases or self._ruleset.ip_hosts:
            steps = list(self.host_steps(parts))
            if steps:
                scheme, host, port = steps[-1][3]
                plan = self._plan(self._ruleset.chain(host, port))
                site = Site(f"{scheme}://{host}{':' if port else ''}{port}", scheme, host, port, plan, plan.fast)
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

    def _host_rule(self, rule: str, rules: dict[str, Any], scheme: str, host: str, port: str) -> tuple[str, str, str]:
        ruleset = self._ruleset
        if rule == "host_aliases":
            return scheme, host_rules.host_aliases(host, names=ruleset.aliases) if ruleset.aliases else host, port
        if rule == "ip_hosts":
            return scheme, host_rules.ip_hosts(host, names=ruleset.ip_hosts) if ruleset.ip_hosts else host, port
        value = rules.get(rule)
        if value is None:
            return scheme, host, port
        if rule == "scheme":
            # another port is another server
            return scheme if port else fold_scheme(scheme, to=value), host, port
        if rule == "remove_ports":
            return scheme, host, remove_ports(port, ports=value)
        return scheme, _ON_HOST[rule](host, value), port


_ON_HOST: dict[str, Callable[[str, Any], str]] = {
    "remove_trailing_dot": lambda host, on: host_rules.remove_trailing_dot(host, remove=on),
    "www_numbers": lambda host, on: host_rules.www_numbers(host, remove=on),
    "www": lambda host, mode: host_rules.www(host, mode=mode),
    "remove_subdomains": lambda host, names: host_rules.remove_subdomains(host, names=NameTable(names)),
}


def split_query(query: str | None, program: Program) -> list[Item]:
    """The items of a query, split as the rules of a site say."""
    if not query:
        return []
    for _, run in program.text_steps:
        query = run(query)
    return query_items(query)


def run(sites: Sites, parts: Url, counts: Counter[str], watcher: Watcher) -> Outcome:
    """Apply the rules to a parsed URL until nothing changes (DESIGN section 4)."""
    site = sites.of(parts)
    plan = site.plan
    path = path_key(parts.path)
    items = split_query(parts.query, plan.base)
    if is_signed(items):
        watcher.note("a parameter signs this URL: no lossy rule applies")
        return Outcome(sites.bare_site(parts), path, query_items(parts.query or ""), sites.bare.base, exempt=True)
    watcher.host(sites, parts, site)
    outcome = _settle(site, plan, path, items, counts, watcher)
    in_fragment = bool(parts.fragment) and len(outcome.program.fragment_steps) > 1
    if (outcome.path, outcome.items) != (path, items) or in_fragment:
        own = plan.without_preset()
        if own is not plan and unsubscribes(f"{path}?{parts.query}#{parts.fragment if in_fragment else ''}"):
            watcher.note(
                "the URL speaks of unsubscribing: the preset's rules on path and query do not apply", undo=True
            )
            return _settle(site, own, path, items, counts, watcher)
    return outcome


def _settle(site: Site, plan: Plan, path: str, items: list[Item], counts: Counter[str], watcher: Watcher) -> Outcome:
    settled = _fixpoint(plan, path, items, watcher, site)
    if settled is None:
        counts["unstable"] += 1
        watcher.note("the rules do not settle on this URL: its `where` tables are left out", undo=True)
        settled = _without_where(site, plan, path, items, watcher) if plan.wheres else None
    return Outcome(site, *(settled or (path, items, plan.base)))


def _without_where(
    site: Site, plan: Plan, path: str, items: list[Item], watcher: Watcher
) -> tuple[str, list[Item], Program] | None:
    base = _fixpoint(plan, path, items, watcher, site, use_where=False)
    if base is None or _same(base, (path, items)):
        return base
    # the URL that this leads to is asked again, so that a second normalization finds nothing to do
    return _fixpoint(plan, base[0], base[1], watcher, site) or base


def _fixpoint(
    plan: Plan, path: str, items: list[Item], watcher: Watcher, site: Site, *, use_where: bool = True
) -> tuple[str, list[Item], Program] | None:
    for _ in range(MAX_ROUNDS):
        program = plan.program(path, items) if use_where else plan.base
        after = run_step(program, path, items, watcher.tracing(plan, program, site, path, items))
        if (program.settles_at_once and not plan.wheres) or _same(after, (path, items)):
            return *after, program
        path, items = after
    return None


def _same(one: tuple[Any, ...], other: tuple[str, list[Item]]) -> bool:
    """Whether two states are one URL; the order of items is for ``sort_query`` alone."""
    return one[0] == other[0] and (one[1] == other[1] or sort_items(one[1]) == sort_items(other[1]))
