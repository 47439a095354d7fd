"""The parts of live rules, one by one."""

from __future__ import annotations

import io
import json
from array import array
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request

from scrapy_urinorm.crawl.live_rules.flights import Flights
from scrapy_urinorm.learn.evidence.risk import BELIEVED, standing
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live import classes
from scrapy_urinorm.live.brought import Turn, Yield, priority
from scrapy_urinorm.live.classes import NumberSet
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.folder import FolderStore
from scrapy_urinorm.live.groups import group_of
from scrapy_urinorm.live.novelty import Novelty
from scrapy_urinorm.live.parked import Waiting
from scrapy_urinorm.live.patience import PATIENCE, TESTS
from scrapy_urinorm.live.patterns import Patterns
from scrapy_urinorm.live.process import Students
from scrapy_urinorm.live.questions import CANARY, CLOSED, LATER, PARK, PASS, SAMPLE
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.live.trial import CANARIES, canary_share
from scrapy_urinorm.live.yields import LOW, Yields
from scrapy_urinorm.suffixes import host_of, site_of
from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.record import Visit
from tests.live.resumed import rows, state
from tests.live.sites import Site, record

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.mark.parametrize(
    ("agree", "against", "believed"),
    [(30, 0, False), (31, 0, True), (31, 1, False), (54, 1, False), (56, 1, True), (0, 0, False), (3, 0, False)],
)
def test_a_rule_is_believed_by_the_sequential_test(agree: int, against: int, believed: bool) -> None:
    assert (standing(agree, against) >= BELIEVED) is believed


@pytest.mark.parametrize(("agree", "against", "gone"), [(0, 1, False), (0, 2, True), (17, 2, True), (40, 2, False)])
def test_a_rule_is_taken_back_by_the_sequential_test(agree: int, against: int, gone: bool) -> None:
    assert (standing(agree, against) <= -BELIEVED) is gone


@pytest.mark.parametrize(("parked", "share"), [(1, 0.2), (100, 0.2), (400, 0.1), (10_000, 0.02)])
def test_canaries_get_rarer(parked: int, share: float) -> None:
    assert canary_share(parked) == pytest.approx(share)


@given(st.lists(st.integers(1, 2**64 - 1)))
def test_a_number_set_is_a_set(numbers: list[int]) -> None:
    known = NumberSet()
    for n in numbers:
        known.add(n)
    assert len(known) == len(set(numbers))
    assert all(n in known for n in numbers)
    assert not any(n ^ 1 in known for n in numbers if n ^ 1 not in numbers and n ^ 1)


@given(st.lists(st.integers(1, 2**64 - 1), max_size=300), st.integers(0, 2**64 - 1))
def test_a_number_set_grows_in_parts(numbers: list[int], alike: int) -> None:
    """A table for all was made anew in one call, 50 ms for 200,000 pages. Some numbers differ in a few bits alone."""
    known = NumberSet()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(classes, "_MOST", 64)
        numbers += [alike ^ n for n in range(150) if alike ^ n]
        for n in numbers:
            known.add(n)
    assert len(known) == len(set(numbers))
    assert all(n in known for n in numbers)
    assert not any(n ^ 1 in known for n in numbers if n ^ 1 not in numbers and n ^ 1)
    known.clear()
    assert len(known) == 0


def test_no_table_of_a_number_set_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    def counted(*given: Any) -> array[int]:
        made.append(len(given[-1]) // 8)
        return array(*given)

    monkeypatch.setattr(classes, "array", counted)
    known = NumberSet()
    for n in range(1, 20_000):
        known.add(n * 0x9E3779B97F4A7C15 % 2**64)
    assert max(made) == classes._MOST


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("http://a.example/", "http://a.example/"),
        ("http://a.example/item/17?b=x&a=2", "http://a.example/item/#?a=*&b=x"),
        ("http://a.example/topic/5/", "http://a.example/topic/#/"),
        ("http://a.example/2024/05/#top", "http://a.example/#/#/"),
        ("http://a.example/?do=edit;id=5", "http://a.example/?do=edit&id=*"),
        ("http://a.example/?route=product/review&id=5", "http://a.example/?id=*&route=product/review"),
        ("http://a.example/?q=node%2F5%2Fedit", "http://a.example/?q=node/#/edit"),
        ("http://a.example/?f=src/main", "http://a.example/?f=*"),
        ("http://a.example/?next=/item/17", "http://a.example/?next=*"),
        ("http://a.example/c/9f86d081884c7d65", "http://a.example/c/#"),
        ("http://a.example/c?f=brand:a&s=up&f=size:b&f=size:c", "http://a.example/c?f=*&f=*&s=up"),
    ],
)
def test_the_pattern_of_an_address(url: str, pattern: str) -> None:
    assert Patterns().of(url) == pattern


