"""Sites with a session in all links: a page has another name then, and may say what its visitor has read before."""

from __future__ import annotations

import itertools
import random
import zlib
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.visits.ruled import Ruled
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

ITEMS = 40


class Stall:
    """Items that name each other with where the link stands, each with a page of its own care."""

    host = "stall.example.com"
    start = "http://stall.example.com/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        names = dict(parse_qsl(parts.query))
        if parts.path == "/":
            return self._page("home", parts.path, [f"/item/{n}" for n in range(0, ITEMS, 8)])
        kind, _, number = parts.path[1:].partition("/")
        if kind == "care":
            return self._page(f"care {number}", parts.path, ["/"])
        links = [f"/item/{(int(number) + step) % ITEMS}?from=i{number}" for step in (1, 5, 7)]
        here = parts.path + (f"?from={names['from']}" if "from" in names else "")
        return self._page(f"item {number}", here, [*links, f"/care/{number}", "/"])

    @staticmethod
    def _page(identity: str, here: str, links: list[str]) -> Answer:
        """The session is the address's own, so that there are no more addresses than links; no secret is recorded."""
        session = f"utm_content={zlib.crc32(here.encode()):08x}"
        told = tuple(link + ("&" if "?" in link else "?") + session for link in links)
        return Answer(200, prose(identity), told, identity=identity)


LETTERS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Wiki:
    """Pages of a paragraph or of two words, each with links, versions and a log-in form, under eight sessions."""

    host = "wiki.example"
    start = "http://wiki.example/"
    parameter = "Wiki"

    def __init__(self, pages: int = 40) -> None:
        lot = random.Random(7)
        self.pages = pages
        self.sessions = ["".join(lot.choice(LETTERS) for _ in range(20)) + "3x7b9a" for _ in range(8)]
        self._given = itertools.count()
        self._read: dict[str, list[str]] = {}

    def answer(self, target: str) -> Answer:
        query = dict(item.split("=") for item in target.partition("?")[2].split("&") if item)
        name = query.get("id", "0")
        if not name.isdecimal() or int(name) >= self.pages:
            return Answer(404, "no such page")
        session = query.get(self.parameter) or self.sessions[next(self._given) % len(self.sessions)]
        read = self._read[session] = [*self._read.get(session, ())[-6:], f"page {name}"]
        view = query.get("do", "show")
        text = "<p>log in with your name and your password, please</p>"
        if view != "login":
            shown = prose(f"{view} {name}") if int(name) % 3 else f"<p>{view} {name}</p>"
            text = f"<h1>page {name}</h1>{shown}"
        others = [(int(name) * 2 + 1) % self.pages, (int(name) * 2 + 2) % self.pages]
        views = [f"/?id={name}&do={one}" for one in ("links", "versions", "login")]
        links = [f"/?id={other}" for other in others] + views
        # a link that the program forgets begins another session
        forgotten = (f"/?id={others[0]}",) if int(name) < len(self.sessions) else ()
        return Answer(
            200,
            f"<div class=trace>read before: {' and '.join(read)}</div>{text}",
            (*forgotten, *(f"{link}&{self.parameter}={session}" for link in links)),
            identity="login" if view == "login" else f"{view} {name}",
        )


@IN_BOTH_ORDERS
def test_what_a_visitor_has_read_is_no_news(newest_first: bool) -> None:
    visits, identities = record(Wiki(50))
    found = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert identities_of(found.fetched, identities) == set(identities.values())
    assert len(found.fetched) < len(visits) / 2


@IN_BOTH_ORDERS
def test_what_sessions_hide_is_no_way_that_a_rule_cuts_off(newest_first: bool) -> None:
    """Taken for links that lead nowhere they would speak against `from`, which is idle, until the crawl has ended."""
    visits, identities = record(Stall())
    found = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert identities_of(found.fetched, identities) == set(identities.values())
    rules = [
        [rule["said"].partition(" (")[0] for rule in said["rules"]] for _, said in found.log if said["do"] == "rules"
    ]
    dropped = "remove_params = [{'name': 'from', 'value': 'i[0-9]+'}] for stall.example.com"
    first = next(n for n, said in enumerate(rules) if any(dropped in rule for rule in said))
    assert all(any(dropped in rule for rule in said) for said in rules[first:])


@pytest.mark.parametrize(
    ("rules", "preset", "changed"),
    [
        ([], "recommended", ["http://a.example/?b=1&utm_source=x", "http://a.example/p;jsessionid=0123456789ABCDEF"]),
        ([], "safe", []),
        ([{"site": {"a.example": {"remove_params": ["b"]}}}], "safe", ["http://a.example/?b=1&utm_source=x"]),
    ],
    ids=["a preset's", "none", "a user's"],
)
def test_links_that_rules_change(rules: list[object], preset: str, changed: list[str]) -> None:
    """What is only spelled otherwise, or sorted, has the same hash, and is not among them."""
    urls = [
        "http://a.example/?b=1&utm_source=x",
        "http://a.example/p;jsessionid=0123456789ABCDEF",
        "http://A.example:80/?d=2&c=1",
        "http://a.example/%7e",
        "http://[a.example/",
    ]
    assert list(Ruled(rules, preset).changed(urls)) == changed
    assert Ruled(rules, preset).changed([]) == {}


@pytest.mark.parametrize("odd", ["\n", "\r", "\r\n", "\x85", "\u2028", "\0", "\ud800", ""])
def test_an_odd_link_changes_nothing_of_the_others(odd: str) -> None:
    urls = ["http://a.example/1", f"http://a.example/{odd}", "http://a.example/?utm_source=x", "http://a.example/2"]
    assert Ruled([], "recommended").changed(urls) == {urls[2]: "http://a.example/"}
