"""A crawl that was cut short knows the newest of a series, or the oldest; of the others rules say nothing."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.extent import _as_seen, from_smallest
from scrapy_urinorm.learn.links.linked import graph_of
from scrapy_urinorm.learn.pages.contexts import Atom, where_of
from scrapy_urinorm.learn.proof.proof import Proof
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.url import encoded
from tests.live.sites import Answer, crawled, listed_from_newest, prose

TENDERS, OPEN, PER_LIST = 400, 180, 20


@dataclass
class Register:
    """Tenders, the newest first, each with its award; of the newest, which are open yet, that `shows` something else.

    In a `chain` each tender alone leads to the one before. Where the award is a file, tenders are folders.
    """

    shows: str
    award: str = "/tender/{}/award"
    chain: bool = False
    start = "http://register.example.com/"

    @property
    def end(self) -> str:
        """What the address of a tender ends in."""
        return "/" if self.award.endswith(".html") else ""

    def answer(self, target: str) -> Answer:
        path, _, query = target.partition("?")
        end = self.end
        if path in ("/", "/list"):
            links = (f"/tender/{TENDERS}",) if self.chain else listed_from_newest(query, TENDERS, PER_LIST)
            return Answer(200, prose(target), tuple(link + end * link.startswith("/tender/") for link in links))
        number = int(path.split("/")[2])
        if target == f"/tender/{number}{end}":
            before = [f"/tender/{number - 1}{end}"] if self.chain and number > 1 else []
            return Answer(200, prose(target), (*before, self.award.format(number)), identity=target)
        if number <= TENDERS - OPEN:
            return Answer(200, prose(target), identity=target)
        if self.shows == "the tender":
            return self.answer(f"/tender/{number}{end}")
        if self.shows == "a redirect":
            return Answer(302, location=f"/tender/{number}{end}")
        return Answer(404) if self.shows == "an error" else Answer(200, "This tender has not been awarded yet.")


@pytest.mark.parametrize("chain", [pytest.param(False, id="lists"), pytest.param(True, id="a chain")])
@pytest.mark.parametrize(
    ("shows", "award"),
    [
        ("an error", "/tender/{}/award"),
        ("a sentence", "/tender/{}/award"),
        ("a redirect", "/tender/{}/award"),
        ("the tender", "/tender/{}?tab=award"),
        ("the tender", "/tender/{}/award.html"),
    ],
)
@pytest.mark.parametrize(
    "newest_first", [pytest.param(False, id="breadth"), pytest.param(True, id="depth", marks=pytest.mark.slow)]
)
@pytest.mark.thorough
def test_what_the_newest_show_says_nothing_of_older_ones(
    shows: str, award: str, chain: bool, newest_first: bool
) -> None:
    """Newer ones are no evidence of what was never requested, be a tenth of the register known or two fifths."""
    register = Register(shows, award, chain)
    visits, _ = crawled(
        register.start, lambda url: register.answer(url[len(register.start) - 1 :]), 4_000, newest_first=newest_first
    )
    for part in (0.1, 0.25):
        found = learn(visits[: int(part * len(visits))], Options(jobs=1))
        normalizer = Normalizer(found.rules)
        forms = ("/tender/{}" + register.end, award)
        older = [register.start[:-1] + form.format(n) for form in forms for n in range(1, TENDERS - OPEN)]
        assert len(set(map(normalizer.key, older))) == len(older)
        assert not any(normalizer.decide(one).skip for one in older)


@pytest.mark.parametrize("ended", [False, True])
def test_a_crawl_that_left_one_link_of_a_series_was_cut_short_unless_it_says_that_it_ended(ended: bool) -> None:
    """A site may be crawled to its end whose pages do not say from where they were asked for."""
    register = Register("an error", chain=True)
    visits, _ = crawled(
        register.start, lambda url: register.answer(url[len(register.start) - 1 :]), 4_000, newest_first=True
    )
    site = Site("example.com")
    for visit in visits[: len(visits) // 4]:
        visit.referer = None
        site.add(visit, "register.example.com")
    if ended:
        site.whole = frozenset(site.crawls)
    site.build("recommended")
    graph = graph_of(site.pages, site.ids)
    assert graph is not None
    proof = Proof(site.pages, graph, site.soft, ended=site.has_ended, whole=site.is_whole)
    assert not proof.is_whole
    assert proof.is_finished is ended


@pytest.mark.parametrize(
    ("path", "places", "values", "expected"),
    [
        pytest.param("/tender/*/award", (1,), [["400"], ["361"]], "/tender/<361->/award", id="numbers"),
        pytest.param("/tender/*/award", (1,), [["1"], ["361"]], "", id="from the first one on"),
        pytest.param("/tender/*/award", (1,), [["400"], ["x"]], "", id="words"),
        pytest.param("/tender/*/award", (1,), [["4000000000"], ["3000000000"]], "", id="more digits than a range has"),
        pytest.param("/a/*/b/*", (1, 3), [["7", "9"], ["8", "1"]], "/a/<7->/b/*", id="two places"),
    ],
)
def test_a_constant_view_of_numbers_is_from_the_smallest_on(
    path: str, places: tuple[int, ...], values: list[list[str]], expected: str
) -> None:
    assert from_smallest(path, places, values) == ({"path": expected} if expected else {})


@dataclass
class Tracker:
    """Projects with items, each of which is carried along with whether lists show `all` or what is `open`; nothing is
    closed in the first `quiet` ones, to which a crawl depth first comes first.
    """

    quiet: int
    start = "http://tracker.example.com/"

    def answer(self, url: str) -> Answer:
        asked = dict(parse_qsl(url.partition("?")[2]))
        if url == self.start:
            return Answer(200, prose("home"), tuple(f"/?do=list&cat={cat}" for cat in range(9, 1, -1)))
        cat = int(asked["cat"])
        carried = f"&show={asked['show']}" if "show" in asked else ""
        if asked["do"] == "item":
            links = (f"/?do=list&cat={cat}{carried}",)
            return Answer(200, prose(f"item {cat} {asked['id']}"), links, identity=f"{cat} {asked['id']}")
        closed = cat > self.quiet + 1
        shown = [n for n in range(30) if asked.get("show") == "all" or not closed or n % 3]
        lists = tuple(f"/?do=list&cat={cat}&show={show}" for show in ("open", "all"))
        rows = "".join(f"<p>{prose(f'{cat}, {n}', 8)}</p>" for n in shown)
        return Answer(200, rows, (*lists, *(f"/?do=item&id={n}&cat={cat}{carried}" for n in shown)))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("part", [*(pytest.param(n, marks=pytest.mark.slow) for n in (10, 15, 20)), 25])
@pytest.mark.parametrize("quiet", [1, 2])
def test_one_value_of_a_parameter_says_nothing_of_others(quiet: int, part: int, strict: bool) -> None:
    tracker = Tracker(quiet)
    visits, identities = crawled(tracker.start, tracker.answer, 5000, newest_first=True)
    options = Options().strict() if strict else Options()
    normalizer = Normalizer(learn(visits[: len(visits) * part // 100], options).rules)
    waiting, met, found = [tracker.start], set[str](), set[str | None]()
    while waiting:
        decision = normalizer.decide(url := waiting.pop())
        if decision.key not in met and not decision.skip:
            met.add(decision.key)
            answer = tracker.answer(url)
            found.add(answer.identity)
            waiting += [tracker.start + link[1:] for link in answer.links]
    assert {one for url, one in identities.items() if "do=item" in url} <= found


def test_values_with_characters_of_their_own_are_conditions_as_they_are_written() -> None:
    seen = {encoded("a+b & c"), encoded("50%")}
    where = where_of((_as_seen(Atom("query", "cat"), seen),))
    assert where == {"query": {"cat": ["50%", "a+b & c"]}}