def test_a_place_with_many_texts_is_a_variable() -> None:
    patterns = Patterns()
    found = [patterns.of(f"http://a.example/wiki/{word}?view={'ab'[n % 2]}") for n, word in enumerate("abcdefghijkl")]
    assert found[0] == "http://a.example/wiki/a?view=a"
    assert found[-2:] == ["http://a.example/wiki/*?view=a", "http://a.example/wiki/*?view=b"]


@pytest.mark.parametrize(("folders", "pattern"), [(20, "http://a.example/topic/#/"), (21, "http://a.example/*/#/")])
def test_a_dozen_folders_at_the_top_are_told_apart(folders: int, pattern: str) -> None:
    """`/post/5/` redirects to its topic; of a forum that has both no topic is to be closed for that."""
    patterns = Patterns()
    for n in range(folders - 1):
        patterns.of(f"http://a.example/folder-{chr(97 + n)}/5/")
    assert patterns.of("http://a.example/topic/5/") == pattern
    # below they are what the site has by hundreds
    for n in range(12):
        patterns.of(f"http://a.example/topic/title-{chr(97 + n)}/5/")
    assert patterns.of("http://a.example/topic/title/5/").endswith("/*/#/")


def test_scripts_of_one_folder_are_told_apart() -> None:
    """What one brings says nothing of the others; an article whose address ends so is one of very many."""
    patterns = Patterns()
    for n in range(12):
        patterns.of(f"http://a.example/article-{n}.html")
        patterns.of(f"http://a.example/form-{n}.php?id={n}")
    sold, form = (patterns.of(f"http://a.example/{script}.php?id=5") for script in ("sold", "form-3"))
    assert sold == "http://a.example/sold.php?id=*"
    assert group_of(sold) != group_of(form)
    assert patterns.of("http://a.example/article-99.html") == "http://a.example/*"
    for n in range(100):
        patterns.of(f"http://a.example/title-{n}.php?print=1")
    assert patterns.of("http://a.example/title-7.php?print=1") == "http://a.example/*?print=*"


def test_what_brings_nothing_comes_later_and_is_closed_in_the_end() -> None:
    yields = Yields(close=30)
    turns = []
    for _ in range(60):
        assert not yields.learned("p", False)
        turns.append(yields.of["p"].turn)
    assert turns == [Turn.OPEN] * 19 + [Turn.LATER] * 30 + [Turn.CLOSED] * 11
    # news of a sample, or of a page that it led to, has it opened again
    assert yields.credit(yields["p"])
    assert (yields.of["p"].turn, yields.of["p"].late_news) == (Turn.LATER, 1)
    fresh = Yields(close=30)
    fresh.load(rows(yields))
    assert fresh.of == yields.of


def test_a_job_that_goes_on_without_closing_has_what_was_closed_fetched() -> None:
    yields, without = Yields(close=30), Yields(close=0)
    for _ in range(60):
        yields.learned("p", False)
    without.load(rows(yields))
    assert (yields.place("p").turn, without.place("p").turn) == (Turn.CLOSED, Turn.LATER)


SHOP = "http://shop.example/{}/?facet=*&sort={}"


def test_many_small_patterns_are_low_together() -> None:
    """Filters and orders multiply: a shop has hundreds of patterns of a dozen addresses, none of which is ever low."""
    yields = Yields(close=50)
    for n in range(60):
        assert not yields.learned(SHOP.format(n, "price"), False)
    group = "http://shop.example ?facet&sort"
    assert [yields.place(SHOP.format(n, "name"))[0].turn for n in range(3)] == [Turn.LATER] * 3
    assert yields.place(SHOP.format(3, "price")) == (yields.of[group], group, Turn.LATER)
    # of another shape nothing is known
    assert yields.place("http://shop.example/1/?facet=*")[0].turn is Turn.OPEN
    # one that leads to something new is judged by itself
    assert yields.credited(SHOP.format(7, "price")) == []
    assert yields.place(SHOP.format(7, "price"))[0].turn is Turn.OPEN
    assert yields.place(SHOP.format(3, "price"))[0].turn is Turn.LATER
    fresh = Yields(close=30)
    fresh.load(rows(yields))
    assert fresh.of == yields.of


