"""What stands in the rows of evidence: near misses, the share of equal pages, siblings; and what strict asks for."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.learn.evidence.candidate import PROPOSED, REJECTED, Candidate
from scrapy_urinorm.learn.evidence.judge import Evidence
from scrapy_urinorm.learn.output import MAX_REJECTED, told
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://a.example"


def page(path: str, text: str, **more: Any) -> Visit:
    return visit_from_row({"url": HOST + path, "status": 200, "text_digest": text, "words": 100, **more})


def rows(visits: list[Visit], options: Options | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads(to_toml(learn(visits, options)))["evidence"]
    return found


def articles(n: int) -> list[Visit]:
    return [page(f"/article/{k}", f"article {k}") for k in range(n)]


@pytest.mark.parametrize(("plain", "merged"), [(None, False), ("form", True)], ids=["unseen", "the same"])
def test_a_constant_view_says_nothing_of_the_address_without(plain: str | None, merged: bool) -> None:
    """`/mark?f=7` is one page whatever `f`; `/mark` alone may be another, where nobody has looked."""
    visits = articles(100) + [page(f"/mark?f=forum{k}", "form") for k in range(50)]
    if plain is not None:
        visits.append(page("/mark", plain))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/mark?f=new") == normalizer.key(f"{HOST}/mark?f=forum1")
    assert (normalizer.key(f"{HOST}/mark?f=new") == normalizer.key(f"{HOST}/mark")) == merged


def test_strict_asks_that_nothing_speaks_against_and_not_for_more_pages() -> None:
    few = [page(f"/p{k}{v}", f"few {k}") for k in range(9) for v in ("", "?print=a", "?print=b")]
    many = [page(f"/q{k}{v}", f"many {k}") for k in range(120) for v in ("", "?skin=a", "?skin=b")]
    odd = [page(f"/q{k}{v}", f"odd {k} {v}") for k in (998, 999) for v in ("", "?skin=c")]
    rules = learn([*few, *many, *odd], Options().strict()).rules
    normalizer = Normalizer(rules)
    assert normalizer.key(f"{HOST}/p1?print=a") == normalizer.key(f"{HOST}/p1")
    assert normalizer.key(f"{HOST}/q999?skin=c") != normalizer.key(f"{HOST}/q999")
    assert Normalizer(learn([*many, *odd[:2]]).rules).key(f"{HOST}/q1?skin=a") == f"{HOST}/q1"


def test_what_was_seen_below_a_folder_says_nothing_of_the_folder() -> None:
    visits = articles(60)
    for k in range(60):
        visits += [page(f"/list/{k}?order={order}", f"list {k}") for order in ("up", "down", "left")]
        visits += [page(f"/other{k}?order={order}", f"other {k} {order}") for order in ("up", "down", "left")]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list/new?order=up") == normalizer.key(f"{HOST}/list/new?order=down")
    assert normalizer.key(f"{HOST}/list?order=up") != normalizer.key(f"{HOST}/list?order=down")


@pytest.mark.parametrize("linked", [False, True])
def test_a_row_says_what_was_equal_and_whether_links_were_known(linked: bool) -> None:
    more = {"links": [HOST + "/"]} if linked else {}
    (row,) = rows([page(f"/p{k}{v}", f"page {k}", **more) for k in range(40) for v in ("", "?ref=a", "?ref=b")])
    assert row["exact"] == 1.0
    assert row.get("graph") == (None if linked else "not recorded")


def test_a_value_that_is_nearly_a_default_leaves_a_row() -> None:
    visits = articles(60)
    for k in range(12):
        visits += [page(f"/list{k}", f"list {k}"), page(f"/list{k}?view=wide", f"list {k if k % 3 else -k - 1}")]
        visits += [page(f"/list{k}?view={other}", f"{other} {k}") for other in ("map", "tree")]
    (row,) = [row for row in rows(visits) if row["rule"] == "default_params"]
    assert (row["status"], row["value"], row["support"], row["against"]) == ("rejected", {"view": "wide"}, 8, 4)


def test_orders_of_short_lists_are_counted_as_siblings() -> None:
    """A list of one entry is the same in any order, and its address does not say that it has one."""
    visits = [
        page(f"/search?q=word{k}&order={order}", f"{k} {order if k % 2 else ''}")
        for k in range(40)
        for order in ("name", "date", "size", "owner")
    ]
    (row,) = [row for row in rows(visits) if row["rule"] == "siblings"]
    assert (row["status"], row["where"], row["value"]) == ("siblings", {"path": "/search"}, ["order"])
    assert (row["support"], row["against"]) == (20, 0)
    assert "siblings" not in str(learn(visits).rules)


def test_that_all_dates_of_a_form_are_of_one_year_is_chance() -> None:
    visits = articles(60)
    for k in range(40):
        day = f"2024-0{1 + k % 4}-1{k % 10}"
        visits.append(page(f"/timeline?back=30&from={day}", f"events of {day}"))
        visits.append(page(f"/timeline?from={day}&precision=day", f"events of {day}"))
    visits += [page(f"/timeline?from=2023-0{k}-11&precision=day", f"old {k}") for k in range(1, 10)]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/timeline?back=30&from=2024-09-09") == normalizer.key(
        f"{HOST}/timeline?from=2024-09-09&precision=day"
    )


def test_one_parameter_leaves_room_for_what_is_said_of_others() -> None:
    def candidate(rule: str, value: Any, status: str, name: str) -> Candidate:
        why = Evidence(agree=4, saved=40)
        names = frozenset((name,))
        return Candidate("a.example", rule, value, why, "alias", "more are needed", status=status, names=names)

    orders = ({"order": [[f"by{n}", "up"]]} for n in range(2 * MAX_REJECTED))
    pairs = [candidate("map_params", order, PROPOSED, "order") for order in orders]
    refused = candidate("remove_params", ["sid"], REJECTED, "sid")
    kept = told([*pairs, refused])
    assert refused in kept
    assert len(kept) == MAX_REJECTED
