"""A shop whose filters, orders and categories multiply: shapes by hundreds, none of which is fetched often."""

from __future__ import annotations

import zlib
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

ROWS = 6
ORDERS = ("name", "price", "rating", "age")
FACETS = ("oak", "ash", "elm", "fir")


class Mall:
    """Categories of articles in lists that are cut in pages, by any of the facets together and in any order."""

    host = "mall.example.com"
    start = "http://mall.example.com/"

    def __init__(self, categories: int, articles: int, *, hidden: int = 0) -> None:
        self.categories, self.articles, self.hidden = categories, articles, hidden

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = parse_qs(parts.query)
        path = parts.path.strip("/").split("/")
        if path == [""]:
            links = [f"/c/kind-{n}/" for n in range(self.categories)]
            return Answer(200, prose("home"), tuple(links), identity="home")
        if path[0] == "a":
            return Answer(200, prose(f"article {path[1]}"), ("/",), identity=f"article {path[1]}")
        return self._list(int(path[1].rpartition("-")[2]), query)

    def _list(self, category: int, query: dict[str, list[str]]) -> Answer:
        chosen, order = sorted(query.get("facet", [])), query.get("sort", ["name"])[0]
        page = int(query.get("page", ["1"])[0])
        items = [n for n in range(self.articles) if all(hash_of(category, n, facet) % 3 for facet in chosen)]
        items.sort(key=lambda n: hash_of(category, n, order))
        # articles of the last category that no list without a facet shows
        if category == self.categories - 1 and not chosen:
            items = [n for n in items if n >= self.hidden]
        shown = items[(page - 1) * ROWS : page * ROWS]
        lines = "".join(f"<p>Article {category * 1000 + n} of the mall</p>" for n in shown)
        links = [f"/a/{category * 1000 + n}" for n in shown]
        here = f"/c/kind-{category}/?"
        kept = {"sort": order} if "sort" in query else {}
        if len(items) > page * ROWS:
            links.append(here + urlencode({"facet": chosen, **kept, "page": page + 1}, doseq=True))
        links += [here + urlencode({"facet": chosen, "sort": one}, doseq=True) for one in ORDERS]
        links += [
            here + urlencode({"facet": sorted({*chosen, one}), **kept}, doseq=True)
            for one in FACETS
            if one not in chosen
        ]
        identity = f"list {category} {chosen} {order} {page}"
        return Answer(200, f"<h1>Kind {category}</h1>{lines}", tuple(links), identity=identity)


def hash_of(*parts: object) -> int:
    return zlib.crc32(repr(parts).encode())


@pytest.mark.slow
@IN_BOTH_ORDERS
@pytest.mark.parametrize("hidden", [0, 10])
def test_lists_without_end_end_and_every_article_is_fetched(hidden: int, newest_first: bool) -> None:
    """Closed shape by shape, lists of 24 categories would be 24 x 4 x 2 times 220 requests."""
    visits, identities = record(Mall(24, 14, hidden=hidden))
    articles = {one for one in identities.values() if one.startswith("article")}
    found = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert identities_of(found.fetched, identities) >= articles
    assert len(found.fetched) < 0.7 * len(visits)