def group_after(rounds: int, shapes: int, *, few: bool = False) -> Yields:
    """Yields after so many pages without news of each of so many shapes, one after the other."""
    yields = Yields(close=60)
    for n in range(rounds * shapes):
        yields.learned(SHOP.format(n % shapes, "price"), False, few=few and n % 50 == 0)
    return yields


def test_many_patterns_that_bring_nothing_are_closed_together() -> None:
    yields = group_after(5, 20)
    group = "http://shop.example ?facet&sort"
    assert yields.of[group].shapes == 20
    assert [yields.place(SHOP.format(n, "price")).turn for n in range(20)] == [Turn.CLOSED] * 20
    # a shape nobody has seen is tried, as often as it takes to close one of twenty
    late = SHOP.format("new", "price")
    turns = []
    for _ in range(4):
        turns.append(yields.place(late).turn)
        yields.learned(late, False)
    assert turns == [Turn.LATER, Turn.LATER, Turn.LATER, Turn.CLOSED]
    # one that has ever brought anything is closed by itself or not at all, and opens the others
    assert yields.learned(SHOP.format(3, "price"), True) == [group]
    assert yields.place(SHOP.format(4, "price")).turn is Turn.LATER
    for n in range(100):
        yields.learned(SHOP.format(n % 20, "price"), False)
    turns = [yields.place(SHOP.format(n, "price")).turn for n in range(20)]
    assert turns.count(Turn.CLOSED) == 19
    assert turns[3] is not Turn.CLOSED
    fresh = Yields(close=60)
    fresh.load(rows(yields))
    assert fresh.of == yields.of


def test_shapes_of_one_group_have_their_turns_one_after_the_other() -> None:
    yields = group_after(5, 20)

    def priorities(pattern: str, count: int) -> list[int]:
        return [yields.put_off(pattern, yields.place(pattern)) for _ in range(count)]

    group = yields.of["http://shop.example ?facet&sort"]
    level = priority(group, "http://shop.example ?facet&sort")
    assert priorities(SHOP.format(3, "price"), 3) == [level + 99, level + 98, level + 97]
    # one that is new goes before more of those that are known, and neither before what brings more
    assert priorities(SHOP.format("new", "price"), 200) == [*range(level + 99, level, -1), *[level] * 101]
    assert level + 99 < priority(Yield(share=group.share + 0.001), "http://shop.example ?facet")
    # which are no pages: a group counts its shapes when they are fetched
    assert group.shapes == 20
    yields.learned(SHOP.format("new", "price"), False)
    yields.learned(SHOP.format("new", "price"), False)
    assert group.shapes == 21


NOT_TOGETHER = {
    "few shapes": group_after(20, 15),
    "too few pages": group_after(3, 20),
    "pages with words of their own": group_after(10, 20, few=True),
}


@pytest.mark.parametrize("yields", NOT_TOGETHER.values(), ids=NOT_TOGETHER)
def test_what_is_not_closed_together(yields: Yields) -> None:
    assert yields.place(SHOP.format(3, "price")).turn is Turn.LATER


def test_what_leads_to_one_page_is_closed_sooner() -> None:
    yields = Yields()
    turns = []
    for n in range(60):
        yields.learned("p", False, same=n != 10)
        turns.append(yields.of["p"].turn)
    assert turns == [Turn.OPEN] * 19 + [Turn.LATER] * 22 + [Turn.CLOSED] * 19


@pytest.mark.parametrize(("target", "later"), [("/login", 12), ("/{}", 200)], ids=["one page", "its own page"])
def test_redirects_to_what_is_known_bring_nothing(target: str, later: int) -> None:
    yields = Yields()
    turns = []
    for n in range(260):
        yields.led_back("p", target.format(n))
        turns.append(yields.of["p"].turn)
    assert turns == [Turn.OPEN] * 19 + [Turn.LATER] * later + [Turn.CLOSED] * (241 - later)
    # one that leads to a new page is delivered there
    assert yields.learned("p", True) == ["p"]


@pytest.mark.parametrize(
    ("text", "status", "again"),
    [("a", 200, True), ("b", 200, False), (None, 200, False), ("a", 429, False), ("a", 404, False)],
)
def test_whether_a_redirect_led_to_the_page_that_the_last_one_led_to(
    text: str | None, status: int, again: bool
) -> None:
    novelty = Novelty()
    for place in ("p", "q"):
        assert not novelty.again(Visit(url="http://a.example/", status=200, text_digest="a"), place)
    assert novelty.again(Visit(url="http://a.example/", status=status, text_digest=text), "p") is again


