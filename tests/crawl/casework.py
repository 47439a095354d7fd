"""Turns a case into crawls: a site on the server, and jobs for the runner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from tests.crawl.crawling import Job, Outcome, crawl_all
from tests.crawl.site import Site, SiteServer, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawl.cases import Case

MODES = ("links", "links, cache cold", "links, cache warm", "starts", "starts, cache cold", "starts, cache warm")
#: Links, in the other order, and with room for one claim: what is kept in short, and what passes for want of room.
CROWDED = "links, first in first out, one claim"
FIFO = "scrapy.squeues.FifoMemoryQueue"
#: The modes of a table; starts with a cache go the ways of links with a cache, and what is kept in short is ours alone.
PARAMETERS = [
    *(pytest.param(mode, marks=[pytest.mark.slow] * mode.startswith("starts, ")) for mode in MODES),
    pytest.param(CROWDED, marks=pytest.mark.newest),
]
STORY = ("Crawled (", "Redirecting", "Filtered duplicate", "Ignoring", "Error", "Discarding", "urinorm")


Value = TypeVar("Value")


@dataclass
class Crawl:
    """A crawl of a case: what came back, and what the site was asked meanwhile."""

    case: Case
    outcome: Outcome
    fetched: list[str]

    @property
    def lost(self) -> set[str]:
        """The pages that some variant serves and that no callback saw."""
        return set(self.case.pages - self.outcome.pages)

    def story(self) -> str:
        """What happened, for the message of a failed test."""
        lines = [line.splitlines()[0] for line in self.outcome.log if any(word in line for word in STORY)]
        stats = {k: v for k, v in self.outcome.stats.items() if k.startswith(("urinorm", "dupefilter"))}
        return "\n".join([f"lost {sorted(self.lost)}, fetched {self.fetched}, {stats}", *lines])


def asked(request: pytest.FixtureRequest, name: str, values: Iterable[Value]) -> list[Value]:
    """Those values of a parameter that a selected test of the module has: what no test looks at is not crawled."""
    items = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    having = [item.callspec.params for item in items if hasattr(item, "callspec")]
    return [value for value in values if any(given.get(name) == value for given in having)]


def asked_pairs(request: pytest.FixtureRequest) -> list[tuple[Case, str]]:
    """The cases and modes that a selected test of the module has together."""
    items = [item for item in request.session.items if item.path == request.path and isinstance(item, pytest.Function)]
    having = [item.callspec.params for item in items if hasattr(item, "callspec")]
    both: list[tuple[Any, Any]] = [
        (given["case"], given["mode"]) for given in having if "case" in given and "mode" in given
    ]
    return [*{(case.name, mode): (case, mode) for case, mode in both}.values()]


def crossed(cases: Iterable[Case], modes: Iterable[Any]) -> list[Any]:
    """Each case in each mode as parameters; what a cache answers, and crowds, are slow but for each third case."""
    named = [mode if hasattr(mode, "marks") else pytest.param(mode) for mode in modes]
    return [
        pytest.param(
            case, *mode.values, id=f"{case.name}-{mode.values[0]}",
            marks=[*mode.marks, *[pytest.mark.slow] * bool(n % 3 and _is_dear(mode.values[0]))],
        )
        for n, case in enumerate(cases)
        for mode in named
    ]  # fmt: skip


def _is_dear(mode: Any) -> bool:
    return "cache" in mode or mode == CROWDED


def each_third(cases: Iterable[Case]) -> list[Any]:
    """The cases as parameters, most of them slow: for what goes the ways of the tables themselves."""
    return [pytest.param(case, marks=[pytest.mark.slow] * bool(n % 3)) for n, case in enumerate(cases)]


def with_addon(case: Case, site: Site) -> dict[str, Any]:
    """The settings of a user who wrote the case's rules."""
    rules = {"rules": filled(case.rules, site)} if case.rules else {}
    return {"ADDONS": {"scrapy_urinorm.Addon": 600}, "URINORM_RULES": rules}


def filled(value: Any, site: Site) -> Any:
    """`{name}` of the rules replaced by the site's host name."""
    if isinstance(value, str):
        return value.replace("{name}", site.name)
    if isinstance(value, Mapping):
        return {filled(k, site): filled(v, site) for k, v in value.items()}
    return [filled(v, site) for v in value] if isinstance(value, list) else value


def crawl_cases(
    cases: Iterable[Case],
    server: SiteServer,
    directory: Path,
    *,
    modes: Iterable[str] = MODES,
    pairs: Iterable[tuple[Case, str]] | None = None,
    settings: Callable[[Case, Site], dict[str, Any]] = with_addon,
    process_settings: dict[str, Any] | None = None,
    spider: str = "tests.crawl.spiders.Follow",
) -> dict[tuple[str, str], Crawl]:
    """Crawl every case in every mode, or these pairs alone.

    Warm crawls run in a second process with the caches of the cold ones.
    """
    wanted = [(case, mode) for case in cases for mode in modes] if pairs is None else [*pairs]
    sites: dict[tuple[str, str], Site] = {}
    crawls: dict[tuple[str, str], Crawl] = {}
    for warm in (False, True):
        batch = [(case, mode) for case, mode in wanted if mode.endswith("warm") == warm]
        seen = {}
        jobs = []
        for case, mode in batch:
            site_of = (case.name, mode.replace("warm", "cold"))
            site = sites.setdefault(site_of, _site(case, server))
            seen[case.name, mode] = len(site.hits)
            jobs.append(_job(case, mode, site, server, directory, settings(case, site), spider))
        where = directory / ("second" if warm else "first")
        outcomes = crawl_all(jobs, where, process_settings=process_settings) if jobs else {}
        for case, mode in batch:
            site = sites[case.name, mode.replace("warm", "cold")]
            fetched = [target for target in site.fetched()[seen[case.name, mode] :] if target not in ("/", "https:/")]
            crawls[case.name, mode] = Crawl(case, outcomes[f"{case.name}: {mode}"], fetched)
    return crawls


def _site(case: Case, server: SiteServer) -> Site:
    return server.site({"/": page("home", *case.entry), **case.routes}, default_ports=case.default_ports)


def _job(
    case: Case, mode: str, site: Site, server: SiteServer, directory: Path, settings: dict[str, Any], spider: str
) -> Job:
    starts = [site.url(target) for target in case.entry] if mode.startswith("starts") else [site.url()]
    cache = (
        {"HTTPCACHE_ENABLED": True, "HTTPCACHE_DIR": str(directory / "cache" / site.name)} if "cache" in mode else {}
    )
    order = {"SCHEDULER_MEMORY_QUEUE": FIFO} if "first in first out" in mode else {}
    claims = {"URINORM_SECOND_CHANCE_LIMIT": 1} if "one claim" in mode else {}
    attributes: dict[str, Any] = {"proxy": server.proxy if case.default_ports else "", "impatient": case.impatient}
    if case.stay:
        attributes["allowed_domains"] = [site.name]
    given = {**case.settings, **cache, **order, **claims, **settings}
    return Job(f"{case.name}: {mode}", starts, given, spider=spider, attributes=attributes)
