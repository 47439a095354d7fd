"""Pages of a few words, as those of a register: they are told from views that have nothing, and never closed for it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from urllib.parse import urlsplit

import pytest

from benchmarks.simulator import Simulated, Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.brought import Turn, Yield, priority
from scrapy_urinorm.live.novelty import CLOCK, Novelty
from scrapy_urinorm.live.patience import PATIENCE
from scrapy_urinorm.live.yields import BEFORE, LOW, Yields
from scrapy_urinorm.live.yields import CLOSE as CLOSE_PAGES
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.resumed import rows
from tests.live.sites import Answer, identities_of, prose, record

PEOPLE, PER_LIST, CLOSE = 120, 20, 30
VIEWS = ("edit", "mail", "print", "card", "log")


@dataclass
class Register:
    """People with a name and a telephone, in lists; a calendar without end.

    If wanted, the lists show all that the pages do, there are views of each person, exports without end, and a clock,
    or the lists name addresses that redirect to the pages.
    """

    shown: bool = False
    views: bool = False
    clock: bool = False
    exports: bool = False
    moved: bool = False
    host: str = "register.example"
    start: str = "http://register.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        first, *rest = parts.path.strip("/").split("/")
        if first == "person":
            number = int(rest[0])
            if parts.query:
                return self._shown(target, f"<h1>Log in to {parts.query}</h1>", (), "log in")
            text = f"<h1>Ann{number} Bell</h1><p>Telephone</p><p>{_telephone(number)}</p>"
            return self._shown(target, text, (f"/list/{number // PER_LIST}", "/month/1"), f"person {number}")
        if first == "go":
            return Answer(302, location=f"/person/{rest[0]}")
        if first == "export":
            number = int(parts.query.partition("=")[2])
            text = "".join(f"<p>{word} {number}</p>" for word in ("name", "street", "town", "country", "since", "till"))
            return Answer(200, text, tuple(f"/export?from={2 * number + n}" for n in (1, 2)), identity="export")
        if first == "month":
            days = "".join(f"<p>{day}</p>" for day in range(1, 31))
            return self._shown(target, f"<h1>Month {rest[0]}</h1>{days}", (f"/month/{int(rest[0]) + 1}",), "month")
        here = range(int(rest[0]) * PER_LIST if rest else 0, PEOPLE)[:PER_LIST]
        names = "".join(f"<p>Ann{number} Bell</p>" + f"<p>{_telephone(number)}</p>" * self.shown for number in here)
        following = (f"/list/{here[-1] // PER_LIST + 1}",) if here[-1] + 1 < PEOPLE else ()
        links = (*(f"/{'go' if self.moved else 'person'}/{number}" for number in here), *following)
        if self.views:
            links += tuple(f"/person/{number}?{view}=1" for number in here for view in VIEWS)
        if self.exports:
            links = ("/export?from=0", *links)
        return self._shown(target, f"<h1>People</h1>{names}", links, f"list {here[0]}")

    def _shown(self, target: str, text: str, links: tuple[str, ...], identity: str) -> Answer:
        clock = f"<footer>{random.Random(target).randrange(86_400)}</footer>" if self.clock else ""
        return Answer(200, text + clock, links, identity=identity)


def _telephone(number: int) -> int:
    return random.Random(number).randrange(10**6)


def crawled(site: Register, *, newest_first: bool) -> tuple[Simulated, set[str]]:
    """What a crawl of the site under live rules did, and the people that it met."""
    visits, identities = record(site, 1_000)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    return live, {one for one in identities_of(live.fetched, identities) if one.startswith("person")}


@IN_BOTH_ORDERS
def test_a_register_is_fetched_as_a_whole_and_its_calendar_ends(newest_first: bool) -> None:
    live, people = crawled(Register(), newest_first=newest_first)
    assert len(people) == PEOPLE
    assert len(live.fetched) < PEOPLE + PEOPLE // PER_LIST + 4 * CLOSE


@IN_BOTH_ORDERS
def test_a_register_whose_lists_redirect_to_people_is_fetched_as_a_whole(newest_first: bool) -> None:
    _, people = crawled(Register(moved=True), newest_first=newest_first)
    assert len(people) == PEOPLE


@IN_BOTH_ORDERS
def test_views_that_say_nothing_but_the_time_are_closed(newest_first: bool) -> None:
    live, people = crawled(Register(views=True, clock=True), newest_first=newest_first)
    assert len(people) == PEOPLE
    views = sum("?" in url for url in live.fetched)
    assert views < len(VIEWS) * PEOPLE * 3 // 4


@IN_BOTH_ORDERS
def test_pages_that_a_list_has_shown_are_fetched_before_what_brings_nothing(newest_first: bool) -> None:
    site = Register(shown=True)
    live, people = crawled(site, newest_first=newest_first)
    assert len(people) == PEOPLE
    assert len(live.fetched) < PEOPLE + PEOPLE // PER_LIST + 4 * CLOSE
    last = max(n for n, url in enumerate(live.fetched) if "person" in url)
    assert newest_first or last < PEOPLE + PEOPLE // PER_LIST + CLOSE + LOW


@IN_BOTH_ORDERS
@pytest.mark.parametrize("wait", [150, pytest.param(10_000, marks=pytest.mark.slow)])
def test_pages_of_a_few_words_wait_for_those_with_news_but_not_for_ever(
    newest_first: bool, wait: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database has rows, which its tables show, and exports without end, of which each has news."""
    monkeypatch.setattr("scrapy_urinorm.live.patience.PATIENCE", wait)
    live, people = crawled(Register(shown=True, exports=True), newest_first=newest_first)
    assert len(people) == PEOPLE
    at = [n for n, url in enumerate(live.fetched) if "person" in url]
    exported = [n for n, url in enumerate(live.fetched) if "export" in url]
    if wait == 150:
        assert at[-1] < 2 * PEOPLE + wait + 3 * LOW
    else:
        assert at[-LOW] > exported[-1] > 500


