"""Pages of a few words that their kind alone names: no chain of them is closed at once, and what has no end ends."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from urllib.parse import parse_qsl, urlsplit

import pytest

from benchmarks.simulator import Simulated, Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.kin import COPY, FEW_VALUES, MANY, MOST, MOST_DRAWN, Kin
from scrapy_urinorm.live.kinds import form_of
from scrapy_urinorm.live.novelty import CLOCK, Novelty
from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.yields import LOW, Yields
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, Answering, identities_of, prose, record

CLOSE, COUNT = 30, 110
FIRST = date(2026, 5, 1)


@dataclass
class Chain:
    """Pages of a word each, at addresses of a form, that lead to others by what `step` adds to twice or once their
    number; those of `gap` have none but the page's number, and beside the others stands an article.
    """

    form: str
    said: str = "<h1>Ann{0}</h1>"
    steps: tuple[int, ...] = (1,)
    tree: bool = False
    articles: int = 0
    gap: range = field(default_factory=lambda: range(0))
    count: int = COUNT
    host: str = "chain.example"
    start: str = "http://chain.example/"

    def answer(self, target: str) -> Answer:
        path = urlsplit(target).path
        if target == "/":
            return Answer(200, prose("start"), (self._at(1),), identity="start")
        if path.startswith("/article/"):
            return Answer(200, prose(target), ("/",), identity=target)
        number = self._numbers[target]
        following = [number * (2 if self.tree else 1) + step for step in self.steps]
        links = [self._at(n) for n in following if n <= self.count]
        told = number <= self.articles or number > self.gap.stop > 0
        if told and number not in self.gap:
            links.append(f"/article/{number}")
        return Answer(200, self.said.format(number), tuple(links), identity=f"page {number}")

    @cached_property
    def _numbers(self) -> dict[str, int]:
        # the first of those that have one address
        return {self._at(n): n for n in range(self.count, 0, -1)}

    def _at(self, number: int) -> str:
        return self.form.format(number, FIRST - timedelta(number))


def crawled(site: Answering, *, newest_first: bool = False) -> tuple[Simulated, set[str], set[str]]:
    """What a crawl of the site under live rules did, the pages that it met, and those that there are."""
    visits, identities = record(site)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    return live, identities_of(live.fetched, identities), set(identities.values())


class Clocked:
    """Items whose links have a token that was never there before, with the time on each page."""

    items = 40
    host = "items.example"
    start = "http://items.example/"

    def answer(self, target: str) -> Answer:
        number = int(urlsplit(target).path[1:] or 0)
        others = ((2 * number + n) % self.items for n in (1, 2, 3))
        token = hashlib.md5(target.encode()).hexdigest()[:14]
        text = f"{prose(str(number))}<div>{int(token, 16) % 86_400}</div>"
        return Answer(200, text, tuple(f"/{n}?tk=x{token}z" for n in others), identity=f"item {number}")


@dataclass
class Register:
    """Entries with the next one's link, of which those of `gap` were removed, all with the same words."""

    gap: range
    count: int = 200
    removed: str = "<p>This entry was removed from the register.</p>"
    host: str = "register.example"
    start: str = "http://register.example/"

    def answer(self, target: str) -> Answer:
        number = int(urlsplit(target).path.rpartition("/")[2] or 0)
        links = (f"/entry/{number + 1}",) if number < self.count else ()
        if number in self.gap:
            return Answer(200, self.removed, (*links, f"/entry/{number - 1}"), identity="removed")
        return Answer(200, prose(f"entry {number}"), links, identity=f"entry {number}")


CHAINS = {
    "a series": Chain("/entry/{}"),
    "a query": Chain("/entry.php?id={}"),
    "pictures": Chain("/comic/{}", '<img src="/strips/{}.png">'),
    # each with a form of its own at first, and a group of those
    "a family": Chain("/person.php?id=I{}", steps=(0, 1), tree=True),
    "a view": Chain("/?page=object&id={}"),
    # with a day of news each, and none for longer than what closes a pattern
    "days": Chain("/day/{1}", articles=50, gap=range(50, 50 + LOW + CLOSE + 20), count=180),
    "days in a query": Chain("/on?date={1}", articles=50, gap=range(50, 50 + LOW + CLOSE + 20), count=180),
}


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "site",
    [
        pytest.param(chain, id=name, marks=[pytest.mark.slow] * (name in ("a series", "a view", "days in a query")))
        for name, chain in CHAINS.items()
    ],
)
def test_a_chain_is_fetched_to_its_end(site: Chain, newest_first: bool) -> None:
    _, met, there = crawled(site, newest_first=newest_first)
    assert len(there) >= COUNT
    assert met == there


