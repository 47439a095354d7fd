"""Rules of duplicate-url-discarder and Clean-param lines become rules that give what their documentation says."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer, RuleSet
from scrapy_urinorm.importers import dud, robots
from scrapy_urinorm.importers.document import toml_key, toml_value
from scrapy_urinorm.importers.dud_files import ImportedFileError
from scrapy_urinorm.importers.survey import starter, survey
from scrapy_urinorm.lint import lint
from scrapy_urinorm.recognition import Found
from scrapy_urinorm.rules.globs import path_glob, prefix_glob


def rule(processor: str, args: list[Any], include: list[str], **more: Any) -> dict[str, Any]:
    pattern = {"include": include, **{k: more.pop(k) for k in ("exclude",) if k in more}}
    return {"processor": processor, "args": args, "order": 0, "urlPattern": pattern, **more}


UTM = rule("queryRemoval", ["utm_source", "utm_medium"], [])
WWW = rule("normalizer", [], [""])

# rules, one URL, another, whether they are one page under the peer's documentation
SAME: dict[str, tuple[list[dict[str, Any]], str, str, bool]] = {
    "a parameter of a domain": ([rule("queryRemoval", ["sid"], ["a.example"])], "http://a.example/?sid=1&b=2", "http://a.example/?b=2", True),
    "and of its subdomains": ([rule("queryRemoval", ["sid"], ["a.example"])], "http://m.a.example/?sid=1", "http://m.a.example/", True),
    "but not of another domain": ([rule("queryRemoval", ["sid"], ["a.example"])], "http://xa.example/?sid=1", "http://xa.example/", False),
    "our own preset is not there": ([rule("queryRemoval", ["sid"], ["a.example"])], "http://a.example/?gclid=1", "http://a.example/", False),
    "a path": ([rule("queryRemoval", ["sid"], ["a.example/p"])], "http://a.example/p/1?sid=1", "http://a.example/p/1", True),
    "a path is a prefix": ([rule("queryRemoval", ["sid"], ["a.example/p"])], "http://a.example/pq?sid=1", "http://a.example/pq", True),
    "another path": ([rule("queryRemoval", ["sid"], ["a.example/p"])], "http://a.example/q?sid=1", "http://a.example/q", False),
    "a path with www": ([rule("queryRemoval", ["sid"], ["a.example/p"])], "http://www.a.example/p?sid=1", "http://www.a.example/p", True),
    "a path, not of a subdomain": ([rule("queryRemoval", ["sid"], ["a.example/p"])], "http://m.a.example/p?sid=1", "http://m.a.example/p", False),
    "an exact path": ([rule("queryRemoval", ["sid"], ["a.example/p|"])], "http://a.example/p/1?sid=1", "http://a.example/p/1", False),
    "a wildcard crosses segments": ([rule("queryRemoval", ["sid"], ["a.example/*/p"])], "http://a.example/x/y/p?sid=1", "http://a.example/x/y/p", True),
    "a wildcard wants its slash": ([rule("queryRemoval", ["sid"], ["a.example/*/p"])], "http://a.example/p?sid=1", "http://a.example/p", False),
    "a parameter's value": ([rule("queryRemoval", ["sid"], ["a.example?v=1"])], "http://a.example/?v=1&sid=1", "http://a.example/?v=1", True),
    "another value": ([rule("queryRemoval", ["sid"], ["a.example?v=1"])], "http://a.example/?v=2&sid=1", "http://a.example/?v=2", False),
    "excluded": ([rule("queryRemoval", ["sid"], ["a.example"], exclude=["a.example/q"])], "http://a.example/q?sid=1", "http://a.example/q", False),
    "not excluded": ([rule("queryRemoval", ["sid"], ["a.example"], exclude=["a.example/q"])], "http://a.example/p?sid=1", "http://a.example/p", True),
    "all but some": ([rule("queryRemovalExcept", ["id"], ["a.example"])], "http://a.example/?id=1&x=2", "http://a.example/?id=1", True),
    "all but some: those count": ([rule("queryRemovalExcept", ["id"], ["a.example"])], "http://a.example/?id=1", "http://a.example/?id=2", False),
    "all": ([rule("queryRemovalExcept", [], ["a.example/dp"])], "http://a.example/dp/7?x=2", "http://a.example/dp/7", True),
    "two lists keep what both keep": (
        [rule("queryRemovalExcept", ["a", "b"], ["a.example"]), rule("queryRemovalExcept", ["b", "c"], ["a.example"])],
        "http://a.example/?a=1&b=2&c=3", "http://a.example/?b=2", True,
    ),
    "a segment that comes before a pattern": (
        [rule("subpathRemoval", [0], ["a.example/*/dp"])], "http://a.example/Name/dp/7", "http://a.example/dp/7", True,
    ),
    "universal": ([UTM], "http://b.example/?utm_source=1", "http://b.example/", True),
    "universal rules leave sites with rules alone": (
        [UTM, rule("queryRemoval", ["sid"], ["a.example"])], "http://a.example/?utm_source=1", "http://a.example/", False,
    ),
    "where the site's rule has the name too": (
        [UTM, rule("queryRemoval", ["utm_source"], ["a.example"])], "http://a.example/?utm_source=1", "http://a.example/", True,
    ),
    "and only where its pattern matches": (
        [UTM, rule("queryRemoval", ["sid"], ["a.example/p"])], "http://a.example/q?utm_source=1", "http://a.example/q", True,
    ),
    "universal normalizer": ([WWW], "http://www.b.example/a/", "http://b.example/a", True),
    "numbered www": ([WWW], "http://www3.b.example/a", "http://b.example/a", True),
    "the normalizer leaves sites with rules alone": (
        [WWW, rule("queryRemoval", ["sid"], ["a.example"])], "http://www.a.example/a/", "http://a.example/a", False,
    ),
    "the normalizer of a site": ([rule("normalizer", [], ["a.example"])], "http://www.a.example/a/", "http://a.example/a", True),
}  # fmt: skip


def normalizer(rules: list[dict[str, Any]], *, compose: bool = False) -> tuple[Normalizer, tuple[str, ...]]:
    result = dud.converted({"rules.json": json.dumps(rules)}, compose=compose)
    assert tomllib.loads(result.document.to_toml()) == json.loads(json.dumps(result.document.to_dict()))
    return Normalizer(result.document.to_dict()), result.left


@pytest.mark.parametrize(("rules", "one", "other", "same"), SAME.values(), ids=SAME)
def test_dud(rules: list[dict[str, Any]], one: str, other: str, same: bool) -> None:
    made, left = normalizer(rules)
    assert [what for what in left if what not in SLASHES] == []
    assert (made.key(one) == made.key(other)) is same


def test_dud_composed() -> None:
    made, _ = normalizer([UTM, rule("queryRemoval", ["sid"], ["a.example"])], compose=True)
    assert made.key("http://a.example/?utm_source=1&sid=2") == "http://a.example/"


#: Said of every `normalizer`, which takes all slashes at the end of a path.
SLASHES = ("`normalizer` on a path that ends in several slashes: ours take one, and keep `//`",)
LEFT: dict[str, tuple[list[dict[str, Any]], str]] = {
    "a segment of every path": ([rule("subpathRemoval", [0], ["a.example"])], "would lose its next"),
    "a segment of every path of every site": ([rule("subpathRemoval", [0], [])], "for every site"),
    "a segment from the end, on every site": ([rule("subpathRemoval", [-1], [])], "for every site"),
    "a scheme": ([rule("queryRemoval", ["a"], ["https://a.example"])], "one scheme"),
    "a fragment": ([rule("queryRemoval", ["a"], ["a.example/#x"])], "a fragment"),
    "no host": ([rule("queryRemoval", ["a"], ["/p"])], "no host"),
    "a star in a name": ([rule("queryRemoval", ["a*", "b"], ["a.example"])], "stands for anything"),
    "an exclusion from keeping": (
        [rule("queryRemovalExcept", ["a"], ["a.example"], exclude=["a.example/q"])], "cannot be taken back",
    ),
    "www for a part of a host": ([rule("normalizer", [], ["a.example/p"])], "whole host"),
    "www, where another rule matches a part": ([WWW, rule("queryRemoval", ["a"], ["a.example/p"])], "whole host"),
}  # fmt: skip


@pytest.mark.parametrize(("rules", "reason"), LEFT.values(), ids=LEFT)
def test_dud_reports_what_is_left_out(rules: list[dict[str, Any]], reason: str) -> None:
    _, left = normalizer(rules)
    (what,) = (what for what in left if what not in SLASHES)
    assert reason in what


def test_dud_says_that_the_normalizer_takes_all_slashes() -> None:
    made, left = normalizer([WWW])
    assert left == SLASHES
    assert made.key("http://a.example//") == "http://a.example//"


WRONG = {
    "no JSON": ("[", "does not parse"),
    "no list": ("{}", "is not a list"),
    "no pattern": ('[{"processor": "normalizer"}]', "rule 1: has no urlPattern"),
    "arguments of another type": (
        '[{"processor": "queryRemoval", "args": "abc", "urlPattern": {}}]',
        "are not a list of str",
    ),
    "true is no number": (
        '[{"processor": "subpathRemoval", "args": [true], "urlPattern": {}}]',
        "are not a list of int",
    ),
    "no such processor": ('[{"processor": "x", "urlPattern": {}}]', "there is no processor 'x'"),
}


@pytest.mark.parametrize(("text", "message"), WRONG.values(), ids=WRONG)
def test_dud_wrong(text: str, message: str) -> None:
    with pytest.raises(ImportedFileError, match=r"rules\.json"):
        dud.converted({"rules.json": text})
    with pytest.raises(ImportedFileError, match=message):
        dud.converted({"rules.json": text})


# --- Clean-param ------------------------------------------------------------------------------------------------------

# robots.txt, one URL of shop.example, another, whether they are one page
CLEAN: dict[str, tuple[str, str, str, bool]] = {
    "everywhere": ("Clean-param: ref", "/a?ref=1&b=2", "/a?b=2", True),
    "several": ("Clean-param: ref&sid", "/a?ref=1&sid=2", "/a", True),
    "a prefix": ("Clean-param: ref /forum/", "/forum/a/b?ref=1", "/forum/a/b", True),
    "a prefix, at its end": ("Clean-param: ref /forum/", "/forum/?ref=1", "/forum/", True),
    "not before its end": ("Clean-param: ref /forum/", "/forum?ref=1", "/forum", False),
    "another path": ("Clean-param: ref /forum/", "/a?ref=1", "/a", False),
    "a prefix within a segment": (
        "Clean-param: ref /forum/show",
        "/forum/showthread.php?ref=1",
        "/forum/showthread.php",
        True,
    ),
    "a star": ("Clean-param: ref /*/show", "/a/b/show?ref=1", "/a/b/show", True),
    "names are exact": ("Clean-param: ref", "/a?Ref=1", "/a", False),
    "any case of the field": ("clean-PARAM: ref", "/a?ref=1", "/a", True),
    "a comment": ("Clean-param: ref # why", "/a?ref=1", "/a", True),
    "other characters than ASCII": ("Clean-param: ü /ö/", "/%C3%B6/a?%C3%BC=1", "/%C3%B6/a", True),
    "commented out": ("# Clean-param: ref", "/a?ref=1", "/a", False),
    "the root": ("Clean-param: ref /", "/a?ref=1", "/a", True),
    "a byte order mark": ("\ufeffClean-param: ref", "/a?ref=1", "/a", True),
}


@pytest.mark.parametrize(("text", "one", "other", "same"), CLEAN.values(), ids=CLEAN)
def test_clean_param(text: str, one: str, other: str, same: bool) -> None:
    result = robots.converted([("robots.txt", "https://shop.example", text)])
    made = Normalizer(RuleSet.load(tomllib.loads(result.document.to_toml())))
    assert (made.key(f"http://shop.example{one}") == made.key(f"http://shop.example{other}")) is same
    # a robots.txt speaks for its own host
    assert made.key("http://www.shop.example/forum/?ref=1") != made.key("http://www.shop.example/forum/")


@pytest.mark.parametrize(
    "line",
    [
        "Clean-param:",
        "Clean-param: a b c",
        "Clean-param: & /",
        "Clean-param: a* /",
        "Clean-param: a b",
        "Clean-param: " + "a" * 600,
    ],
)
def test_clean_param_reports_what_is_left_out(line: str) -> None:
    result = robots.converted([("robots.txt", "shop.example", f"User-agent: *\n{line}")])
    assert result.carried == 0
    assert len(result.left) == 1
    assert result.left[0].startswith("robots.txt, line 2: ")


# --- globs and documents ----------------------------------------------------------------------------------------------

_pattern = st.lists(st.sampled_from(["a", "b", "*", "/", "ab"]), max_size=7).map(lambda parts: "/" + "".join(parts))
_path = st.lists(st.sampled_from(["a", "b", "/", "ab", "c"]), max_size=8).map(lambda parts: "/" + "".join(parts))


@given(pattern=_pattern, path=_path, exact=st.booleans())
def test_prefix_globs_match_what_the_pattern_matches(pattern: str, path: str, exact: bool) -> None:
    expected = re.fullmatch(re.escape(pattern).replace(r"\*", ".*") + ("" if exact else ".*"), path) is not None
    assert bool(path_glob(prefix_glob(pattern, exact=exact))(path)) is expected


_values = st.recursive(
    st.one_of(st.booleans(), st.integers(-(2**63), 2**63 - 1), st.text(st.characters(exclude_categories=["Cs"]), max_size=12)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=5), inner, max_size=3)),
    max_leaves=6,
)  # fmt: skip


@given(value=_values, name=st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_toml_round_trip(value: Any, name: str) -> None:
    assert tomllib.loads(f"{toml_key(name)} = {toml_value(value)}\n") == {name: value}


def test_starter_ends_filters_and_log_in_forms() -> None:
    filters = [f"/c/{n}?{'&'.join(f'{name}={n}' for name in names)}" for n in range(20)
               for names in ("a", "b", "ab", "ac", "bc", "abc")]  # fmt: skip
    forms = [f"/login?next=%2Fp%2F{n}" for n in range(30)]
    text = starter(survey(f"http://a.example{one}" for one in filters + forms), 1)
    accepted = "\n".join(line.removeprefix("# ") for line in text.partition("#\n")[2].split("\n") if line != "#")
    assert tomllib.loads(accepted)["site"]["a.example"]["where"] == [
        {"path": "/login", "remove_params": ["next"]},
        {"path": "/c/**", "max_params": {"of": ["a", "b", "c"], "at_most": 1}},
    ]


def test_what_is_counted_is_counted_on_when_no_more_names_or_values_are() -> None:
    names = [f"http://a.example/?n{n}=1" for n in range(499)]
    values = [f"http://a.example/?q=a%20{n}" for n in range(1_000)]
    again = ["http://a.example/?q=a%200"] * 100 + ["http://a.example/?n0=1"] * 100 + ["http://a.example/?late=1"]
    found = survey([*names, *values, *again])["a.example"].params
    assert (found["q"][0]["a 0"], found["q"][1], found["n0"][1], "late" in found) == (101, [1_100], [101], False)


def test_starter_names_programs_and_proposes_what_is_of_none() -> None:
    """A form to log in may well be another one for each page, and a rule file is not tested as live rules are."""
    blog, forms = (Found("a.example", name, "/", (f"marker:{name}",), 9) for name in ("wordpress", "logins"))
    with_both, with_one = (starter(survey(["http://a.example/"]), 1, found) for found in ((forms, blog), (forms,)))
    assert 'platform = "wordpress"\n# platform = ["wordpress", "logins"]  # forms to log in\n' in with_both
    assert '\n# platform = "logins"  # forms to log in\n' in with_one
    assert tomllib.loads(with_one)["site"] == {"a.example": {}}


def test_starter_of_links_to_nowhere_can_be_loaded() -> None:
    text = starter(survey(["http://www./", "http://www./a", "http://a.example/"]), 400)
    assert set(RuleSet.load(tomllib.loads(text)).sites) == {"www", "a.example"}


def test_starter_changes_no_key(tmp_path: Path) -> None:
    corpus = Path(__file__).resolve().parents[2] / "benchmarks" / "corpus" / "urls.txt"
    urls = corpus.read_text("utf-8").split("\n")[:-1:5]
    text = starter(survey([*urls, "not a URL", "http://x.example/?a=%00%1b%FF\u202e&b"]), 400)
    path = tmp_path / "urinorm.toml"
    path.write_text(text, encoding="utf-8")
    ruleset = RuleSet.load(str(path))
    assert ruleset.count() == 0
    assert lint(ruleset) == []
    assert "\x1b" not in text
    # every proposal can be accepted
    accepted = "\n".join(
        line.removeprefix("# ") if line.startswith("# [[") or (" = " in line and line.startswith("# ")) else line
        for line in text.split("\n")
    )
    path.write_text(accepted, encoding="utf-8")
    assert RuleSet.load(str(path)).count() > 100