NAMED = [
    pytest.param("/p/*", "/list/#", True, False, True, id="by a page with news"),
    pytest.param("/p/*", "/list/#", False, False, False, id="by a page without"),
    pytest.param("/p/*", "/p/*", True, False, False, id="by one of its kind"),
    pytest.param("/p/*", None, True, False, False, id="by none"),
    pytest.param("/p/*", "/list/#", True, True, False, id="where there is a clock"),
]


@pytest.mark.parametrize(("pattern", "by", "news", "clock", "own"), NAMED)
def test_a_few_words_are_a_pages_own_by_who_names_it(
    pattern: str, by: str | None, news: bool, clock: bool, own: bool
) -> None:
    visits, _ = record(Register(), 20)
    start, person = visits[0], visits[1]
    assert person.url.endswith("/person/0")
    novelty = Novelty()
    novelty.news(start)
    if by is not None:
        novelty.linked(start, by, news=news)
    if clock:
        for n, visit in enumerate(visits[2 : 2 + CLOCK]):
            novelty.news(visit, f"/view?{n}=*")
    assert novelty.news(person, pattern)[:2] == (False, own)


@pytest.mark.parametrize("asked", [True, False])
def test_what_a_callback_asked_for_is_the_merit_of_its_page(asked: bool) -> None:
    """Data behind a shell, which is no link; a start page has nobody's."""
    visits, _ = record(Register(), 20)
    shell, data = visits[1], visits[2]
    data.referer = shell.url if asked else None
    novelty = Novelty()
    novelty.brought(shell, "http://a.example/shell/#")
    data.id = b"01234567"
    assert novelty.linker(data) == ("http://a.example/shell/#" if asked else None)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("http://a.example/row/#", id="pages"),
        pytest.param("http://a.example/row?id=#", id="views"),
    ],
)
def test_a_few_words_close_nothing_and_open_what_is_closed(pattern: str) -> None:
    few = Turn.LATER
    yields, turns = Yields(close=30), []
    for n in range(600):
        reopened = yields.learned(pattern, False, few=n not in range(500, 550))
        turns.append((yields.of[pattern].turn, reopened))
    assert turns[20:500] == [(few, [])] * 480
    assert turns[549:551] == [(Turn.CLOSED, []), (Turn.LATER, [pattern])]
    assert turns[-1] == (few, [])


def test_what_has_waited_once_is_served_in_its_turn_from_then_on() -> None:
    pattern, yields, turns, overdue = "http://a.example/row/#", Yields(), [], []
    for n in range(3 * PATIENCE):
        few = n < LOW or n > 2 * PATIENCE
        yields.learned(pattern if few else "http://a.example/news/#", not few, few=few)
        turns.append(yields.of[pattern].turn)
        overdue += [(n, name) for name, _ in yields.due()]
    begun = LOW - 1 + PATIENCE
    assert turns == [Turn.OPEN] * (LOW - 1) + [Turn.LATER] * PATIENCE + [Turn.OPEN] * (3 * PATIENCE - begun)
    assert overdue == [(begun, pattern)]


