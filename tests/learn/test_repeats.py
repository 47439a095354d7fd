"""Parameters that stand there twice with one value: filters that each of their links adds once more, and carts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.learn import Options, learn
from scrapy_urinorm.learn.evidence.edits import drop_edits
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.pages.view import view_of
from scrapy_urinorm.normalizer import Normalizer
from tests.learn.sites import Site

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evidence.candidate import Candidate

HOST = "http://shop.example.net"


def repeats(site: Site, *, strict: bool = False) -> tuple[list[Candidate], Normalizer]:
    options = Options(jobs=1)
    result = learn(site.visits(), options.strict() if strict else options)
    return [one for one in result.active if one.rule == "dedupe_params"], Normalizer([result.rules])


def shop(times: int = 3) -> Site:
    """Lists by filter; each list links to itself with its filter once more."""
    site = Site(HOST)
    for n in range(60):
        site.add(f"/item/{n}", f"item {n}")
    for color in ("red", "green", "blue", "black", "white", "pink", "grey", "gold", "teal", "navy", "plum", "rust"):
        site.add(f"/list/?f={color}&sort=up", f"list {color} up")
        for n in range(1, times + 1):
            site.add("/list/?" + "&".join([f"f={color}"] * n), f"list {color}")
        site.add(f"/list/?f={color}&f=big", f"list {color} big")
    return site


def test_a_filter_that_is_repeated_is_said_once() -> None:
    found, normalizer = repeats(shop())
    assert [(one.value, one.where) for one in found] == [("pair", {"path": "/list/", "query": {"f": True}})]
    once = normalizer.key(f"{HOST}/list/?f=red")
    assert normalizer.key(f"{HOST}/list/?f=red&f=red&f=red") == once
    assert normalizer.key(f"{HOST}/list/?f=red&f=big") != once
    # a list in another order was never seen with its filter twice, and is no other list for that
    assert normalizer.key(f"{HOST}/list/?f=red&f=red&sort=up") == normalizer.key(f"{HOST}/list/?f=red&sort=up")
    # another part of the site may count
    assert normalizer.key(f"{HOST}/item/?f=red&f=red") != normalizer.key(f"{HOST}/item/?f=red")


@pytest.mark.thorough
def test_a_crawl_that_is_caught_in_it_shows_few_pages_at_very_many_addresses() -> None:
    site = shop(1)
    for color in ("red", "green", "blue", "black", "white", "pink"):
        for n in range(2, 90):
            site.add("/list/?" + "&".join([f"f={color}"] * n), f"list {color}")
    found, _ = repeats(site)
    assert [one.value for one in found] == ["pair"]


def test_what_is_counted_stays() -> None:
    site = shop(1)
    for n in range(40):
        site.add(f"/cart/?add={n}", f"cart {n}")
        # most carts show as much of one as of two
        site.add(f"/cart/?add={n}&add={n}", f"cart {n}" if n % 3 else f"two of {n}")
    found, normalizer = repeats(site)
    assert not found
    assert normalizer.key(f"{HOST}/cart/?add=1&add=1") != normalizer.key(f"{HOST}/cart/?add=1")


def test_errors_of_repeated_parameters_speak_against_it() -> None:
    site = shop(1)
    for n in range(40):
        site.add(f"/show/?id={n}", f"shown {n}")
        site.add(f"/show/?id={n}&id={n}", "no such thing")
    assert not repeats(site)[0]


def test_a_form_at_all_addresses_says_nothing_of_them() -> None:
    site = shop(1)
    for n in range(200):
        site.add(f"/mine/?id={n}", "log in")
        site.add(f"/mine/?id={n}&id={n}", "log in")
    assert not repeats(site)[0]


def test_what_two_parameters_show_holds_for_no_third() -> None:
    site = shop()
    for size in range(12):
        site.add(f"/list/?size={size}", f"size {size}")
        site.add(f"/list/?size={size}&size={size}", f"size {size}")
    found, normalizer = repeats(site)
    assert {tuple(one.where["query"]) for one in found} == {("f",), ("size",)}
    assert normalizer.key(f"{HOST}/list/?size=1&size=1") == normalizer.key(f"{HOST}/list/?size=1")
    assert normalizer.key(f"{HOST}/list/?add=1&add=1") != normalizer.key(f"{HOST}/list/?add=1")


def test_strict_takes_it_too() -> None:
    assert [one.value for one in repeats(shop(), strict=True)[0]] == ["pair"]


def test_what_repeats_a_value_has_no_other() -> None:
    """A crawl that is caught in it has seen one value of the parameter, not as many as it stood there times."""
    values = {}
    for query in ("x=1", "x=1&x=1", "x=1&x=1&x=1", "x=2", "x=1&x=2"):
        view = view_of(f"{HOST}/?{query}", [Page(HOST, HOST)])
        assert view is not None
        ((_, _, values[query]),) = drop_edits(view, {})
    assert values["x=1"] == values["x=1&x=1"] == values["x=1&x=1&x=1"]
    assert len(set(values.values())) == 3


def test_what_two_scripts_do_a_third_one_does() -> None:
    """A gallery whose links each add one way back more: what a crawl depth first has met of it may be two scripts."""
    site = Site(HOST)
    for n in range(90):
        for script in ("photo", "album"):
            site.add(f"/{script}.php?{script}={n}&crumb=1", f"{script} {n}")
            site.add(f"/{script}.php?{script}={n}&crumb=1&crumb=1", f"{script} {n}")
    found, normalizer = repeats(site)
    assert [one.value for one in found] == ["pair"]
    assert normalizer.key(f"{HOST}/new.php?crumb=1&crumb=1") == normalizer.key(f"{HOST}/new.php?crumb=1")
