"""What a crawl of the site so far would miss under rules, requests that wait among its nodes."""

from __future__ import annotations

import pytest

from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.live.reachable import Reachable
from scrapy_urinorm.visits.links import url_hash

HOST = "http://a.example"


def site(names: dict[str, list[str]], hops: dict[str, str], waiting: list[str]) -> Reachable:
    """Pages by their paths, each with what it links to and a text of its own; `hops` lead to the pages they name."""
    pages = []
    for n, (name, links) in enumerate(names.items()):
        hashes = b"".join(url_hash(HOST + link) for link in links)
        pages.append(Page(HOST + name, HOST + name, label=n, depth=int(n > 0), links=hashes))
    by_key = {page.key: page for page in pages}
    for source, target in hops.items():
        by_key[HOST + source].final = HOST + target
        if HOST + target in by_key:
            by_key[HOST + source].label = by_key[HOST + target].label
    ids = {url_hash(page.url): page for page in pages}
    return Reachable(pages, ids, {url_hash(HOST + path): HOST + path for path in waiting}, frozenset(), fresh=0)


@pytest.mark.parametrize(
    ("hops", "waiting", "missed"),
    [
        ({"/x": "/x/"}, ["/x/index.html"], False),
        ({"/x": "/x/", "/x/": "/x/index.html"}, ["/x/index.html"], False),
        ({}, ["/x/index.html"], True),
    ],
    ids=["it redirects to a page", "to what waits", "it is a page that leads nowhere"],
)
def test_what_waits_leads_where_the_page_in_its_stead_does(
    hops: dict[str, str], waiting: list[str], missed: bool
) -> None:
    """`/x` redirects to `/x/`, which alone names `/y`; `/x/index.html` has the key of both, and was met first."""
    found = site({"/": ["/x/index.html", "/x", "/x/"], "/x": [], "/x/": ["/y"], "/y": []}, hops, waiting)
    keys = {key: f"{HOST}/x" if "/x" in key else key for key in found.keys}
    assert bool(found.gone(keys)) is missed


@pytest.mark.parametrize("asked", [True, False])
def test_what_a_callback_asked_for_is_missed_without_its_page(asked: bool) -> None:
    """Of two shells each asks for data of its own, or the front page for both."""
    pages = [
        Page(HOST + path, HOST + path, label=n, depth=int(n > 0)) for n, path in enumerate(("/", "/a", "/b", "/data"))
    ]
    pages[0].links = url_hash(HOST + "/a") + url_hash(HOST + "/b")
    pages[2].label = pages[1].label
    pages[3].refer(pages[2 if asked else 0].key)
    found = Reachable(pages, {url_hash(page.url): page for page in pages}, {}, frozenset(), fresh=0)
    gone = found.gone({page.key: HOST + "/a" if page.key == HOST + "/b" else page.key for page in pages})
    assert gone == ([(2, 1)] if asked else [])


@pytest.mark.parametrize("failed", [True, False])
def test_a_page_that_failed_stands_for_none_of_its_class(failed: bool) -> None:
    """`/x?from=a` was busy, when it was met first: then another address of its class goes, which leads on."""
    found = site({"/": ["/x?from=a", "/x?from=b"], "/x?from=a": [], "/x?from=b": ["/y"], "/y": []}, {}, ["/x?from=c"])
    found.pages[1].failed = failed
    found.pages[1].label = -1 if failed else 1
    assert bool(found.gone({key: key.partition("?")[0] for key in found.keys})) is not failed
