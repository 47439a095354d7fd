"""Shapes behind a form to log in come last; one page among them, and they are requested in their turn."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from hashlib import sha1
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.unrequested.locked import MIN_LOCKED
from scrapy_urinorm.learn.unrequested.refused import MIN_REFUSED
from tests.live.sites import WORDS, Answer, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.learner import LearnResult
    from scrapy_urinorm.visits.record import Visit

ARTICLES, PER_LIST = 90, 6
FORMS = "/pages/*/revert/*"
FORM = "<h1>Log in</h1><p>Name <input name=name></p><p>Password <input name=password type=password></p>"


def form(number: int) -> str:
    """The address of a form: two places of a path may be anything, of which no rule on constant views is made."""
    return f"/pages/{WORDS[number % len(WORDS)]}-{number}/revert/{sha1(b'%d' % number).hexdigest()}"


@dataclass
class Paper:
    """Articles in lists, each with a form behind a log-in; `target` is where that redirects.

    `shown` of the forms are for anybody, from `since` on all are, and from `switch` on another form stands before them;
    the form to log in links to what `behind` says, and has a text of its own for the first `own_texts`.
    """

    target: str = "/login?next={}"
    status: int = 302
    forms_of: int = ARTICLES
    shown: tuple[int, ...] = ()
    since: int = ARTICLES
    switch: int = ARTICLES
    behind: tuple[str, ...] = ()
    own_texts: int = 0
    host = "paper.example.com"
    start = "http://paper.example.com/"

    def answer(self, target: str) -> Answer:
        path = target.partition("?")[0]
        kind, _, name = path[1:].partition("/")
        if kind in ("login", "shop"):
            number = int(path_number[1]) if (path_number := re.search(r"-(\d+)/", target)) else 0
            own = number < self.own_texts
            text = prose(target) if own else FORM
            return Answer(200, text, self.behind, identity=target if own else "form", title="Paper")
        if kind in ("", "list"):
            number = int(name or 0)
            links = [f"/article/{n}" for n in range(number * PER_LIST, (number + 1) * PER_LIST) if n < ARTICLES]
            onward = [f"/list/{number + 1}"] if links else []
            return Answer(200, prose(target), (*onward, *links), identity=target)
        if kind == "pages":
            number = int(name.partition("/")[0].rpartition("-")[2])
            if number not in self.shown and number < self.since:
                if number >= self.switch:
                    return Answer(302, location=f"/shop?next={path}")
                return Answer(self.status, location=self.target.format(path, number) if self.status < 400 else "")
            return Answer(200, prose(target), identity=target)
        number = int(name)
        links = [form(number)] if kind == "article" and number < self.forms_of else []
        return Answer(200, prose(target), tuple(links), identity=target)


def rows_of(result: LearnResult) -> tuple[list[Candidate], list[Candidate]]:
    """The rules that put forms off, and what was considered."""
    rows = [[one for one in rows if one.family == "errors"] for rows in (result.active, result.others)]
    return rows[0], rows[1]


def found(visits: list[Visit]) -> tuple[list[Candidate], list[Candidate]]:
    return rows_of(learn(visits, Options(jobs=1)))


LOCKED = {
    "a way back": Paper(),
    "an absolute one": Paper("/login?next=http://paper.example.com{}&lang=de"),
    "one page": Paper("/login"),
    "303": Paper(status=303),
    "as few as that": Paper(forms_of=MIN_LOCKED),
    "as few of one page": Paper("/login", forms_of=MIN_LOCKED),
    "denied": Paper(status=403, forms_of=MIN_LOCKED),
    "unauthorized": Paper(status=401, forms_of=MIN_LOCKED),
}


@pytest.mark.parametrize("site", LOCKED.values(), ids=LOCKED)
def test_what_leads_to_a_form_to_log_in_comes_last(site: Paper) -> None:
    visits, identities = record(site)
    result = learn(visits, Options(jobs=1))
    (rule,), _ = rows_of(result)
    assert (rule.rule, rule.where) == ("defer", {"path": FORMS})
    assert rule.evidence.saved == 0
    verdict = Normalizer(result.rules).verdict
    assert verdict("http://paper.example.com" + form(7)) == (False, True)
    assert not any(any(verdict(url)) for url in identities)


IN_THEIR_TURN = {
    "one that shows a page": (Paper(shown=(50,)), "1 of them showed a page, or something else"),
    "signed in later": (Paper(since=60), "30 of them showed a page, or something else"),
    "pages of their own": (Paper("/login?next={}", own_texts=5), "the pages that they lead to differ"),
    "many forms": (Paper("/login?kind={1}&next={0}"), ""),
    "two forms": (Paper(switch=45), "they lead to 2 pages"),
    "for good": (Paper(status=301), ""),
    "the start": (Paper("/"), ""),
    "the start with a way back": (Paper("/?next={}"), ""),
    "too few": (Paper(forms_of=MIN_LOCKED - 1), ""),
    "what else leads on": (Paper(behind=tuple(f"/article/{n}" for n in range(200, 260))), "they lead to others"),
}


@pytest.mark.parametrize(("site", "why"), IN_THEIR_TURN.values(), ids=IN_THEIR_TURN)
def test_what_may_be_more_is_requested_in_its_turn(site: Paper, why: str) -> None:
    rules, considered = found(record(site)[0])
    assert rules == []
    # what was considered says why it is no rule
    assert [one.why.partition("; but ")[2] for one in considered] == ([why] if why else [])


@pytest.mark.parametrize("again", [False, True], ids=["in the same crawl", "in another one"])
def test_a_page_that_was_shown_later_is_one(again: bool) -> None:
    """Whoever logs in requests what he was refused once more."""
    visits, _ = record(Paper())
    crawl = "20260102T000000Z-00000000" if again else visits[0].crawl
    shown = next(visit for visit in record(Paper(shown=(7,)))[0] if visit.url.endswith(form(7)))
    assert found(visits)[0]
    assert not found([*visits, replace(shown, crawl=crawl)])[0]
    # that it led to the form may have a line with what the form showed, too
    login = next(visit for visit in visits if visit.url.endswith("next=" + form(7)))
    ended = replace(login, url=shown.url, final_url=login.url, redirects=((302, shown.url),), id=None)
    assert found([*visits, ended])[0]
    assert not found([*visits, ended, replace(shown, crawl=crawl)])[0]


def test_of_a_crawl_that_was_cut_short_one_page_needs_more() -> None:
    """The things that are sold no more may have come first, and lead to the shop."""
    for target, least in (("/shop", MIN_REFUSED), ("/login?next={}", MIN_LOCKED)):
        visits, _ = record(Paper(target))
        led = [n for n, visit in enumerate(visits) if visit.status == 302]
        assert found(visits[: led[least + 3]])[0]
        rules, considered = found(visits[: led[least - 4]])
        assert rules == []
        if least == MIN_REFUSED:
            assert considered[0].why.endswith("the crawl had not come to its end, and nothing names the way back")


def test_a_server_that_has_had_enough_asks_everybody_to_log_in() -> None:
    visits, _ = record(Paper())
    forms = [visit for visit in visits if visit.status == 302]
    rules, considered = found([*(visit for visit in visits if visit.status != 302), *forms])
    assert rules == []
    assert considered[0].why.endswith("hardly a page was answered in between")
