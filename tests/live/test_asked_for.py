"""Pages that no link names, as a callback makes their addresses: of a sitemap, data, a form's answer, or a script."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.live.novelty import Novelty
from scrapy_urinorm.visits.links import url_hash
from tests.live.served import Served
from tests.live.sites import Answer, prose, record
from tests.live.test_crawl import live, pages
from tests.live.test_few_words import Register

if TYPE_CHECKING:
    from pathlib import Path

LIST, PERSON = "http://a.example/list/#", "http://a.example/person/#"
PEOPLE, ON_A_LIST = 150, 15

ASKED = [
    pytest.param(LIST, True, None, True, False, id="by a page with news"),
    pytest.param(LIST, True, "http://a.example/found", True, False, id="by one at another address"),
    pytest.param(LIST, False, None, False, False, id="by a page without"),
    pytest.param(PERSON, True, None, False, True, id="by one of its kind"),
    pytest.param(None, True, None, False, True, id="by what was no page, as a form"),
]


@pytest.mark.parametrize(("by", "news", "final", "few", "kin"), ASKED)
def test_a_few_words_are_a_pages_own_by_who_asked_for_it(
    by: str | None, news: bool, final: str | None, few: bool, kin: bool
) -> None:
    visits, _ = record(Register(), 20)
    asking, person = visits[0], visits[1]
    person.id, person.referer, person.depth = url_hash("http://a.example/asked"), final or asking.url, 1
    asking.final_url = final
    novelty = Novelty()
    novelty.news(asking)
    if by is not None:
        novelty.linked(asking, by, news=news)
    found = novelty.news(person, PERSON)
    assert (found.news, found.few, found.kin) == (False, few, kin)


def test_nobody_asked_for_a_start_page() -> None:
    visits, _ = record(Register(), 20)
    start, person = visits[0], visits[1]
    person.id, person.depth = url_hash("http://a.example/asked"), 0
    novelty = Novelty()
    novelty.news(start)
    found = novelty.news(person, PERSON)
    assert (found.few, found.kin) == (False, False)


@dataclass
class Scripted:
    """A register whose lists open people by a script: no link leads to one."""

    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"

    def answer(self, target: str) -> Answer:
        kind, _, number = target.strip("/").rpartition("/")
        if kind == "person":
            return Answer(200, f"<p>telephone {7919 * int(number)}</p>", identity=target, title=f"Person {number}")
        if kind == "list":
            shown = range(int(number) * ON_A_LIST, (int(number) + 1) * ON_A_LIST)
            return Answer(200, "".join(f'<p data-opens="/person/{n}">Person {n}</p>' for n in shown), identity=target)
        return Answer(200, prose("home"), tuple(f"/list/{n}" for n in range(PEOPLE // ON_A_LIST)), identity="home")


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.thorough
def test_people_that_a_script_opens_are_fetched(tmp_path: Path) -> None:
    with Served(Scripted()) as served:
        outcome = live(served, tmp_path, "Opening", URINORM_LIVE_CLOSE=5)
        assert outcome.reason == "finished"
        assert served.identities(pages(tmp_path)) >= {f"/person/{n}" for n in range(PEOPLE)}
