"""Invented sites, on one host or several: learning ends, rules load, and a crawl under them meets all pages again."""

from __future__ import annotations

import random
from collections import deque
from typing import NamedTuple

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.record import visit_from_row

HOSTS = [
    ["http://a.example"],
    ["http://one.a.example", "http://two.a.example"],
    ["http://a.example", "http://www.a.example"],
    ["http://a.example", "https://a.example"],
    ["http://a.example", "http://a.example:8080"],
    ["http://one.a.example", "http://two.a.example", "http://three.a.example"],
]
#: Seeds of `make test`, of `make test-all`, and of `make test-soak`: 60 have each of the hosts above eight times, and
#: each end of an address and each share of pages of their own on one, two and three hosts.
FEW, SOME, ALL = 3, 60, 200


class Page(NamedTuple):
    text: str
    links: tuple[str, ...]
    depth: int


def spellings(path: str, params: list[str], rng: random.Random) -> list[str]:
    """A path, and what else may lead to its page."""
    found = [path]
    for name in params:
        found += (f"{path}?{name}={value}" for value in ("1", "up", "2020-01-02")[: rng.randint(1, 3)])
    return [*found, path.removesuffix("/")] if path.endswith("/") and rng.random() < 0.5 else found


def site(seed: int) -> dict[str, Page]:
    """Lists under several spellings on all hosts, each with an item; some have a text, or an item, of their own."""
    rng = random.Random(seed)
    origins, other = rng.choice(HOSTS), rng.choice([0, 0.02, 0.1, 0.3])
    end = rng.choice(["", "/", ".html", "/index.html", ".php"])
    params = rng.sample(["o", "sid", "page", "lang", "ref", "view", "from"], rng.randint(0, 3))
    pages: dict[str, Page] = {}
    for kind in rng.sample(["list", "news", "doc", "wiki", "x/y"], rng.randint(1, 3)):
        for n in range(rng.choice([6, 12, 25, 40])):
            for origin in origins:
                for path in spellings(f"/{kind}/{n}{end}", params, rng):
                    text, item = f"{kind} {n}", f"{origin}/item/{kind}{n}"
                    if rng.random() < other:
                        text += f" as {origin}{path} has it"
                    elif rng.random() < other:
                        item = f"{origin}/own/{len(pages)}"
                        pages[item] = Page(item, (), 2)
                    else:
                        pages[item] = Page(f"item {kind} {n}", (), 2)
                    pages[origin + path] = Page(text, (item,), 1)
    front = origins[0] + "/"
    return {front: Page("front", tuple(url for url, page in pages.items() if page.depth == 1), 0)} | pages


def met(pages: dict[str, Page], normalizer: Normalizer) -> set[str]:
    """The texts that a crawl from the front page fetches."""
    front = next(iter(pages))
    seen, waiting, texts = {normalizer.key(front)}, deque([front]), set()
    while waiting:
        page = pages.get(waiting.popleft())
        if page is None:
            # the item of pages with a text of their own alone: nobody has seen it
            continue
        texts.add(page.text)
        for link in page.links:
            decision = normalizer.decide(link)
            if not decision.skip and decision.key not in seen:
                seen.add(decision.key)
                waiting.append(link)
    return texts


@pytest.mark.parametrize(
    "seed",
    [
        *range(FEW),
        *(pytest.param(n, marks=pytest.mark.slow) for n in range(FEW, SOME)),
        *(pytest.param(n, marks=pytest.mark.soak) for n in range(SOME, ALL)),
    ],
)
def test_nothing_is_lost_of_what_was_met(seed: int) -> None:
    pages = site(seed)
    visits = [
        visit_from_row(
            {"url": url, "status": 200, "text_digest": p.text, "words": 100, "links": list(p.links), "depth": p.depth}
        )
        for url, p in pages.items()
    ]
    every = met(pages, Normalizer())
    for options in (Options(), Options().strict()):
        assert every <= met(pages, Normalizer(learn(visits, options).rules))
