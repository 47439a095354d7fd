"""What names a list as canonical, and shows what stands nowhere else, is a page: an answer, a picture, a person."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content.compare import OWN_WORDS
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.sites.own_text import LINE_WORDS
from scrapy_urinorm.live.study import study
from scrapy_urinorm.visits.page import visit_of
from tests.content.test_telling import CRAWL, HOST, prose

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.visits.record import Visit

LISTS, ITEMS = 8, 12
OPENED = [f"/list/{n}?open={item}" for n in range(LISTS) for item in range(ITEMS)]
BOTH = pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])


def page(path: str, body: str) -> Visit:
    """A page that names itself without a query as canonical."""
    head = f'<title>Help</title><link rel="canonical" href="{path.partition("?")[0]}">'
    text = f"<html><head>{head}</head><body><nav>Home Contact</nav>{body}<p>All rights reserved</p></body></html>"
    row = {"url": HOST + path, "status": 200, "time": 0, "depth": 1, "type": "text/html; charset=utf-8", "read": True}
    return visit_of(CRAWL, row, text.encode())


def opened(
    items: Callable[[int, int], str], first: Callable[[int, int], str] = lambda _, __: "", parts: int = 12
) -> list[Visit]:
    """Lists of three hundred words, each by itself and with one of its items opened, in place of the first."""
    visits = []
    for n in range(LISTS):
        text = f"<h1>List {prose(n, 2)}</h1>" + "".join(f"<p>{prose((n, part), 25)}</p>" for part in range(parts))
        visits.append(page(f"/list/{n}", text + first(n, ITEMS)))
        visits += [page(f"/list/{n}?open={item}", text + items(n, item)) for item in range(ITEMS)]
    return visits


PAGES: dict[str, Callable[[int, int], str]] = {
    "an answer": lambda n, item: f"<div>{prose((n, item, 'answer'), 25)}</div>",
    "a picture and what is seen there": lambda n, item: (
        f'<img src="/big/{n}-{item}.jpg"><i>{prose((n, item, "caption"), OWN_WORDS)}</i>'
    ),
    "a picture": lambda n, item: f'<img src="/big/{n}-{item}.jpg">',
    "an answer of a line": lambda n, item: f"<div>{prose((n, item, 'answer'), LINE_WORDS)}</div>",
    "answers of which most are short": lambda n, item: (
        f"<div>{prose((n, item, 'answer'), 3 if item % 4 else 25)}</div>"
    ),
}


@BOTH
@pytest.mark.parametrize("items", PAGES.values(), ids=PAGES)
def test_what_is_opened_is_a_page(items: Callable[[int, int], str], options: Options) -> None:
    normalizer = Normalizer(learn(opened(items), options).rules)
    assert len({normalizer.key(HOST + path) for path in OPENED}) == len(OPENED)


def others() -> list[Visit]:
    """Pages that have no such places, so that these are no frame of the site."""
    return [page(f"/other/{n}", f"<div><b>{prose(('other', n), 40)}</b></div>") for n in range(40)]


PLAYED: dict[str, Callable[[int, int], str]] = {
    "an episode": lambda n, item: f'<audio src="/{n}-{item}.mp3"></audio><i>{prose((n, item, "title"), 5)}</i>',
    "a title": lambda n, item: f"<i>{prose((n, item, 'title'), 3)}</i>",
    "a picture": lambda n, item: f'<img src="/big/{n}-{item}.jpg">',
}


@BOTH
@pytest.mark.parametrize("items", PLAYED.values(), ids=PLAYED)
def test_what_is_opened_in_place_of_the_first_is_a_page(items: Callable[[int, int], str], options: Options) -> None:
    normalizer = Normalizer(learn([*opened(items, items), *others()], options).rules)
    assert len({normalizer.key(HOST + path) for path in OPENED}) == len(OPENED)


def test_a_heading_that_is_the_same_on_all_named_pages_says_nothing_of_its_own() -> None:
    """The form to reply stands on the article, too, to nobody."""
    visits = opened(VIEWS["a form to reply"], lambda _, __: "<h3>Leave a Reply</h3>", 40)
    normalizer = Normalizer(learn([*visits, *others()]).rules)
    assert {normalizer.key(HOST + path) for path in OPENED} == {f"{HOST}/list/{n}" for n in range(LISTS)}


def test_an_answer_that_is_shown_for_several_systems_is_one_of_its_own() -> None:
    """Two parameters: the answer stands on three addresses, beside another line on each."""
    visits = []
    items = range(20)
    for n, system, item in itertools.product(range(LISTS), ("", "mac", "windows"), items):
        query = "&".join(f"{name}={value}" for name, value in (("open", item), ("os", system)) if value)
        parts = [f"<p>{prose((n, part), 12)}</p>" for part in range(40)]
        parts[item] += f"<div>{prose((n, item, 'answer'), 35)}</div>" * bool(item)
        text = f"<h1>List {n}</h1>" + f"<i>{prose(system, 6)}</i>" * bool(system) + "".join(parts)
        visits.append(page(f"/list/{n}" + f"?{query}" * bool(query), text))
    normalizer = Normalizer(learn(visits).rules)
    assert len({normalizer.key(f"{HOST}/list/1?open={item}&os=mac") for item in items}) == len(items)


def test_nor_is_it_one_with_others_while_a_crawl_runs() -> None:
    found = study("shop.example", opened(PAGES["an answer"]), Options(), [])
    assert found.source == {}
    later = opened(lambda n, item: f"<div>{prose((n, item, 'short'), 3)}</div>")
    assert all(found.page_of(visit).canonical is None for visit in later if "?" in visit.url)


def test_what_names_a_page_that_is_not_fetched_yet_has_no_text_of_its_own() -> None:
    """Nor does it say anything of others of its kind, whose pages are known."""
    visits = opened(VIEWS["a form to reply"])
    visits += [page(f"/unseen/{n}?open=1", f"<p>{prose(('unseen', n), 25)}</p>") for n in range(40)]
    normalizer = Normalizer(learn(visits).rules)
    assert {normalizer.key(HOST + path) for path in OPENED} == {f"{HOST}/list/{n}" for n in range(LISTS)}


VIEWS: dict[str, Callable[[int, int], str]] = {
    "a form to reply": lambda n, item: f"<h3>Leave a Reply to {prose((n, item, 'name'), 2)} Cancel reply</h3>",
    "what stands on other pages": lambda n, item: f"<ul><li>{prose(('news', (n + item) % LISTS), 25)}</li></ul>",
}


@pytest.mark.parametrize("items", VIEWS.values(), ids=VIEWS)
def test_what_differs_by_a_heading_or_by_what_is_known_is_none(items: Callable[[int, int], str]) -> None:
    news = [
        page(f"/news/{n % LISTS}/{n}", f"<p>{prose(('news', n % LISTS), 25)}</p><p>{n}</p>") for n in range(2 * LISTS)
    ]
    normalizer = Normalizer(learn([*opened(items), *news]).rules)
    assert {normalizer.key(HOST + path) for path in OPENED} == {f"{HOST}/list/{n}" for n in range(LISTS)}
