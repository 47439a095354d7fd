"""What the user's own rules keep apart (`distinct`) no learned rule makes one: no crawl would start under both."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.learn import Options, learn, learn_file
from scrapy_urinorm.learn.evidence.candidate import Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.proof.replay import Replay
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rulesets.ruleset import RuleSet
from tests.learn.test_again import crawl, rows, visit, written

if TYPE_CHECKING:
    from pathlib import Path

HOST = "shop.example"
PAIRS = [[f"/item/1?ref={n}", "/item/1"] for n in range(7)]


def own(**said: Any) -> dict[str, Any]:
    return {"site": {HOST: said}}


def rejected(path: Path) -> list[dict[str, Any]]:
    return [row for row in tomllib.loads(path.read_text())["evidence"] if row["status"] == "rejected"]


@pytest.mark.parametrize("includes", [False, True])
def test_a_pair_of_two_pages_stays_two(tmp_path: Path, *, includes: bool) -> None:
    text = f'[site."{HOST}"]\ndistinct = {PAIRS}\n'
    (tmp_path / "own.toml").write_text(text.replace("'", '"'))
    (tmp_path / "top.toml").write_text('include = ["own.toml"]\n')
    top, learned = str(tmp_path / ("top.toml" if includes else "own.toml")), tmp_path / "learned.toml"
    visits = [written(tmp_path, "visits.jsonl", crawl())]
    assert learn_file(visits, learned)[0].active
    learned.unlink()
    result, _ = learn_file(visits, learned, rules=[top])
    # what was skipped otherwise, as all of it is known, comes last
    assert [one.rule for one in result.active] == ["defer"]
    assert "never requested that is a page of its own" in result.active[0].why
    row = next(row for row in rejected(learned) if row["value"] == ["ref"])
    assert "one page that are two by your own rules" in row["why"]
    assert f"{tmp_path / 'own.toml'}:2, `distinct`" in row["why"]
    assert row["counterexamples"] == [[f"http://{HOST}{url}" for url in PAIRS[0]]]
    # the next crawl starts, and misses none of them
    both = Normalizer([str(learned), top])
    assert not any(both.decide(f"http://{HOST}{url}").skip for pair in PAIRS for url in pair)


@pytest.mark.parametrize(
    ("pair", "learns"),
    [
        (["/item/900?ref=x", "/item/900"], False),
        (["http://www.shop.example/item/9?ref=x", "http://www.shop.example/item/9"], False),
        (["/item/1?color=red", "/item/1?color=blue"], True),
        (["http://other.example/item/9?ref=x", "http://other.example/item/9"], True),
    ],
    ids=["not in the crawl", "of another host of the site", "of another parameter", "of another site"],
)
@pytest.mark.thorough
def test_what_a_pair_is_about(pair: list[str], *, learns: bool) -> None:
    visits = crawl()
    visits += [replace(one, url=one.url.replace("//", "//www.")) for one in visits]
    assert any(one.value == ["ref"] for one in learn(visits).active)
    rules = own(distinct=[pair])
    result = learn(visits, rules=[rules])
    assert any(one.value == ["ref"] for one in result.active) is learns
    Normalizer([result.rules, rules])


def test_a_pair_of_one_page_stays_one() -> None:
    pair = ["/item/1?ref=3", "/item/1?from=3"]
    rules = own(rename_params={"from": "ref"}, examples=[pair], where=[{"path": "/x", "distinct": [["/a", "/b"]]}])
    result = learn(crawl(), rules=[rules])
    Normalizer([result.rules, rules])


def test_what_rules_only_make_one_together_is_refused_where_the_second_comes() -> None:
    site = Site(HOST)
    for one in crawl():
        site.add(one, HOST)
    rules = own(distinct=[["/item/1?a=1&b=2", "/item/1"]])
    site.build("recommended", [rules])
    replay = Replay(site, Options(), [rules])
    first, second = (
        Candidate(HOST, "remove_params", [name], Evidence(), "drop", "", names=frozenset([name])) for name in "ab"
    )
    assert replay.trial(first).broken is None
    assert replay.trial(second).broken is None
    replay.add(first, replay.trial(first))
    broken = replay.trial(second).broken
    assert broken is not None
    assert broken.pair == (f"http://{HOST}/item/1?a=1&b=2", f"http://{HOST}/item/1")
    # what comes in otherwise goes when all are held together, and only what has a part in it
    third = Candidate(HOST, "remove_params", ["c"], Evidence(), "drop", "", names=frozenset("c"))
    replay.add(second, replay.trial(second))
    replay.add(third, replay.trial(third))
    assert replay.settle() == [second]
    assert replay.accepted == [first, third]


def test_an_earlier_rule_goes_with_a_word_also_where_the_users_file_includes_it(tmp_path: Path) -> None:
    learned, top = tmp_path / "learned.toml", tmp_path / "urinorm.toml"
    visits = [written(tmp_path, "visits.jsonl", crawl())]
    learn_file(visits, learned)
    top.write_text(f'include = ["learned.toml"]\n[site."{HOST}"]\ndistinct = {PAIRS}\n'.replace("'", '"'))
    text = learned.read_text()
    for given in (visits, []):
        with pytest.raises(UrinormError, match=r"(?s)1 of its rules would go.* two by your own rules"):
            learn_file(given, learned, rules=[str(top)])
        assert learned.read_text() == text
    learn_file(visits, learned, rules=[str(top)], force=True)
    Normalizer(str(top))
    assert [row["rule"] for row in rows(learned)] == ["defer"]


def test_queries_are_not_split_where_that_makes_a_pair_one() -> None:
    visits = [visit(f"/item/{n}?a={n};b=1", f"item {n}") for n in range(60)]
    assert learn(visits).base["host"]
    rules = own(distinct=[["/item/1?a=1;b=1", "/item/1?a=1&b=1"]])
    result = learn(visits, rules=[rules])
    assert not result.base["host"]
    assert any(one.rule == "semicolon_separators" and "your own rules" in one.why for one in result.others)


def test_rules_as_a_dict_keep_the_pairs() -> None:
    """The processes that learn during a crawl get the rules in this form, and so do those of Spark."""
    rules = own(
        distinct=[["/a", "/b"]], where=[{"path": "/x", "examples": [["/x?a=1", "/x?A=1"]], "sort_query": "key"}]
    )
    rules["host"] = {"h.example:8080": {"examples": [["/c", "http://h.example:8080/c"]]}}
    rules["rules"] = {"distinct": [["/d", "/e"]]}
    before = RuleSet.load(rules)
    after = RuleSet.load(before.to_dict(pairs=True))
    assert {(one.urls, one.equal) for one in after.examples} == {(one.urls, one.equal) for one in before.examples}
    assert not RuleSet.load(before.to_dict()).examples[1:]