@IN_BOTH_ORDERS
@pytest.mark.parametrize(("first", "is_met"), [(100, True), (4, False)])
def test_entries_that_were_removed_end_no_chain_of_many_others(first: int, is_met: bool, newest_first: bool) -> None:
    _, met, there = crawled(Register(range(first, first + LOW + CLOSE + 30)), newest_first=newest_first)
    assert (met == there) == is_met
    # of four entries nobody knows that there are more
    assert is_met or len(met) < 2 * first


ENDLESS = {
    "months": "/calendar/{}",
    "days": "/day/{}",
    "dates": "/on/{1}",
    "dates in a query": "/on?date={1}",
    "weeks": "/on?week={}",
    "pages of a list": "/list?page={}",
    "pages of a list in a folder": "/list/page/{}",
    "an order of a list": "/list?sort=name&offset={}",
    "two parameters": "/list?a={}&b={}",
}


@pytest.mark.parametrize(
    "form",
    [
        pytest.param(form, id=name, marks=[pytest.mark.slow] * (name in ("days", "dates", "weeks", "two parameters")))
        for name, form in ENDLESS.items()
    ],
)
def test_what_is_counted_is_closed_as_soon_as_ever(form: str) -> None:
    live, met, there = crawled(Chain(form, count=3 * COUNT))
    assert len(met) < LOW + CLOSE + 20 < len(there)
    assert live.closed


def test_a_chain_that_has_no_end_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.live.kin.MOST", 60)
    live, met, _ = crawled(Chain("/entry/{}", count=3 * COUNT))
    assert 60 < len(met) < 60 + LOW + CLOSE + 20
    # and the file names what leads on
    assert live.closed


def after(count: int, url: str, pattern: str, *, drawn: bool = False, news: int = 0) -> list[bool]:
    kin = Kin()
    for _ in range(news):
        kin.brought(pattern)
    return [kin.goes_on(url, pattern, drawn=drawn) for _ in range(count)]


@pytest.mark.parametrize(("news", "most"), [(0, 0), (7, 7), (2 * MOST, MOST)])
def test_what_says_nothing_goes_on_for_as_many_pages_as_had_news(news: int, most: int) -> None:
    kin, pattern = Kin(), "http://a.example/entry/#"
    for _ in range(news):
        kin.brought(pattern)
    found = [kin.goes_on(f"http://a.example/entry/{n}", pattern, drawn=False, silent=True) for n in range(most + 2)]
    assert found == [True] * most + [False] * 2


@pytest.mark.parametrize(
    ("target", "shape", "drawn", "news", "most"),
    [
        pytest.param("comic/1999", "comic/#", False, 0, MOST, id="a number like a year"),
        pytest.param("d/5", "d/#", False, 0, MOST, id="a folder of one letter"),
        pytest.param("page/ann", "page/*", False, 0, MOST, id="a name in a folder of pages"),
        pytest.param("?p=5", "?p=#", False, 7, MOST, id="a post"),
        pytest.param("2031/05", "#/#", False, 7, 7, id="a month with news"),
        pytest.param("2031-05/", "#/", False, 2 * MOST, MOST, id="a month with more of it"),
        pytest.param("?y=2031", "?y=#", False, 0, 0, id="a year"),
        pytest.param("comic/5", "comic/#", True, 0, MOST_DRAWN, id="a picture"),
        pytest.param("comic?date=2031-05-06", "comic?date=*", True, 0, MOST_DRAWN, id="a picture a day"),
        pytest.param("comic?of=x5", "comic?of=*", True, 0, MOST, id="a picture and a token"),
        pytest.param("?page=ann&id=5", "?page=ann&id=#", True, 0, MOST_DRAWN, id="a picture in a view"),
        pytest.param("list?a=5&b=5", "list?a=#&b=#", False, 7, 0, id="two parameters"),
        pytest.param("scan?id=5&page=7", "scan?id=#&page=#", True, 0, MOST_DRAWN, id="a picture by two numbers"),
        pytest.param("scan?ppn=PPN5&f=7", "scan?f=#&ppn=*", True, 0, MOST, id="a picture and a token beside a number"),
    ],
)
def test_how_long_a_chain_goes_on(target: str, shape: str, drawn: bool, news: int, most: int) -> None:
    origin = "http://a.example/"
    found = after(most + 2, origin + target, origin + shape, drawn=drawn, news=news)
    assert found == [True] * most + [False] * 2


