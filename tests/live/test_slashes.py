"""What is found on top of a rule on slashes is for the paths that it leaves, and judged on those that there are."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from benchmarks.simulator import Simulator
from scrapy_urinorm.learn import Options
from tests.live.orders import IN_BOTH_ORDERS
from tests.live.sites import Answer, identities_of, prose, record

TOPICS, VIEWS = 60, ("list", "grid", "wide")


@dataclass
class Topics:
    """Topics with and without a slash at the end, each in some views that show the same."""

    host: str = "topics.example"
    start: str = "http://topics.example/"

    def answer(self, target: str) -> Answer:
        parts = urlsplit(target)
        first, *rest = parts.path.strip("/").split("/")
        if not first:
            links = [f"/topics/{page}" for page in range(TOPICS // 10)]
            return Answer(200, prose("home"), tuple(links), identity="home")
        if first == "topics":
            page = int(rest[0])
            links = [f"/topic/{n}{slash}" for n in range(10 * page, 10 * page + 10) for slash in ("", "/")]
            return Answer(200, prose(parts.path), tuple(links), identity=parts.path)
        view = dict(parse_qsl(parts.query)).get("view", "")
        views = () if view else tuple(f"/topic/{rest[0]}/?view={n}" for n in VIEWS)
        return Answer(200, prose(rest[0]), views, identity=f"topic {rest[0]}")


@IN_BOTH_ORDERS
def test_views_are_told_though_slashes_are(newest_first: bool) -> None:
    visits, identities = record(Topics(), 2_000)
    live = Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)
    assert len(identities_of(live.fetched, identities)) == 1 + TOPICS // 10 + TOPICS
    said = [rule["said"] for _, one in live.log if one["do"] == "rules" for rule in one["rules"]]
    assert any("trailing_slash" in one for one in said), said
    assert any("'view'" in one for one in said), said
