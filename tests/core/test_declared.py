"""What sites declare: one reading, that of the standards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.declared import (
    DEFAULT_VARIANCE,
    MAX_HEADER,
    canonical_link,
    clean_param,
    clean_param_values,
    no_vary_search,
)
from scrapy_urinorm.rules.globs import path_glob

VECTORS = Path(__file__).parents[3] / "shared" / "vectors" / "no-vary-search.jsonl"


def vectors(kind: str) -> list[Any]:
    if not VECTORS.exists():
        return [pytest.param({}, marks=pytest.mark.skip(reason=f"needs {VECTORS}: Chromium's unit test"))]
    rows = [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]
    return [pytest.param(row, id=str(number)) for number, row in enumerate(rows) if row["kind"] == kind]


@pytest.mark.parametrize("row", vectors("parse"))
def test_headers_mean_what_chromium_reads(row: dict[str, Any]) -> None:
    found, said = no_vary_search(", ".join(row["options"]["No-Vary-Search"])), row["variance"]
    assert found.ignored == (None if said["no_vary_params"] == "*" else frozenset(said["no_vary_params"]))
    assert found.kept == (frozenset() if said["vary_params"] == "*" else frozenset(said["vary_params"]))
    assert found.key_order is said["vary_on_key_order"]
    assert bool(found) is not said["default"]


#: Pairs that the standard takes for one and our key does not: a page more is fetched, none is lost.
KEPT_APART = {"https://example.com/?a=%f6": "octets that are no UTF-8 stay what they are"}


@pytest.mark.parametrize("row", vectors("equivalent"))
def test_rules_of_a_header_merge_what_it_calls_equal(row: dict[str, Any]) -> None:
    rule = no_vary_search(row["options"]["No-Vary-Search"] or "").rule()
    normalizer = Normalizer({"rules": dict([rule] if rule else [])}, "safe")
    equal = normalizer.key(row["input"]) == normalizer.key(row["other"])
    if row["input"] in KEPT_APART:
        assert not equal
    elif not row["expected"] and fields(row["input"]) == fields(row["other"]):
        # the key is Scrapy's, which sorts and leaves out what is empty
        assert equal
    elif rule is None and row["expected"] and row["options"]["No-Vary-Search"].startswith("params, except="):
        # `except=("*")`, which a rule file has no word for
        assert not equal
    else:
        assert equal is row["expected"], rule


def fields(url: str) -> list[str]:
    page, _, query = url.partition("?")
    return [page, *sorted(field.removesuffix("=") for field in query.split("&") if field)]


@pytest.mark.parametrize(
    "header",
    [
        'params="id"', "params=a", "params=(a)", 'params=("a"', "params, except=a", "\xe9", "params=" + "(" * 5000,
        "params;" + "a" * MAX_HEADER,
    ],
)  # fmt: skip
def test_a_malformed_header_means_the_default(header: str) -> None:
    assert no_vary_search(header) == DEFAULT_VARIANCE
    assert not no_vary_search(header)


# --- Clean-param ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "names", "inside", "outside"),
    [
        ("ref", ("ref",), "/any/where", None),
        ("a&b /p", ("a", "b"), "/page", "/q"),
        ("a,b /p", ("a,b",), "/p", "/q"),
        ("a%20b&&c&c /", ("a b", "c"), "/any", None),
        ("ü /ö/", ("ü",), "/%C3%B6/x", "/o/x"),
        ("s /*/show", ("s",), "/a/b/showall", "/a/list"),
        ("s /forum/$", ("s",), "/forum/$", "/forum/x"),
        ("s /x<1-5>/", ("s",), "/x%3C1-5%3E/y", "/x3/y"),
    ],
    ids=[
        *("all paths", "a prefix", "a comma is part of a name", "escapes", "not ASCII", "a star", "a dollar is itself"),
        "and so is what would be a range of ours",
    ],
)
def test_clean_param(value: str, names: tuple[str, ...], inside: str, outside: str | None) -> None:
    found = clean_param(value)
    assert found.names == names
    assert not found.path or path_glob(found.path)(inside)
    assert bool(found.path) is (outside is not None)
    assert outside is None or not path_glob(found.path)(outside)


@pytest.mark.parametrize("value", ["", "a b c", "& /", "a* /", "a=1 /", "a b", "a" * 600])
def test_what_is_no_clean_param(value: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        clean_param(value)


def test_lines_of_a_robots_txt() -> None:
    text = "\ufeffClean-param: a\nDisallow: /x\n# Clean-param: no\n\n CLEAN-PARAM : b&c /d # why\nClean-param:\n"
    assert list(clean_param_values(text)) == [(1, "a"), (5, "b&c /d"), (6, "")]


# --- canonical links --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "target"),
    [
        (['</a>; rel="canonical"'], "http://a.example/a"),
        (["<b>; rel=canonical"], "http://a.example/x/b"),
        (['</a>; rel="next", <http://b.example/?x=1,2>; rel="canonical alternate"'], "http://b.example/?x=1,2"),
        (['</a>; rel="preload"; as="canonical-image"'], None),
        (["", "<" * 100_000], None),
        (["<http://[>; rel=canonical"], None),
    ],
)
def test_canonical_links_in_headers(headers: list[str], target: str | None) -> None:
    assert canonical_link(headers, "http://a.example/x/y") == target


@pytest.mark.parametrize(
    "piece", ["<", *(pytest.param(one, marks=pytest.mark.slow) for one in (" ", "<a>", "<a", "> ", "<>;"))]
)
def test_many_links_that_are_hard_to_read(piece: str) -> None:
    """What is quadratic would take minutes for this."""
    header = piece * (MAX_HEADER // len(piece))
    assert canonical_link([header] * 2_000, "http://a.example/") is None
