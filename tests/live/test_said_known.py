"""Pages that name another as canonical which has shown their text, as a post names its topic: 31 are enough."""

from __future__ import annotations

import pytest

from benchmarks.simulator import Simulated, Simulator
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.brought import Turn
from scrapy_urinorm.live.said_known import SaidKnown
from scrapy_urinorm.live.yields import CLOSE, LOW, ONE_PAGE, Yields
from scrapy_urinorm.visits.page import Crawl, visit_of
from scrapy_urinorm.visits.record import Visit
from tests.live.sites import identities_of, prose

ORIGIN = "http://a.example"
TOPICS, POSTS = 40, 12


def forum(*, named: bool, apart: range) -> tuple[list[Visit], dict[str, str]]:
    """Topics, each shown again for each of its posts; posts that are `apart` show a page of their own."""
    crawl, visits, identities = Crawl("20260101T000000Z-00000000", b"salt" * 4), [], {}
    addresses = {"/": [f"/topic?id={n}" for n in range(TOPICS)]}
    for n in range(TOPICS):
        addresses[f"/topic?id={n}"] = posts = [f"/topic?pid={n * POSTS + k}" for k in range(POSTS)]
        addresses |= dict.fromkeys(posts, posts)
    for target, links in addresses.items():
        name, _, number = target.partition("=")
        of, canonical = target, ""
        if name.endswith("pid") and int(number) not in apart:
            of = f"/topic?id={int(number) // POSTS}"
            canonical = of if named else ""
        shown = "".join(f'<a href="{link}">{link[1:3]}</a>' for link in links)
        head = f'<link rel="canonical" href="{ORIGIN}{canonical}">' if canonical else ""
        body = f"<html><head>{head}</head><body><main>{prose(of)}</main>{shown}</body></html>"
        said = {"url": ORIGIN + target, "status": 200, "time": 0, "depth": 1, "read": True, "type": "text/html"}
        visits.append(visit_of(crawl, said, body.encode()))
        identities[ORIGIN + target] = of
    return visits, identities


def crawled(visits: list[Visit], *, newest_first: bool = False) -> Simulated:
    return Simulator(visits, Options(skip=False)).crawl(newest_first=newest_first)


def posts_of(found: Simulated) -> int:
    return sum("pid=" in url for url in found.fetched)


def test_their_shape_is_closed_by_the_sites_own_word() -> None:
    found = {named: posts_of(crawled(forum(named=named, apart=range(0))[0])) for named in (True, False)}
    # samples, and what was under way
    assert found[True] < LOW + ONE_PAGE + 40
    assert found[False] >= LOW + CLOSE


@pytest.mark.parametrize("newest_first", [False, True])
@pytest.mark.parametrize("apart", [range(0, TOPICS * POSTS, 10), range(200, 300), range(470, 480)])
def test_a_post_that_is_a_page_of_its_own_is_fetched_or_named(apart: range, newest_first: bool) -> None:
    visits, identities = forum(named=True, apart=apart)
    found = crawled(visits, newest_first=newest_first)
    assert identities_of([*found.fetched, *found.parked, *found.closed], identities) == set(identities.values())


def page(url: str, text: str, canonical: str | None = None, status: int = 200) -> Visit:
    return Visit(url=ORIGIN + url, status=status, text_digest=text, canonical=canonical)


@pytest.mark.parametrize(
    ("visit", "expected"),
    [
        pytest.param(page("/t?pid=2", "one", "/t?id=1"), True, id="it has shown that"),
        pytest.param(page("/t?pid=2", "one", f"{ORIGIN}/t?id=1"), True, id="in full"),
        pytest.param(page("/t?pid=2", "other", "/t?id=1"), False, id="another text"),
        pytest.param(page("/t?pid=2", "one", "/t?id=9"), False, id="was not fetched"),
        pytest.param(page("/t?id=1", "one", "/t?id=1"), False, id="itself"),
        pytest.param(page("/t?pid=2", "one"), False, id="names none"),
        pytest.param(page("/t?pid=2", "one", "/t?id=1", 404), False, id="an error"),
    ],
)
def test_what_is_known_by_the_sites_word(visit: Visit, expected: bool) -> None:
    known = SaidKnown()
    known(page("/t?id=1", "one"))
    assert known(visit) == expected


def turn_after(shown: list[str], *, said: bool = True, news: int = 0) -> Turn:
    """When a pattern is served after pages that show these texts."""
    yields = Yields()
    for n in range(news):
        yields.learned(POSTS_SHAPE, True, shows=f"own {n}")
    for text in shown:
        yields.learned(POSTS_SHAPE, False, shows=text, said=said)
    return yields.of[POSTS_SHAPE].turn


POSTS_SHAPE = "http://a.example/topic?pid=#"


@pytest.mark.parametrize("news", [0, 20])
def test_pages_that_show_one_and_the_same_are_not_believed_so_soon(news: int) -> None:
    """The front page in place of all others, which names itself: the site may be down."""
    topics = [f"topic {n // 12}" for n in range(LOW + ONE_PAGE)]
    front = ["front"] * len(topics)
    assert turn_after(topics, news=news) is Turn.CLOSED
    assert turn_after(front, news=news) is Turn.LATER
    assert turn_after(topics, said=False, news=news) is Turn.LATER
