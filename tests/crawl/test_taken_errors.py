"""A spider that makes items of errors, as one that looks for dead links: no rule hides them from its next crawl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Spider
from scrapy.exceptions import DropItem

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.visits import read_visits
from scrapy_urinorm.visits.record import GIVEN_OWN
from tests.crawl.crawling import Job, crawl
from tests.live.sites import Answer, prose
from tests.serving import Serving

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy.http import Response
    from twisted.python.failure import Failure

LISTS, ON_A_LIST = 8, 12


class Seeking(Spider):
    """Follow every link, and take no notice of errors."""

    name = "seeking"

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse, errback=self.failed)

    def failed(self, failure: Failure) -> Iterator[Any]:
        yield from ()


class ByErrback(Seeking):
    """Make an item of each by the errback."""

    def failed(self, failure: Failure) -> Iterator[Any]:
        yield {"dead": failure.value.response.url}  # type: ignore[union-attr]  # of an HttpError


class ByCallback(Seeking):
    """Have each in the callback."""

    handle_httpstatus_list = (404,)

    def parse(self, response: Response) -> Iterator[Any]:
        if response.status == 404:
            yield {"dead": response.url}
        else:
            yield from super().parse(response)


class Elsewhere:
    """Keep items elsewhere, and let none through: the signal of an item never comes."""

    def process_item(self, item: Any, spider: Any = None) -> None:
        raise DropItem("kept elsewhere")


def answer(target: str) -> tuple[int, dict[str, str], str]:
    kind, _, number = target.strip("/").rpartition("/")
    if kind == "gone":
        return 404, {}, "<p>There is nothing here</p>"
    if kind == "list":
        some = range(int(number) * ON_A_LIST, (int(number) + 1) * ON_A_LIST)
        links = tuple(f"/{what}/{n}" for n in some for what in ("page", "gone"))
    else:
        links = tuple(f"/list/{n}" for n in range(LISTS))
    return 200, {}, Answer(200, prose(target), links).html()


@pytest.mark.parametrize(
    ("spider", "pipelines", "items"),
    [
        pytest.param("Seeking", {}, 0, marks=pytest.mark.thorough),
        ("ByErrback", {}, LISTS * ON_A_LIST),
        pytest.param("ByCallback", {}, LISTS * ON_A_LIST, marks=pytest.mark.thorough),
        pytest.param("ByErrback", {Elsewhere: 1}, 0, marks=pytest.mark.thorough),
    ],
)
def test_errors_that_are_items_are_not_skipped(
    tmp_path: Path, spider: str, pipelines: dict[type, int], items: int
) -> None:
    hidden = spider == "Seeking"
    with Serving(answer) as server:
        places = {f"{one.__module__}.{one.__name__}": place for one, place in pipelines.items()}
        settings = {
            "ADDONS": {"scrapy_urinorm.Addon": 600},
            "URINORM_VISITS": "visits.jsonl",
            "ITEM_PIPELINES": places,
        }
        job = Job(spider, [server.origin + "/"], settings, spider=f"tests.crawl.test_taken_errors.{spider}")
        outcome = crawl(job, tmp_path)
        assert outcome.reason == "finished"
        assert len(outcome.items) == items
        visits = list(read_visits([tmp_path / "visits.jsonl"]))
        assert any(visit.given == GIVEN_OWN for visit in visits if visit.status == 404) is not hidden
        assert not any(visit.given for visit in visits if visit.status == 200)
        result = learn(visits)
        assert Normalizer(result.rules).decide(f"{server.origin}/gone/7").skip is hidden
        # what is said of requests with something of their own is not said of these
        assert result.given == 0
        assert (result.given_errors > 0) is not hidden