def test_pictures_by_their_numbers_go_on_in_the_shape_that_a_crawl_gives_them() -> None:
    url = "http://a.example/comic?id=5"
    assert after(MOST_DRAWN + 2, url, Patterns().of(url), drawn=True, news=0) == [True] * MOST_DRAWN + [False] * 2


def test_orders_of_a_list_are_counted_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.live.kin.MOST", 5)
    kin, address = Kin(), "http://a.example/list?sort={}&of={}"
    found = [kin.goes_on(address.format(f"o{n}", n), address.format(f"o{n}", "#"), drawn=False) for n in range(7)]
    assert found == [True] * 5 + [False] * 2


def test_news_have_a_chain_begin_anew() -> None:
    kin, place = Kin(), ("http://a.example/d?day=5", "http://a.example/d?day=#")
    kin.brought(place[1])
    assert [kin.goes_on(*place, drawn=False) for _ in range(2)] == [True, False]
    kin.brought(place[1])
    assert [kin.goes_on(*place, drawn=False) for _ in range(3)] == [True, True, False]


def test_a_picture_that_is_new_in_the_same_place_of_many_forms_of_pages_is_a_counter() -> None:
    kin, comic = Kin(), "http://a.example/comic/#"
    others = ["http://a.example/", "http://a.example/comic/#/detail/#", "http://a.example/?p=#"]
    assert kin.is_drawn([7], comic)
    # a second comic in the same template; and the front page, which has the newest strip; and a detail
    assert kin.is_drawn([7], "http://a.example/strip/#")
    assert [kin.is_drawn([7], other) for other in others] == [True, True, False]
    assert not kin.is_drawn([7], comic)
    assert kin.is_drawn([7, 8], comic)
    # what the run before has met is not known by its kind
    assert not kin.is_drawn([9], "")
    assert kin.is_drawn([9], comic)


@pytest.mark.parametrize(
    ("one", "other", "are_alike"),
    [
        ("/cat/#/#/", "/dog/#/#/", True),
        ("/?dep=prints&id=#", "/?dep=paintings&id=#", True),
        ("/cat/#", "/cat/#/#", False),
        ("/item?id=#", "/item?no=#", False),
        ("/item?id=#", "/item/#", False),
    ],
)
def test_folders_of_one_form_share_the_place_of_a_picture(one: str, other: str, are_alike: bool) -> None:
    assert (form_of(f"http://a.example{one}") == form_of(f"http://a.example{other}")) is are_alike


def test_a_page_with_news_that_begins_a_series_of_pictures_has_it_go_on() -> None:
    kin, (url, pattern) = Kin(), ("http://a.example/scan?id=5&page=7", "http://a.example/scan?id=#&page=#")
    kin.begins(url, pattern)
    found = [kin.goes_on(url, pattern, drawn=True) for _ in range(MOST_DRAWN + MOST + 1)]
    assert found == [True] * (MOST_DRAWN + MOST) + [False]
    # each event may name its day
    assert after(MOST_DRAWN + 1, "http://a.example/on?date=2031-05-06", "http://a.example/on?date=*", drawn=True)[
        -1:
    ] == [False]


SEVERAL = {
    "a page of a site": ("page_id=5&comic={}", FEW_VALUES + 9),
    "what is the same, and an id": ("db=5&Itemid=3&id={}", FEW_VALUES + 9),
    "trees of persons": ("tree={0[2]}&pid=I{0}", FEW_VALUES + 9),
    "trees of persons by number": ("tree={0[2]}&id={0}", FEW_VALUES + 9),
    "two that vary": ("a={0}&b={0}", 0),
    "an id, and where one comes from": ("back={0}&id={0}", FEW_VALUES + 9),
    "a token beside a number": ("tree={0[2]}&id=0b5f8c{0}e9a", 0),
    "three that vary": ("tree={0[2]}&id={0}&a={0}", 0),
}


