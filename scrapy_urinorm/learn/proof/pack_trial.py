"""A pack tried on the recorded crawl of a site that its program runs: what its lines merge, and what would be lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.content.compare import resemblance
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recognition import Recognizer, server_of
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.loading import DEFAULT_PRESET
from scrapy_urinorm.rulesets.platforms import Pack, Use
from scrapy_urinorm.visits.pack_effects import Address, Effect, differ_like_one, effect, self_likeness, site_rules
from scrapy_urinorm.visits.programs import programs

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page
    from scrapy_urinorm.visits.record import Visit


class PackTrial(NamedTuple):
    """A pack at one place: what it does there, and `lost`, addresses of pages that a crawl of the recorded links would
    not meet under the lines that drop something; None where no links were recorded. Of `doubtful` others
    the visits cannot tell: what is fetched in their place differs no more than such pages do from themselves.
    """

    place: str
    effect: Effect
    lost: tuple[str, ...] | None
    doubtful: int = 0


def pack_trials(pack: Pack, visits: Sequence[Visit]) -> list[PackTrial]:
    """Return what a pack does wherever the visits show its program.

    What lines skip, put off or show in another order is left out on purpose: only those that say that nothing is,
    `drop` and `default`, are in the crawl.
    """
    found = programs(visits, [pack])
    with_sessions = any(line.kind == platforms.SESSION for line in pack.lines)
    sites: dict[str, tuple[Site, Site]] = {}
    for name in {one.site for one in found}:
        plain = _recorded(name, visits, None)
        # what a line on sessions makes one is one, so that a list is not lost because a counter has moved
        sites[name] = plain, _recorded(name, visits, pack) if with_sessions else plain
    steady = {name: _steady(plain, visits) for name, (plain, _) in sites.items()}
    return [
        _trial(Use(pack, one.path, all=True, tried=True), one.site, *sites[one.site], steady[one.site]) for one in found
    ]


def _steady(site: Site, visits: Sequence[Visit]) -> dict[str, float]:
    """How much the texts of two visits of a page resembled each other at the least, by its key."""
    key = Normalizer(preset=DEFAULT_PRESET).key
    found: dict[str, float] = {}
    first: dict[str, bytes] = {}
    for visit in visits:
        if visit.minhash is None or (at := key(visit.url)) not in site.by_key:
            continue
        if at in first:
            found[at] = min(found.get(at, 1.0), resemblance(first[at], visit.minhash))
        else:
            first[at] = visit.minhash
    return found


def _recorded(name: str, visits: Sequence[Visit], sessions_of: Pack | None) -> Site:
    site = Site(name)
    if sessions_of is not None:
        site.recognizer = Recognizer([sessions_of])
    for visit in visits:
        if server_of(visit.url) == name:
            site.add(visit, name)
    site.build(DEFAULT_PRESET, sessions=None if sessions_of is None else ())
    return site


def _trial(use: Use, name: str, plain: Site, site: Site, steady: Mapping[str, float]) -> PackTrial:
    addresses = {page.key: Address(page.url, page, steady.get(page.key)) for page in plain.pages}
    done = effect(use, name, addresses.values(), DEFAULT_PRESET)
    graph = graph_of(site.pages, site.ids)
    if graph is None:
        return PackTrial(name + use.path, done, None)
    proof = Proof(site.pages, graph, site.soft)
    # what a line leaves out on purpose is not lost
    folding = use._replace(without=tuple(one.id for one in use.pack.lines if one.kind not in platforms.HARMLESS))
    normalizer = Normalizer(site_rules(name, platforms.bound(folding)[0]), DEFAULT_PRESET)
    keys = [normalizer.key(page.key) for page in site.pages]
    lost = {loss.label: loss.node for loss in proof.losses(keys)}
    groups: defaultdict[str, list[Address]] = defaultdict(list)
    for page, key in zip(site.pages, keys, strict=True):
        groups[key].append(addresses.get(page.key, Address(page.url, page)))
    likeness = self_likeness(one for members in groups.values() if len(members) > 1 for one in members)
    doubtful = {node for node in lost.values() if _has_a_like(site.pages[node], groups[keys[node]], likeness)}
    sure = sorted(site.pages[node].url for node in lost.values() if node not in doubtful)
    return PackTrial(name + use.path, done, tuple(sure), len(doubtful))


def _has_a_like(page: Page, members: Sequence[Address], likeness: float | None) -> bool:
    """Whether another page of its key differs from a page no more than such pages do from themselves."""
    own = Address(page.url, page)
    return any(differ_like_one(likeness, own, one) for one in members if one.url != page.url)
