"""What live rules leave to the next crawl, which tests nothing by samples: what the learner accepts, too."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.extent import for_all_numbers, for_seen_numbers
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.live.study import study
from scrapy_urinorm.visits.record import visit_from_row

HOST = "http://a.example"


@pytest.mark.parametrize(("pages", "lasts"), [(12, False), (60, True)])
def test_a_rule_with_few_pages_is_for_this_crawl_alone(pages: int, lasts: bool) -> None:
    """Four addresses a page are 36 pairs, which samples will test; another crawl would take them as they are."""
    texts = {f"/p{n}?rev={v}": f"page {n}" for n in range(pages) for v in range(4)}
    texts |= {f"/other/{n}": f"other {n}" for n in range(40)}
    rows = ({"url": HOST + path, "status": 200, "text_digest": text, "words": 100} for path, text in texts.items())
    found = study("a.example", [visit_from_row(row) for row in rows], Options(), [])
    one, other = f"{HOST}/p7?rev=9", f"{HOST}/p7?rev=8"
    assert len({Normalizer(found.source).key(url) for url in (one, other)}) == 1
    assert (len({Normalizer(found.lasting).key(url) for url in (one, other)}) == 1) is lasts
    assert found.rows


def test_a_constant_view_is_tried_on_all_numbers() -> None:
    """Depth first a crawl meets smaller numbers all the time, and tests by samples what they show."""
    texts = {f"/vote/{n}": "log in" for n in range(300, 200, -1)} | {f"/other/{n}": f"other {n}" for n in range(40)}
    rows = ({"url": HOST + path, "status": 200, "text_digest": text, "words": 100} for path, text in texts.items())
    ((alone, _, _),) = study("a.example", [visit_from_row(row) for row in rows], Options(), []).tried.values()
    assert len({Normalizer(alone).key(f"{HOST}/vote/{n}") for n in (7, 250, 407)}) == 1


@pytest.mark.parametrize(
    ("family", "path", "is_wider"),
    [
        ("constant view", "/vote/<201->", True),
        ("constant view", "/vote/*", False),
        ("segment", "/vote/<201-300>/print", False),
    ],
)
def test_it_is_for_the_next_crawl_from_the_smallest_number_on(family: str, path: str, is_wider: bool) -> None:
    one = Candidate("a.example", "rewrite", [], Evidence(), family, "", conditions={"path": path})
    assert (for_all_numbers(one).where == {}) is is_wider
    assert for_seen_numbers(for_all_numbers(one)).where == one.where


@pytest.mark.parametrize(
    ("shape", "values"), [("/p{n}?lang={v}", "de fr it"), ("/{v}/p{n}", "de fr it"), ("/p{n}?rev={v}", "1 2 3")]
)
def test_what_may_be_a_translation_comes_later_and_goes(shape: str, values: str) -> None:
    """The pages that are fetched first are the newest, and it is older ones that were translated."""
    texts = {shape.format(n=n, v=v): f"page {n}" for n in range(60) for v in values.split()}
    texts |= {f"/other/{n}": f"other {n}" for n in range(40)}
    rows = ({"url": HOST + path, "status": 200, "text_digest": text, "words": 100} for path, text in texts.items())
    found = study("a.example", [visit_from_row(row) for row in rows], Options(), [])
    urls = [HOST + shape.format(n=99, v=v) for v in values.split()]
    assert (len({Normalizer(found.source).key(url) for url in urls}) == 1) is ("rev" in shape)


@pytest.mark.parametrize(
    ("pages", "pair"),
    [
        (12, ["/p7?rev=9", "/p7?rev=8"]),
        (60, ["/p7?rev=9", "/p7?rev=8"]),
        (12, ["/p7?rev=9&ver=1", "/p7?rev=8&ver=2"]),
    ],
    ids=["one rule makes it one", "one that the learner accepts", "two do together"],
)
def test_what_the_users_own_rules_keep_apart_no_live_rule_makes_one(pages: int, pair: list[str]) -> None:
    texts = {f"/p{n}?{name}={v}": f"page {n}" for n in range(pages) for v in range(4) for name in ("rev", "ver")}
    texts |= {f"/other/{n}": f"other {n}" for n in range(40)}
    rows = ({"url": HOST + path, "status": 200, "text_digest": text, "words": 100} for path, text in texts.items())
    visits = [visit_from_row(row) for row in rows]
    own = {"site": {"a.example": {"distinct": [pair]}}}
    before, found = study("a.example", visits, Options(), []), study("a.example", visits, Options(), [own])
    one, other = (HOST + url for url in pair)
    assert len({Normalizer(before.source).key(url) for url in (one, other)}) == 1
    # the other rule stays
    assert found.source
    for source in (found.source, found.lasting, found.likely):
        Normalizer([source, own])