@pytest.mark.parametrize(("query", "most"), SEVERAL.values(), ids=SEVERAL)
def test_what_chooses_nothing_or_little_beside_an_id_ends_no_chain(query: str, most: int) -> None:
    kin = Kin()
    pattern = "http://a.example/on?" + "&".join(f"{item.partition('=')[0]}=*" for item in query.split("&"))
    numbers = range(100, 100 + FEW_VALUES + 9)
    found = [kin.goes_on(f"http://a.example/on?{query.format(str(n))}", pattern) for n in numbers]
    # of the first page nobody knows what varies
    assert found[1:] == ([True] * (most - 1) + [False] * len(numbers))[: len(numbers) - 1]


def test_of_two_ids_that_come_again_neither_is_that_of_a_thing() -> None:
    kin, pattern = Kin(), "http://a.example/on?id=#&page_id=#"
    pages = range(100, 106 + 2 * FEW_VALUES)
    found = [kin.goes_on(f"http://a.example/on?id={n // 2}&page_id={(n + 1) // 2}", pattern) for n in pages]
    # until both have many values
    assert (found[1], found[-1]) == (True, False)


@pytest.mark.parametrize(
    ("query", "is_chain"),
    [
        ("vol=3&nr={}", True),
        ("album=3&pid={}", True),
        ("vol=3&page={}", False),
        ("cat=3&day={}", False),
        ("raum=3&kw={}", False),
    ],
)
def test_beside_a_few_values_a_number_of_many_is_that_of_a_thing(query: str, is_chain: bool) -> None:
    """Hymns by their book and their number are chained by "next"; so are the pages of a list, and days."""
    kin = Kin()
    pattern = "http://a.example/on?" + "&".join(f"{item.partition('=')[0]}=#" for item in query.split("&"))
    kin.goes_on(f"http://a.example/on?{query.format(5).replace('3', '4')}", pattern)
    found = [kin.goes_on(f"http://a.example/on?{query.format(n)}", pattern) for n in range(100, 108 + FEW_VALUES)]
    # of a first few both have few
    assert found == [False] * (FEW_VALUES - 1) + [is_chain] * 9


def said(*sentences: int, words: int = COPY, news: int = MANY, before: tuple[int, ...] = (1, 2)) -> bool:
    kin, pattern = Kin(), "http://a.example/item?tk=*"
    for _ in range(news):
        kin.brought(pattern)
    assert not kin.repeats(dict.fromkeys(before, words), pattern)
    return kin.repeats(dict.fromkeys(sentences, words), pattern)