def test_closing_can_be_turned_off() -> None:
    yields = Yields(close=0)
    for _ in range(1_000):
        yields.learned("p", False, same=True)
    assert yields.of["p"].turn is Turn.LATER


def test_a_closed_pattern_is_sampled_less_and_less() -> None:
    yields = Yields(close=1)
    for _ in range(30):
        yields.learned("p", False)
    found = yields.of["p"]
    samples = sum(found.sampled((n * 0.618) % 1) for n in range(100_000))
    assert 20 < samples < 300


RULES = {"site": {"a.example": {"remove_params": ["s"]}}}


def desk(close: int = 200, served: Sequence[str] = ("p?s=1",)) -> Desk:
    """A desk that was told that `s` is idle on a site where some pages were served."""
    found = Desk([], "recommended", close=close)
    rule = {"id": "s", "said": "s is idle", "source": RULES}
    _, site = found.take(
        {"do": "rules", "site": "a.example", "version": 1, "source": RULES, "likely": {}, "rules": [rule], "pages": 9}
    )
    assert site == "a.example"
    found.keyed(site, [(f"http://a.example/{one}", 7) for one in served])
    found.ready(site)
    return found


def verdicts(found: Desk, *urls: str, kind: int = 7) -> set[str]:
    return {found.decide(url, kind).verdict for url in urls}


def class_of(found: Desk, url: str) -> bytes:
    sure = found.sites["a.example"].sure
    assert sure is not None
    return sure.number(url, 7).to_bytes(8, "little")


def test_what_is_served_is_kept_back_or_tests_the_rule() -> None:
    found = desk()
    assert verdicts(found, *(f"http://a.example/p?s={n}" for n in range(100))) == {PARK, CANARY}
    assert verdicts(found, "http://a.example/q?s=1", "http://b.example/p?s=1") == {PASS}
    assert verdicts(found, "http://a.example/p?s=1", kind=8) == {PASS}


def test_a_word_that_the_rules_of_the_crawl_drop_is_not_tested() -> None:
    """`utm_content` takes a value for each place of a link, and says nothing of a live rule on `s`."""
    numbers = {}
    for name in ("utm_content", "place"):
        found = desk()
        # places of links, each with a page of its own
        words = [f"from-{letter}" for letter in "abcdefghijkl"]
        found.keyed("a.example", [(f"http://a.example/p?id={n}&{name}={w}", 7) for n, w in enumerate(words)])
        for n, word in enumerate(words):
            found.decide(f"http://a.example/p?id={n}&s=x&{name}={word}", 7)
        numbers[name] = len(found.untested())
    assert numbers["utm_content"] < 8 <= numbers["place"]


def test_a_claim_holds_until_it_has_failed() -> None:
    found = desk()
    number = found.claim("http://a.example/q?s=1", 7)
    assert verdicts(found, *(f"http://a.example/q?s={n}" for n in range(2, 20))) <= {PARK, CANARY}
    (freed,) = found.failed(number)
    assert freed == class_of(found, "http://a.example/q?s=2")
    assert verdicts(found, "http://a.example/q?s=3") == {PASS}


def test_a_redirect_elsewhere_serves_where_it_led_to() -> None:
    found = desk()
    number = found.claim("http://a.example/q?s=old", 7)
    freed, kept = found.served(number, "http://a.example/")
    assert freed == [class_of(found, "http://a.example/q")]
    assert kept == [("a.example", "http://a.example/", 7)]
    assert verdicts(found, "http://a.example/q?s=2") == {PASS}
    assert verdicts(found, *(f"http://a.example/?s={n}" for n in range(9))) <= {PARK, CANARY}


def test_a_doubt_silences_the_site_until_new_rules_are_there() -> None:
    found = desk()
    found.take({"do": "doubt", "site": "a.example", "version": 1, "rules": [], "urls": []})
    assert verdicts(found, *(f"http://a.example/p?s={n}" for n in range(9))) == {PASS}


def test_a_resumed_desk_decides_alike() -> None:
    first = desk()
    urls = [f"http://a.example/p?s={n}" for n in range(300)]
    before = [first.decide(url, 7).verdict for url in urls[:150]]
    assert CANARY in before
    second = Desk([], "recommended")
    for name in second.restore(state(first)):
        second.keyed(name, [("http://a.example/p?s=1", 7)])
        second.ready(name)
    third = desk()
    expected = [third.decide(url, 7).verdict for url in urls][150:]
    assert [second.decide(url, 7).verdict for url in urls[150:]] == expected


