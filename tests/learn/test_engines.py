"""The evidence stage gives the same groups from every engine, in any order of rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scrapy_urinorm.errors import MissingExtraError
from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.learn.evidence import MEMBER_CAP, Neighbours, Parts, neighbours
from tests.learn.sites import blog, forum

if TYPE_CHECKING:
    import random

small = st.integers(0, 3)
part_rows = st.lists(
    st.tuples(small, small, small, st.integers(1, 3), st.integers(0, 30), st.integers(-1, 4)), max_size=60
)
page_rows = st.lists(st.tuples(small, st.integers(100, 130), small, st.integers(-1, 4)), max_size=12)


def parts_of(rows: list[tuple[int, ...]], pages: list[tuple[int, ...]]) -> Parts:
    parts = Parts()
    for site, name, key, value, page, label in rows:
        parts.add(site, name, key, value, page, label)
    homes: dict[tuple[int, int], tuple[int, int]] = {}
    for site, page, key, label in pages:
        homes.setdefault((site, key), (page, label))
    for (site, key), (page, label) in homes.items():
        parts.add_page(site, page, key, label)
    return parts


def groups(parts: Parts, engine: str) -> list[Neighbours]:
    return list(neighbours(parts, engine))


@given(part_rows, page_rows, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(
    rows: list[tuple[int, ...]], pages: list[tuple[int, ...]], rng: random.Random
) -> None:
    shuffled = rng.sample(rows, len(rows))
    assert groups(parts_of(rows, pages), "python") == groups(parts_of(shuffled, pages), "python")


@settings(max_examples=6, deadline=None)
@given(part_rows, page_rows)
def test_duckdb_counts_as_python_does(rows: list[tuple[int, ...]], pages: list[tuple[int, ...]]) -> None:
    pytest.importorskip("duckdb")
    parts = parts_of(rows, pages)
    assert groups(parts, "duckdb") == groups(parts, "python")


def test_skewed_groups_are_capped_and_counted_whole() -> None:
    parts = parts_of([(0, 0, 0, page + 1, page, page % 7) for page in range(1000)], [(0, 5000, 0, 3)])
    (group,) = groups(parts, "python")
    assert (group.size, group.labels, group.values, group.absent) == (1001, 7, 1001, 5000)
    assert len(group.members) == MEMBER_CAP
    assert group.members[0] == (0, 5000)


@pytest.mark.parametrize("make", [lambda: forum(threads=60), lambda: blog(posts=40)], ids=["forum", "blog"])
def test_the_same_rules_from_duckdb(make: object) -> None:
    pytest.importorskip("duckdb")
    visits = make().visits()  # type: ignore[operator]
    results = [learn(visits, Options(engine=engine)) for engine in ("python", "duckdb")]
    assert results[0].active
    texts = [to_toml(replace(result, options=Options())) for result in results]
    assert texts[0] == texts[1]


@pytest.mark.system("java")
def test_the_same_rules_from_spark() -> None:
    pytest.importorskip("pyspark")
    visits = blog(posts=30).visits()
    results = [learn(visits, Options(engine=engine, master="local[2]")) for engine in ("python", "spark")]
    texts = [to_toml(replace(result, options=Options())) for result in results]
    assert texts[0] == texts[1]


def test_an_engine_that_is_not_installed_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ibis", None)
    with pytest.raises(MissingExtraError, match=r"scrapy-urinorm\[learn\]"):
        groups(parts_of([(0, 0, 0, 1, 1, 1)], []), "duckdb")
