"""Forms to log in are known by the field for a password, whatever the program; what one of them says is not lost."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn.evidence.pack_lines import pack_candidates
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.recognition import Found
from scrapy_urinorm.rulesets import platforms
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

TOPICS, PER_LIST = 300, 20
FORM = '<form><input name="name"><input type="password" name="password"></form>'
OPTIONS = Options(skip=False)


@dataclass
class Board:
    """Topics that one has to log in to reply to; of one in `every` the form says what is asked of a visitor besides."""

    every: int = 0
    form: str = FORM
    host: str = "board.example"
    start: str = "http://board.example/"

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        if path == "/":
            return Answer(200, prose("front"), ("/login?next=/", *(f"/list/{n}" for n in range(TOPICS // PER_LIST))))
        if path == "/login":
            return self._form(query.removeprefix("next="))
        _, kind, name = path.split("/")
        if kind == "list":
            first = PER_LIST * int(name)
            return Answer(200, prose(path), tuple(f"/topic/{n}" for n in range(first, first + PER_LIST)))
        links = (f"/login?next={path}",) if kind == "topic" else ()
        return Answer(200, prose(path), links, identity=path)

    def _form(self, back: str) -> Answer:
        number = back.rpartition("/")[2]
        if self.every and number and int(number) % self.every == 0:
            return Answer(200, self.form + prose(f"terms {number}"), (f"/terms/{number}",), identity=f"terms {number}")
        return Answer(200, self.form + prose("form"))


def crawled(site: Board, *, newest_first: bool) -> tuple[list[str], int]:
    """Return the forms that were fetched, and how many pages were not met."""
    visits, identities = record(site)
    fetched = Simulator(visits, OPTIONS).crawl(newest_first=newest_first).fetched
    missed = set(identities.values()) - identities_of(fetched, identities)
    return [url for url in fetched if "/login" in url], len(missed)


@IN_BOTH_ORDERS
def test_three_forms_are_compared_and_not_31(newest_first: bool) -> None:
    forms, missed = crawled(Board(), newest_first=newest_first)
    assert (len(forms) <= 45, missed) == (True, 0)
    without, _ = crawled(Board(form=""), newest_first=newest_first)
    assert len(forms) < len(without)


@pytest.mark.parametrize("field", ["<input type='password'>", "<INPUT TYPE=password>", '<input type="Password">'])
def test_the_field_is_known_in_any_spelling(field: str) -> None:
    form = FORM.replace('<input type="password" name="password">', field)
    forms, _ = crawled(Board(form=form), newest_first=False)
    assert len(forms) <= 45


@IN_BOTH_ORDERS
def test_what_one_form_in_ten_says_is_met(newest_first: bool) -> None:
    forms, missed = crawled(Board(every=10), newest_first=newest_first)
    assert (len(forms), missed) == (TOPICS + 1, 0)


def test_a_learned_file_has_them_for_what_pages_say() -> None:
    """`learn` tests nothing afterwards, so that what is of no program has to show itself like any other rule."""
    programs = [Found("a.example", name, "/", (), 1) for name in ("logins", "mailman")]
    both, alone = ([one.why for one in pack_candidates(found)] for found in (programs, programs[1:]))
    assert both == alone != []
    assert [name for name in platforms.names() if platforms.pack(name).anywhere] == ["logins"]