@pytest.mark.parametrize(
    ("served", "tests"),
    [
        pytest.param([], 8, id="where nothing was"),
        pytest.param(["p?s=a", "p?s=b"], 0, id="where two pages were"),
        pytest.param(["p?s=b", "p?s=b"], 8, id="where one page was, twice"),
        pytest.param(["q?s=a", "q?s=b"], 8, id="on another path"),
        pytest.param(["p?s=a", "p?s=c"], 8, id="with other words"),
    ],
)
def test_pages_that_were_fetched_before_a_rule_test_it_where_they_are(served: list[str], tests: int) -> None:
    """They were held against each other, as a canary is; what waits there needs no test before it is given up."""
    found = desk(served=served)
    canaries = found.sites["a.example"].canaries
    for n in range(CANARIES):
        canaries.fetched(["s"], f"http://a.example/r{n}?s=x")
    canaries.waits(Waiting(b"a class", "http://a.example/p?s=b", ("s",)), proven=False)
    assert found.untested() == [b"a class"] * tests


def test_they_test_each_rule_that_comes_later() -> None:
    found, served = Desk([], "recommended"), [("http://a.example/p?s=a", 7), ("http://a.example/p?s=b", 7)]
    for version in range(2):
        rule = {"id": f"s{version}", "said": "s is idle", "source": RULES}
        told = {"version": version, "source": RULES, "likely": {}, "rules": [rule], "pages": 9}
        found.take({"do": "rules", "site": "a.example", **told})
        found.keyed("a.example", served)
        found.ready("a.example")
        assert found.sites["a.example"].canaries.of[f"s{version}"].met


def test_what_is_likely_a_duplicate_comes_later_and_is_asked_about_once() -> None:
    found = Desk([], "recommended")
    _, site = found.take(
        {"do": "rules", "site": "a.example", "version": 1, "source": {}, "likely": RULES, "rules": [], "pages": 9}
    )
    assert site is not None
    found.keyed(site, [("http://a.example/p?s=1", 7)])
    found.ready(site)
    assert found.decide("http://a.example/p?s=2", 7).verdict == LATER
    assert found.decide("http://a.example/p?s=2", 7, late=True).verdict == PASS


def test_what_is_likely_a_duplicate_waits_for_a_while_where_it_is_a_page() -> None:
    """A site without end has always something else; three objects that are sold say little of the next hundred."""
    found = Desk([], "recommended")
    likely = {"site": {"a.example": {"rewrite": [{"pattern": "^/sold/[^/?]+$", "replace": "/sold/1"}]}}}
    _, site = found.take(
        {"do": "rules", "site": "a.example", "version": 1, "source": {}, "likely": likely, "rules": [], "pages": 9}
    )
    assert site is not None
    found.keyed(site, [("http://a.example/sold/1", 7)])
    found.ready(site)
    waits = found.decide("http://a.example/sold/2", 7)
    assert waits.verdict == LATER
    for n in range(PATIENCE):
        assert found.due() == []
        found.take({"do": "news", "pattern": "http://a.example/list?page=#", "news": True, "same": False, "at": n})
    assert found.due() == [(waits.class_key, TESTS)]
    assert found.decide("http://a.example/sold/2", 7, late=True).verdict == PASS
    # of none that waits none is to go
    for _ in range(2 * PATIENCE):
        found.yields.learned("http://a.example/list?page=#", news=True)
    assert found.due() == []


def test_of_doubted_pages_those_go_first_of_which_most_wait_in_a_resumed_job_too() -> None:
    before, after = Yields(), Yields()
    for n in range(TESTS + 20):
        before.doubt("http://a.example/sold/#")
        if n % 3 == 0:
            before.doubt("http://a.example/ad/#")
    after.load(json.loads(json.dumps(rows(before))))
    due = []
    for _ in range(3 * PATIENCE):
        after.learned("http://a.example/list?page=#", news=True)
        due += [name.partition(" ")[0].rpartition("/")[0] for name, _ in after.due()]
    # 60 of them, then 20 and 20
    assert due == [f"http://a.example/{shape}" for shape in ("sold", "sold", "ad")]


