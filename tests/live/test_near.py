"""Of a long page a paragraph of its own is a small part: it speaks against a rule, however near the two pages are."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

ARTICLES, PER_LIST = 200, 20
PARAGRAPHS = 16


@dataclass
class Magazine:
    """Long articles, each with a view of all of it, which has two sentences more for one article in `every`."""

    every: int
    host: str = "magazine.example"
    start: str = "http://magazine.example/"

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path == "/":
            return Answer(200, prose("front"), tuple(f"/list/{n}" for n in range(ARTICLES // PER_LIST)))
        _, kind, name = path.split("/")
        number = int(name)
        if kind == "list":
            first = PER_LIST * number
            return Answer(200, prose(path), tuple(f"/article/{n}" for n in range(first, first + PER_LIST)))
        text = "".join(prose(f"{path} {n}") for n in range(PARAGRAPHS))
        identity = path
        if query and self.every and number % self.every == 3:
            text, identity = text + prose(f"{path} more", 24), target
        return Answer(200, text, (f"{path}?view=full", f"/article/{(number + 1) % ARTICLES}"), identity=identity)


@pytest.mark.parametrize("every", [5, pytest.param(0, marks=pytest.mark.slow)])
@IN_BOTH_ORDERS
def test_what_is_all_but_the_same_and_has_sentences_of_its_own_is_fetched(every: int, newest_first: bool) -> None:
    visits, identities = record(Magazine(every))
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    missed = set(identities.values()) - identities_of(live.fetched, identities)
    assert not missed
    # where none has any, the view of nearly all articles is not fetched
    assert (len(live.fetched) < len(visits) - ARTICLES // 2) is (every == 0)
