"""The JSON Schema accepts what the loader accepts, and refuses the slips that an editor should mark."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from scrapy_urinorm import RuleFileError, RuleSet
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets.schema import rule_file_schema
from tests.core.strategies import rule_files

jsonschema = pytest.importorskip("jsonschema")
ROOT = Path(__file__).resolve().parents[2]
SCHEMA = rule_file_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def test_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("rule", CATALOGUE.values(), ids=CATALOGUE)
def test_accepts_the_example_of_each_rule(rule: Any) -> None:
    table = {rule.name: rule.value, **rule.extra}
    VALIDATOR.validate({"rules": table})
    VALIDATOR.validate({"site": {"a.example": table}})
    if rule.may_stand_in(("path",)):
        VALIDATOR.validate({"site": {"a.example": {"where": [{"path": "/**", **table}]}}})


@pytest.mark.parametrize(
    "path",
    [
        *(ROOT / "scrapy_urinorm" / "rulesets" / "presets").glob("[lrs]*.toml"),
        *(ROOT / "tests" / "testbed").glob("*.toml"),
        ROOT / "example_project" / "urinorm.toml",
    ],
    ids=lambda path: path.stem,
)
def test_accepts_our_files(path: Path) -> None:
    VALIDATOR.validate(tomllib.loads(path.read_text("utf-8")))


@given(rules=rule_files())
def test_accepts_whatever_loads(rules: dict[str, Any]) -> None:
    try:
        RuleSet.load(rules)
    except RuleFileError:
        return
    VALIDATOR.validate(rules)


REFUSED: dict[str, dict[str, Any]] = {
    "an unknown key": {"rule": {}},
    "an unknown rule": {"rules": {"remove_parms": ["a"]}},
    "a word that is no choice": {"rules": {"www": "yes"}},
    "text for a list": {"rules": {"remove_params": "ref"}},
    "an empty name": {"rules": {"remove_params": [""]}},
    "an unknown key of an entry": {"rules": {"remove_params": [{"name": "a", "vlaue": "x"}]}},
    "a preset that does not exist": {"preset": "lose"},
    "a where table without a condition": {"site": {"a.example": {"where": [{"remove_params": ["a"]}]}}},
    "a host rule under where": {"site": {"a.example": {"where": [{"path": "/a", "www": "remove"}]}}},
    "a path that is none": {"site": {"a.example": {"where": [{"path": "a", "remove_params": ["a"]}]}}},
    "an unknown condition": {"site": {"a.example": {"where": [{"query": {"a": {"under": 1}}, "skip": True}]}}},
    "an example that is no pair": {"rules": {"examples": [["/a"]]}},
}


@pytest.mark.parametrize("rules", REFUSED.values(), ids=REFUSED)
def test_refuses(rules: dict[str, Any]) -> None:
    assert not VALIDATOR.is_valid(rules)
    with pytest.raises(RuleFileError):
        RuleSet.load(rules)
