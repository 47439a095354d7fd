"""Constant views: one page under very many values, not many pages under two each."""

from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site

HOST = "http://git.example.net"


def keys(pages: int, names: int) -> set[str]:
    """The keys of files that are asked for by hash, each under so many names, under what these addresses taught."""
    site = Site(HOST)
    for n in range(120):
        site.add(f"/log?n={n}", f"log {n}")
    files = [
        site.add(f"/blob?f=name{page * names + n}&h={page}", f"blob {page}")
        for page in range(pages)
        for n in range(names)
    ]
    normalizer = Normalizer([learn(site.visits(), Options(jobs=1)).rules])
    return {normalizer.key(url) for url in files}


@pytest.mark.parametrize(("pages", "names"), [(8, 2), (7, 3), (4, 5), (1, 40)])
def test_files_that_each_have_a_few_names_keep_them(pages: int, names: int) -> None:
    assert len(keys(pages, names)) == pages * names


@pytest.mark.parametrize(("pages", "names"), [(1, 46), (3, 50)])
def test_one_page_under_very_many_names_is_one(pages: int, names: int) -> None:
    assert len(keys(pages, names)) == pages


def learned(site: Site) -> Normalizer:
    return Normalizer([learn(site.visits(), Options(jobs=1)).rules])


@pytest.mark.parametrize(("least", "met"), [(48, 12), (3, 1)])
def test_numbers_below_those_that_were_seen_may_show_less(least: int, met: int) -> None:
    """All of a file's differences are shown from `context=48` on, with 12 lines around each they are not."""
    site = Site(HOST)
    for n in range(60):
        site.add(f"/log?n={n}", f"log {n}")
        site.add(f"/diff/a.txt?context={least + 7 * n}", "diff of a.txt")
    normalizer = learned(site)
    shown = normalizer.key(f"{HOST}/diff/a.txt?context={least + 5}")
    assert normalizer.key(f"{HOST}/diff/a.txt?context={least + 90_000}") == shown
    assert normalizer.key(f"{HOST}/diff/a.txt?context={met}") != shown


def test_of_parameters_that_come_together_only_those_that_varied_on_one_page_are_dropped() -> None:
    """Queries of a database: the page is the same in any order of its rows, and `p0` is what is asked for."""
    site = Site(HOST)
    for n in range(40):
        site.add(f"/rows.csv?p0={n}&sql=all{n}", f"all {n}")
        for order in range(4):
            site.add(f"/rows.csv?p0={n % 8}&p1={n}&sql=by{order * 40 + n}", f"rows {n}")
    normalizer = learned(site)
    assert len({normalizer.key(f"{HOST}/rows.csv?p0={n}&p1=3&sql=by3") for n in range(8)}) == 8


@pytest.mark.parametrize(
    ("form", "numbers", "one"),
    [
        ("/project/{}/map/{}", 60, True),
        ("/project/{}/map/{}", 40, False),
        ("/archive/{}/{}", 60, False),
        ("/project/v{}/map/v{}", 60, False),
    ],
    ids=["a form to log in", "too few of them", "no word between", "no numbers"],
)
def test_two_numbers_that_lead_to_one_page(form: str, numbers: int, *, one: bool) -> None:
    """Each project has one form behind its only mapping: there is no other number beside it."""
    site = Site(HOST)
    for n in range(numbers):
        site.add(f"/project/{n}/", f"project {n}")
        site.add(form.format(n, n + 3), "log in")
    normalizer = learned(site)
    shown = normalizer.key(HOST + form.format(7, 8))
    assert (normalizer.key(HOST + form.format(900, 13)) == shown) is one
    assert normalizer.key(f"{HOST}/project/9/map/x") != shown
    assert normalizer.key(f"{HOST}/project/8/") != normalizer.key(f"{HOST}/project/9/")


def test_two_numbers_of_which_one_form_is_another_page() -> None:
    site = Site(HOST)
    for n in range(80):
        site.add(f"/project/{n}/", f"project {n}")
        site.add(f"/project/{n}/map/{n + 3}", "log in" if n else "the map of a public project")
    normalizer = learned(site)
    assert normalizer.key(f"{HOST}/project/7/map/10") != normalizer.key(f"{HOST}/project/8/map/11")


def wiki(pages: int, *, empty: int = 0, form: str = "w{:x}ord", home: str = "forms for the wiki") -> Normalizer:
    """A form that is the same for each page of a wiki, beside views of the pages, of which some are `empty`."""
    site = Site(HOST)
    for n in range(pages):
        page = form.format(n)
        site.add(f"/wiki?action=forms&id={page}", "forms")
        site.add(f"/wiki?action=browse&id={page}", f"page {n}" if n >= empty else "no such page")
    site.add("/wiki?action=forms", home)
    return learned(site)


@pytest.mark.parametrize("pages", [46, 200])
def test_one_page_under_very_many_values_is_one_where_that_without_a_value_is_another(pages: int) -> None:
    normalizer = wiki(pages)
    one = normalizer.key(f"{HOST}/wiki?action=forms&id=w7ord")
    assert normalizer.key(f"{HOST}/wiki?action=forms&id=anything") == one
    assert normalizer.key(f"{HOST}/wiki?action=forms") != one
    assert normalizer.key(f"{HOST}/wiki?action=browse&id=w7ord") != normalizer.key(
        f"{HOST}/wiki?action=browse&id=w8ord"
    )


@pytest.mark.parametrize(
    "how",
    [
        {"pages": 40},
        {"pages": 60, "form": "{}"},
        {"pages": 60, "form": "{}-05-01"},
        {"pages": 60, "empty": 35},
    ],
    ids=["few values", "numbers", "days", "most values show nothing elsewhere"],
)
def test_but_not_where_it_may_be_so_by_luck(how: dict[str, Any]) -> None:
    normalizer = wiki(**how)
    form = how.get("form", "w{:x}ord")
    keys = {normalizer.key(f"{HOST}/wiki?action=forms&id={form.format(n)}") for n in range(40)}
    assert len(keys) == 40


@pytest.mark.parametrize("hits", [0, 1])
def test_words_without_a_hit_say_nothing_of_other_words(hits: int) -> None:
    """No other view says what a word may show; and a word that has a hit says that there are such."""
    site = Site(HOST)
    site.add("/search", "what are you looking for?")
    for n in range(90):
        site.add(f"/page/{n}", f"page {n}")
        site.add(f"/search?word=w{n:x}ord", "nothing found" if n >= hits else "one page")
    normalizer = learned(site)
    assert len({normalizer.key(f"{HOST}/search?word=w{n:x}ord") for n in range(90)}) == 90


def test_nor_where_one_value_of_very_many_shows_what_no_value_shows() -> None:
    """It is beyond those that are looked at one by one."""
    site = Site(HOST)
    site.add("/wiki?action=forms", "forms for the wiki")
    for n in range(200):
        site.add(f"/wiki?action=forms&id=w{n:x}ord", "forms" if n != 150 else "forms for the wiki")
        site.add(f"/wiki?action=browse&id=w{n:x}ord", f"page {n}")
    normalizer = learned(site)
    assert len({normalizer.key(f"{HOST}/wiki?action=forms&id=w{n:x}ord") for n in range(200)}) == 200
