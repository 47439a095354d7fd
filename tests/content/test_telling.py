"""Short slots that tell pages apart: names, numbers and prices beside the text of a whole series are no frame."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content import Frame
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.page import Crawl, visit_of
from tests.report.crawls import Crawl as ReportedCrawl
from tests.report.crawls import found

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from scrapy_urinorm.visits.record import Visit

HOST = "http://shop.example"
CRAWL = Crawl("20260101T000000Z-00000000", b"salt" * 4)
WORDS = "steel brass bolt nut thread head square round flat short long bright dull left right fine coarse".split()


def prose(seed: object, words: int = 80) -> str:
    lot = random.Random(str(seed))
    return " ".join(lot.choice(WORDS) + str(lot.randrange(10**4)) for _ in range(words))


def visit(path: str, body: str, title: str = "Shop") -> Visit:
    text = f"<html><head><title>{title}</title></head><body><nav>Home Products Contact</nav>{body}</body></html>"
    row = {"url": HOST + path, "status": 200, "time": 0, "depth": 1, "type": "text/html; charset=utf-8", "read": True}
    return visit_of(CRAWL, row, text.encode())


def elsewhere(layouts: int = 3) -> Iterator[tuple[str, str]]:
    """Pages of other layouts than all goods and articles have, with one address each, and the front page."""
    for n, (tag, of) in enumerate(itertools.islice(itertools.product(("ul", "table"), ("b", "i")), layouts)):
        for page in range(3):
            rows = "".join(f"<{of}>{prose((tag, of, page, row), 9)}</{of}>" for row in range(4))
            yield f"/{'help' * (n + 1)}/{page}", f"<{tag}>{rows}</{tag}>"
    yield "/", f"<ol><li>{prose('front')}</li></ol>"


def product(number: int, of_series: int) -> str:
    """Name and number, and the text of its series."""
    text = prose(("series", of_series))
    return f"<h1>Part {prose(number, 1)}</h1><h2>No {1000 + number}</h2><div><p>{text}</p></div>"


ADDRESSES = {
    "a parameter": "/part?series={series}&art={n}",
    "the path": "/series{series}/part/{n}",
    "names": "/series{series}/part-{n}.html",
}


@pytest.mark.parametrize(
    ("parts", "series"),
    [pytest.param(480, 12, id="a large shop", marks=pytest.mark.slow), pytest.param(50, 2, id="a small one")],
)
@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize("title", ["Shop", "Part {n}"], ids=["one title", "titles of their own"])
@pytest.mark.parametrize("address", ADDRESSES.values(), ids=ADDRESSES)
def test_parts_of_a_series_are_pages(address: str, title: str, options: Options, parts: int, series: int) -> None:
    addresses = [address.format(n=n, series=n * series // parts) for n in range(parts)]
    visits = [visit(path, product(n, n * series // parts), title.format(n=n)) for n, path in enumerate(addresses)]
    visits += [visit(f"/info/{n}", product(-n - 1, -n - 1)) for n in range(8)]
    normalizer = Normalizer(learn(visits, options).rules)
    urls = [HOST + path for path in addresses]
    assert len({normalizer.key(url) for url in urls}) == len(urls)
    assert not any(normalizer.decide(url).skip for url in urls)


def test_a_report_takes_none_of_them_for_another(tmp_path: Path) -> None:
    crawl = ReportedCrawl()
    crawl.rows += [visit(f"/series{n // 40}/part/{n}", product(n, n // 40)) for n in range(480)]
    assert found(crawl, tmp_path)["totals"]["duplicates"] == 0


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize(
    ("own", "societies"), [("by {} in {}", 300), ("by {} in {} so that sailors who had grown old had a home", 60)]
)
def test_what_some_tabs_say_where_most_have_nothing_is_theirs(own: str, societies: int, options: Options) -> None:
    """The tabs of a register, of which one in ten says who founded the society: in a few words, or in a sentence."""
    visits = [visit("/", f"<ol><li>{prose('front')}</li></ol>")]
    for n in range(societies):
        about = f"<h1>Society</h1><div><p>{prose(n)}</p></div>"
        said = own.format(prose(("founder", n), 1), 1800 + n) if n % 10 == 3 else "No entries"
        visits += [visit(f"/society/{n}", f"{about}<p>No entries</p>")]
        visits += [visit(f"/society/{n}?tab=history", f"{about}<p>{said}</p>")]
    normalizer = Normalizer(learn(visits, options).rules)
    for n in range(3, societies, 10):
        tab = f"{HOST}/society/{n}?tab=history"
        assert normalizer.key(tab) != normalizer.key(f"{HOST}/society/{n}")


def test_what_makes_no_difference_to_them_is_found_all_the_same() -> None:
    visits = [
        visit(f"/part?art={n}{more}", product(n, n // 40))
        for n in range(200)
        for more in ("", "&from=list", "&from=front")
    ]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/part?art=999&from=list") == normalizer.key(f"{HOST}/part?art=999")
    assert normalizer.key(f"{HOST}/part?art=999") != normalizer.key(f"{HOST}/part?art=998")


def test_a_form_that_names_the_page_it_is_opened_from_is_one() -> None:
    """What stands in that slot is the page's, which has a text of its own beside it."""
    visits = []
    for n in range(150):
        head = f"<h1>Article {prose(n, 1)}</h1>"
        visits.append(visit(f"/article/{n}", f"{head}<div><p>{prose(('article', n))}</p></div>"))
        visits.append(visit(f"/login?from=/article/{n}", f"{head}<div><p>{prose('log in')}</p></div>"))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/login?from=/article/7") == normalizer.key(f"{HOST}/login?from=/article/8")
    assert normalizer.key(f"{HOST}/article/7") != normalizer.key(f"{HOST}/article/8")


