"""Whatever addresses a crawl has seen: no error, a file that loads, and no page lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.visits import Visit

if TYPE_CHECKING:
    from pathlib import Path

WORDS = [
    "",
    "a",
    "B",
    "*",
    "{x}",
    "%FF",
    "%2F",
    "a b",
    "é",
    "\\",
    "'",
    '"',
    "..",
    "1",
    "2",
    "://",
    "[]",
    "%",
    "+",
    "(S(x))",
]
word = st.sampled_from(WORDS)
item = st.builds("{}={}".format, word, word)
url = st.builds(
    "{}/{}?{}#{}".format,
    st.sampled_from(
        ["http://a.example", "http://www.a.example:8080", "https://u:p@a.example", "http://[::1]", "ftp://x"]
    ),
    st.lists(word, max_size=3).map("/".join),
    st.lists(item, max_size=3).map("&".join),
    word,
)
pages = st.lists(st.tuples(url, st.integers(0, 3)), max_size=40)


def visits_of(rows: list[tuple[str, int]]) -> list[Visit]:
    return [Visit(url=u, status=200, main_digest=f"page {label}", words=50) for u, label in rows]


@settings(max_examples=60, deadline=None)
@given(pages)
@pytest.mark.thorough
def test_odd_addresses(rows: list[tuple[str, int]]) -> None:
    result = learn(visits_of(rows), Options(risk=0.9, min_values=2))
    Normalizer(result.rules)
    assert to_toml(result)


ODD_NAMES = ["*", "", "{x}", "a b", "é", "%FF", "\\", '"', "'", "A*b", "x" * 300, "[0]", "=", "%3D"]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.thorough
def test_a_parameter_that_never_matters_with_an_odd_name(name: str, tmp_path: Path) -> None:
    rows = [(f"http://a.example/p/{n}?{name}={v}", n) for n in range(40) for v in range(3)]
    rows += [(f"http://a.example/p/{n}", n) for n in range(40)]
    path = tmp_path / "learned.toml"
    path.write_text(to_toml(learn(visits_of(rows))), "utf-8")
    normalizer = Normalizer(str(path))
    keys: dict[str, set[int]] = {}
    for u, label in rows:
        keys.setdefault(normalizer.key(u), set()).add(label)
    assert all(len(labels) == 1 for labels in keys.values())


@pytest.mark.parametrize("value", ["*", "{x}", "%FF", "\\1", "a*", "é", "0"])
def test_an_odd_default_value(value: str) -> None:
    rows = [(f"http://a.example/p/{n}?v={value}", n) for n in range(40)]
    rows += [(f"http://a.example/p/{n}", n) for n in range(40)]
    rows += [(f"http://a.example/p/{n}?v=other{k}", 1000 + 10 * n + k) for n in range(40) for k in range(3)]
    normalizer = Normalizer(learn(visits_of(rows)).rules)
    assert normalizer.key("http://a.example/p/1?v=other1") != normalizer.key("http://a.example/p/1")
    assert normalizer.key("http://a.example/p/1?v=other1") != normalizer.key("http://a.example/p/1?v=other2")


def test_nothing_at_all() -> None:
    assert learn([]).active == []
    assert learn([Visit(url="nonsense")]).skipped == 1


@pytest.mark.parametrize(("places", "found"), [(32, True), (33, False)])
def test_templates_have_no_more_places_than_a_program_writes(places: int, found: bool) -> None:
    """The text of each place is looked for in all: the work of a hostile address is the cube of its places."""
    rows = []
    for n in range(60):
        values = [f"w{7 * n + 11 * k}" for k in range(places)]
        rows.append(("http://a.example/t/" + "/".join(values), n))
        rows.append(("http://a.example/s?" + "&".join(f"p{k}={value}" for k, value in enumerate(values)), n))
    rules = {candidate.rule for candidate in learn(visits_of(rows)).active}
    assert ("template" in rules) is found
