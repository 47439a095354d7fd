"""The loop: the rules of a URL's site, applied to its path and query until nothing changes."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.engine.exemptions import is_signed, unsubscribes
from scrapy_urinorm.engine.program import run_round
from scrapy_urinorm.engine.sites import MAX_ROUNDS, Sites
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import Item, Url, path_key, query_items, sort_items, split

if TYPE_CHECKING:
    from scrapy_urinorm.engine.plan import Plan, Site
    from scrapy_urinorm.engine.program import Program, Trace

#: Wrappers within wrappers that are followed.
MAX_WRAPPERS = 4


class Outcome(NamedTuple):
    """A URL after the rules: path and items in the key spelling, and the program that holds for it.

    `changed` says that these are not those of the URL; `exempt` that the URL is signed and was left alone.
    """

    site: Site
    path: str
    items: list[Item]
    program: Program
    changed: bool = False
    exempt: bool = False


class Watcher:
    """Is told of everything that happens to one URL; this one lets it pass, an explanation writes it down."""

    def host(self, sites: Sites, parts: Url, site: Site) -> None:
        """The host rules have turned the origin of `parts` into that of `site`."""

    def tracing(self, plan: Plan, program: Program, site: Site, path: str, items: list[Item]) -> Trace | None:
        """A callback for the rules of one step, or None."""
        return None

    def unwrapped(self, rule: str, parts: Url, outcome: Outcome, target: Url) -> None:
        """A wrapper gave way to its target."""

    def note(self, text: str, *, undo: bool = False) -> None:
        """Something did not apply; `undo` says that the steps on path and query so far did not happen."""


SILENT = Watcher()


def split_query(query: str | None, program: Program) -> list[Item]:
    """The items of a query, split as the rules of a site say."""
    if not query:
        return []
    for step in program.text_steps:
        query = step.run(query)
    return query_items(query)


def run(sites: Sites, parts: Url, counts: Counter[str], watcher: Watcher = SILENT) -> Outcome:
    """Apply the rules to a parsed URL until nothing changes."""
    site = sites.of(parts)
    plan = site.plan
    base = plan.base
    path = path_key(parts.path)
    items = split_query(parts.query, plan.splitting(path)) if parts.query else []
    if watcher is SILENT and (program := plan.program(path, items)).leaves(path, items):
        if not (parts.fragment and len(program.fragment_steps) > 1):
            return Outcome(site, path, items, program)
    # a name that signs a URL is among those that concern
    if items and base.concerns.any_of(items) and is_signed(items):
        watcher.note("a parameter signs this URL: no lossy rule applies")
        return Outcome(sites.bare_site(parts), path, query_items(parts.query or ""), sites.bare.base, exempt=True)
    watcher.host(sites, parts, site)
    outcome = _settle(site, plan, path, items, counts, watcher)
    in_fragment = bool(parts.fragment) and len(outcome.program.fragment_steps) > 1
    if outcome.changed or in_fragment:
        # few URLs do, and most plans need never be compiled again for them
        if plan.has_preset and unsubscribes(f"{path}?{parts.query}#{parts.fragment if in_fragment else ''}"):
            watcher.note(
                "the URL speaks of unsubscribing: the preset's rules on path and query do not apply", undo=True
            )
            return _settle(site, plan.without_preset(), path, items, counts, watcher)
    return outcome


def unwrapped(sites: Sites, parts: Url, counts: Counter[str], watcher: Watcher = SILENT) -> tuple[Url, Outcome]:
    """Apply the rules, and again to the target where the URL is a wrapper."""
    outcome = run(sites, parts, counts, watcher)
    if not outcome.program.unwrap_steps:
        return parts, outcome
    wrapper = parts, outcome
    for _ in range(MAX_WRAPPERS + 1):
        if not outcome.program.unwrap_steps or outcome.exempt:
            return parts, outcome
        rule, target = _wrapped(outcome)
        inner = split(_absolute(target, parts)) if target else None
        if inner is None:
            return parts, outcome
        watcher.unwrapped(rule, parts, outcome, inner)
        parts, outcome = inner, run(sites, inner, counts, watcher)
    # half a way would be another URL each time: the wrapper stays as it is
    counts["unstable"] += 1
    watcher.note("too many wrappers: the URL is not unwrapped", undo=True)
    return wrapper


def _absolute(target: str, parts: Url) -> str:
    if not target.startswith("/"):
        return target
    user = f"{parts.userinfo}@" if parts.userinfo else ""
    return f"{parts.scheme}://{user}{parts.host}{':' if parts.port else ''}{parts.port}{target}"


def _wrapped(outcome: Outcome) -> tuple[str, str]:
    """The rule that sees a wrapper, and the URL in it; two empty texts where none does."""
    told = {"host": outcome.site.host}
    for step in outcome.program.unwrap_steps:
        target = step.run((outcome.path, outcome.items), **{name: told[name] for name in step.act.asks})
        if target:
            return step.name, target
    return "", ""


def _settle(site: Site, plan: Plan, path: str, items: list[Item], counts: Counter[str], watcher: Watcher) -> Outcome:
    settled = _fixpoint(plan, path, items, watcher, site)
    if settled is None:
        counts["unstable"] += 1
        watcher.note("the rules do not settle on this URL: its `where` tables are left out", undo=True)
        settled = _without_where(site, plan, path, items, watcher) if plan.wheres else None
    after_path, after_items, program = settled or (path, items, plan.base)
    return Outcome(site, after_path, after_items, program, (after_path, after_items) != (path, items))


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
        if program.fixed:
            return path, items, program
        after = run_round(program, path, items, watcher.tracing(plan, program, site, path, items))
        if _same(after, (path, items)):
            return *after, program
        path, items = after
    return None


def _same(one: tuple[Any, ...], other: tuple[str, list[Item]]) -> bool:
    """Whether two states are one URL; the order of items is for the rules on order alone."""
    return one[0] == other[0] and (one[1] == other[1] or sort_items(one[1]) == sort_items(other[1]))