MORE = ("", "&from=list", "&lang=de", "&view=wide", "&currency=EUR")


@pytest.mark.parametrize("turned", [0, 1], ids=["the article first", "each of them first"])
def test_a_counter_of_visitors_tells_no_pages_apart(turned: int) -> None:
    """It says another number each time, whatever tells two addresses of a page apart.

    Of two that are asked for alone, no address has both.
    """
    numbers = itertools.count(1000)
    visits = []
    for n in range(60):
        body = f"<h1>Article</h1><div><p>{prose(('article', n))}</p></div>"
        first = turned * n % len(MORE)
        visits += [
            visit(f"/article?id={n}{more}", f"{body}<footer>{next(numbers)} visits so far</footer>")
            for more in MORE[first:] + MORE[:first]
        ]
    visits += [visit(path, f"{body}<footer>{next(numbers)} visits so far</footer>") for path, body in elsewhere()]
    normalizer = Normalizer(learn(visits).rules)
    for more in ("from=list", "view=wide", "currency=EUR"):
        assert normalizer.key(f"{HOST}/article?id=999&{more}") == normalizer.key(f"{HOST}/article?id=999")


def books(number: int, form: int) -> str:
    """A book as it is printed, or as a file: another number and price, and other pages."""
    said = f"<h1>Title {number}</h1><p>ISBN {7919 * number + form}</p><p>{10 + (13 * number + 17 * form) % 50} EUR</p>"
    return f"{said}<div><p>{prose(('book', number))}</p></div>"


def departures(number: int, day: int) -> str:
    """A line in a timetable: each number comes again on other lines."""
    lot = random.Random(f"{number} {day}")
    table = "".join(f"<tr><td>{hour}</td><td>{lot.randrange(60):02}</td></tr>" for hour in range(6, 9))
    return f"<h1>Line {number}</h1><table>{table}</table><div><p>{prose(('line', number))}</p></div>"


def related(number: int, size: int) -> str:
    """A product with thirty others beside it, each with a name that is as short as its own price."""
    others = "".join(f"<form><b>{prose((number, n), 1)}</b></form>" for n in range(30))
    said = f"<h1>Chair {number}</h1><pre>{1000 * number + size} EUR</pre>"
    return f"{said}<div><p>{prose(('chair', number))}</p></div>{others}"


def described(number: int, size: int) -> str:
    """A product whose size has a sentence of its own beside the text of its category."""
    text = f"<p>{prose(('category', number // 10), 60)}</p>"
    return f"<h1>Lamp {number}</h1><div>{text}</div><section>{prose((number, size), 15)}</section>"


TOLD = {
    "two forms of each": (books, "/book/{n}?form={v}", 2),
    "numbers that come again": (departures, "/line/{n}?day={v}", 4),
    "beside many others": (related, "/chair/{n}?size={v}", 3),
    "with a sentence": (described, "/c/lamp-{n}.html?size={v}", 3),
}


@pytest.mark.parametrize(("body", "address", "forms"), TOLD.values(), ids=TOLD)
@pytest.mark.parametrize(
    "options", [Options(), pytest.param(Options().strict(), marks=pytest.mark.slow)], ids=["default", "strict"]
)
def test_what_a_parameter_chooses_is_a_page(
    body: Callable[[int, int], str], address: str, forms: int, options: Options
) -> None:
    visits = [visit(address.format(n=n, v=v), body(n, v), f"Page {n}") for n in range(90) for v in range(forms)]
    normalizer = Normalizer(learn(visits, options).rules)
    assert len({normalizer.key(HOST + address.format(n=999, v=v)) for v in range(forms)}) == forms


