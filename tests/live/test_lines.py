"""Of the lines of a crawl without end the latest are known, and new ones are not taken for such."""

from __future__ import annotations

import random

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live import lines
from scrapy_urinorm.live.lines import SHARE, Lines
from tests.live.sites import Site, identities_of, record

SMALL = 1 << 12


def drawn(number: int) -> list[int]:
    lot = random.Random(7)
    return [lot.getrandbits(64) for _ in range(number)]


def test_what_was_seen_of_late_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BITS", SMALL)
    seen, every = Lines(), drawn(20 * SMALL)
    # what is asked about is taken in again
    late = SMALL // SHARE // 2
    for n, line in enumerate(every):
        seen.known(line)
        assert n < late or seen.known(every[n - late])


def test_new_lines_are_new_however_many_there_were(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BITS", SMALL)
    seen, every = Lines(), drawn(20 * SMALL)
    known = [seen.known(line) for line in every]
    # one in fifteen in each of two that are full
    assert sum(known[-SMALL:]) < SMALL / 5


@pytest.mark.thorough
def test_a_crawl_that_has_seen_many_lines_closes_nothing_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lines, "BITS", 1 << 8)
    site = Site(1, features={"near"}, articles=300)
    visits, identities = record(site)
    live = Simulator(visits, Options(skip=False), close=20).crawl()
    assert identities_of(live.fetched, identities) == set(identities.values())
