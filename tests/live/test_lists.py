"""Lists whose first pages name what is known already, and trees whose branches say nothing: they lead to the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn import Options
from scrapy_urinorm.live.ancestors import LEVELS, Ancestors
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.kin import MOST, MOST_DRAWN, Kin
from scrapy_urinorm.live.yields import LOW, Yields
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

CLOSE, ROWS = 30, 4
KNOWN = LOW + CLOSE + 25


@dataclass
class Archive:
    """A front page that names the newest articles, and a list of all, the newest first; it begins anew if `endless`."""

    form: str
    pages: int = KNOWN + 20
    endless: bool = False
    menu: int = 0
    host: str = "archive.example"
    start: str = "http://archive.example/"

    def answer(self, target: str) -> Answer:
        found = self._answer(target)
        return replace(found, links=(*(f"/article/{n}" for n in range(self.menu)), *found.links))

    def _answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        if parts.path == "/":
            newest = tuple(f"/article/{n}" for n in range(KNOWN * ROWS))
            return Answer(200, prose("front", 20), (self.form.format(1), *newest), identity="front")
        if parts.path.startswith("/article/"):
            return Answer(200, prose(target, 60), identity=target, title=target)
        page = int(dict(parse_qsl(parts.query)).get("page") or parts.path.rpartition("/")[2])
        first = (page - 1) * ROWS
        rows = tuple(f"/article/{n % (self.pages * ROWS)}" for n in range(first, first + ROWS))
        after = (self.form.format(page + 1),) if page < self.pages or self.endless else ()
        return Answer(200, "".join(prose(one, 8) for one in rows), rows + after)


FORMS = {"a folder": "/all/page/{}", "a query": "/all?page={}", "two parameters": "/list?cat=7&page={}"}
FORMS |= {"three parameters": "/list?Itemid=101&cat=7&page={}"}


# that it may be a folder, or have a category and numbers beside its page, is shown by shapes below
@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "form",
    [pytest.param(form, id=name, marks=[pytest.mark.slow] * (name != "a query")) for name, form in FORMS.items()],
)
def test_what_the_last_pages_of_a_list_name_is_met(form: str, newest_first: bool) -> None:
    visits, identities = record(Archive(form))
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == set(identities.values())


@IN_BOTH_ORDERS
def test_a_long_menu_hides_no_rows(newest_first: bool) -> None:
    visits, identities = record(Archive(FORMS["a query"], menu=70))
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == set(identities.values())


@pytest.mark.slow
def test_a_list_that_begins_anew_for_ever_ends() -> None:
    visits, identities = record(Archive(FORMS["a query"], pages=KNOWN, endless=True), MOST + 1_000)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl()
    assert identities_of(live.fetched, identities) == set(identities.values())
    assert len(live.fetched) < len(identities) + MOST + 2 * (LOW + CLOSE)


def test_a_page_that_names_what_the_one_before_did_is_no_next_one() -> None:
    kin, (one, other, third) = Kin(), (b"one", b"other", b"third")
    pattern = "http://archive.example/all?page=#"
    assert not kin.lists_others([one, other], pattern)
    # the next page, and no row
    assert not kin.lists_others([one, other, third], pattern)
    assert kin.lists_others([one, b"fourth", b"fifth"], pattern)


@pytest.mark.parametrize(
    ("query", "is_list"),
    [
        pytest.param("a=1&b=2", True, id="a category, and the page by a name that is not known"),
        pytest.param("a=1&b=2&c=3", False, id="three filters"),
        pytest.param("a=1&b=2&start=3", True, id="a page and two numbers"),
        pytest.param("a=x&b=2&start=3", False, id="a page, and a word that may be a filter"),
        pytest.param("a=1&b=2&c=3&page=4", True, id="a page and three numbers"),
        pytest.param("a=1&b=2&c=3&d=4&page=5", False, id="a page and four"),
        pytest.param("a=1&b=2&pageNo=3", True, id="a page by a name that is made of another"),
        pytest.param("a=1&b=2&pagina=3", True, id="and in another language"),
        pytest.param("a=1&b=2&page=3&cHash=0a1b", True, id="and signed"),
        pytest.param("a=1&b=2&pageindex=3", True, id="and its names run together"),
        pytest.param("a=1&b=2&max_id=3", True, id="what comes after an id"),
        pytest.param("lat=51.3&lon=-7.3&page=7", True, id="a page of a place"),
    ],
)
def test_a_list_has_a_category_and_some_numbers(query: str, is_list: bool) -> None:
    pattern = "http://archive.example/?" + "&".join(item.partition("=")[0] + "=*" for item in query.split("&"))
    assert Kin().goes_on(f"http://archive.example/?{query}", pattern, lists=True) == is_list


@pytest.mark.parametrize(
    ("constant", "varies"), [("&daysprune=-1&sid=0b5f8c1e", ""), ("&from=x2020", "1"), ("&a=1&b=2&c=3&d=4", "")]
)
def test_what_is_the_same_in_each_address_chooses_nothing(constant: str, varies: str) -> None:
    names = ["f", "page", *(item.partition("=")[0] for item in constant[1:].split("&"))]
    kin, pattern = Kin(), "http://archive.example/?" + "&".join(f"{name}=*" for name in names)
    found = [
        kin.goes_on(f"http://archive.example/?f={n // 3}&page={n + 2}{constant}{varies * n}", pattern, lists=True)
        for n in range(4)
    ]
    # a category from the fourth page on
    assert found[3] is not bool(varies)


def test_a_list_of_two_that_vary_needs_no_name_for_its_page() -> None:
    kin, pattern = Kin(), "http://archive.example/?cat=*&size=*&weiter=*"
    urls = [f"http://archive.example/?cat={n % 2}&size=20&weiter={n}" for n in range(3)]
    assert [kin.goes_on(url, pattern, lists=True) for url in urls] == [False, True, True]


# ---------------------------------------------------------------------- levels without a word


@dataclass
class Tree:
    """Titles that say something, then levels of which each page says which one it is, then what it is all about: a
    text, a file, or a picture, at the addresses of a `form`.
    """

    leaf: str
    form: str
    levels: tuple[tuple[str, int], ...] = (("year", 9), ("issue", 1))
    titles: int = 10
    leaves: int = 1
    host: str = "archive.example"
    start: str = "http://archive.example/"

    def answer(self, target: str) -> Answer:
        if target == "/":
            return Answer(200, prose("front"), tuple(self._at("title", (n,)) for n in range(self.titles)), identity="/")
        kind, *rest = target.replace("?at=", "/").removeprefix("/").split("/")
        at = tuple(int(one) for part in rest for one in re.split("&.=", part))
        kinds = ["title", *(name for name, _ in self.levels), "leaf"]
        if kind == "leaf":
            text = {"text": prose(target), "picture": f'<img src="/{target.translate(_PLAIN)}.png">'}[self.leaf]
            return Answer(200, "<h1>Leaf</h1>" + text, identity=target)
        below = [*(number for _, number in self.levels), self.leaves][len(at) - 1]
        links = tuple(self._at(kinds[len(at)], (*at, n)) for n in range(below))
        text = prose(target) if kind == "title" else f"<h1>{kind} {at[-1]}</h1>"
        return Answer(200, text, links, identity=target if kind == "title" else None)

    def _at(self, kind: str, at: tuple[int, ...]) -> str:
        if self.form == "path":
            return "/".join(("", kind, *map(str, at)))
        return f"/{kind}?at=" + "".join(f"&{name}={one}" for name, one in zip("bcdef", at, strict=False))[3:]


_PLAIN = str.maketrans("?=&/", "----")
TREES = {
    "laws": Tree("text", "query"),
    "laws by path": Tree("text", "path"),
    "three levels": Tree("text", "query", (("series", 3), ("box", 3), ("folder", 1))),
    "scans": Tree("picture", "query"),
    "scans by path": Tree("picture", "path"),
    "albums": Tree("picture", "query", (("album", 9),), leaves=2),
}


# the others are these by path, with a text at their end, or with more levels: how many of their shapes are fetched is
# shown below
QUICK = ("albums",)


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "site",
    [pytest.param(tree, id=name, marks=[pytest.mark.slow] * (name not in QUICK)) for name, tree in TREES.items()],
)
def test_a_tree_is_fetched_down_to_its_leaves(site: Tree, newest_first: bool) -> None:
    visits, identities = record(site)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == set(identities.values())


def test_what_led_on_to_news_stays_for_it_and_what_has_brought_some_needs_none() -> None:
    yields = Yields(close=CLOSE)
    for _ in range(LOW + CLOSE):
        yields.learned("/year?at=*", False)
    assert yields.of["/year?at=*"].turn is Turn.CLOSED
    yields.learned("/title?at=*", True)
    assert yields.led_on(["/year?at=*", "/title?at=*", "/none?at=*"]) == ["/year?at=*"]
    assert (yields.of["/year?at=*"].blank, yields.of["/title?at=*"].news) == (0, 1)


def test_merit_goes_up_six_levels_and_in_no_circle() -> None:
    above = Ancestors()
    for n in range(LEVELS + 2):
        above.named(f"/{n}", f"/{n + 1}")
    assert above.of("/0", "/leaf") == tuple(f"/{n}" for n in range(1, LEVELS + 1))
    above.named("/1", "/1")
    assert above.of("/0", "/2") == ("/1",)
    above.named("/1", "/0")
    assert above.of("/0", "/leaf") == ("/1",)


@pytest.mark.parametrize(
    ("target", "shape", "most"),
    [
        pytest.param("scan/5", "scan/*", 2 * MOST_DRAWN, id="a scan"),
        pytest.param("scan?t=5&n=7", "scan?n=*&t=*", 2 * MOST_DRAWN, id="a scan in a query"),
        pytest.param("day?date=7", "day?date=*", MOST_DRAWN, id="a day"),
        pytest.param("scan?id=bpt6k5", "scan?id=*", MOST_DRAWN, id="a scan whose id may be a token"),
        pytest.param("write?to=x5", "write?to=*", 0, id="a form with a token"),
    ],
)
def test_how_many_pictures_pages_without_news_lead_to(target: str, shape: str, most: int) -> None:
    kin, origin = Kin(), "http://a.example/"
    found = sum(kin.is_leaf(origin + target, origin + shape) for _ in range(2 * MOST_DRAWN))
    assert found == most
