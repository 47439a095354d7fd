"""An API that is crawled as such: data have no links, and what their callbacks ask for is known by referers alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.links.linked import CONCURRENT, tell_ways, untold
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.sites import spool
from scrapy_urinorm.live.study import study
from scrapy_urinorm.visits.reader import read_visits
from scrapy_urinorm.visits.record import Visit, end_of, visit_from_row
from scrapy_urinorm.visits.writer import VisitWriter

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from scrapy_urinorm.learn.learner import LearnResult

HOST = "http://a.example"
COURSES, PER_LIST, TERMS = 80, 10, 3
MARKUP, DATA = "text/html", "application/json"


def answer(path: str, text: str, referer: str | None, links: list[str] | None = None) -> Visit:
    row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
    row |= {"content_type": DATA if links is None else MARKUP}
    if referer is not None:
        row["referer"] = HOST + referer
    if links is not None:
        row["links"] = [HOST + link for link in links]
    return visit_from_row(row)


def courses(
    rooms: str = "", *, markup: bool = False, depth_first: bool = False, limit: int | None = None
) -> list[Visit]:
    """Courses that are the same in each term, of which the rooms are asked for, in any or in that term."""
    lists = [f"/courses?page={n}" for n in range(COURSES // PER_LIST)]
    visits: list[Visit] = []
    met, queue = {"/"}, [("/", "")]
    while queue and len(visits) != limit:
        path, referer = queue.pop(-1 if depth_first else 0)
        found: list[str] = []
        text = path
        if path == "/":
            found = lists
        elif path in lists:
            at = lists.index(path) * PER_LIST
            found = [f"/courses/{n}?term={t}" for n in range(at, at + PER_LIST) for t in range(TERMS)]
        elif "rooms" not in path:
            text, _, term = path.partition("?term=")
            found = [f"{text}/{rooms.format(term)}"] if rooms else []
        links = found if path == "/" and markup else None
        visits.append(answer(path, text, referer or None, links))
        queue += [(one, path) for one in found if one not in met]
        met.update(found)
    return visits


def drops_term(visits: list[Visit]) -> bool:
    normalizer = Normalizer(learn(visits).rules)
    return normalizer.key(f"{HOST}/courses/7?term=1") == normalizer.key(f"{HOST}/courses/7?term=2")


@pytest.mark.parametrize("depth_first", [False, True], ids=["breadth", "depth"])
@pytest.mark.parametrize(("rooms", "dropped"), [("rooms?term={}", False), ("rooms", True)])
@pytest.mark.parametrize("markup", [False, True], ids=["data", "markup"])
def test_data_are_not_one_that_ask_for_others(rooms: str, dropped: bool, markup: bool, depth_first: bool) -> None:
    assert drops_term(courses(rooms, markup=markup, depth_first=depth_first)) is dropped


@pytest.mark.parametrize("markup", [False, True], ids=["data", "markup"])
def test_of_data_that_came_last_nothing_is_known(markup: bool) -> None:
    """Breadth first a crawl comes to all courses before it comes to the first room."""
    assert not drops_term(courses("rooms?term={}", markup=markup, limit=1 + COURSES // PER_LIST + 150))
    # depth first what a list has led to is asked from before the next list
    assert drops_term(courses(markup=markup, depth_first=True))


def ended(visits: list[Visit], folder: Path, *, visits_said: int | None = None, crawl: str = "c") -> LearnResult:
    """What is learned from the file of a crawl that came to its end."""
    with VisitWriter(folder / "visits.jsonl") as writer:
        for visit in visits:
            writer.write(replace(visit, crawl=visit.crawl or "c"))
        writer.write(end_of(crawl, len(visits) if visits_said is None else visits_said, "2026-01-01T00:00:00Z"))
    return learn(read_visits([folder / "visits.jsonl"]))


def is_dropped(result: LearnResult) -> bool:
    normalizer = Normalizer(result.rules)
    return normalizer.key(f"{HOST}/courses/7?term=1") == normalizer.key(f"{HOST}/courses/7?term=2")


@pytest.mark.parametrize("markup", [False, True], ids=["data", "markup"])
def test_of_a_crawl_that_came_to_its_end_what_was_never_asked_for_is_known(markup: bool, tmp_path: Path) -> None:
    visits = courses(markup=markup)
    assert not drops_term(visits)
    assert is_dropped(ended(visits, tmp_path))


@pytest.mark.parametrize(("rooms", "dropped"), [("rooms?term={}", False), ("rooms", True)])
@pytest.mark.parametrize("depth_first", [False, True], ids=["breadth", "depth"])
def test_what_was_asked_for_is_not_lost_then(rooms: str, dropped: bool, depth_first: bool, tmp_path: Path) -> None:
    assert is_dropped(ended(courses(rooms, depth_first=depth_first), tmp_path)) is dropped


def answers_and_their_tickets() -> list[Visit]:
    """Answers that each link to a list of tickets, one page for all, and to two votes that the spider leaves out."""
    answers = [f"/answers/{n}" for n in range(70)]
    visits = [answer("/", "front", None, answers)]
    for n, at in enumerate(answers):
        asked = f"/tickets?about={100 + n}"
        visits.append(answer(at, f"answer {n}", "/", [asked, f"/vote/{n}/up", f"/vote/{n}/down", "/"]))
        visits.append(answer(asked, "tickets", at, ["/"]))
    return visits


@pytest.mark.parametrize("ends", [True, False])
def test_what_a_spider_leaves_out_makes_no_crawl_that_ended_one_that_was_cut_short(ends: bool, tmp_path: Path) -> None:
    normalizer = Normalizer(ended(answers_and_their_tickets(), tmp_path, crawl="c" if ends else "another").rules)
    one, other = (normalizer.key(f"{HOST}/tickets?about={n}") for n in (150, 160))
    assert (one == other) is ends


def without_referers(visits: list[Visit]) -> list[Visit]:
    """As a site has it whose pages forbid to say from where some are asked for."""
    return [replace(visit, referer=None) if n % 9 == 8 else visit for n, visit in enumerate(visits)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (without_referers, {}),
        (list, {"visits_said": 1_000}),
        (list, {"crawl": "another"}),
        (lambda visits: [*visits[:-1], replace(visits[-1], crawl="b")], {"visits_said": 100}),
    ],
    ids=["without referers", "a part of it", "another crawl", "two crawls"],
)
def test_the_end_says_nothing_of_what_it_is_not_the_end_of(
    change: Callable[[list[Visit]], list[Visit]], said: dict[str, Any], tmp_path: Path
) -> None:
    assert not is_dropped(ended(change(courses()), tmp_path, **said))


def test_sites_that_are_on_disk_are_told_of_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spool, "IN_MEMORY", 10)
    assert is_dropped(ended(courses(), tmp_path))


def test_in_a_first_crawl_data_are_not_one_that_ask_for_others() -> None:
    def said(rooms: str) -> list[str]:
        return list(study("a.example", courses(rooms), Options(skip=False), []).said.values())

    assert not said("rooms?term={}")
    assert any("term" in one for one in said("rooms"))


def test_what_data_are_found_under_elsewhere_is_not_skipped_where_it_may_be_asked_from() -> None:
    """Each record is there under a name and a number; by its number more would be asked for than came."""
    names = [f"/record/name-{n:02}x" for n in range(90)]

    def visits(*, told: bool) -> list[Visit]:
        found = [answer("/", "front", None)]
        numbers = [answer(f"/by?n={n}", f"record {n}", "/") for n in range(90)]
        records = [answer(name, f"record {n}", "/") for n, name in enumerate(names)]
        more = [answer(f"/more/{n}", f"more {n}", name) for n, name in enumerate(names)]
        last = [answer(f"/last/{n}", f"last {n}", f"/more/{n}") for n in range(90)]
        return found + (numbers + records + more + last if told else records + more + last + numbers)

    decisions = [Normalizer(learn(visits(told=told)).rules).decide(f"{HOST}/by?n=7") for told in (True, False)]
    assert [(one.skip, one.defer) for one in decisions] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("visits", "tells"),
    [
        ([Visit(url=HOST, content_type=DATA, status=200, referer=HOST)], True),
        ([Visit(url=HOST, content_type=DATA, status=200)], False),
        ([Visit(url=HOST, content_type=MARKUP, status=200, referer=HOST)], False),
        ([Visit(url=HOST, status=200, referer=HOST)], False),
        ([Visit(url=HOST, status=200, links=b"")], True),
    ],
    ids=["data", "data without referers", "markup whose links were not recorded", "a log", "links"],
)
def test_what_tells_where_pages_lead(visits: list[Visit], tells: bool) -> None:
    assert tell_ways(visits) is tells


def pages(number: int, change: Callable[[Page], None] = lambda _: None) -> list[Page]:
    made = [Page(f"{HOST}/{n}", f"{HOST}/{n}", label=n) for n in range(number)]
    for page in made:
        change(page)
    return made


def test_data_are_told_where_either_order_had_asked_from_them() -> None:
    size, half = 100, 50
    # one list leads to all: breadth first each may be asked from when all have come
    assert untold(pages(size), {0: set(range(1, size))}) == frozenset(range(1, size))
    # of two the second comes after the first, or after what was asked for in the first
    second = {0: set(range(1, half + 1)), half: set(range(half + 1, size))}
    assert untold(pages(size), second) == frozenset(range(half - CONCURRENT, size)) - {half}
    # nothing that came after a page was asked for before it: depth first it may be asked from when these have come
    chain = {n: {n + 1} for n in range(0, size - 1, 2)}
    assert untold(pages(size), chain) == frozenset(range(1, size, 2))


def test_nothing_is_untold_where_nobody_reads_data() -> None:
    def link(page: Page) -> None:
        page.links = b""

    found = pages(10)
    found[0].links = b""
    assert not untold(found, {0: set(range(1, 10))})
    assert not untold(pages(10, link), {0: {1, 2}, 1: {3}})
