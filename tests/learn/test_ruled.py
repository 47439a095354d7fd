"""What is learned of a crawl that had rules already: links that these changed lead to what was fetched instead."""

from __future__ import annotations

import re
import zlib
from dataclasses import replace
from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits.page import Crawl, visit_of
from scrapy_urinorm.visits.record import Visit, visit_from_row
from tests.live.sites import Answer, Site

_SESSION = re.compile(r"[?&]utm_content=[0-9a-f]{8}")


class Sessions:
    """A site each page of which puts a session of its own into all links."""

    def __init__(self, site: Site) -> None:
        self.start = site.start
        self._site = site

    def answer(self, target: str) -> Answer:
        """Answer as the site does."""
        found = self._site.answer(_SESSION.sub("", target))
        session = f"utm_content={zlib.crc32(target.encode()):08x}"
        return replace(found, links=tuple(link + ("&" if "?" in link else "?") + session for link in found.links))


def crawled(site: Site | Sessions, *rules: dict[str, Any]) -> tuple[list[Visit], set[str]]:
    """Crawl breadth first under the recommended rules and some more; return the visits, and the pages there were."""
    normalizer = Normalizer([*rules], "recommended")
    crawl = Crawl("20260101T000000Z-00000000", b"salt" * 4, rules, "recommended")
    queue, seen = [(site.start, 0)], {normalizer.key(site.start)}
    visits, met = list[Visit](), set[str]()
    for url, depth in queue:
        found = site.answer(url[len(site.start) - 1 :])
        if found.identity is not None:
            met.add(found.identity)
        said = {"url": url, "status": found.status, "time": 0, "depth": depth, "type": "text/html"}
        visits.append(visit_of(crawl, {**said, "key": normalizer.key(url)}, found.html().encode()))
        for link in found.links:
            key = normalizer.key(following := site.start + link[1:])
            if key not in seen:
                seen.add(key)
                queue.append((following, depth + 1))
    return visits, met


@pytest.mark.parametrize(
    "features",
    [
        {"deep", "noise", "sid"},
        pytest.param({"print", "sid"}, marks=pytest.mark.slow),
        pytest.param({"errors", "near", "ref"}, marks=pytest.mark.slow),
    ],
)
def test_sessions_that_rules_remove_hide_nothing(features: set[str]) -> None:
    """Taken for links that lead nowhere, each page would have some of its own, and none could be merged."""
    site = Site(6, features=features)
    sessions = Sessions(site)
    unruled, every = crawled(sessions)
    plain, hidden = (learn(visits).rules for visits in (crawled(site)[0], unruled))
    assert plain
    assert hidden == plain
    visits, met = crawled(sessions, hidden)
    assert met == every
    assert len(visits) < len(unruled)


def rows(*, ruled: bool) -> list[Visit]:
    """A list in three views; each leads to pages of its own, which the crawl knows by keys of their own, or by one."""
    host, crawl = "http://a.example", Crawl("c", b"", [{"site": {"a.example": {"remove_params": ["s"]}}}])
    visits = []
    for n in range(30):
        for v in range(3):
            key = f"{host}/x{n}" if ruled else f"{host}/x{n}.{v}"
            row = {"url": f"{host}/list{n}?v={v}", "status": 200, "text_digest": f"list {n}", "words": 100}
            visit = visit_from_row(row)
            visit.links, visit.links_count, visit.link_keys = crawl.links([f"{key}?s={n}{v}"])
            row = {"url": f"{key}?s=0", "key": key, "status": 200, "text_digest": key, "words": 50}
            visits += [visit, visit_from_row(row)]
    return visits


@pytest.mark.parametrize("ruled", [True, False], ids=["one page", "pages of their own"])
def test_views_are_merged_where_they_lead_to_the_same_pages(ruled: bool) -> None:
    normalizer = Normalizer(learn(rows(ruled=ruled)).rules)
    merged = normalizer.key("http://a.example/list1?v=1") == normalizer.key("http://a.example/list1?v=2")
    assert merged == ruled