OPTIONS = ("engine", "trim", "wheels", "colour")


def price(*of: object) -> str:
    return f"<p>{prose(of, 3)}, {random.Random(str(of)).randrange(30_000)} EUR</p>"


def premiums(*of: object) -> str:
    """A table of numbers that are those of others, too."""
    rows = (f"<tr><td>{year}</td><td>{random.Random(f'{of} {year}').randrange(30)}</td></tr>" for year in range(6))
    return f"<table>{''.join(rows)}</table>"


def paragraph(*of: object) -> str:
    return f"<section>{prose(of, 30)}</section>"


@pytest.mark.parametrize(
    "share", [pytest.param(0.25, marks=pytest.mark.slow), 1], ids=["one option each, and links to two", "all"]
)
@pytest.mark.parametrize("said", [price, *(pytest.param(one, marks=pytest.mark.slow) for one in (premiums, paragraph))])
def test_what_is_chosen_together_is_no_counter(said: Callable[..., str], share: float) -> None:
    """A car with another engine, another trim, other wheels and another colour has a price of its own."""

    def address(car: int, chosen: tuple[int, ...]) -> str:
        query = "&".join(f"{name}=1" for name, value in zip(OPTIONS, chosen, strict=True) if value)
        return f"/car/{car}" + f"?{query}" * bool(query)

    visits = []
    every = sorted(itertools.product(range(2), repeat=len(OPTIONS)), key=sum)
    addresses = [(car, chosen) for chosen in every for car in range(24)]
    for car, chosen in addresses[: 5 * 24 if share < 1 else None]:
        others = ((*chosen[:n], 1 - chosen[n], *chosen[n + 1 :]) for n in range(len(OPTIONS)))
        links = "".join(f'<a href="{address(car, other)}">{n}</a>' for n, other in enumerate(others))
        text = f"<h1>Car {car}</h1><div><p>{prose(('car', car))}</p></div>{said(car, chosen)}{links}"
        visits.append(visit(address(car, chosen), text, f"Car {car}"))
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(HOST + address(99, chosen)) for chosen in every}) == len(every)


@pytest.mark.parametrize(
    "options", [OPTIONS, pytest.param(("size", "length", *OPTIONS), marks=pytest.mark.slow)], ids=["four", "six"]
)
@pytest.mark.parametrize("said", [price, premiums, paragraph])
def test_what_each_page_offers_by_an_option_of_its_own_is_no_counter(
    said: Callable[..., str], options: tuple[str, ...]
) -> None:
    """Chairs have colours, lamps sizes, and so on: what tells their prices apart has nothing in common."""
    visits = [
        visit(f"/p/{n}{query}", f"<h1>Part {n}</h1><div><p>{prose(('part', n))}</p></div>{said(n, query)}", f"Part {n}")
        for n in range(20 * len(options))
        for query in ("", f"?{options[n % len(options)]}=1", f"?{options[n % len(options)]}=2")
    ]
    normalizer = Normalizer(learn(visits).rules)
    for name in options:
        assert len({normalizer.key(f"{HOST}/p/99?{name}={value}") for value in range(3)}) == 3


DEPARTMENTS = {
    "engine": "<table><tr><td>{}</td></tr></table>",
    "date": "<section><div><p>{}</p></div></section>",
    "storage": "<ul><li>{}</li></ul>",
    "shift": "<dl><dd>{}</dd></dl>",
    "": "<form><label>{}</label></form>",
}


@pytest.mark.parametrize("front", [True, False], ids=["and a front page", "alone"])
def test_the_price_of_departments_of_their_own_layouts_is_no_counter(front: bool) -> None:
    """It stands on goods alone: those of one further department, without options, are not all pages there are."""
    visits = []
    for name, layout in list(DEPARTMENTS.items())[: None if front else -1]:
        for n, value in itertools.product(range(20), range(4 if name else 1)):
            said = f"<h1>Part {n}</h1><b>{prose((name, n, value), 1)} EUR</b>{layout.format(prose((name, n), 60))}"
            visits.append(visit(f"/{name or 'gift'}s/{n}" + f"?{name}={value}" * bool(value), said, f"Part {n}"))
    visits += [visit(path, body) for path, body in elsewhere(0) if front]
    normalizer = Normalizer(learn(visits).rules)
    for name in filter(None, DEPARTMENTS):
        assert len({normalizer.key(f"{HOST}/{name}s/99?{name}={value}") for value in range(4)}) == 4


