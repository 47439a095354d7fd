"""Redirects speak for what they were seen of: what has not moved may be another page than what has."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://a.example"


def page(path: str, text: str) -> Visit:
    return visit_from_row({"url": HOST + path, "status": 200, "text_digest": text, "words": 100})


def moved(path: str, target: str) -> Visit:
    row = {"url": HOST + path, "status": 301, "final_url": HOST + target, "redirects": [[301, HOST + path]]}
    return visit_from_row(row)


def site(old: str, new: str, *, leads: bool, stayed: int) -> list[Visit]:
    """Twenty pages that were moved, whose old addresses redirect or show them still, and some that were not moved."""
    visits = []
    for n in range(20):
        visits.append(page(new.format(f"moved{n}"), f"moved {n}"))
        visits.append(moved(old.format(f"moved{n}"), new.format(f"moved{n}")) if leads else page(
            old.format(f"moved{n}"), f"moved {n}"))  # fmt: skip
    return visits + [page(old.format(f"stayed{n}"), f"stayed {n}") for n in range(stayed)]


@pytest.mark.parametrize("options", [Options(), Options().strict()], ids=["default", "strict"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/{}/", "/news/{}/"),
        ("/{}", "/news/{}"),
        ("/old/{}", "/new/{}"),
        ("/new/{}", "/old/{}"),
        ("/show.php?id={}", "/news/{}"),
        ("/archive/{}", "/{}"),
    ],
    ids=["a folder", "a folder without a slash", "another folder", "one before it", "a path for a query", "the top"],
)
@pytest.mark.parametrize(
    ("leads", "stayed", "one"),
    [(True, 0, True), (True, 20, False), (False, 20, True)],
    ids=["all have moved", "as many have not", "pages are equal"],
)
def test_what_redirects_say_is_not_said_of_what_shows_a_page_itself(
    old: str, new: str, leads: bool, stayed: int, one: bool, options: Options
) -> None:
    """What redirects has a counterpart; of the others nobody knows, and `/x/` and `/news/x/` may be two pages."""
    normalizer = Normalizer(learn(site(old, new, leads=leads, stayed=stayed), options).rules)
    addresses = (HOST + old.format("another"), HOST + new.format("another"))
    assert len(set(map(normalizer.key, addresses))) == (1 if one else 2)


@pytest.mark.parametrize("stayed", [0, 60])
@pytest.mark.parametrize("old", ["http://old.a.example", "http://www.a.example", "https://a.example"])
def test_nor_is_it_said_of_whole_hosts(old: str, stayed: int) -> None:
    visits = []
    for n in range(20):
        target, source = f"{HOST}/moved{n}", f"{old}/moved{n}"
        hop = {"url": source, "status": 301, "final_url": target, "redirects": [[301, source]]}
        visits += [page(f"/moved{n}", f"moved {n}"), visit_from_row(hop)]
    for n in range(stayed):
        row = {"url": f"{old}/stayed{n}", "status": 200, "text_digest": f"stayed {n}", "words": 100}
        visits.append(visit_from_row(row))
    key = Normalizer(learn(visits).rules).key
    assert (key(f"{old}/another") == key(f"{HOST}/another")) == (not stayed)


def test_other_folders_say_nothing_of_what_was_moved_out_of_one() -> None:
    visits = site("/archive/{}", "/{}", leads=True, stayed=0)
    visits += [page(f"/user{n}/post{n}", f"post {n}") for n in range(200)]
    key = Normalizer(learn(visits).rules).key
    assert key(f"{HOST}/archive/another") == key(f"{HOST}/another")
