"""Steps from a day in the path (`/agenda/2026/11/28/?next=3`): one form of address, not one for each day."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from scrapy_urinorm.learn import learn
from tests.learn.test_numbered import OPTIONS, Shown, crawled

FIRST, DAYS, STEPS = date(2026, 10, 20), 90, 4
PATHS = {
    "day": "/agenda/{0.year}/{0.month}/{0.day}/",
    "two digits": "/agenda/{0:%Y/%m/%d}/",
    "at the root": "/{0:%Y/%m/%d}/",
    "named": "/agenda/{0:%Y/%m/%d}/list",
}


class Agenda:
    """Days by their date, each also at some steps from the days before and after it.

    Of the steps one in `own` has a page of its own, and none if that is 0.
    """

    def __init__(self, form: str, own: int = 0) -> None:
        self.days = {PATHS[form].format(FIRST + timedelta(n)): n for n in range(DAYS)}
        self.own = own

    def answer(self, path: str) -> Shown:
        day, _, query = path.partition("?")
        if day not in self.days:
            return Shown(path, [*self.days, "/about"] if path == "/" else [])
        at, step = self.days[day], 0
        if query:
            step = int(query.partition("=")[2]) * (-1 if query.startswith("back=") else 1)
        there = at + step
        text = path if step and self.own and not (at + step) % self.own else f"day {there}"
        names = [f"?next={step + 1}", f"?back={1 - step}"]
        follow = [day + name for name, to in zip(names, (step + 1, step - 1), strict=True) if self.is_met(at, to)]
        return Shown(text, follow)

    @staticmethod
    def is_met(at: int, step: int) -> bool:
        return 0 < abs(step) <= STEPS and 0 <= at + step < DAYS


@pytest.mark.parametrize(
    "form", [pytest.param(form, marks=[pytest.mark.thorough] * (form != "named")) for form in PATHS]
)
def test_steps_from_a_day_are_one_form_of_address(form: str) -> None:
    site = Agenda(form)
    visits, everything = crawled(site.answer, 10_000)
    assert len(visits) > 5 * DAYS
    found = learn(visits, OPTIONS)
    assert {one.rule for one in found.active} == {"skip"}
    again, shown = crawled(site.answer, 10_000, found.rules)
    assert shown == everything
    assert len(again) == DAYS + 2


@pytest.mark.parametrize("own", [4, 30])
@pytest.mark.thorough
def test_steps_with_pages_of_their_own_are_no_copies(own: int) -> None:
    site = Agenda("day", own)
    visits, everything = crawled(site.answer, 10_000)
    assert crawled(site.answer, 10_000, learn(visits, OPTIONS).rules)[1] == everything
