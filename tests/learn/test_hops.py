"""Redirects show nothing: a page is met where they lead to, and not where that is skipped."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evaluation import judge
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.visits.record import visit_from_row

HOST = "http://forum.example"
TOPICS = 60
POSTS = 5


def row(path: str, text: str, links: list[str], referer: str = "/", **more: Any) -> dict[str, Any]:
    said = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": int(path != "/")}
    return {**said, "links": [HOST + link for link in links], "referer": HOST + referer, **more}


def forum() -> list[dict[str, Any]]:
    """Topics that a list names, and their posts that another one names, each of which redirects to its topic."""
    topics = [f"/topic/{n}-title" for n in range(TOPICS)]
    rows = [row("/", "front", ["/recent", *topics])]
    rows.append(row("/recent", "recent", ["/", *(f"/post/{n}" for n in range(TOPICS * POSTS))]))
    for n, topic in enumerate(topics):
        posts = [f"/post/{n * POSTS + k}" for k in range(POSTS)]
        rows.append(row(topic, f"topic {n}", ["/", *posts]))
        for post in posts:
            hop = row(post, "", [], topic, status=302, final_url=HOST + topic, redirects=[[302, HOST + topic]])
            rows.append({**hop, "text_digest": None, "words": None})
    return rows


@pytest.mark.parametrize("options", [Options(jobs=1), Options(jobs=1).strict()], ids=["default", "strict"])
@pytest.mark.parametrize("lacks", [(), ("links",), ("links", "referer")], ids=["links", "referers", "neither"])
def test_what_redirects_lead_to_is_not_found_at_them(lacks: tuple[str, ...], options: Options) -> None:
    rows = [{name: value for name, value in one.items() if name not in lacks} for one in forum()]
    normalizer = Normalizer(learn(map(visit_from_row, rows), options).rules)
    assert not any(normalizer.decide(f"{HOST}/topic/{n}-title").skip for n in range(TOPICS + 20))


def test_who_follows_a_redirect_to_what_is_skipped_meets_nothing() -> None:
    topic, post = Page("/topic", "/topic", label=1), Page("/post", "/post", label=1, final="/topic")
    pages = [topic, post, Page("/", "/", label=2)]
    assert judge(pages, lambda url: (url, url == "/topic")).lost == 1
    assert judge(pages, lambda url: (url, url == "/post")).lost == 0
