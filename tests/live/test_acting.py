"""Addresses with a word like "delete": none is sent to test a rule, unless the word is none or the crawl sends them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.questions import speaks_of_action
from tests.live.sites import Answer, identities_of, prose, record

ITEMS, ON_A_LIST, SINCE = 160, 20, 100

ACTS = [
    ("http://a.example/logout?x=1", True),
    ("http://a.example/?do=delete", True),
    ("http://a.example/removeItem/7", True),
    ("http://a.example/user.php?userBan=7", True),
    ("http://a.example/cart?add_to_cart=7", True),
    ("http://a.example/user/log_out", True),
    ("http://a.example/item/7/upvote", True),
    ("http://a.example?do=logout", True),
    ("http://a.example/p", False),
    ("http://www.bank.example/p", False),
    ("http://ban.example", False),
    ("http://a.example/suburban/reports/votes", False),
]


@pytest.mark.parametrize(("url", "acts"), ACTS)
def test_whether_an_address_speaks_of_an_action(url: str, acts: bool) -> None:
    assert speaks_of_action(url) is acts


@dataclass
class Items:
    """Items in lists, each with its full view; of the later ones that shows more, and leads to an appendix."""

    folder: str
    host: str = "items.example"

    @property
    def start(self) -> str:
        return f"http://{self.host}/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        kind, _, number = parts.path.strip("/").rpartition("/")
        if not kind:
            lists = tuple(f"/lists/{n}" for n in range(ITEMS // ON_A_LIST))
            return Answer(200, prose("home"), lists, identity="home")
        if kind == "lists":
            shown = range(int(number) * ON_A_LIST, (int(number) + 1) * ON_A_LIST)
            links = [f"/{self.folder}/{n}{view}" for n in shown for view in ("", "?view=full")]
            return Answer(200, prose(target), tuple(links), identity=target)
        if kind == self.folder and parts.query and int(number) >= SINCE:
            return Answer(200, prose(target), (f"/appendix/{number}",), identity=target)
        return Answer(200, prose(parts.path), identity=parts.path)


@pytest.mark.parametrize(
    ("host", "folder"),
    [
        pytest.param("items.example", "items", id="no word"),
        pytest.param("www.urban-life.example", "items", id="in a word of the host"),
        pytest.param("items.example", "banking", id="in a word of the path"),
        pytest.param("items.example", "report", id="a word of the path, of which many are pages"),
    ],
)
def test_a_rule_is_tested_whatever_its_pages_are_called(host: str, folder: str) -> None:
    site = Items(folder, host)
    visits, identities = record(site)
    live = Simulator(visits, Options(skip=False)).crawl()
    assert live.canaries
    assert identities_of(live.fetched, identities) == set(identities.values())