def test_what_repeats_a_page_with_news_is_none_of_a_chain() -> None:
    assert said(1, 3)
    assert said(1, 3, 4, words=COPY // 2)
    assert not said(1, 2)
    assert not said(2)
    assert not said(1, 3, news=MANY - 1)
    # who gave it to the museum stands on the pages of other things, too
    assert not said(1, 3, words=COPY - 1)


class Captures:
    """Pages as they are now, and as they were, when they had no last paragraph yet."""

    count = 40
    host = "archive.example"
    start = "http://archive.example/"

    def answer(self, target: str) -> Answer:
        _, capture, number = target.split("/") if target != "/" else ("", "", "0")
        if not capture:
            links = tuple(f"/now/{n}" for n in range(self.count))
            return Answer(200, prose("all captures"), (*links, "/then/0"), identity="start")
        text = prose(f"page {number}", 32)
        following = (f"/then/{int(number) + 1}",) if capture == "then" and int(number) + 1 < self.count else ()
        return Answer(200, text if capture == "now" else text.rpartition("<p>")[0], following, identity=target)


def test_a_page_as_it_was_before_closes_nothing() -> None:
    visits, _ = record(Captures())
    novelty = Novelty()
    told = [novelty.brought(visit, f"http://archive.example/{visit.url.split('/')[3]}/*")[0] for visit in visits]
    now, then = told[1 : Captures.count + 1], told[Captures.count + 1 :]
    assert [one.news for one in now] == [True] * Captures.count
    # the second one is the first that its own kind names, and there was none before it to say what all of them say
    assert [one.few for one in then] == [True] + [False] * (Captures.count - 1)
    assert [one.kin for one in then] == [False] * 2 + [True] * (Captures.count - 2)


def test_older_pages_are_as_many_as_pages_with_news() -> None:
    kin, pattern = Kin(), "http://a.example/post/*"
    for _ in range(3):
        kin.brought(pattern)
    empty = [kin.is_older((1, 2), pattern) for _ in range(3)]
    assert empty == [False] * 3, "what all months without an event say"
    assert not kin.is_older((1, 2, 3), "http://a.example/list?by=*")
    assert [kin.is_older((1, 2, n), pattern) for n in range(3, 8)] == [True] * 3 + [False] * 2


@dataclass
class Albums:
    """Albums without a word of their own, of photos that have none either, each of which leads to a view of it."""

    albums: int = 8
    photos: int = 12
    host: str = "albums.example"
    start: str = "http://albums.example/"

    def answer(self, target: str) -> Answer:
        _, what, number = target.split("/") if target != "/" else ("", "", "0")
        if not what:
            return Answer(200, prose("all albums"), tuple(f"/album/{n}" for n in range(self.albums)), identity="start")
        if what == "album":
            mine = range(int(number) * self.photos, (int(number) + 1) * self.photos)
            thumbs = "".join(f'<img src="/thumb/{n}.jpg">' for n in mine)
            return Answer(200, f"<h1>Album</h1>{thumbs}", tuple(f"/photo/{n}" for n in mine), identity=target)
        links = (f"/large/{number}",) if what == "photo" else ()
        return Answer(200, f'<h1>Photo</h1><img src="/{what}/{number}.jpg">', links, identity=target)


@IN_BOTH_ORDERS
def test_albums_without_a_word_lead_to_their_pictures(newest_first: bool) -> None:
    visits, identities = record(Albums())
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    # a large view has nothing but its picture, and is named where it is not fetched
    assert identities_of([*live.fetched, *live.closed], identities) == set(identities.values())


@dataclass
class Departments:
    """A museum whose departments share a template: lists without a word, of pages with a picture each."""

    form: str
    departments: int = 5
    things: int = 70
    host: str = "museum.example"
    start: str = "http://museum.example/"

    def answer(self, target: str) -> Answer:
        address = urlsplit(target)
        if target == "/":
            links = tuple(f"/list/{name}" for name in range(self.departments))
            return Answer(200, prose("the museum"), links, identity="start")
        if address.path.startswith("/list/"):
            name = f"d{address.path.rpartition('/')[2]}"
            links = tuple(self.form.format(name, n) for n in range(self.things))
            return Answer(200, f"<h1>{name}</h1>", links, identity=target)
        picture = hashlib.md5(target.encode()).hexdigest()
        return Answer(200, f'<h1>Thing</h1><img src="/{picture}.jpg">', ("/",), identity=target)


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "form",
    [
        *(
            pytest.param(form, marks=pytest.mark.slow)
            for form in ("/{0}/{1}", "/{0}.php?id={1}", "/view.php?dep={0}&id={1}")
        ),
        "/{0}.php?{0}_id={1}",
    ],
)
def test_departments_that_share_a_template_have_pictures_of_their_own(form: str, newest_first: bool) -> None:
    live, met, there = crawled(Departments(form), newest_first=newest_first)
    assert met == there
    assert not live.closed


class Sections(Departments):
    """The same with a name of three words each, which lists with a text name."""

    def answer(self, target: str) -> Answer:
        found = super().answer(target)
        if target.startswith("/list/"):
            return Answer(200, prose(target), found.links, identity=target)
        name = " ".join(hashlib.md5(target.encode()).hexdigest()[at : at + 5] for at in (0, 5, 10))
        return found if target == "/" else Answer(200, f"<h1>{name}</h1>", ("/",), identity=target)


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "form", ["/{0}.php?id={1}", "/{0}.php?{0}_id={1}", pytest.param("/view.php?dep={0}&id={1}", marks=pytest.mark.slow)]
)
def test_sections_of_one_register_have_names_and_no_clocks(form: str, newest_first: bool) -> None:
    live, met, there = crawled(Sections(form), newest_first=newest_first)
    assert met == there
    assert not live.closed


