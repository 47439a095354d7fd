"""A page is a page with whatever success it is answered: Scrapy hands all of 2xx to the callbacks."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.content.test_telling import HOST, prose, visit
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, record

CLOSE = 30


@pytest.mark.parametrize(("status", "is_learned"), [(200, True), (203, True), (299, True), (202, False), (404, False)])
def test_what_makes_no_difference_there_is_learned(status: int, is_learned: bool) -> None:
    visits = [
        replace(visit(f"/p{n}{more}", f"<p>{prose(n)}</p>"), status=status)
        for n in range(60)
        for more in ("", "?ref=a", "?ref=b")
    ]
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(f"{HOST}/p7?ref=a") == normalizer.key(f"{HOST}/p7")) is is_learned


@dataclass
class Documents:
    """Documents in lists behind a proxy that says so."""

    host: str = "documents.example"
    start: str = "http://documents.example/"

    def answer(self, target: str) -> Answer:
        first, _, number = target.strip("/").partition("/")
        if first == "document":
            return Answer(203, f"<p>{prose(number)}</p>", identity=target)
        if first == "list":
            return Answer(203, f"<h1>{prose(target, 2)}</h1>", tuple(f"/document/{number}{n}" for n in range(10)))
        return Answer(203, "<h1>Documents</h1>", tuple(f"/list/{n}" for n in range(10)))


@IN_BOTH_ORDERS
def test_no_document_is_closed_for_it(newest_first: bool) -> None:
    visits, identities = record(Documents(), 1_000)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert len([one for one in identities_of(live.fetched, identities) if one]) == 100


@dataclass
class Moved:
    """Articles that link to addresses of old, none of which is there."""

    host: str = "moved.example"
    start: str = "http://moved.example/"

    def answer(self, target: str) -> Answer:
        first, _, number = target.partition("?")[0].strip("/").partition("/")
        if first == "old":
            return Answer(404, "<h1>gone</h1>")
        links = [f"/article/{n}?from={number}" for n in range(int(number or 0) + 1, int(number or 0) + 6) if n < 120]
        return Answer(
            200, prose(number), (*links, f"/old/{number}", f"/old/{number}?x=1"), identity=f"article {number}"
        )


def test_live_rules_leave_out_what_is_not_to_be_requested() -> None:
    """What `learn` skips there, forms that were always errors, is judged by what it brings."""
    visits, identities = record(Moved(), 700)
    live = Simulator(visits, Options()).crawl()
    assert {one for one in identities_of(live.fetched, identities) if one} == set(filter(None, identities.values()))
