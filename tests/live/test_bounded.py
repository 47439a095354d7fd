"""What a site can make a crawl with live rules remember: a number of octets, whatever it sends."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from benchmarks.in_memory import InMemory
from scrapy_urinorm import suffixes
from scrapy_urinorm.crawl.live import LiveRules
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live import novelty, student
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.kin import COUNTER, Kin
from scrapy_urinorm.live.novelty import Novelty
from scrapy_urinorm.live.patterns import LONGEST, Patterns
from scrapy_urinorm.live.questions import SiteNames
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.visits import Visit
from scrapy_urinorm.visits.links import url_hash
from tests.crawl.components import crawler_with

LONG = [
    pytest.param("http://s.example" + "/ab" * 2_700, id="folders"),
    pytest.param("http://s.example/" + "x" * 8_000, id="one-name"),
    pytest.param("http://s.example/" + "x" * 8_000 + "/a", id="a-folder"),
    pytest.param("http://s.example/?" + "&".join(f"a{n}=b" for n in range(2_000)), id="parameters"),
    pytest.param("http://s.example/?" + "n" * 8_000 + "=b", id="the-name-of-a-parameter"),
    pytest.param("http://s.example/?a=" + "b" * 8_000, id="a-value"),
    pytest.param("http://" + "h" * 8_000 + "/a/b", id="a-host"),
]


def octets(patterns: Patterns) -> int:
    """The letters of the places that are told apart, and of what stands there."""
    texts = [text for place, known in patterns._places.items() for text in (place, *(known or ()))]
    return sum(len(text) if isinstance(text, str) else 8 for text in texts)


@pytest.mark.parametrize("url", LONG)
def test_of_a_long_address_what_its_shape_has_room_for_is_remembered(url: str) -> None:
    patterns = Patterns()
    for _ in range(3):
        assert len(patterns.of(url)) <= LONGEST
    # each level by those above it
    assert octets(patterns) < LONGEST * LONGEST


def test_what_is_cut_off_changes_no_shape() -> None:
    cut, whole = "http://s.example/a/" + "z" * LONGEST, "http://s.example/a/b?c=d"
    one, other = Patterns(), Patterns()
    assert one.of(cut + "/1/x") == one.of(cut + "?e=f") == one.of(cut) == cut[:LONGEST]
    assert one.of(whole) == other.of(whole) == whole


def test_patterns_without_end_are_not_all_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(novelty, "PATTERNS", 10)
    monkeypatch.setattr(novelty, "LINKERS", 200)
    news = Novelty()
    for n in range(300):
        links = url_hash(f"http://s.example/{n}")
        visit = Visit(url=f"http://s.example/?p{n}=1", status=200, id=url_hash(f"{n}"), links=links)
        news.linked(visit, f"http://s.example/?p{n}=*", news=n % 2 == 0)
    held = {id(name) for table in vars(news).values() if isinstance(table, dict) for name in table.values()}
    assert len(held) <= 4 * 10 + 4
    # what nobody remembers has led to nothing, and is no page of its own kind
    late = Visit(url="http://s.example/98", status=200, id=url_hash("http://s.example/98"))
    assert news.linker(late) is None
    early = Visit(url="http://s.example/0", status=200, id=url_hash("http://s.example/0"))
    assert news.linker(early) == "http://s.example/?p0=*"


def test_where_redirects_lead_is_remembered_in_a_few_letters() -> None:
    desk = Desk([], "recommended")
    long = "http://s.example/?a=" + "b" * 60_000
    for n in range(5):
        desk.failed(desk.claim(f"http://s.example/{n}/x?c{n}=d", 0), long)
    texts = Counter[str]()
    for found in desk.yields.of.values():
        texts[found.shows] += 1
    assert max(map(len, (*texts, *desk.yields._led_to.values()))) < 40
    assert texts.most_common(1)[0][1] >= 5


def test_addresses_that_were_met_are_remembered_by_their_octets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(student, "MOST_WAITING", 20_000)
    one = Student(Options(), [], InMemory())
    urls = [f"http://s.example/?a={n}" + "b" * 5_000 for n in range(20)]
    new = one.met(urls)["s.example"]
    assert len(new) == 4
    for url in urls:
        one.take(Visit(url=url, status=200, id=url_hash(url)), url[:20])
    assert one._waiting == 0
    assert one.met(["http://s.example/c"]) == {"s.example": ["http://s.example/c"]}


def test_who_logs_in_is_not_remembered() -> None:
    names: Any = SiteNames()
    for n in range(20):
        assert names.of(f"http://{n}{'a' * 5_000}:b@www.s.example/x") == "s.example"
    assert sum(map(len, names._known)) < 1_000


def test_the_suffix_list_is_loaded_before_the_first_request() -> None:
    suffixes._tree.cache_clear()
    Desk([], "recommended")
    assert suffixes._tree.cache_info().currsize == 1


def test_the_desk_of_a_crawl_has_no_pairs_of_its_user() -> None:
    """With each rule that is found its tables are loaded again, between two requests."""
    pairs = [[f"http://s.example/{n}", f"http://s.example/?a={n}"] for n in range(3)]
    settings = {
        "URINORM_LIVE": True,
        "URINORM_RULES": {"site": {"s.example": {"distinct": pairs, "remove_params": ["b"]}}},
    }
    live = LiveRules(crawler_with(settings))
    assert len(live._opening["rules"][0]["rules"]["distinct"]) == 3
    preset = live._opening["preset"]
    assert [*live.desk._rules.sources] == [{"preset": preset, "site": {"s.example": {"remove_params": ["b"]}}}]


def test_of_the_forms_of_pages_with_a_picture_a_number_is_remembered() -> None:
    kin = Kin()
    for n in range(2 * COUNTER):
        kin.is_drawn([7], f"http://s.example/?{'n' * 200}{n}=#")
    (forms,) = kin._drawn.values()
    assert len(forms) == COUNTER
    assert {type(form) for form in forms} == {int}
