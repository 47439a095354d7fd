"""Forms to log in beside data that all pages of a site bear: known by the redirects there, as no shell of a page is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.content.gates import LEAST
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.sites.site import Site
from tests.live.sites import Answer, identities_of, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

POSTS = 80
SEARCH = """<script type="application/ld+json">{"@type": "WebSite", "name": "A board",
"potentialAction": {"@type": "SearchAction", "target": "/list?q={words}"}}</script>"""
FORM = "<form><h1>Log in</h1><p>Name</p><p>Password</p></form>"
SHELL = "<section><h2>Product</h2><p>One moment</p><p>Basket</p></section>"
SHELLS = {
    "plain": "no redirect",
    "moved": "each address redirects to its own",
    "query": "each redirects to one path, with its number",
    "start": "each redirects to the start of the site, which bears the way back",
    "gone": "what was taken off redirects to a page that looks the same",
    "numbers": "some redirect with the way back to the path of all, which have numbers",
    "data": "each redirects to one path, which bears where its data are",
    "shown": "each redirects to one path with the way back, in a parameter that names what is to be shown",
    "for ever": "each has moved to one path for ever, which bears the way back",
    "line": "one line, to which all redirect with the way back",
}


@dataclass
class Board:
    """Posts, which all have one search in their data, and what the log-in is asked for, or products in shells."""

    products: str = ""
    own_data: bool = False
    gates: int = POSTS
    host: str = "board.example"
    start: str = "http://board.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        first, *rest = parts.path.strip("/").split("/")
        if first == "post" and len(rest) == 1:
            number = int(rest[0])
            data = SEARCH.replace("board", f"board {number}" if self.own_data else "board")
            links = (f"/post/{(number + 1) % POSTS}", *([f"/post/{number}/flag"] if number < self.gates else []))
            if self.products:
                links = (*links, f"/{'p' if self.products == 'plain' else 'item'}/{number}", f"/old/{number}")
                links += (f"/app?id={number}",) * (self.products == "numbers")
            return Answer(200, prose(f"post {number}") + data, links, identity=f"post {number}")
        if first == "post":
            return Answer(302, location=f"/login?next=/post/{rest[0]}/flag")
        if first == "login":
            return Answer(200, FORM + SEARCH, ("/",))
        if first == "item":
            ends = {"moved": "/p/{}", "query": "/show?id={}", "start": "/?go=/item/{}", "gone": "/p/{}"}
            ends |= {"data": "/app?data=/json/{}", "shown": "/app?docUrl=/item/{}"}
            end = ends.get(self.products, "/app?go=/item/{}").format(rest[0])
            return Answer(301 if self.products == "for ever" else 302, location=end)
        if first == "old":
            return Answer(302, location="/p") if self.products == "gone" else Answer(404, "not found")
        if first in ("p", "show", "app") or parts.query:
            shell = "<article>One moment please</article>" if self.products == "line" else SHELL
            return Answer(200, shell + SEARCH, ("/",), identity=f"product {target}")
        return Answer(200, f"<h1>Board</h1>{SEARCH}", ("/post/0",), identity="start")


def keys(board: Board, form: str, options: Options) -> int:
    """How many of some addresses are told apart, under what is learned of the board."""
    normalizer = Normalizer(learn(record(board)[0], options).rules)
    urls = ["http://board.example" + form.format(n) for n in range(POSTS + 20)]
    return len({normalizer.key(url) for url in urls if not normalizer.decide(url).skip})


BOTH = pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])


@BOTH
def test_forms_that_many_addresses_redirect_to_are_one(options: Options) -> None:
    assert keys(Board(), "/post/{}/flag", options) == keys(Board(), "/login?next=/post/{}/flag", options) == 1


def test_no_page_is_lost_under_live_rules_and_forms_are_spared() -> None:
    visits, identities = record(Board())
    live = Simulator(visits, Options()).crawl()
    assert len([one for one in identities_of(live.fetched, identities) if one.startswith("post")]) == POSTS


@pytest.mark.parametrize(
    "options", [Options(), pytest.param(Options().strict(), marks=pytest.mark.slow)], ids=["default", "strict"]
)
@pytest.mark.parametrize(
    "products",
    # where each redirects to an address of its own it is as if none did
    [
        pytest.param(one, id=name, marks=[pytest.mark.slow] * (one in ("moved", "query")))
        for one, name in SHELLS.items()
    ],
)
def test_shells_are_none(products: str, options: Options) -> None:
    forms = {"plain": "/p/{}", "moved": "/p/{}", "query": "/show?id={}", "gone": "/p/{}", "numbers": "/app?id={}"}
    form = forms.get(products, "/item/{}")
    assert keys(Board(products), form, options) == POSTS + 20


def known(visits: list[Visit]) -> bool:
    """Whether the form to log in is known."""
    site = Site("board.example")
    for visit in visits:
        site.add(visit, site.name)
    site.build("recommended")
    (labels,) = {page.label >= 0 for page in site.pages if "/login" in page.key}
    return labels


@pytest.mark.parametrize(
    ("board", "is_known"),
    [
        pytest.param(Board(gates=LEAST), True, id="as many as it takes"),
        pytest.param(Board(gates=LEAST - 1), False, id="one fewer"),
        pytest.param(Board(own_data=True), False, id="data that pages with texts do not bear"),
    ],
)
def test_what_it_takes(board: Board, is_known: bool) -> None:
    assert known(record(board)[0]) == is_known
