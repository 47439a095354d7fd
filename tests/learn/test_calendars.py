"""Calendars without an end: their dates are put off where they lead to nothing else, and nothing like them is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.pages.view import view_of
from scrapy_urinorm.learn.unrequested.calendars import are_alike
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate

FIRST = date(2026, 1, 5)
EVENTS, LISTED, CAP = 12, 12, 300
A_DATE = {"matches": "[0-9]{4}-[0-9]{2}-[0-9]{2}.*"}
KINDS = {
    "numbers": lambda week: str(7 * week),
    "dates": lambda week: (FIRST + timedelta(weeks=week)).isoformat(),
    "months": lambda week: f"{2000 + week // 12}&month={week % 12 + 1}",
}


@dataclass
class Agenda:
    """A calendar of weeks, of which the first twelve have an event each, and a list of the first `listed` events."""

    kind: str = "dates"
    listed: int = LISTED
    events: int = EVENTS
    name: str = "date"
    every: bool = False
    diary: bool = False
    comic: bool = False
    index: bool = False
    folder: str = "calendar"
    entry: int = 0
    host = "agenda.example.com"
    start = "http://agenda.example.com/"

    def week(self, number: int) -> str:
        return f"/{self.folder.format(number % 3)}?{self.name}={KINDS[self.kind](number)}"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        if parts.path == "/":
            events = [f"/event/{n}" for n in range(self.listed)]
            weeks = range(CAP) if self.index else range(self.entry, self.entry + 1)
            more = ["/category/all/calendar?date=2026-01-12", f"/{self.folder}?{self.name}=all"] if self.every else []
            return Answer(200, prose("home"), (*events, *more, *map(self.week, weeks)), identity="home")
        if parts.path.startswith("/event/"):
            return Answer(200, prose(target), ("/",), identity=f"event {target[7:]}")
        if query[self.name] == "all" or "/all/" in target:
            return Answer(200, prose("all"), tuple(f"/event/report-{n}" for n in range(40)), identity="all")
        number = next(n for n in range(CAP + 1) if self.week(n) == target)
        event = number < self.events
        days = "".join(f"<p>{day} the {n} is a day of the week</p>" for n, day in enumerate("MTWTFSS"))
        text = prose(query[self.name]) if self.diary else f"<h2>Week {query[self.name]}</h2>{days}"
        if self.comic:
            # near the one before, and too long for a page that a script draws
            text = prose("what it is about", 400) + f"<p>Strip {number} of very many strips</p>"
        around = [self.week(number + 1), *([self.week(number - 1)] if number else [])]
        links = (*([f"/event/{number}"] if event else []), *around, "/")
        title = f"Strip {number}: {prose(target, 8)[3:30]}" if self.comic else "Agenda"
        return Answer(200, text, links, identity=f"week {number}", title=title)


def _day(week: int) -> str:
    return (FIRST + timedelta(weeks=week)).isoformat()


def put_off(site: Agenda, cap: int = CAP) -> list[Candidate]:
    visits, _ = record(site, cap)
    return [one for one in learn(visits, Options(jobs=1)).active if one.family.startswith("calendar")]


@pytest.mark.parametrize("kind", KINDS)
def test_what_leads_to_nothing_but_itself_is_put_off(kind: str) -> None:
    (found,) = put_off(Agenda(kind))
    assert (found.rule, found.value) == ("defer", True)
    matches = A_DATE if kind == "dates" else {"matches": "[0-9]+"}
    assert found.where == {"path": "/calendar", "query": {"date": matches}}
    assert "`date` lead to is known from others" in found.why


@pytest.mark.parametrize(("kind", "bound"), [("numbers", 7 * (EVENTS - 1)), ("dates", _day(EVENTS - 1))])
def test_dates_that_lead_to_events_stay(kind: str, bound: Any) -> None:
    site = Agenda(kind, listed=2)
    *below, above = put_off(site)
    assert above.where == {"path": "/calendar", "query": {"date": {"above": bound}}}
    # no number is below the first
    assert [one.where["query"]["date"] for one in below] == [{"below": _day(0)}] * (kind == "dates")
    verdict = Normalizer(learn(record(site, CAP)[0], Options(jobs=1)).rules).verdict
    later = [verdict(site.start + site.week(n)[1:]) for n in range(CAP)]
    # it is never skipped
    assert later == [(False, n >= EVENTS) for n in range(CAP)]


def test_a_calendar_that_was_crawled_one_way_has_another_end() -> None:
    """A crawl of it went on with the years before under a rule for the years to come."""
    below, above = put_off(Agenda(listed=0))
    assert above.where["query"] == {"date": {"above": _day(EVENTS - 1)}}
    assert below.where["query"] == {"date": {"below": FIRST.isoformat()}}
    assert below.why.startswith("no address of /calendar with `date` below 2026-01-05 was seen")
    assert below.rule == above.rule == "defer"


def test_the_date_by_which_a_calendar_is_entered_stays() -> None:
    """What lies on the way to events is put off no more than the weeks that have some."""
    _, above = put_off(Agenda(listed=0, entry=20))
    assert above.where == {"path": "/calendar", "query": {"date": {"above": _day(20)}}}


OTHERS = {
    "a diary, each page of which has a text": Agenda(diary=True),
    "a comic strip, each page of which has a title": Agenda(comic=True),
    "pages that a list names": Agenda(index=True),
    "pages of a list": Agenda("numbers", name="page"),
    "pictures of a gallery": Agenda("numbers", name="id"),
}


@pytest.mark.parametrize("site", OTHERS.values(), ids=OTHERS)
def test_what_is_no_calendar_is_not_put_off(site: Agenda) -> None:
    assert put_off(site) == []


def test_calendars_in_numbered_folders_are_one() -> None:
    """A crawl of a calendar of one category under what was learned of it went on with those of the others."""
    (found,) = put_off(Agenda(folder="category/{}/calendar"))
    assert found.where == {
        "path": "/category/*/calendar",
        "query": {"date": {"matches": "[0-9]{4}-[0-9]{2}-[0-9]{2}.*"}},
    }


@pytest.mark.parametrize("kind", ["numbers", "dates"])
def test_what_is_no_date_stays(kind: str) -> None:
    site = Agenda(kind, every=True)
    verdict = Normalizer(learn(record(site, CAP)[0], Options(jobs=1)).rules).verdict
    assert verdict("http://agenda.example.com/calendar?date=all") == (False, False)
    assert verdict(site.start + site.week(99)[1:]) == (False, True)


def test_what_was_never_followed_may_be_known_from_there_alone() -> None:
    """A crawl depth first has the weeks first, and was stopped before any of their events."""
    visits, _ = record(Agenda(listed=0, events=CAP), CAP)
    weeks = [visit for visit in visits if "/event/" not in visit.url]
    assert len(weeks) > 100
    assert [one for one in learn(weeks, Options(jobs=1)).active if one.family.startswith("calendar")] == []


def test_a_rule_that_would_hold_for_others_is_none() -> None:
    result = learn(record(Agenda(folder="category/{}/calendar", every=True), CAP)[0], Options(jobs=1))
    assert not [one for one in result.active if one.family.startswith("calendar")]
    (refused,) = [one for one in result.others if one.family.startswith("calendar")]
    assert refused.why.endswith("; but its conditions also hold for other addresses")


def test_an_end_that_may_lead_somewhere_puts_off_neither() -> None:
    visits, _ = record(Agenda(listed=0, events=CAP), CAP)
    known = [visit for visit in visits if "/event/" not in visit.url or len(visit.url.rpartition("/")[2]) < 2]
    assert [one for one in learn(known, Options(jobs=1)).active if one.family.startswith("calendar")] == []


@pytest.mark.parametrize(("titles", "alike"), [("one", True), ("another each time", False)])
def test_pages_under_titles_of_their_own_are_not_alike(titles: str, alike: bool) -> None:
    """A comic strip has little text beside its picture."""
    assert days_alike([Page("", "", label=5, title=n if titles != "one" else 1) for n in range(60)]) is alike


@pytest.mark.parametrize(("data", "alike"), [("the same", True), ("of the day", False), ("none", False)])
def test_days_without_a_word_are_alike_by_what_they_hand_to_scripts(data: str, alike: bool) -> None:
    """A crawl of Trac depth first met 4,800 empty days among 5,000 addresses: all of them was the frame of the site."""
    kinds = {"the same": [7] * 60, "of the day": range(1, 61), "none": [0] * 60}
    assert days_alike([Page("", "", data=one) for one in kinds[data]]) is alike


def days_alike(pages: list[Page]) -> bool:
    views = [view_of(f"http://a.example/?day={n}", [page]) for n, page in enumerate(pages)]
    return are_alike([view for view in views if view is not None], dict.fromkeys(range(len(pages)), 0))


def test_few_dates_need_no_rule() -> None:
    assert put_off(Agenda(), 60) == []
