"""Calendars without an end: their dates are put off where they lead to nothing else, and nothing like them is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.learn.candidate import Candidate

FIRST = date(2026, 1, 5)
EVENTS, LISTED, CAP = 12, 12, 300
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
    diary: bool = False
    comic: bool = False
    index: bool = False
    host = "agenda.example.com"
    start = "http://agenda.example.com/"

    def week(self, number: int) -> str:
        return f"/calendar?date={KINDS[self.kind](number)}"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        if parts.path == "/":
            events = [f"/event/{n}" for n in range(self.listed)]
            weeks = range(CAP) if self.index else range(1)
            return Answer(200, prose("home"), (*events, *map(self.week, weeks)), identity="home")
        if parts.path.startswith("/event/"):
            return Answer(200, prose(target), ("/",), identity=f"event {target[7:]}")
        number = next(n for n in range(CAP + 1) if self.week(n) == target)
        event = number < EVENTS
        days = "".join(f"<p>{day} the {n} is a day of the week</p>" for n, day in enumerate("MTWTFSS"))
        text = prose(query["date"]) if self.diary else f"<h2>Week {query['date']}</h2>{days}"
        if self.comic:
            text = prose("what it is about")
        around = [self.week(number + 1), *([self.week(number - 1)] if number else [])]
        links = (*([f"/event/{number}"] if event else []), *around, "/")
        title = f"Strip {number}: {prose(target, 8)[3:30]}" if self.comic else "Agenda"
        return Answer(200, text, links, identity=f"week {number}", title=title)


def put_off(site: Agenda, cap: int = CAP) -> list[Candidate]:
    visits, _ = record(site, cap)
    return [one for one in learn(visits, Options(jobs=1)).active if one.family.startswith("calendar")]


@pytest.mark.parametrize("kind", KINDS)
def test_what_leads_to_nothing_but_itself_is_put_off(kind: str) -> None:
    (found,) = put_off(Agenda(kind))
    assert (found.rule, found.value) == ("defer", True)
    assert found.where == {"path": "/calendar", "query": {"date": True}}
    assert "`date` lead to is known from others" in found.why


@pytest.mark.parametrize(
    ("kind", "bound"), [("numbers", 7 * (EVENTS - 1)), ("dates", (FIRST + timedelta(weeks=EVENTS - 1)).isoformat())]
)
def test_dates_that_lead_to_events_stay(kind: str, bound: Any) -> None:
    site = Agenda(kind, listed=2)
    (found,) = put_off(site)
    assert found.where == {"path": "/calendar", "query": {"date": {"above": bound}}}
    verdict = Normalizer(learn(record(site, CAP)[0], Options(jobs=1)).rules).verdict
    later = [verdict(site.start + site.week(n)[1:]) for n in range(CAP)]
    # it is never skipped
    assert later == [(False, n >= EVENTS) for n in range(CAP)]


OTHERS = {
    "a diary, each page of which has a text": Agenda(diary=True),
    "a comic strip, each page of which has a title": Agenda(comic=True),
    "pages that a list names": Agenda(index=True),
}


@pytest.mark.parametrize("site", OTHERS.values(), ids=OTHERS)
def test_what_is_no_calendar_is_not_put_off(site: Agenda) -> None:
    assert put_off(site) == []


def test_few_dates_need_no_rule() -> None:
    assert put_off(Agenda(), 60) == []
