"""The example's urinorm.toml, judged by the website: it never merges two pages, and leaves one key for each."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from typing import TYPE_CHECKING

import pytest

from example_project.website.crawls import PROJECT
from scrapy_urinorm import Normalizer, RuleSet

if TYPE_CHECKING:
    from example_project.website import Website
    from tests.example.conftest import Walk


@pytest.fixture(scope="module")
def rules() -> Normalizer:
    return Normalizer(PROJECT / "urinorm.toml")


def pages_by_key(normalizer: Normalizer, walk: Walk) -> dict[str, set[str]]:
    found = defaultdict[str, set[str]](set)
    for page, urls in walk.urls.items():
        for url in urls:
            if not normalizer.decide(url).skip:
                found[normalizer.key(url)].add(page)
    return found


@pytest.fixture(scope="module")
def ruled(rules: Normalizer, walk: Walk) -> dict[str, set[str]]:
    return pages_by_key(rules, walk)


@pytest.mark.slow
def test_no_two_pages_have_one_key(ruled: dict[str, set[str]]) -> None:
    assert {key: pages for key, pages in ruled.items() if len(pages) > 1} == {}


@pytest.mark.slow
def test_no_page_has_two_keys(ruled: dict[str, set[str]]) -> None:
    keys = defaultdict(list)
    for key, pages in ruled.items():
        keys[min(pages)].append(key)
    assert {page: several for page, several in keys.items() if len(several) > 1} == {}


@pytest.mark.slow
def test_what_is_skipped_are_views_that_are_no_pages(ruled: dict[str, set[str]], website: Website) -> None:
    assert set.union(*ruled.values()) == website.pages


@pytest.mark.slow
def test_without_rules_no_two_pages_have_one_key(walk: Walk) -> None:
    assert {key: pages for key, pages in pages_by_key(Normalizer(), walk).items() if len(pages) > 1} == {}


def test_rules_shown_in_the_readme_load() -> None:
    readme = (PROJECT / "README.md").read_text("utf-8")
    blocks = re.findall(r"^( *)```toml\n(.*?)^\1```", readme, re.MULTILINE | re.DOTALL)
    assert blocks
    for indent, block in blocks:
        assert RuleSet.load(tomllib.loads(block.replace(f"\n{indent}", "\n"))).to_dict()["site"]
