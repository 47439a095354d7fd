"""Shapes that always answer with errors are skipped, or come last; what may be a page is requested."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.unrequested.refused import MIN_REFUSED
from tests.live.sites import Answer, prose, record

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate
    from scrapy_urinorm.learn.learner import LearnResult
    from scrapy_urinorm.visits.record import Visit

ARTICLES, PER_LIST = 90, 6


@dataclass
class Office:
    """Articles in lists, each with a form for who is signed in; `forms` says how they answer, `allowed` names one that
    anybody may see. After `patience` requests the server answers nothing but that.
    """

    forms: int = 403
    forms_of: int = ARTICLES
    allowed: int = -1
    redirects: bool = False
    patience: int = 100_000
    host = "office.example.com"
    start = "http://office.example.com/"

    def answer(self, target: str) -> Answer:
        self.patience -= 1
        if self.patience < 0:
            return Answer(self.forms)
        kind, _, name = target[1:].partition("/")
        if kind in ("", "list"):
            number = int(name or 0)
            links = [f"/article/{n}" for n in range(number * PER_LIST, (number + 1) * PER_LIST) if n < ARTICLES]
            onward = [f"/list/{number + 1}"] if links else []
            return Answer(200, prose(target), (*onward, *links), identity=target)
        number = int(name)
        if kind == "article":
            links = [f"/edit/{number}"] if number < self.forms_of else []
            return Answer(200, prose(target), tuple(links), identity=target)
        if kind == "edit" and self.redirects:
            return Answer(302, location=f"/denied/{number}")
        if number == self.allowed:
            return Answer(200, prose(target), identity=target)
        return Answer(self.forms)


def errors_of(result: LearnResult) -> list[Candidate]:
    return [one for one in result.active if one.family == "errors"]


def rules_of(visits: list[Visit], options: Options | None = None) -> list[Candidate]:
    return errors_of(learn(visits, options or Options(jobs=1)))


@pytest.mark.parametrize(("status", "rule"), [(404, "skip"), (410, "skip"), (401, "defer"), (403, "defer")])
def test_what_always_answers_so_is_skipped_or_comes_last(status: int, rule: str) -> None:
    """What is denied to one visitor another may see: a file may be used by a crawl that is signed in."""
    visits, identities = record(Office(status))
    result = learn(visits, Options(jobs=1))
    (found,) = errors_of(result)
    assert (found.rule, found.value, found.where) == (rule, True, {"path": "/edit/*"})
    said = f"{ARTICLES} addresses of the form /edit/{{x1}} answered with errors, and none with a page"
    assert found.why == said + ("; another visitor may see them" if rule == "defer" else "")
    # what comes last saves no request
    assert found.evidence.saved == (ARTICLES if rule == "skip" else 0)
    verdict = Normalizer(result.rules).verdict
    assert verdict("http://office.example.com/edit/7") == (rule == "skip", rule == "defer")
    assert not any(any(verdict(url)) for url in identities)


def test_a_crawl_that_was_cut_short_has_not_seen_all_of_them() -> None:
    """Old articles name what is sold no more, and depth first a crawl comes to those before it comes to the shop."""
    visits, _ = record(Office(404))
    errors = [n for n, visit in enumerate(visits) if visit.status == 404]
    (found,) = rules_of(visits[: errors[MIN_REFUSED + 5]])
    assert found.rule == "defer"
    assert found.why.endswith("; the crawl may not have seen all of them")


def test_without_links_nobody_knows_whether_it_has() -> None:
    visits = [replace(visit, links=None, links_count=None) for visit in record(Office(404))[0]]
    assert [found.rule for found in rules_of(visits)] == ["defer"]


def test_so_is_what_redirects_there() -> None:
    assert {found.where["path"] for found in rules_of(record(Office(404, redirects=True))[0])} >= {"/edit/*"}


OTHERS = {
    "not now": Office(503),
    "too many requests": Office(429),
    "one that shows a page": Office(allowed=50),
    "too few": Office(404, forms_of=MIN_REFUSED - 1),
}


@pytest.mark.parametrize("site", OTHERS.values(), ids=OTHERS)
def test_what_may_answer_otherwise_is_requested(site: Office) -> None:
    assert rules_of(record(site)[0]) == []


def test_as_many_as_that_are_enough() -> None:
    assert len(rules_of(record(Office(forms_of=MIN_REFUSED))[0])) == 1


def test_a_server_that_has_had_enough_says_nothing_of_what_was_asked_then() -> None:
    site = Office(404, patience=110)
    visits, _ = record(site)
    # all further articles and forms were refused
    assert sum(visit.status == 404 for visit in visits) > MIN_REFUSED
    assert rules_of(visits) == []


def test_whoever_wants_no_shapes_skipped_has_none() -> None:
    assert rules_of(record(Office())[0], Options(jobs=1, skip=False)) == []


def test_the_next_files_keep_it() -> None:
    """Under it no form is requested any more, and what was learned comes back from the file."""
    visits, _ = record(Office(404))
    first = learn(visits, Options(jobs=1))
    later = [visit for visit in visits if "/edit/" not in visit.url]
    assert [one.where for one in errors_of(first)] == [{"path": "/edit/*"}]
    again = learn(later, Options(jobs=1), earlier=first.active)
    assert Normalizer(again.rules).verdict("http://office.example.com/edit/7") == (True, False)


@dataclass
class Reports:
    """Companies with a report for each of the `years`, and a link to the next one, which is not written yet."""

    form: str
    years: tuple[str, ...]
    soon: str
    missing: int = 404
    host = "reports.example.com"
    start = "http://reports.example.com/"

    def answer(self, target: str) -> Answer:
        if target == "/":
            return Answer(200, prose(target), tuple(f"/company/{n}" for n in range(MIN_REFUSED + 10)), identity=target)
        if target.startswith("/company/"):
            number = target.rpartition("/")[2]
            links = tuple(self.form.format(number, year) for year in (*self.years, self.soon))
            return Answer(200, prose(target), links, identity=target)
        if self.soon in target:
            return Answer(self.missing)
        return Answer(200, prose(target), identity=target)


@pytest.mark.parametrize("missing", [404, 410])
@pytest.mark.parametrize(
    ("form", "years", "soon"),
    [
        ("/report/{}/{}", ("2025",), "2026"),
        ("/report?id={}&y={}", ("2025",), "2026"),
        ("/report/{}/issue-{}", ("1", "2"), "3"),
        ("/menu/{}/{}", ("mon", "tue"), "wed"),
    ],
)
@pytest.mark.thorough
def test_what_comes_after_others_of_its_kind_may_be_there_next_time(
    form: str, years: tuple[str, ...], soon: str, missing: int
) -> None:
    result = learn(record(Reports(form, years, soon, missing))[0], Options(jobs=1))
    [found] = errors_of(result)
    assert found.rule == "defer"
    assert found.why.endswith("; others of their series are pages, and these may be some day")
    later = Normalizer(result.rules).verdict(f"http://reports.example.com{form.format(7, soon)}")
    assert later == (False, True)


def test_a_word_beside_others_is_none_of_a_series() -> None:
    visits, _ = record(Reports("/report/{}/{}", ("text", "print"), "sound"))
    assert [one.rule for one in rules_of(visits)] == ["skip"]
