"""The scores: what they count, and what the learner reaches on halves that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks.learners import LEARNERS
from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options
from scrapy_urinorm.learn.baselines import BASELINES
from scrapy_urinorm.learn.evaluation import Scores, evaluate, halves, judge, macro
from scrapy_urinorm.learn.pages.page import Page
from tests.learn.sites import Site, blog, docs, forum, sketch, wiki

if TYPE_CHECKING:
    from collections.abc import Callable


def page(url: str, label: int, text: str = "") -> Page:
    return Page(url, url, label, sketches=(sketch(text or str(label)),))


def test_identity_fetches_everything_and_loses_nothing() -> None:
    pages = [page("a", 1), page("b", 1), page("c", 2)]
    scores = judge(pages, lambda url: (url, False))
    assert (scores.cut, scores.recall, scores.lost, scores.precision) == (0, 0, 0, 1)


def test_an_oracle_saves_all_that_is_redundant() -> None:
    pages = [page("a", 1), page("b", 1), page("c", 2)]
    scores = judge(pages, lambda url: ("2" if url == "c" else "1", False))
    assert (scores.fetched, scores.recall, scores.lost) == (2, 1, 0)


def test_one_key_for_all_loses_all_but_one() -> None:
    pages = [page(str(n), n) for n in range(10)]
    scores = judge(pages, lambda _: ("x", False))
    assert (scores.fetched, scores.lost, scores.mixed, scores.precision) == (1, 9, 9, 0)


def test_a_page_that_resembles_its_stand_in_is_not_lost() -> None:
    alike = Page("b", "b", 2, sketches=(sketch("1", changed=9),))
    scores = judge([page("a", 1), alike], lambda _: ("x", False))
    assert (scores.lost, scores.changed) == (0, 1)


def test_skipping_counts_as_saved_where_the_page_was_fetched() -> None:
    pages = [page("a", 1), page("b", 1), page("c", 2)]
    scores = judge(pages, lambda url: (url, url != "a"))
    assert (scores.fetched, scores.saved, scores.lost) == (1, 1, 1)


def test_scores_add_up() -> None:
    total = Scores(10, 5, 5, 5)
    total.add(Scores(10, 5, 10))
    assert (total.cut, total.recall) == (0.25, 0.5)


@pytest.mark.parametrize(
    ("make", "least"),
    [
        pytest.param(blog, 0.4, id="blog"),
        pytest.param(wiki, 0.15, id="wiki", marks=pytest.mark.slow),
        pytest.param(docs, 0.0, id="docs"),
    ],
)
def test_held_out_halves(make: Callable[[], Site], least: float) -> None:
    found = evaluate(make().visits(), Options(), seeds=(1, 2))
    (scores,) = found.values()
    assert scores["learned"].lost == 0
    assert scores["learned"].cut >= least
    assert scores["no parameters"].lost > 0 or make is not wiki
    assert macro([scores["learned"]])["cut"] == scores["learned"].cut


def test_halves_share_no_page() -> None:
    pages = [page(f"/p{n}", n // 2) for n in range(100)] + [page(f"/login?{n}", 999) for n in range(200)]
    split = halves(pages, 1)
    assert {p.label for p in split.train} & {p.label for p in split.test} == set()
    assert len(split.train) + len(split.test) + len(split.soft) == 300
    assert {p.label for p in split.soft} == {999}
    assert 60 < len(split.soft) < 140


@pytest.fixture(scope="module")
def of_a_forum() -> dict[str, Scores]:
    (scores,) = evaluate(forum().visits(), Options(), seeds=(1,)).values()
    return scores


@pytest.mark.slow
def test_soft_errors_are_held_out_and_scored_apart(of_a_forum: dict[str, Scores]) -> None:
    scores = of_a_forum
    learned, preset = scores["learned"], scores["preset"]
    assert learned.soft_urls == preset.soft_urls == preset.soft_keys > 300
    assert learned.soft_keys < 0.6 * preset.soft_keys
    assert learned.soft_mixed == 0
    assert scores["no parameters"].soft_mixed > 0


def test_pages_that_are_known_better_are_scored_by_that() -> None:
    """The visits say that many addresses show one page, the truth that each shows another."""
    visits = blog(posts=40).visits()
    known = {visit.url: visit.url for visit in visits}
    (scores,) = evaluate(visits, Options(), seeds=(1,), identities=known).values()
    assert scores["learned"].classes == scores["learned"].urls
    assert scores["learned"].lost > 0.2 * scores["learned"].urls


# ------------------------------------------------------------------ baselines


def learned_by(name: str, texts: dict[str, int]) -> dict[str, str]:
    """The key of each address under a baseline learned from these pages: paths with what they show."""
    pages = [page("http://a.example" + path, label) for path, label in texts.items()]
    decide = (BASELINES | LEARNERS)[name](pages, Normalizer(None, "safe"))
    return {path: decide("http://a.example" + path)[0].removeprefix("http://a.example") for path in texts}


PRINT = {f"/p{n}": n for n in range(6)} | {f"/p{n}?v=print": n for n in range(6)}
ORDER = {f"/f{n}?o=a": n for n in range(9)} | {f"/f{n}": n if n < 2 else 100 + n for n in range(9)}


def test_two_confirmations_are_enough_whatever_speaks_against() -> None:
    assert learned_by("two confirmations", PRINT)["/p1?v=print"] == "/p1"
    assert learned_by("two confirmations", ORDER)["/f7?o=a"] == "/f7"


def test_dustbuster_validates_what_it_finds() -> None:
    assert learned_by("DustBuster", PRINT)["/p1?v=print"] == "/p1"
    assert learned_by("DustBuster", ORDER)["/f7?o=a"] == "/f7?o=a"


def test_names_of_sessions() -> None:
    found = learned_by("session names", {"/p?sid=0123456789abcdef&a=1": 1, "/p?sid=12": 2, "/p?q=0123456789abcdef": 3})
    assert list(found.values()) == ["/p?a=1", "/p?sid=12", "/p?q=0123456789abcdef"]


@pytest.mark.slow
def test_the_forum_of_search_ids_is_lost_by_session_names(of_a_forum: dict[str, Scores]) -> None:
    assert of_a_forum["session names"].loss > 0.1
    assert of_a_forum["learned"].lost == 0