class Strips(Chain):
    """The same by date, and the front page is the newest one, of which the others are of a template."""

    def answer(self, target: str) -> Answer:
        return super().answer(self._at(1) if target == "/" else target)


class Books:
    """Records with a text, each of which leads to the first scan of its book; a scan leads to the next one."""

    books, pages = 12, 30
    host = "library.example"
    start = "http://library.example/"

    def answer(self, target: str) -> Answer:
        query = {name: int(value) for name, value in parse_qsl(urlsplit(target).query)}
        if target == "/":
            return Answer(200, prose("library"), tuple(f"/book?id={n}" for n in range(self.books)), identity="start")
        book, page = query["id"], query.get("page", 0)
        links = (f"/view?id={book}&page={page + 1}",) if page < self.pages else ()
        text = f'<h1>Viewer</h1><img src="/scan/{book}/{page}.jpg">' if page else prose(target)
        return Answer(200, text, links, identity=target)


class Credits:
    """Things with a name each, of which the first ones are described; who gave a thing has given others, too."""

    count, described = 150, MANY + 4
    host = "museum.example"
    start = "http://museum.example/"

    def answer(self, target: str) -> Answer:
        number = int(target.rpartition("/")[2] or 0)
        donor = f"<p>Gift of the family of number {number % 9} in town.</p>"
        text = f"<h1>Ann{number}</h1>{donor}" + (prose(target) if number < self.described else "")
        links = (f"/thing/{number + 1}",) if number < self.count else ()
        return Answer(200, text, links, identity=target)


@IN_BOTH_ORDERS
@pytest.mark.parametrize(
    "site",
    [
        Strips("/strip/{1}", '<img src="/strips/{0}.png">'),
        Strips("/{0}/", '<img src="/strips/{0}.png">'),
        Books(),
        Credits(),
    ],
    ids=["strips by date", "strips", "books", "credits"],
)
def test_a_series_goes_on_beside_pages_that_are_alike(site: Answering, newest_first: bool) -> None:
    live, met, there = crawled(site, newest_first=newest_first)
    assert len(there) >= COUNT
    assert met == there
    assert not live.closed


@IN_BOTH_ORDERS
def test_tokens_end_where_there_is_a_clock(newest_first: bool) -> None:
    site = Clocked()
    visits, identities = record(site, 1_200)
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == {f"item {n}" for n in range(Clocked.items)}
    assert len(live.fetched) < 900


def test_forms_of_a_view_are_one_when_they_are_too_many() -> None:
    visits, _ = record(Chain("/person?id=I{}"), 3 * CLOCK)
    novelty = Novelty()
    views = [f"/person?id=I{n}" for n in range(CLOCK)] + ["/person?id=*"] * CLOCK
    novelty.brought(visits[0], "/")
    kin = []
    for visit, pattern in zip(visits[1:], views, strict=False):
        kin.append(novelty.brought(visit, pattern)[0].kin)
    # the first ones are each the only one of its kind, and the next one was named by none of its own
    assert kin == [False] * (CLOCK + 1) + [True] * (CLOCK - 1)


def test_a_chain_comes_later_for_good_and_closes_nothing() -> None:
    pattern = "http://a.example/entry/#"
    yields, turns = Yields(close=CLOSE), []
    for n in range(2_000):
        reopened = yields.learned(pattern, False, kin=n not in range(1_800, 1_850))
        turns.append((yields.of[pattern].turn, reopened))
    assert turns[LOW : LOW + 900] == [(Turn.LATER, [])] * 900
    assert turns[1_849:1_851] == [(Turn.CLOSED, []), (Turn.LATER, [pattern])]
    assert turns[-1] == (Turn.LATER, [])


@pytest.mark.parametrize(("every", "turn"), [(LOW - 2, Turn.LATER), (2 * LOW, Turn.CLOSED)])
def test_a_chain_of_which_most_pages_say_nothing_is_none(every: int, turn: Turn) -> None:
    pattern, yields = "http://a.example/entry/#", Yields()
    for n in range(2_000):
        yields.learned(pattern, False, kin=n % every == 0)
    assert yields.of[pattern].turn is turn
