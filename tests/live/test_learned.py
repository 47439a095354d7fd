"""Rules of learned files in a crawl with live rules: they hold from the first page on, and are taken back if wrong."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.live import learned_of
from benchmarks.simulator import Simulated, Simulator
from scrapy_urinorm import Normalizer
from scrapy_urinorm.crawl.rules import normalizer_of, under_test
from scrapy_urinorm.learn.earlier import candidates_of
from scrapy_urinorm.learn.evidence.candidate import tables
from scrapy_urinorm.learn.evidence.pack_lines import FAMILY as PLATFORMS
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.learned import LearnedSites, set_aside
from scrapy_urinorm.live.parked import TESTED
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.suffixes import site_of
from tests.crawl.components import crawler_with
from tests.live.served import Served
from tests.live.sites import Answer, Site, crawled, identities_of, prose
from tests.live.test_crawl import ADDON, all_pages, counts, live, pages

if TYPE_CHECKING:
    from collections.abc import Callable, Container
    from pathlib import Path

    from scrapy_urinorm.visits.record import Visit

OPTIONS = Options(skip=False)


# ---------------------------------------------------------------------- which rules


def row(rule: str, value: Any, status: str = "active", **more: Any) -> dict[str, Any]:
    return {"status": status, "site": "a.example", "rule": rule, "value": value, **more}


S, T = row("remove_params", ["s"]), row("remove_params", ["t"], where={"path": "/t"})
ONE, TWO = row("default_params", {"p": "1"}), row("default_params", {"p": "2"}, where={"path": "/t"})
SKIP = row("skip", True, where={"path": "/y"})
DEFER = row("defer", True, where={"path": "/y"})
SPLIT = row("semicolon_separators", True, this_host=True)
EXCEPT = row("remove_params", ["u"], where={"path": "/u"}) | {"except": [{"path": "/u", "query": {"k": "1"}}]}
OF_DEFER = {"where": [{"path": "/y", "defer": True}]}


@pytest.mark.parametrize(
    ("rows", "change", "tested", "left"),
    [
        pytest.param([S, T], {}, [S, T], {}, id="all"),
        pytest.param([S, SKIP], {}, [S, SKIP], {}, id="what is skipped"),
        pytest.param([S, DEFER], {}, [S], OF_DEFER, id="not what is put off, which is fetched"),
        pytest.param([S, SPLIT], {}, [S], {}, id="how queries are split others need"),
        pytest.param([ONE, TWO], {}, [ONE, TWO], {}, id="defaults of one name, which are maps"),
        pytest.param([S, EXCEPT], {}, [S, EXCEPT], {}, id="exceptions"),
        pytest.param([S], {"remove_params": ["s", "mine"]}, [S], {"remove_params": ["mine"]}, id="with one by hand"),
        pytest.param([S, T], {"remove_params": []}, [T], {"remove_params": []}, id="without one that was taken out"),
        pytest.param([S, row("remove_params", ["r"], "rejected")], {}, [S], {}, id="without what was refused"),
    ],
)
def test_the_rules_of_a_learned_file_go_and_what_else_stands_there_stays(
    rows: list[dict[str, Any]], change: dict[str, Any], tested: list[dict[str, Any]], left: dict[str, Any]
) -> None:
    table = tables(candidates_of(one for one in rows if one["status"] == "active"))
    table["site"]["a.example"] |= change
    hosts = table.get("host", {})
    rules = RuleSet.load({**table, "evidence": rows}, {"site": {"a.example": {"keep_params": ["by", "hand"]}}})
    rest, found = set_aside(rules)
    assert [{name: value for name, value in one.items() if name != "file"} for one in found] == tested
    said = rest.to_dict()["site"]["a.example"]
    assert said.pop("keep_params") == ["by", "hand"]
    assert {name: value for name, value in said.items() if value} == {n: value for n, value in left.items() if value}
    assert rest.to_dict().get("host", {}) == hosts
    assert rest.written().to_dict()["site"] == {"a.example": {"keep_params": ["by", "hand"]}}
    both = Normalizer([tables(candidates_of(found)), rest.to_dict()])
    whole = Normalizer(rules)
    for path in ("/", "/t", "/u", "/y"):
        for query in ("s=1&by=1", "t=1&p=2", "p=1&hand=a", "u=1&k=1", "u=1&by=2;hand=3", "mine=1"):
            url = f"http://a.example{path}?{query}"
            assert both.decide(url) == whole.decide(url)


def test_pairs_of_a_person_stay_and_what_they_need_is_in_force(caplog: pytest.LogCaptureFixture) -> None:
    pair = ["http://a.example/?x=1", "http://a.example/?x=2"]
    learned = {**tables(candidates_of([S, DEFER])), "evidence": [S, DEFER]}
    rest, found = set_aside(RuleSet.load(learned, {"site": {"a.example": {"distinct": [pair]}}}))
    assert found[0]["rule"] == "remove_params"
    assert rest.to_dict(pairs=True)["rules"]["distinct"] == [pair]
    needs = {"site": {"a.example": {"examples": [["http://a.example/?s=1", "http://a.example/"]]}}}
    for rules, tested in (([learned], 1), ([learned, needs], 0)):
        crawler = crawler_with({"ADDONS": ADDON, "URINORM_LIVE": True, "URINORM_RULES": rules})
        assert len(under_test(crawler)) == tested
        assert (normalizer_of(crawler).key("http://a.example/?s=1") == "http://a.example/") is not bool(tested)
    assert caplog.text.count("Live rules do not test learned rules") == 1


def test_what_a_person_wrote_is_not_tested() -> None:
    rules = RuleSet.load({"site": {"a.example": {"remove_params": ["s"]}}})
    assert set_aside(rules) == (rules, [])


def test_lines_of_packs_have_the_few_samples_that_are_enough_for_them() -> None:
    """The texts of forms differ until the frame is known, and these were proven on other installations."""
    rows = [row("remove_params", ["s"], source=PLATFORMS), row("remove_params", ["t"], source="parameters")]
    said, skipped = LearnedSites(rows).take(site_of("a.example"))
    assert said is not None
    assert skipped == []
    assert [(rule["source"]["site"]["a.example"]["remove_params"], rule["proven"]) for rule in said["rules"]] == [
        (["s"], True),
        (["t"], False),
    ]


# ---------------------------------------------------------------------- what becomes of them

FIRST = Site(1, features={"ref"}, articles=60)
LATER = Site(1, features={"ref", "turning"}, articles=140)
LATER.turn = 60


def recorded(answer: Callable[[str], Answer]) -> tuple[list[Visit], dict[str, str]]:
    return crawled(FIRST.start, lambda url: answer(url[len(FIRST.start) - 1 :]), 4_000)


@pytest.fixture(scope="module")
def rules() -> dict[str, Any]:
    """What was learned when there were sixty articles: where a reader comes from changes none of them."""
    found = learned_of(recorded(FIRST.answer)[0])
    assert "'ref'" in str(found["site"])
    return found


def crawls(
    visits: list[Visit], identities: dict[str, str], rules: dict[str, Any], *, live: bool, newest_first: bool = False
) -> tuple[Simulated, set[str]]:
    found = Simulator(visits, OPTIONS, [rules], live=live).crawl(newest_first=newest_first)
    return found, identities_of(found.fetched, identities)


@pytest.mark.thorough
@pytest.mark.parametrize("newest_first", [False, True])
def test_pages_that_came_since_and_that_a_rule_makes_one_are_fetched(rules: dict[str, Any], newest_first: bool) -> None:
    visits, identities = recorded(LATER.answer)
    plain = set(identities.values())
    # each of the eighty that are new is another page for each of six ways to it
    assert len(crawls(visits, identities, rules, live=False)[1]) < len(plain) / 2
    found, met = crawls(visits, identities, rules, live=True, newest_first=newest_first)
    assert met == plain
    assert [said["rules"] for _, said in found.log if said["do"] == "doubt"]


def test_a_rule_that_is_right_holds_from_the_first_page_on(
    rules: dict[str, Any],
) -> None:
    visits, identities = recorded(FIRST.answer)
    alone, pages = crawls(visits, identities, rules, live=False)
    found, met = crawls(visits, identities, rules, live=True)
    assert met == pages == set(identities.values())
    # some are fetched to test it: as many as of any rule, and a few more before the end
    assert len(alone.fetched) + TESTED <= len(found.fetched) <= len(alone.fetched) + TESTED + 10
    assert len(found.parked) > 50
    (_, first), *_ = [one for one in found.log if one[1]["do"] == "rules"]
    assert (first["pages"], len(first["rules"])) == (1, 1)
    # no pair is known yet, which is no doubt
    assert first["rules"][0]["said"].endswith(" (of a learned file)")


def test_what_redirects_in_the_stead_of_all_that_wait_goes_one_by_one_until_its_shape_is_closed() -> None:
    """Of a class that redirects to a known page the next goes, but one by one, and not all under each new rule."""

    def answer(target: str) -> Answer:
        if target.startswith("/publish/"):
            return Answer(302, location="/login")
        if target == "/login":
            return Answer(200, "<p>Please log in first, or make an account.</p>", identity="login")
        found = FIRST.answer(target)
        number = target.removeprefix("/article/").partition("?")[0]
        links = (*found.links, *(f"/publish/{number}-{n}" for n in range(4))) if number.isdigit() else found.links
        return Answer(found.status, found.text, links, identity=found.identity)

    visits, identities = recorded(answer)
    shape = {"pattern": "^/publish/[^/?]+$", "replace": "/publish/0"}
    learned = {
        "site": {"site.example.com": {"rewrite": [shape]}},
        "evidence": [{**row("rewrite", [shape]), "site": "site.example.com"}],
    }
    found, met = crawls(visits, identities, learned, live=True)
    assert met == set(identities.values())
    assert sum("/publish/" in url for url in found.fetched) < 70
    assert sum("/publish/" in visit.url for visit in visits) == 240


@pytest.mark.parametrize(
    ("there", "least", "most"),
    [
        pytest.param(range(60), 60, 60, id="all are there by now", marks=pytest.mark.thorough),
        pytest.param(range(8, 60, 10), 60, 60, id="one in ten is there by now"),
        pytest.param((), TESTED, TESTED + 5, id="none is"),
    ],
)
def test_what_learned_files_skip_comes_last_and_is_looked_at(there: Container[int], least: int, most: int) -> None:
    """Awards were not there when the rule was learned."""

    def answer(target: str) -> Answer:
        number = target.removeprefix("/award/")
        if number.isdigit():
            text = f"<p>Award {prose(number)}</p>"
            return Answer(200, text, identity=target) if int(number) in there else Answer(404, "not found")
        found = FIRST.answer(target)
        number = target.removeprefix("/article/").partition("?")[0]
        links = (*found.links, f"/award/{number}") if number.isdigit() else found.links
        return Answer(found.status, found.text, links, identity=found.identity)

    visits, identities = recorded(answer)
    learned = {
        "site": {"site.example.com": {"where": [{"path": "/award/*", "skip": True}]}},
        "evidence": [{**row("skip", True, where={"path": "/award/*"}), "site": "site.example.com"}],
    }
    assert not any("/award/" in url for url in crawls(visits, identities, learned, live=False)[0].fetched)
    found, met = crawls(visits, identities, learned, live=True)
    assert met == set(identities.values())
    awards = ["/award/" in url for url in found.fetched]
    assert least <= sum(awards) <= most
    assert not any(awards[:60])
    assert sum("/award/" in url for url in found.closed) == 60 - sum(awards)


@pytest.mark.parametrize("newest_first", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_few_pages_for_which_a_learned_rule_is_wrong_by_now_are_met(newest_first: bool) -> None:
    """Of a hundred things eight were talked about since, and only the tab tells that, and leads on."""

    def answer(target: str) -> Answer:
        path, _, tab = target.partition("?tab=")
        _, kind, name = path.split("/") if path != "/" else ("", "", "")
        if not kind:
            return Answer(200, "<h1>Things</h1>", tuple(f"/list/{n}" for n in range(10)), identity="home")
        if kind == "list":
            links = tuple(f"/thing/{n}" for n in range(10 * int(name), 10 * int(name) + 10))
            return Answer(200, f"<h1>List {name}</h1>{prose(path)}", links, identity=path)
        if kind == "talk" or (tab and int(name) % 12 == 5):
            links = (f"/talk/{name}",) if tab else ()
            return Answer(200, f"<h1>Thing {name}</h1>{prose(target)}", links, identity=target)
        return Answer(200, f"<h1>Thing {name}</h1>{prose(path)}", (f"{path}?tab=talk",), identity=path)

    visits, identities = recorded(answer)
    learned = {
        "site": {"site.example.com": {"where": [{"path": "/thing/*", "remove_params": ["tab"]}]}},
        "evidence": [{**row("remove_params", ["tab"], where={"path": "/thing/*"}), "site": "site.example.com"}],
    }
    alone, pages = crawls(visits, identities, learned, live=False)
    assert (len(alone.fetched), len(set(identities.values()) - pages)) == (111, 16)
    assert crawls(visits, identities, learned, live=True, newest_first=newest_first)[1] == set(identities.values())


@pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")
@pytest.mark.parametrize(
    ("settings", "tested"),
    [
        pytest.param({}, True, id="tested", marks=pytest.mark.thorough),
        pytest.param({"URINORM_LIVE_TEST": False}, False, id="not to be tested", marks=pytest.mark.slow),
        pytest.param({"DEPTH_LIMIT": 99}, False, id="live rules only observe", marks=pytest.mark.slow),
    ],
)
def test_a_crawl_names_what_learned_rules_keep_back(
    tmp_path: Path, rules: dict[str, Any], settings: dict[str, Any], tested: bool
) -> None:
    site = Site(1, features={"ref"}, articles=60)
    with Served(site) as served:
        outcome = live(served, tmp_path, URINORM_RULES=rules, **settings)
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert not outcome.lines("ERROR")
    found = counts(outcome)
    assert found.get("tested") == (1 if tested else None)
    file = tmp_path / "urinorm.parked.jsonl"
    named = [json.loads(line) for line in file.read_text("utf-8").splitlines()] if file.exists() else []
    assert bool(named) is tested
    assert all("ref=" in one["url"] for one in named)
    assert len(served.asked) + len(named) == outcome.stats["scheduler/enqueued"]