def test_what_was_put_off_before_a_pattern_was_opened_waits_no_longer_than_else() -> None:
    """Rows of a database, which a table has shown, had news now and then, and 118 that were put off never came."""
    pattern, yields = "http://a.example/row/#", Yields()
    for _ in range(LOW):
        yields.learned(pattern, False, few=True)
    assert (yields.of[pattern].turn, yields.due()) == (Turn.LATER, [])
    yields.learned(pattern, True)
    assert (yields.of[pattern].turn, yields.due(), yields.due()) == (Turn.OPEN, [(pattern, BEFORE)], [])
    for _ in range(PATIENCE - 2):
        yields.learned("http://a.example/news/#", True)
        assert yields.due() == []
    yields.learned("http://a.example/news/#", True)
    assert (yields.of[pattern].turn, yields.due()) == (Turn.OPEN, [(pattern, None)])


@pytest.mark.parametrize("pattern", ["http://a.example/list ?sort", "http://a.example ?sort"])
def test_of_lists_that_bring_something_again_the_former_ones_keep_their_place(pattern: str) -> None:
    yields = Yields()
    for n in range(10 * LOW):
        yields.learned(pattern, n % (2 * LOW) > LOW)
    assert yields.due() == []


def test_what_was_closed_while_it_waited_stays_closed() -> None:
    pattern, yields = "http://a.example/row/#", Yields()
    for n in range(LOW + CLOSE_PAGES):
        yields.learned(pattern, False, few=n < LOW)
    assert yields.of[pattern].turn is Turn.CLOSED
    for _ in range(PATIENCE):
        yields.learned("http://a.example/news/#", True)
    assert (yields.of[pattern].turn, yields.due()) == (Turn.CLOSED, [])
    # and is served in its turn when a sample has shown something
    assert yields.learned(pattern, False, few=True) == [pattern]
    assert yields.of[pattern].turn is not Turn.CLOSED


@pytest.mark.parametrize("opened", [False, True], ids=["it comes later", "it was opened since"])
def test_a_resumed_crawl_has_what_was_put_off_wait_no_longer_than_a_new_one(opened: bool) -> None:
    pattern, before, after = "http://a.example/row/#", Yields(), Yields()
    for _ in range(LOW):
        before.learned(pattern, news=False, few=True)
    if opened:
        before.learned(pattern, news=True)
    after.load(rows(before))
    for _ in range(PATIENCE):
        assert (after.of[pattern].turn, after.due()) == (Turn.OPEN if opened else Turn.LATER, [])
        after.learned("http://a.example/news/#", news=True)
    assert (after.of[pattern].turn, after.due()) == (Turn.OPEN, [(pattern, None)])


@pytest.mark.parametrize(
    ("pattern", "share", "found"),
    [
        ("http://a.example/row/#", 0.0, 40_000),
        ("http://a.example/row/#", 0.7, 70_000),
        ("http://a.example/rows?sort=*", 0.36, 36_000),
        ("http://a.example ?sort", 0.1, 10_000),
        ("a.example gitweb/differences", 0.0, 0),
    ],
)
def test_pages_go_before_lists_in_another_order(pattern: str, share: float, found: int) -> None:
    assert priority(Yield(share=share), pattern) == found


@dataclass
class RollCalls:
    """Votes of a parliament by a number: on each page the same members, each with one of three words."""

    name: str = "id"
    votes: int = 120
    host: str = "votes.example"
    start: str = "http://votes.example/"

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path == "/vote":
            lot = random.Random(query)
            said = "".join(f"<p>Ann{n} Bell</p><p>{lot.choice(('yes', 'no', 'abstained'))}</p>" for n in range(20))
            return Answer(200, f"<h1>Vote</h1>{said}", ("/",), identity=f"vote {query}")
        year = int(path[1:] or 0)
        here = range(10 * (year - 1), 10 * year) if year else range(0)
        motions = "".join(f"<p>Motion on {' '.join(prose(str(n)).split()[:10])} {_telephone(n)}</p>" for n in here)
        links = [f"/vote?{self.name}={n}" for n in here] or [f"/{n}" for n in range(1, self.votes // 10 + 1)]
        return Answer(200, f"<h1>Motions</h1>{motions}", tuple(links), identity=f"year {year}")


@IN_BOTH_ORDERS
@pytest.mark.parametrize("name", ["id", "no"])
def test_tables_by_a_number_whose_cells_others_have_are_fetched_as_a_whole(name: str, newest_first: bool) -> None:
    visits, identities = record(RollCalls(name), 1_000)
    live = Simulator(visits, Options(skip=False), close=CLOSE).crawl(newest_first=newest_first)
    assert identities_of(live.fetched, identities) == set(identities.values())
