"""Parameters that always come together: what a list shows without them is what it shows under one set of values."""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import product
from urllib.parse import parse_qsl, urlencode

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.live.sites import Answer, crawled, prose

LISTS, ROWS, PER_PAGE = 20, 30, 8


@dataclass(frozen=True)
class Catalogue:
    """Lists of several pages in six orders, each linked with both parameters; `others` have another default, and
    `short` ones have one page of one row.
    """

    others: int = 0
    short: int = 0
    start = "http://catalogue.example.com/"

    def answer(self, url: str) -> Answer:
        path, _, query = url[len(self.start) - 1 :].partition("?")
        if path == "/":
            return Answer(200, prose("home"), tuple(f"/list/{n}" for n in range(LISTS)))
        if path.startswith("/item"):
            return Answer(200, prose(path), ("/",), identity=path, title=path)
        asked = dict(parse_qsl(query))
        number = int(path.split("/")[2])
        by = asked.get("sort", "title" if number < self.others else "date")
        rows = [number * ROWS + n for n in range(1 if number >= LISTS - self.short else ROWS)]
        if by != "date":
            random.Random(f"{number} {by}").shuffle(rows)
        if asked.get("dir", "desc") == "desc":
            rows.reverse()
        carried = {name: asked[name] for name in ("sort", "dir") if name in asked}
        orders = (urlencode({"sort": a, "dir": b}) for a, b in product(("title", "author", "date"), ("asc", "desc")))
        pages = (urlencode([*carried.items(), ("page", n)]) for n in range(2, (len(rows) - 1) // PER_PAGE + 2))
        shown = rows[(int(asked.get("page", 1)) - 1) * PER_PAGE :][:PER_PAGE]
        links = (*(f"{path}?{one}" for one in (*orders, *pages)), *(f"/item/{n}" for n in shown))
        text = "".join(f"<p>{prose(f'row {n}', 16)}</p>" for n in shown)
        return Answer(200, text, links, identity=f"{number} {sorted(shown)}", title=f"List {number}")


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize(
    "part", [pytest.param(25, marks=pytest.mark.slow), pytest.param(50, marks=pytest.mark.slow), 100]
)
@pytest.mark.parametrize(
    "catalogue", [Catalogue(), Catalogue(others=1), Catalogue(others=5), Catalogue(short=15)], ids=str
)
def test_what_differs_stays_apart(catalogue: Catalogue, part: int, newest_first: bool) -> None:
    visits, identities = crawled(catalogue.start, catalogue.answer, 9_000, newest_first=newest_first)
    normalizer = Normalizer(learn(visits[: len(visits) * part // 100]).rules)
    fetched = [url for url in identities if not normalizer.decide(url).skip]
    assert len({(normalizer.key(url), identities[url]) for url in fetched}) == len({*map(normalizer.key, fetched)})


def test_their_default_is_dropped() -> None:
    catalogue = Catalogue()
    visits, _ = crawled(catalogue.start, catalogue.answer, 9_000)
    result = learn(visits, Options())
    key = Normalizer(result.rules).key
    base = f"{catalogue.start}list/3"
    assert key(f"{base}?dir=desc&page=2&sort=date") == key(f"{base}?page=2")
    assert len({key(f"{base}?sort=date"), key(f"{base}?dir=desc"), key(f"{base}?sort=date&dir=asc"), key(base)}) == 4
    (rule,) = [one for one in result.active if one.family == "joint default"]
    assert rule.why == "`dir=desc&sort=date` showed what its absence shows on 80 distinct pages"
