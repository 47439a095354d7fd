"""Articles in scripts without spaces between words: a paragraph is no single word, so that each brings news."""

from __future__ import annotations

import random
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, record

ARTICLES, CLOSE = 90, 30
SCRIPTS = {"Chinese": "\u4e00\u9fa5", "Japanese": "\u3041\u3096", "Thai": "\u0e01\u0e2e", "Khmer": "\u1780\u17a2"}
#: One without spaces between words, and one with marks around its letters.
IN_SCRIPTS = pytest.mark.parametrize(
    "script",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in ("Japanese", "Khmer"))) for name in SCRIPTS],
)


@dataclass
class Paper:
    """Articles of some paragraphs that lead to the next one alone, and months without end.

    If wanted, an article has two parts, and the titles of others beside it instead.
    """

    script: str
    parts: int = 1
    host: str = "paper.example"
    start: str = "http://paper.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        first, *rest = parts.path.strip("/").split("/")
        if first == "month":
            days = "".join(f"<p>{self._prose(('day', day), 3)}</p>" for day in range(30))
            return Answer(200, f"<h1>{rest[0]}</h1>{days}", (f"/month/{int(rest[0]) + 1}",), identity="month")
        number, part = int(rest[0]) if rest else 0, int(dict(parse_qsl(parts.query)).get("type", 1))
        if self.parts > 1:
            beside = "<br>".join(self._prose((number, "beside", n), 14) for n in range(14))
            text = f"<div>{self._prose((number, part), 400)}</div><div>{beside}</div>"
        else:
            text = "".join(f"<p>{self._prose((number, n), 120)}</p>" for n in range(4))
        links = [f"/article/{one}" for one in (number - 1, number + 1) if 0 <= one < ARTICLES]
        links += [f"/article/{number}?type={n}" for n in range(2, self.parts + 1)] if self.parts > 1 else ["/month/1"]
        title = self._prose(number, 16)
        return Answer(200, f"<h1>{title}</h1>{text}", tuple(links), identity=f"{number} {part}", title=title)

    def _prose(self, seed: object, letters: int) -> str:
        lot = random.Random(str(seed))
        low, high = map(ord, SCRIPTS[self.script])
        return "".join(chr(lot.randint(low, high)) for _ in range(letters))


@IN_BOTH_ORDERS
@IN_SCRIPTS
def test_articles_are_fetched_and_months_end(script: str, newest_first: bool) -> None:
    visits, identities = record(Paper(script), 400)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    met = identities_of(live.fetched, identities)
    assert len(met - {"month"}) == ARTICLES
    assert len(live.fetched) < ARTICLES + 4 * CLOSE


def test_parts_of_articles_are_pages_to_learn() -> None:
    visits, _ = record(Paper("Chinese", parts=2), 2 * ARTICLES)
    normalizer = Normalizer(learn(visits).rules)
    addresses = [f"http://paper.example/article/{n}{part}" for n in range(ARTICLES) for part in ("", "?type=2")]
    assert len(set(map(normalizer.key, addresses))) == len(addresses)
