"""A pack tried on the recorded crawl of a site that its program runs: what its lines merge, and what would be lost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.recognition import Recognizer, server_of
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.loading import DEFAULT_PRESET
from scrapy_urinorm.rulesets.platforms import Pack, Use
from scrapy_urinorm.visits.pack_effects import Address, Effect, effect, site_rules
from scrapy_urinorm.visits.programs import programs

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit


class PackTrial(NamedTuple):
    """A pack at one place: what it does there, and `lost`, addresses of pages that a crawl of the recorded links would
    not meet under the lines that drop something; None where no links were recorded.
    """

    place: str
    effect: Effect
    lost: tuple[str, ...] | None


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
    return [_trial(Use(pack, one.path, all=True, tried=True), one.site, *sites[one.site]) for one in found]


def _recorded(name: str, visits: Sequence[Visit], sessions_of: Pack | None) -> Site:
    site = Site(name)
    if sessions_of is not None:
        site.recognizer = Recognizer([sessions_of])
    for visit in visits:
        if server_of(visit.url) == name:
            site.add(visit, name)
    site.build(DEFAULT_PRESET, sessions=None if sessions_of is None else ())
    return site


def _trial(use: Use, name: str, plain: Site, site: Site) -> PackTrial:
    done = effect(use, name, (Address(page.url, page) for page in plain.pages), DEFAULT_PRESET)
    graph = graph_of(site.pages, site.ids)
    if graph is None:
        return PackTrial(name + use.path, done, None)
    proof = Proof(site.pages, graph, site.soft)
    # what a line leaves out on purpose is not lost
    folding = use._replace(without=tuple(one.id for one in use.pack.lines if one.kind not in platforms.HARMLESS))
    normalizer = Normalizer(site_rules(name, platforms.bound(folding)[0]), DEFAULT_PRESET)
    losses = proof.losses([normalizer.key(page.key) for page in site.pages])
    lost = {loss.label: site.pages[loss.node].url for loss in losses}
    return PackTrial(name + use.path, done, tuple(sorted(lost.values())))
