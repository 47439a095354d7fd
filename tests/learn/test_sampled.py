"""Records with gaps: of a sample of a crawl it is not known what most pages lead to."""

from __future__ import annotations

import random
from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.links.graph import crawl, lost
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.proof.guilt import Court
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits.record import visit_from_row

HOST = "http://git.example"
LISTS = 12


def row(path: str, text: str, links: list[str]) -> dict[str, Any]:
    said = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
    return said | {"links": [HOST + link for link in links]}


def lists(strays: int) -> list[dict[str, Any]]:
    """Lists that say the same in either order, each of which leads to a page of its own, all of these named on one
    page; and pages that nothing leads to.
    """
    paths = [f"/list?c={n}{order}" for n in range(LISTS) for order in ("", "&o=up")]
    items = [f"/item/{n}" for n in range(2 * LISTS)]
    rows = [row("/", "front", ["/all", *paths]), row("/all", "all", items)]
    for n, (path, item) in enumerate(zip(paths, items, strict=True)):
        rows += [row(path, f"list {n // 2}", ["/", item]), row(item, f"item {n}", ["/"])]
    return [*rows, *(row(f"/stray/{n}", f"stray {n}", ["/"]) for n in range(strays))]


def forms() -> list[dict[str, Any]]:
    """A shop whose articles each have a log-in form with their address, which leads nowhere else."""
    items = [f"/item/{n}" for n in range(150)]
    rows = [row("/", "front", items)]
    for n, path in enumerate(items):
        form = f"/login?next={path}"
        rows += [row(path, f"item {n}", ["/", form]), row(form, "log in", ["/", "/help"])]
    return [*rows, row("/help", "help", ["/"])]


def site_of(rows: list[dict[str, Any]]) -> Site:
    site = Site("git.example")
    for one in rows:
        site.add(visit_from_row(one), "git.example")
    site.build("safe")
    return site


def missed(rows: list[dict[str, Any]], part: list[dict[str, Any]], options: Options) -> tuple[int, int]:
    """How many contents a crawl of all rows misses under what a part of them taught, and the requests that it saves."""
    normalizer = Normalizer([learn(map(visit_from_row, part), options).rules])
    site = site_of(rows)
    graph = graph_of(site.pages, site.ids)
    assert graph is not None
    plain = crawl(graph, range(len(graph)))
    skipped = frozenset(n for n, page in enumerate(site.pages) if normalizer.verdict(page.url)[0])
    ruled = crawl(graph, [normalizer.key(page.url) for page in site.pages], skipped)
    return len(lost(plain, ruled, [page.label for page in site.pages])), len(plain.fetched) - len(ruled.fetched)


def settled(rows: list[dict[str, Any]]) -> bool:
    """Whether the order of lists may be left out, as far as the links say."""
    replay = Replay(site_of(rows), Options())
    rule = Candidate("git.example", "remove_params", ["o"], Evidence(agree=LISTS, saved=LISTS), "drop", "it is so")
    replay.add(rule, replay.trial(rule))
    graph = graph_of(replay.site.pages, replay.site.ids)
    assert graph is not None
    Court(replay, Proof(replay.site.pages, graph, frozenset()), lambda _: frozenset()).settle()
    return rule in replay.accepted


def test_what_is_met_by_luck_is_no_proof_where_the_record_has_gaps() -> None:
    assert settled(lists(strays=0))
    assert not settled(lists(strays=20))


def test_lists_of_the_same_pages_are_one_with_gaps_or_without() -> None:
    for strays in (0, 20):
        rows = lists(strays)
        for one, other in zip(rows[2 : 2 + 4 * LISTS : 4], rows[4 : 4 + 4 * LISTS : 4], strict=True):
            one["links"] = other["links"] = [*one["links"], other["links"][1]]
            other["links"] = other["links"][::-1]
        assert settled(rows)


@pytest.mark.parametrize("seed", range(3))
def test_what_leads_nowhere_else_is_learned_from_a_sample_too(seed: int) -> None:
    rows = forms()
    gone, saved = missed(rows, random.Random(seed).sample(rows, len(rows) // 2), Options(jobs=1))
    assert gone == 0
    # of the log-in forms of 150 articles one is fetched
    assert saved == 149


def test_a_crawl_that_was_cut_short_has_no_gaps() -> None:
    for rows, has_gaps in ((forms()[:100], False), (random.Random(1).sample(forms(), 100), True)):
        site = site_of(rows)
        graph = graph_of(site.pages, site.ids)
        assert graph is not None
        assert Proof(site.pages, graph, frozenset()).has_gaps == has_gaps
