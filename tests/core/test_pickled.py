"""A normalizer and the helpers for links go through a pickle: to processes that are started anew, and to clusters."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import re
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from scrapy.link import Link

from scrapy_urinorm import Links, Normalizer, RuleSet
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.lint import lint

if TYPE_CHECKING:
    from pathlib import Path

RULES = r"""
preset = "loose"

[rules]
remove_params = ["ref*", { name = "s", value = "[0-9]+", why = "a session" }, { pattern = "x[0-9]" }]

[site."shop.example"]
host_aliases = ["shop.test"]
except_params = ["utm_source"]
rewrite_requests = ["remove_params"]
platform = ["wordpress"]
examples = [["/a?ref=1", "/a"]]
distinct = [["/a?id=1", "/a?id=2"]]

[[site."shop.example".where]]
path = "/cart/**"
query = { mode = { below = 5 }, kind = ["a*", false] }
skip = true

[site."one.example"]
remove_params = ["p"]

[site."two.example"]
remove_params = ["p"]

[host."m.shop.example:8080"]
keep_params = ["id"]
"""

URLS = [
    "http://SHOP.test/a?refx=1&utm_source=m&id=2",
    "http://shop.example/a?s=1&x1=2&x=3",
    "https://shop.example/cart/1?mode=3&b=1&a=2",
    "https://shop.example/cart/1?mode=7&kind=ab",
    "http://m.shop.example:8080/?a=1&id=2",
    "http://one.example/?p=1&q=2#f",
    "http://two.example/?p=1&q=2&utm_source=x",
    "http://other.example/index.html?b=1&a=2",
    "not an address",
]


@pytest.fixture
def rules(tmp_path: Path) -> Normalizer:
    file = tmp_path / "urinorm.toml"
    file.write_text(RULES, "utf-8")
    normalizer = Normalizer(file)
    file.unlink()
    return normalizer


def said(normalizer: Normalizer) -> list[Any]:
    """All that a normalizer says of some URLs."""
    return [
        (normalizer.key(url), normalizer.normalize(url), normalizer.decide(url), normalizer.edit(url),
         normalizer.explain(url).to_dict(), normalizer.changed_by(url))
        for url in URLS
    ]  # fmt: skip


def test_a_pickled_normalizer_says_the_same(rules: Normalizer) -> None:
    again = pickle.loads(pickle.dumps(rules))
    assert said(again) == said(rules)
    assert again.ruleset.digest() == rules.ruleset.digest()
    assert again.ruleset.to_dict(pairs=True) == rules.ruleset.to_dict(pairs=True)
    assert [vars_of(one) for one in again.ruleset.examples] == [vars_of(one) for one in rules.ruleset.examples]
    assert list(map(str, lint(again.ruleset))) == list(map(str, lint(rules.ruleset)))


def vars_of(example: Any) -> tuple[Any, ...]:
    return example.urls, example.key, example.line, example.layer.label


def test_equal_tables_stay_one(rules: Normalizer) -> None:
    again = pickle.loads(pickle.dumps(rules)).ruleset
    assert again.sites["one.example"][0].body is again.sites["two.example"][0].body
    assert again.everywhere[0] is rules.ruleset.everywhere[0], "the presets are those of the process"


@pytest.mark.parametrize("preset", ["safe", "recommended", "loose"])
def test_presets_alone(preset: str) -> None:
    normalizer = Normalizer(preset=preset)
    assert said(pickle.loads(pickle.dumps(normalizer))) == said(normalizer)
    assert len(pickle.dumps(normalizer)) < 2000, "a preset is in the package already"


def test_another_version_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pickled = pickle.dumps(Normalizer())
    other = re.sub(rb"preset recommended@.", b"preset recommended@x", pickled)
    assert other != pickled
    with pytest.raises(UrinormError, match="recommended@x, which this version"):
        pickle.loads(other)


def test_processes_that_are_started_anew(rules: Normalizer) -> None:
    links = Links({"rules": {"remove_params": ["ref"]}, "site": {"a.example": {"rewrite_requests": ["remove_params"]}}})
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(rules.key, URLS)) == [rules.key(url) for url in URLS]
        assert pool.submit(links.process_value, "http://a.example/?ref=1&b=2").result() == "http://a.example/?b=2"


def test_helpers_for_links() -> None:
    links = Links({"site": {"a.example": {"remove_params": ["ref"], "rewrite_requests": ["remove_params"]}}})
    links.process_value("http://a.example/?ref=1")
    again = pickle.loads(pickle.dumps(links))
    assert again.process_value("http://a.example/?ref=1&b=2") == "http://a.example/?b=2"
    page = [Link("http://a.example/?b=1"), Link("http://a.example/?b=1#f"), Link("http://a.example/?c=1")]
    assert again.process_links(page) == links.process_links(page) == [page[0], page[2]]


def test_a_copy_counts_from_zero_and_own_attributes_stay() -> None:
    normalizer = Own({"rules": {"remove_params": ["ref"]}})
    normalizer.key("not an address")
    for again in (pickle.loads(pickle.dumps(normalizer)), copy.copy(normalizer), copy.deepcopy(normalizer)):
        assert again.mine == "mine"
        assert not again.counts
        again.key("not an address")
        assert again.counts == {"unparsable": 1} == normalizer.counts
        assert again.key("http://a.example/?ref=1") == "http://a.example/"


class Own(Normalizer):
    mine = ""

    def __init__(self, rules: Any):
        super().__init__(rules)
        self.mine = "mine"


class Odd(Mapping[str, Any]):
    """A source of a class that no pickle holds."""

    def __init__(self) -> None:
        self.unpickled = lambda: None

    def __getitem__(self, key: str) -> Any:
        return {"rules": {"remove_params": ["ref"]}}[key]

    def __iter__(self) -> Iterator[str]:
        return iter(["rules"])

    def __len__(self) -> int:
        return 1


def test_sources_of_any_class_and_another_preset_later() -> None:
    again = pickle.loads(pickle.dumps(RuleSet.load(Odd())))
    assert Normalizer(again, "safe").key("http://a.example/?ref=1&utm_source=1") == "http://a.example/?utm_source=1"
