"""Links that lead to what they say, crawled under a rule that gives them the key of it: none of what they name is lost.

The link is asked for first, and its redirect meets its own key; or it answers nothing, and what it names was left out
for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

import pytest

from tests.live.served import Served
from tests.live.sites import Answer, prose
from tests.live.test_crawl import FIFO, live, pages

if TYPE_CHECKING:
    from pathlib import Path

ARTICLES, PER_LIST = 30, 10
NEXT = [{"name": "next", "paths": True}]
RULES = {"host": {"127.0.0.1": {"where": [{"path": path, "unwrap_params": NEXT} for path in ("/go", "/step")]}}}


@dataclass
class Counted:
    """Articles that lists link to through a counter, which redirects, by `steps` more of its addresses, or answers with
    `status`; where it does, lists name the articles as well, after it.
    """

    status: int = 302
    steps: int = 0
    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"

    def answer(self, target: str) -> Answer:
        if target == "/robots.txt":
            return Answer(200, "")
        parts = urlsplit(target)
        query = dict(parse_qsl(parts.query))
        first, *rest = parts.path.strip("/").split("/")
        if first == "go" and self.status != 302:
            return Answer(self.status)
        if first == "go" and self.steps:
            return Answer(302, location="/step?next=" + quote(query["next"], safe=""))
        if first in ("go", "step"):
            return Answer(302, location=query["next"])
        if first == "a":
            return Answer(200, prose(target), ("/",), identity=f"article {rest[0]}")
        number = int(query.get("page", 0))
        here = range(number * PER_LIST, (number + 1) * PER_LIST)
        links = [f"/go?next=/a/{n}" for n in here]
        links += [f"/a/{n}" for n in here if self.status != 302]
        links += [f"/?page={number + 1}"] if here[-1] + 1 < ARTICLES else []
        return Answer(200, prose(target), tuple(links), identity=f"list {number}")


CRAWLS = {
    "it redirects": (Counted(), {}),
    "it redirects twice": (Counted(steps=1), {}),
    "it fails": (Counted(500), {"RETRY_ENABLED": False}),
    "nobody may ask it": (Counted(403), {}),
}


# what redirects and fails is let pass on the oldest Scrapy, too: `test_redirects`, `test_second_chance`
@pytest.mark.newest
@pytest.mark.parametrize(
    "order", [{}, pytest.param(FIFO, marks=pytest.mark.slow)], ids=["depth first", "breadth first"]
)
@pytest.mark.parametrize(
    ("site", "settings"),
    [
        pytest.param(*crawl, id=name, marks=[pytest.mark.slow] * (name in ("it redirects", "nobody may ask it")))
        for name, crawl in CRAWLS.items()
    ],
)
def test_what_they_name_is_fetched(
    site: Counted, settings: dict[str, Any], order: dict[str, Any], tmp_path: Path
) -> None:
    with Served(site) as served:
        outcome = live(served, tmp_path, URINORM_LIVE=False, URINORM_RULES=RULES, **settings, **order)
        assert outcome.reason == "finished"
        assert not outcome.lines("ERROR")
        assert {f"article {n}" for n in range(ARTICLES)} <= served.identities(pages(tmp_path))
    # the rule was in
    assert outcome.stats.get("urinorm/redirect_passed", 0) + outcome.stats.get("urinorm/second_chance", 0) >= ARTICLES
