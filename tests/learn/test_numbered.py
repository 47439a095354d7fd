"""Lists that never end, with their number in the path: skipped beyond what was new and room to grow, and no further."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from tests.learn.test_strict import HOST, page

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_urinorm.visits.record import Visit

LISTS, ITEMS, CAP = 4, 3, 400
# what a list may grow to: three to five pages, and room for 30 more, rounded up
ROOM = 64
OPTIONS = Options(jobs=1)


class Shown(NamedTuple):
    """What an address shows, and its links."""

    text: str
    links: Sequence[str]


def shop(pages: Callable[[int], int], *, last: int = 10**9, step: int = 1) -> Callable[[str], Shown]:
    """A shop of four lists with so many pages, whose "next" goes on to a last one, if any, by steps beyond the end."""

    def answer(path: str) -> Shown:
        kind, *rest = path[1:].split("/")
        if kind == "c":
            number, at = int(rest[0]), int(rest[2])
            following = [f"/c/{number}/page/{at + (step if at > pages(number) else 1)}"] if at < last else []
            if at > pages(number):
                return Shown(f"nothing in {number}", following)
            return Shown(f"list {number} {at}", [*following, *(f"/item/{number}-{at}-{n}" for n in range(ITEMS))])
        if kind == "item":
            return Shown(path, ["/"])
        return Shown("home", [f"/c/{n}/page/1" for n in range(LISTS)])

    return answer


def few(number: int) -> int:
    return 3 + number % 3


def crawled(
    answer: Callable[[str], Shown], cap: int, rules: dict[str, Any] | None = None, *, deep: bool = False
) -> tuple[list[Visit], set[str]]:
    """Crawl a site; return the visits and what was shown. What is put off waits until nothing else does."""
    decide = Normalizer(rules).decide
    now, met = ["/"], {decide(HOST + "/").key}
    later: list[str] = []
    visits: list[Visit] = []
    shown: set[str] = set()
    while (now or later) and len(visits) < cap:
        waiting = now or later
        path = waiting.pop(-1 if deep else 0)
        found = answer(path)
        shown.add(found.text)
        visits.append(page(path, found.text, links=[*found.links]))
        for link in found.links:
            decision = decide(HOST + link)
            if not decision.skip and decision.key not in met:
                met.add(decision.key)
                (later if decision.defer else now).append(link)
    return visits, shown


def everything(pages: Callable[[int], int]) -> set[str]:
    lists = [(n, at) for n in range(LISTS) for at in range(1, pages(n) + 1)]
    return {f"list {n} {at}" for n, at in lists} | {f"/item/{n}-{at}-{m}" for n, at in lists for m in range(ITEMS)}


@pytest.mark.parametrize("deep", [False, True])
def test_a_shop_without_an_end_comes_to_one(deep: bool) -> None:
    visits, _ = crawled(shop(few), CAP, deep=deep)
    for _ in range(LISTS if deep else 1):
        # depth first each crawl is stopped in another list
        rules = learn(visits, OPTIONS).rules
        again, shown = crawled(shop(few), CAP, rules, deep=deep)
        visits += again
    assert everything(few) <= shown
    assert len(again) < CAP


@pytest.mark.parametrize("deep", [False, True])
def test_what_has_grown_is_found(deep: bool) -> None:
    rules = learn(crawled(shop(few), CAP, deep=deep)[0], OPTIONS).rules

    def grown(number: int) -> int:
        return few(number) + 30

    assert everything(grown) <= crawled(shop(grown), 20 * CAP, rules)[1]


def test_a_list_that_was_not_seen_to_end_is_put_off_and_not_skipped() -> None:
    decide = Normalizer(learn(crawled(shop(few), CAP)[0], OPTIONS).rules).decide
    seen, other = (decide(f"{HOST}/c/{number}/page/{ROOM + 1}") for number in (3, LISTS))
    assert seen.skip
    assert not other.skip
    assert other.defer
    assert not any(decide(f"{HOST}/c/3/page/{at}").skip for at in range(ROOM + 1))


def test_a_long_list_has_room_for_as_much_again() -> None:
    def one_long(number: int) -> int:
        return 70 if number == 3 else few(number)

    decide = Normalizer(learn(crawled(shop(one_long), 1_600)[0], OPTIONS).rules).decide
    assert decide(f"{HOST}/c/2/page/{ROOM + 1}").skip
    assert not decide(f"{HOST}/c/3/page/139").skip
    assert decide(f"{HOST}/c/3/page/400").skip


def test_a_few_empty_pages_are_no_end() -> None:
    found = learn(crawled(shop(few, last=300, step=20), 5_000)[0], OPTIONS)
    assert not any(one.family == "endless list" for one in found.active)


def test_a_finite_list_loses_nothing() -> None:
    answer = shop(few, last=150)
    found = learn(crawled(answer, 5_000)[0], OPTIONS)
    assert any(one.family == "endless list" for one in found.active)
    assert everything(few) <= crawled(answer, 5_000, found.rules)[1]


def test_articles_that_are_sold_out_are_no_list() -> None:
    """One page for each, and the next article has a higher number; they were not met on each other."""

    def answer(path: str) -> Shown:
        kind, _, number = path[1:].partition("/")
        if kind == "article":
            return Shown(path if int(number) <= 40 else "sold out", ["/"])
        if kind == "list":
            at = int(number)
            return Shown(path, [*(f"/article/{n}" for n in range(5 * at, 5 * at + 5)), f"/list/{at + 1}"])
        return Shown("home", ["/list/0"])

    found = learn(crawled(answer, 250)[0], OPTIONS)
    assert not found.blocked
    assert not any(one.family == "endless list" for one in found.active)


def test_pages_of_one_text_that_lead_to_others_are_no_end() -> None:
    """An album of pictures, whose pages say nothing, each with the pictures that a crawl had not come to."""

    def answer(path: str) -> Shown:
        kind, _, number = path[1:].partition("/")
        if kind == "album":
            at = int(number)
            return Shown(path if at < 5 else "album", [f"/album/{at + 1}", *(f"/picture/{at}-{n}" for n in range(9))])
        return Shown(path, ["/album/1"])

    found = learn(crawled(answer, 120, deep=False)[0], OPTIONS)
    endless = [one for one in found.active if one.family == "endless list"]
    assert not any(one.rule == "skip" for one in endless)
    # as pictures come after the pages here, all but a few were not followed
    visits = [one for one in crawled(answer, 2_000)[0] if "/picture/" not in one.url]
    endless = [one for one in learn(visits, OPTIONS).active if one.family == "endless list"]
    assert [one.rule for one in endless] == ["defer"]


def calendar(path: str) -> Shown:
    kind, *rest = path[1:].split("/")
    if kind != "events":
        return Shown(path, ["/events/2026/5/"])
    year, month = map(int, rest[:2])
    at = 12 * year + month - 1
    months = [f"/events/{one // 12}/{one % 12 + 1}/" for one in (at - 1, at + 1)]
    has = 12 * 2025 <= at <= 12 * 2026 + 6
    return Shown(f"events of {year} {month}" if has else "no events", months + [f"/event/{at}"] * has)


def test_years_before_and_after_a_calendar_are_put_off() -> None:
    """An archive may be filled with what is older as well."""
    decide = Normalizer(learn(crawled(calendar, 400)[0], OPTIONS).rules).decide
    known = [decide(f"{HOST}/events/{year}/7/") for year in (2024, 2025, 2026)]
    assert not any(one.skip or one.defer for one in known)
    for year in (2015, 2035):
        decision = decide(f"{HOST}/events/{year}/7/")
        assert decision.defer
        assert not decision.skip


def test_numbers_that_say_no_page_are_put_off() -> None:
    """Of issues some years are missing, and the next ones come."""

    def issues(path: str) -> Shown:
        if path == "/":
            return Shown("front", ["/issue/1"])
        number = int(path.rpartition("/")[2])
        return Shown(f"issue {number}" if number <= 20 else "nothing", [f"/issue/{number + 1}"])

    decision = Normalizer(learn(crawled(issues, 300)[0], OPTIONS).rules).decide(f"{HOST}/issue/250")
    assert decision.defer
    assert not decision.skip


def test_a_page_that_stands_in_for_all_others_is_no_end() -> None:
    """After 300 pages the server has had enough: what it shows then links to the same pages at each address."""
    site = shop(lambda number: 80)
    asked: set[str] = set()

    def answer(path: str) -> Shown:
        asked.add(path)
        return (
            site(path)
            if len(asked) <= 300
            else Shown("unusual traffic", [f"/c/{n}/page/{n + 60}" for n in range(LISTS)])
        )

    visits = crawled(answer, 1_000)[0]
    # the lists are asked for all the same, as in a crawl that had met their links before
    visits += [
        page(f"/c/{n}/page/{at}", "unusual traffic", links=[*answer("/?").links])
        for n in range(3)
        for at in range(80, 300)
    ]
    found = learn(visits, OPTIONS)
    assert found.blocked
    assert not any(one.family == "endless list" for one in found.active)


def test_without_recorded_links_nothing_is_said() -> None:
    visits = [page(f"/c/{n}/page/{at}", f"{n} {at if at < 5 else 0}") for n in range(LISTS) for at in range(1, 100)]
    assert not any(one.family == "endless list" for one in learn(visits, OPTIONS).active)


def notices(lists: str) -> Callable[[str], Shown]:
    """Lists of four pages by query, whose "next" goes on to the eightieth; of an archive one list has sixty."""
    archive = 50

    def answer(path: str) -> Shown:
        kind, _, query = path.partition("?")
        items = dict(item.split("=") for item in query.split("&") if item)
        if kind != "/notices":
            names = [archive] if kind == "/archive" else range(6) if kind == "/" else []
            return Shown(path, ["/archive"] * (kind == "/") + [f"/notices?{lists.format(n)}&page=1" for n in names])
        number, at = int(items["list"]), int(items["page"])
        following = [f"/notices?{lists.format(number)}&page={at + 1}"] if at < 80 else []
        if at > (60 if number == archive else 4):
            return Shown("nothing", following)
        return Shown(f"list {number} {at}", [*(f"/item/{number}-{at}-{n}" for n in range(12)), *following])

    return answer


@pytest.mark.parametrize(
    ("lists", "skips"),
    [("list={0}", True), ("list={0}&town={0}", False), ("list={0}&a=1", True)],
    ids=["by one parameter", "by two, which no rule can name together", "beside one that is always the same"],
)
def test_a_list_by_query_that_was_not_seen_to_end_is_put_off(lists: str, *, skips: bool) -> None:
    site = notices(lists)
    rules = learn(crawled(site, 600, deep=True)[0], OPTIONS).rules
    decide = Normalizer(rules).decide
    here, other = (decide(f"{HOST}/notices?{lists.format(n)}&page=70") for n in (3, 50))
    assert here.skip is skips
    assert here.defer
    assert (other.skip, other.defer) == (False, True)
    assert crawled(site, 10_000, rules, deep=True)[1] == crawled(site, 10_000, deep=True)[1]