@pytest.mark.parametrize(
    "pages", [pytest.param(9, id="of a few"), pytest.param(40, id="of many", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("said", [price, paragraph])
def test_what_selects_choose_that_reset_the_others_is_no_counter(said: Callable[..., str], pages: int) -> None:
    """Nobody asks for two of them together."""
    names = (*OPTIONS, "region", "unit")
    visits = [visit("/", f"<ul><li>{prose('front')}</li></ul>")]
    for n, query in itertools.product(
        range(pages), ("", *(f"?{name}={value}" for name in names for value in range(5)))
    ):
        text = f"<h1>Table {n}</h1><div><p>{prose(('table', n))}</p></div>{said(n, query)}"
        visits.append(visit(f"/table/{n}{query}", text, f"Table {n}"))
    normalizer = Normalizer(learn(visits).rules)
    for name in names:
        assert len({normalizer.key(f"{HOST}/table/99?{name}={value}") for value in range(5)}) == 5


def test_what_the_visitor_has_seen_is_none_of_forms_and_articles() -> None:
    """Each program of a site has a parameter of its own, and pages of its own layout."""
    layouts = {
        "login": "<form><label>{}</label><fieldset>{}</fieldset></form>",
        "files": "<ul><li>{}</li><li>{}</li><li>{}</li></ul>",
        "index": "<dl><dt>{}</dt><dd>{}</dd></dl>",
    }
    seen = itertools.count(1_000)
    visits = []
    for n in range(40):
        article = f"<h1>Article</h1><article><p>{prose(n)}</p><p>{prose(-n)}</p></article>"
        pages = {f"page={n}": article, f"page={n}&rev=1": article}
        pages |= {
            f"{name}={n}": f"<h1>Wiki</h1>{form.format(*(prose(name, 30),) * 3)}" for name, form in layouts.items()
        }
        for query, body in pages.items():
            visits.append(visit(f"/wiki?{query}", f"{body}<footer>Seen: {next(seen)}</footer>"))
    visits += [visit(path, f"{body}<footer>Seen: {next(seen)}</footer>") for path, body in elsewhere()]
    normalizer = Normalizer(learn(visits).rules)
    for name in layouts:
        assert normalizer.key(f"{HOST}/wiki?{name}=99") == normalizer.key(f"{HOST}/wiki?{name}=98")
    assert normalizer.key(f"{HOST}/wiki?page=99") != normalizer.key(f"{HOST}/wiki?page=98")


def weather(*of: object) -> str:
    return f"<section>{prose(of, 12)}</section>"


def seats(*of: object) -> str:
    """How many are left, by the hour."""
    cells = (f"<td>{random.Random(f'{of} {hour}').randrange(9)} left</td>" for hour in range(6))
    return f"<table><tr>{''.join(cells)}</tr></table>"


@pytest.mark.parametrize("queries", [("day=2", "day=3"), ("day=2", "model=b")], ids=["a day", "a day, a model"])
@pytest.mark.parametrize("said", [weather, seats])
def test_what_a_day_asks_for_is_a_page_though_the_next_crawl_finds_it_changed(
    said: Callable[..., str], queries: tuple[str, ...]
) -> None:
    visits = []
    for crawl, n, query in itertools.product(("first", "second"), range(40), ("", *queries)):
        body = f"<h1>Town {n}</h1><div><p>{prose(n)}</p></div>{said(n, query, crawl)}"
        seen = visit(f"/town/{n}?{query}".rstrip("?"), body, f"Town {n}")
        visits.append(replace(seen, crawl=crawl))
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(f"{HOST}/town/99?{query}") for query in ("", *queries)}) == 3


def test_what_tells_pages_apart_is_no_noise_of_theirs() -> None:
    """A sentence that two parameters change: live rules look in it for what a page says that no other has said."""
    frame = Frame()
    visits = []
    for n in range(40):
        for day, model in itertools.product(range(3), range(2)):
            said = f"<section>{prose((n, day, model), 12)}</section>"
            path = (
                f"/town/{n}" + f"?day={day}" * bool(day) + ("&" if day else "?") * bool(model) + "model=b" * bool(model)
            )
            visits.append(visit(path, f"<h1>Town</h1><div><p>{prose(('town', n))}</p></div>{said}"))
    for one in visits:
        frame.add(one.lines or b"", one.line_words)
    frame.find_noise(visits)
    assert len(frame.noise) == 1
    frame.find_telling((one.url, one.lines or b"", one.crawl) for one in visits)
    assert not frame.noise