def test_what_comes_later_comes_in_an_order_by_lot() -> None:
    """Then so many pages in a row without news say something of those that still wait."""
    found = Desk([], "recommended")
    pattern = "http://a.example/sold?id=*"
    for _ in range(LOW):
        found.yields.learned(pattern, news=False)
    turns = [found.decide(f"http://a.example/sold?id={n}", 7).priority for n in range(1_000)]
    first = sorted(range(1_000), key=lambda n: -turns[n])[:200]
    counts = [sum(n // 200 == fifth for n in first) for fifth in range(5)]
    assert min(counts) > 20


def test_lists_with_more_than_one_filter_come_later() -> None:
    limit = {"max_params": {"of": ["brand", "size"], "at_most": 1, "defer": True}}
    first = Desk([], "recommended")
    _, site = first.take({
        "do": "rules", "site": "a.example", "version": 1, "source": {}, "likely": {}, "rules": [], "pages": 9,
        "later": {"site": {"a.example": limit}}, "combined": {"/": "3 combinations"},
    })  # fmt: skip
    assert site is not None
    first.ready(site)
    second = Desk([], "recommended")
    second.restore(state(first))
    for found in (first, second):
        url = "http://a.example/?brand=a&size=1"
        assert found.decide(url, 7).verdict == LATER
        assert found.comes_later(url, 7)
        assert found.decide(url, 7, late=True).verdict == PASS
        assert found.decide("http://a.example/?brand=a", 7).verdict == PASS
        assert not found.comes_later("http://a.example/?brand=a", 7)


def test_a_closed_pattern_is_kept_back_but_for_samples() -> None:
    found = desk(close=1)
    for _ in range(30):
        found.take({"do": "news", "pattern": "http://c.example/#", "news": False, "credit": None, "same": False})
    seen = [found.decide(f"http://c.example/{n}", 7).verdict for n in range(500)]
    assert set(seen) == {CLOSED, SAMPLE}
    assert seen.count(SAMPLE) < 60


def test_a_student_that_is_started_again_says_that_nothing_holds(tmp_path: Path) -> None:
    """The crawl may still have a rule that was doubted just before."""
    # too little to learn anything from
    visits = record(Site(1, features=set(), articles=5))[0][:4]
    store = FolderStore(str(tmp_path))
    (name,) = {site_of(host_of(visit.url) or "") for visit in visits}
    for visit in visits:
        store.add(name, visit)
    student = Student(Options(skip=False), [], store)
    student.restore(store.kept(), store.all())
    said, *_ = student.judge(name)
    assert (said["do"], said["site"], said["rules"], said["likely"]) == ("rules", name, [], {})
    assert [one["do"] for one in student.judge(name)] == ["judged"]


def test_what_goes_on_in_another_worker_has_come_to_nothing_here() -> None:
    flights, first = Flights(), Request("http://a.example/1")
    flights.begin(first, 1)
    second = first.replace(url="http://b.example/", meta={**first.meta, "redirect_times": 1})
    assert flights.follow(second)
    assert not list(flights.ended(()))
    flights.leave(second)
    ((number, flight),) = flights.ended([first])
    assert (number, flight.failed) == (1, True)
    assert not flights


@pytest.mark.parametrize(
    ("meta", "back"),
    [({"redirect_times": 1}, "http://a.example/known"), ({"retry_times": 1}, None), ({}, None)],
    ids=["a redirect", "another try", "a link"],
)
def test_a_redirect_to_what_is_known_is_seen_as_one(meta: dict[str, Any], back: str | None) -> None:
    flights, first = Flights(), Request("http://a.example/1")
    flights.begin(first, 1)
    flights.led_back(first.replace(url="http://a.example/known", meta={**first.meta, **meta}))
    ((_, flight),) = flights.ended(())
    assert (flight.final, flight.back) == (None, back)


@pytest.mark.parametrize(
    ("preset", "folder", "said"),
    [("safe", "file/below", ["live_died"]), ("none", "folder", ["failed", "live_died"])],
    ids=["a folder that cannot be made is no fault of ours", "a fault"],
)
def test_a_student_that_cannot_begin_says_that_there_is_none(
    tmp_path: Path, preset: str, folder: str, said: list[str]
) -> None:
    (tmp_path / "file").write_text("")
    output = io.BytesIO()
    students = Students(output)
    students.take({"do": "open", "crawl": 7, "preset": preset, "rules": [], "folder": str(tmp_path / folder)}, b"")
    # it hears of nothing more
    students.take({"do": "met", "crawl": 7, "urls": ["http://a.example/"]}, b"")
    output.seek(0)
    found = []
    while (message := messages.received(output.read)) is not None:
        found.append(message[0])
    assert [(one["do"], one["crawl"]) for one in found] == [(what, 7) for what in said]
    assert ("file/below" in found[-1]["why"]) is (folder == "file/below")
