"""Pages that the browser draws: the title tells one from the next, the data for a script, or what is embedded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.sites.site import Site
from tests.live.sites import Answer, identities_of, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.learn import LearnResult
    from scrapy_urinorm.visits.record import Visit

PRODUCTS, ARTICLES, PER_LIST, CLOSE = 120, 60, 12, 30
DRAWN_OF = 12
#: Half a crawl by the bolder options, all of it by both.
QUICK = (("default", 0.3), ("default", 1.0))
COLORS = ("red", "green", "yellow")
KINDS = ("oak", "ash", "elm", "fir", "yew")
SHELL = """<div id="root"><p>Loading the product, one moment please.</p></div>
<p>Previous Next Zoom Settings Full screen. What you have put into the basket is kept on this device alone.</p>"""
FORMS = pytest.mark.parametrize("form", ["/p/{}", "/product?id={}"], ids=["a path", "a query"])
DRAWN = {"title": "a title", "json": "data", "state": "a state", "script": "a script"}
EMBEDDED = {"picture": "a picture", "player": "a player"}
FORMS_LIVE = pytest.mark.parametrize(
    "form", ["/p/{}", pytest.param("/product?id={}", marks=pytest.mark.slow)], ids=["a path", "a query"]
)
TOLD = pytest.mark.parametrize("told", [*DRAWN, *EMBEDDED], ids=[*DRAWN.values(), *EMBEDDED.values()])

#: A text and a picture stand for all of them where each takes a whole crawl.
TOLD_LIVE = pytest.mark.parametrize(
    "told",
    [
        pytest.param(told, id=name, marks=[pytest.mark.slow] * (told not in ("json", "picture")))
        for told, name in (DRAWN | EMBEDDED).items()
    ],
)


@dataclass
class Shop:
    """Products in shells, which two lists name, articles, and forms to log in that have the titles of articles."""

    form: str
    told: str = "title"
    host: str = "shop.example"
    start: str = "http://shop.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        first, *rest = parts.path.strip("/").split("/")
        if first in ("p", "product"):
            number = int(query["id"] if "id" in query else rest[0])
            data = f'{{"id": {number}, "name": "{_name(number)} of oak", "session": "{number * 7919:x}"}}'
            drawn = {
                "title": "",
                "json": f'<script type="application/json">{data}</script>',
                "state": f"<script>window.__INITIAL_STATE__ = {data};</script>",
                "script": f"<script>// <![CDATA[\nvar shown = {data};\ndraw(shown);</script>",
                "picture": f'<img src="/pictures/{number}.jpg">',
                "player": f'<iframe src="/documents/{number}.pdf"></iframe>',
            }[self.told]
            title = _name(number) if self.told == "title" else "The shop"
            return Answer(200, SHELL + drawn, identity=f"product {number}", title=title)
        if first == "blog":
            number = int(rest[0])
            leads = (f"/login?next={number}", f"/blog/{(number + 1) % ARTICLES}")
            return Answer(200, prose(f"blog {number}"), leads, identity=f"blog {number}", title=f"Article {number}")
        if first == "login":
            text = "<p>Please log in with your name and your password to write a comment here.</p>"
            return Answer(200, text, ("/",), title=f"Article {query['next']}")
        page, kind = int(query.get("page", 0)), rest[0] if rest else "list"
        every = range(PRODUCTS)[KINDS.index(kind) :: len(KINDS)] if rest else range(PRODUCTS)
        here = every[page * PER_LIST :][:PER_LIST]
        names = "".join(f"<p>{_name(n)} for {7 * n + 1} euros, of oak, made to last for many years</p>" for n in here)
        products = [self.form.format(n) for n in here]
        lists = [f"{parts.path if rest else '/list'}?page={page + 1}"] if here and here[-1] != every[-1] else []
        kinds = [f"/c/{one}?page=0" for one in KINDS]
        links = (*kinds, "/blog/0", *products, *lists)
        return Answer(200, names, links, identity=f"{kind} {page}", title=f"{kind} {page}")


def _name(number: int) -> str:
    return f"Chair {number * 7919 % 1009}"


@cache
def visits_of(form: str, told: str) -> tuple[list[Visit], dict[str, str]]:
    return record(Shop(form, told), 1_000)


@cache
def learned_of(form: str, told: str) -> LearnResult:
    """What is learned of all its visits: rules, of which each test looks at something else."""
    return learn(visits_of(form, told)[0])


@cache
def mixed() -> tuple[list[Visit], dict[str, str]]:
    return record(Mixed("/p/{}"), 2_000)


@TOLD_LIVE
@FORMS_LIVE
@pytest.mark.parametrize("newest_first", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_each_is_fetched_in_a_crawl_under_live_rules(form: str, newest_first: bool, told: str) -> None:
    visits, identities = visits_of(form, told)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert len({one for one in identities_of(live.fetched, identities) if "product" in one}) == PRODUCTS


@TOLD
@FORMS
@pytest.mark.parametrize(
    ("options", "part"),
    [
        pytest.param(options, part, id=f"{name}-{part}", marks=[pytest.mark.slow] * ((name, part) not in QUICK))
        for name, options in (("default", Options()), ("strict", Options().strict()))
        for part in (0.3, 0.6, 1.0)
    ],
)
def test_no_rule_makes_them_one(form: str, part: float, options: Options, told: str) -> None:
    visits = visits_of(form, told)[0]
    whole = part == 1.0 and options == Options()
    result = learned_of(form, told) if whole else learn(visits[: int(part * len(visits))], options)
    normalizer = Normalizer(result.rules)
    urls = ["http://shop.example" + form.format(n) for n in range(PRODUCTS + 50)]
    assert len(set(map(normalizer.key, urls))) == len(urls)
    assert not any(normalizer.decide(url).skip for url in urls)


@FORMS
@pytest.mark.parametrize("told", DRAWN, ids=DRAWN.values())
def test_their_number_is_told(form: str, told: str) -> None:
    result = learned_of(form, told)
    assert result.drawn == PRODUCTS
    assert result.drawn_like.startswith("http://shop.example/p")


@TOLD
@FORMS
def test_forms_with_the_title_of_another_page_are_one(form: str, told: str) -> None:
    normalizer = Normalizer(learned_of(form, told).rules)
    one, other = (normalizer.key(f"http://shop.example/login?next={n}") for n in (500, 600))
    assert one == other


@dataclass
class Variants(Shop):
    """The same with three colours of each product, which differ in a word and a number of the data."""

    def answer(self, target: str) -> Answer:
        found = super().answer(target)
        if not found.title.startswith("Chair"):
            links = [f"{one}?color={color}" for one in found.links if one.startswith("/p/") for color in COLORS]
            return replace(found, links=(*found.links, *links))
        return self.product(found, target, dict(parse_qsl(urlsplit(target).query)).get("color", ""))

    def product(self, found: Answer, target: str, color: str) -> Answer:
        data = f'{{"name": "{found.title} of oak", "color": "{color}", "price": {len(color) * 7}}}'
        text = f'<p>One moment.</p><script type="application/json">{data}</script>'
        return replace(found, text=text, identity=f"{found.identity} {color}")


def test_variants_that_differ_in_their_data_alone_are_no_page() -> None:
    normalizer = Normalizer(learn(record(Variants("/p/{}"), 2_000)[0]).rules)
    assert len({normalizer.key(f"http://shop.example/p/500?color={color}") for color in COLORS}) == len(COLORS)


@dataclass
class Mixed(Variants):
    """The same where most products have a text, whatever the colour; scripts draw the others, colour by colour."""

    data: str = "{name} of oak, {color}"

    def product(self, found: Answer, target: str, color: str) -> Answer:
        if int(urlsplit(target).path.rpartition("/")[2]) % DRAWN_OF:
            return replace(found, text=prose(found.title), identity=f"{found.identity}")
        said = self.data.format(name=found.title, color=color or "red")
        text = f'<p>One moment.</p><script type="application/json">{{"name": "{said}"}}</script>'
        return replace(found, text=text, identity=f"{found.identity} {color or 'red'}")


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("part", [0.5, 1.0])
def test_data_of_a_few_speak_against_what_the_texts_of_the_others_say(options: Options, part: float) -> None:
    visits = mixed()[0]
    normalizer = Normalizer(learn(visits[: int(part * len(visits))], options).rules)
    urls = [f"http://shop.example/p/{DRAWN_OF * 30}?color={color}" for color in COLORS]
    assert len({normalizer.key(url) for url in urls}) == len(COLORS)
    assert not any(normalizer.decide(url).skip for url in urls)


def test_they_do_where_rules_are_live() -> None:
    visits, identities = mixed()
    live = Simulator(visits, Options(skip=False)).crawl()
    found = identities_of(live.fetched, identities)
    every = {one for one in identities.values() if one}
    assert every <= found | identities_of([*live.parked, *live.closed], identities)
    assert len([one for one in found if "green" in one]) == PRODUCTS // DRAWN_OF


def test_equal_data_of_a_few_speak_neither_for_nor_against() -> None:
    normalizer = Normalizer(learn(record(Mixed("/p/{}", data="{name} of oak"), 2_000)[0]).rules)
    assert len({normalizer.key(f"http://shop.example/p/500?color={color}") for color in COLORS}) == 1


@pytest.mark.parametrize(("times", "is_known"), [(1, True), (2, False)], ids=["one visit", "two that differ"])
def test_data_that_are_another_on_each_visit_say_nothing(times: int, is_known: bool) -> None:
    visits = [visit for visit in mixed()[0] for _ in range(times)]
    site = Site("shop.example")
    for n, visit in enumerate(visits):
        # the last line is that of the data
        lines = visit.lines and visit.lines[:-8] + bytes([n % 2]) + visit.lines[-7:]
        site.add(replace(visit, lines=lines), site.name)
    site.build("recommended")
    drawn = [page for page in site.pages if page.label < 0 and "/p/" in page.key]
    assert len(drawn) >= PRODUCTS // DRAWN_OF * len(COLORS)
    assert {page.data != 0 for page in drawn} == {is_known}


@dataclass
class Application(Shop):
    """The same where scripts ask for what they draw: each page has one title, and hands the same settings to them."""

    def answer(self, target: str) -> Answer:
        found = super().answer(target)
        if not (found.identity or "").startswith("product"):
            return found
        settings = '<script>window.settings = {"name": "The shop of oak", "kind": "Organization"};</script>'
        return replace(found, text=f"<p>One moment.</p>{settings}", title="The shop")


@FORMS
@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
def test_pages_with_the_same_settings_for_their_scripts_are_unknown(form: str, options: Options) -> None:
    normalizer = Normalizer(learn(record(Application(form), 1_000)[0], options).rules)
    urls = ["http://shop.example" + form.format(n) for n in range(PRODUCTS + 50)]
    assert len(set(map(normalizer.key, urls))) == len(urls)
    assert not any(normalizer.decide(url).skip for url in urls)
