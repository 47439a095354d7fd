"""Filters that multiply: what is proposed, and that no page but the filtered lists would be missed under it."""

from __future__ import annotations

import itertools
import tomllib
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.importers.facets import FacetCount, Facets, part_of
from scrapy_urinorm.learn import Options, learn, to_toml
from scrapy_urinorm.learn.output import facets_toml
from scrapy_urinorm.learn.pages.page import Page
from scrapy_urinorm.learn.pages.view import view_of
from scrapy_urinorm.learn.unrequested.facets import independent
from scrapy_urinorm.live.study import study
from scrapy_urinorm.visits.links import link_hashes, page_links, url_hash
from tests.cli.programs import run
from tests.learn.sites import Site

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from scrapy_urinorm.learn.learner import LearnResult
    from scrapy_urinorm.visits import Visit

SHOP = "https://shop.example"
FILTERS = {"brand": "abcd", "colour": "rgb", "size": "123"}


def lists(*, hidden: bool = False, path: str = "/c/mugs") -> dict[str, list[str]]:
    """The pages of a shop with their links: all combinations of three filters, and products.

    `hidden`: some products are shown by lists under two filters alone.
    """
    choices = [("", *values) for values in FILTERS.values()]
    out: dict[str, list[str]] = {"/": [path]}
    for chosen in itertools.product(*choices):
        said = {name: value for name, value in zip(FILTERS, chosen, strict=True) if value}
        url = address(path, said)
        free = [(name, value) for name, values in FILTERS.items() if name not in said for value in values]
        narrower = [address(path, {**said, name: value}) for name, value in free]
        shown = (
            [f"/p/{''.join(chosen)}{n}" for n in range(3)]
            if len(said) < 2 or hidden
            else [f"/p/{chosen[0] or chosen[1]}0"]
        )
        out[url] = [*narrower, *shown, "/"]
        out |= {product: ["/"] for product in shown}
    return out


def address(path: str, said: Mapping[str, str]) -> str:
    query = "&".join(f"{name}={said[name]}" for name in FILTERS if name in said)
    return f"{path}?{query}" if query else path


def visits_of(pages: Mapping[str, list[str]]) -> list[Visit]:
    site = Site(SHOP)
    for url in pages:
        site.add(url, f"page {url}")
    visits = site.visits()
    for visit in visits:
        visit.id = url_hash(visit.url)
        visit.depth = 0 if visit.url == SHOP + "/" else 1
        visit.links, visit.links_count = link_hashes(page_links(pages[visit.url.removeprefix(SHOP)], visit.url))
    return visits


def learned(pages: Mapping[str, list[str]]) -> LearnResult:
    return learn(visits_of(pages), Options(jobs=1))


def proposed(pages: Mapping[str, list[str]]) -> str:
    return facets_toml(learned(pages).others)


def test_each_filter_by_itself() -> None:
    result = learned(lists())
    rule = tomllib.loads(facets_toml(result.others))
    assert rule == {"site": {"shop.example": {"where": [
        {"path": "/c/mugs", "max_params": {"of": ["brand", "colour", "size"], "at_most": 1}},
    ]}}}  # fmt: skip
    n = Normalizer(rule)
    assert not n.verdict(f"{SHOP}/c/mugs?brand=a")[0]
    assert n.verdict(f"{SHOP}/c/mugs?brand=a&size=1")[0]
    (candidate,) = [one for one in result.others if one.family == "facets"]
    assert (candidate.saved, "misses 69 such lists alone" in candidate.why) == (69, True), candidate.why
    assert all(one.value.get("defer") for one in result.active if one.rule == "max_params"), "as a rule they come last"


def test_a_limit_of_one_host_is_none_of_the_hosts_below_it() -> None:
    below = Site("https://old.shop.example")
    below.add("/c/mugs", "page of another host")
    result = learn([*visits_of(lists()), *below.visits()], Options(jobs=1))
    (candidate,) = [one for one in result.others if one.family == "facets"]
    assert candidate.this_host
    for text in (facets_toml(result.others), to_toml(result)):
        n = Normalizer(tomllib.loads(text))
        assert any(n.verdict(f"{SHOP}/c/mugs?brand=a&size=1"))
        assert not any(n.verdict("https://old.shop.example/c/mugs?brand=a&size=1"))


def test_a_learned_file_has_it_as_a_comment_that_is_a_rule() -> None:
    text = to_toml(learned(lists()))
    (where,) = tomllib.loads(text)["site"]["shop.example"]["where"]
    assert where["max_params"]["defer"], "what is skipped only a person decides"
    *_, comment = text.partition("To copy:\n")
    copied = "\n".join(line.removeprefix("# ") for line in comment.partition("\n\n")[0].splitlines())
    assert tomllib.loads(copied)["site"]["shop.example"]["where"][0]["path"] == "/c/mugs"


def test_the_command_shows_it_ready_to_be_copied(tmp_path: Path) -> None:
    visits = tmp_path / "visits.jsonl"
    visits.write_text("".join(f"{visit.to_json()}\n" for visit in visits_of(lists())))
    done = run("learn", str(visits), "--output", "learned.toml", cwd=tmp_path)
    *_, copied = done.out.partition("urinorm.toml:\n")
    assert tomllib.loads(copied.partition("\nnext")[0])["site"]["shop.example"]["where"][0]["path"] == "/c/mugs"


def test_what_only_combined_filters_show_is_requested_last() -> None:
    rule = tomllib.loads(proposed(lists(hidden=True)))
    (where,) = rule["site"]["shop.example"]["where"]
    assert where["max_params"] == {"of": ["brand", "colour", "size"], "at_most": 1, "defer": True}


def test_pages_named_by_parameters_are_no_lists() -> None:
    pages = {url: [link for link in links if "?" in link] for url, links in lists().items() if "/p/" not in url}
    assert proposed({**pages, "/": ["/c/mugs"]}) == ""


@pytest.mark.parametrize("hidden", [False, True])
def test_live_rules_put_what_has_more_than_one_filter_last(hidden: bool) -> None:
    found = study("shop.example", visits_of(lists(hidden=hidden)), Options(skip=False), [])
    assert found.later == {"site": {"shop.example": {"where": [
        {"path": "/c/mugs", "max_params": {"of": ["brand", "colour", "size"], "at_most": 1, "defer": True}},
    ]}}}  # fmt: skip
    assert list(found.combined) == ["/c/mugs"]
    # the same under `/c/`, of which this is a part
    wider = study("shop.example", visits_of(lists() | lists(path="/c/cups")), Options(skip=False), [])
    assert list(wider.combined) == ["/c/**"]


def test_live_rules_leave_pages_named_by_parameters_in_their_turn() -> None:
    pages = {url: [link for link in links if "?" in link] for url, links in lists().items() if "/p/" not in url}
    assert study("shop.example", visits_of({**pages, "/": ["/c/mugs"]}), Options(skip=False), []).later == {}


def test_without_recorded_links_nothing_is_proposed() -> None:
    site = Site(SHOP)
    for url in lists():
        site.add(url, f"page {url}")
    assert facets_toml(learn(site.visits(), Options(jobs=1)).others) == ""


PARTS = {"/": "/", "/c": "/c", "/c/": "/c/", "/c/mugs": "/c/", "/c/mugs/": "/c/", "": "", "/c/mugs.cgi": "/c/mugs.cgi"}


@pytest.mark.parametrize(("path", "part"), PARTS.items())
def test_part(path: str, part: str) -> None:
    assert part_of(path) == part


def counted(addresses: Mapping[str, int], path: str = "/c/{n}") -> list[Facets]:
    count = FacetCount()
    for names, times in addresses.items():
        for n in range(times):
            count.add(path.replace("{n}", str(n)), [(name, str(n)) for name in names.split()])
    return count.found()


LIST = ("/list", ("a", "b", "c"))
SIX = {"a": 20, "b": 20, "c": 20, "a b": 20, "a c": 20, "a b c": 20}
COUNTED = {
    "filters of several paths": (SIX, "/c/{n}", ("/c/**", ("a", "b", "c"))),
    "of one path": (SIX, "/list", LIST),
    "what names the page is none": ({f"id {names}": n for names, n in SIX.items()}, "/list", LIST),
    "pages of items are no lists": (
        {**SIX, **{f"product_id {names}": 20 for names in SIX}}, "/list", LIST,
    ),
    "few ids are filters": (
        {**SIX, **{f"brand_id {names}": 3 for names in SIX}}, "/list", ("/list", ("a", "b", "c", "brand_id")),
    ),
    "what turns pages is none": ({f"page {names}": n for names, n in SIX.items()}, "/list", LIST),
    "repeated values count": (
        {**{f"f {x}": 10 for x in "uvwxy"}, "f f f": 30, "g": 30}, "/list", ("/list", ("f", "g", *"uvwxy")),
    ),
    "a glob is no name": ({names.replace("a", "a%2A"): n for names, n in SIX.items()}, "/list", ("/list", ("b", "c"))),
    "too few addresses": (dict.fromkeys(SIX, 5), "/list", None),
    "never three at once": (dict.fromkeys(("a", "b", "c", "a b", "a c", "b c"), 30), "/list", None),
    "too few combinations": ({"a b c": 100, "a": 100}, "/list", None),
}  # fmt: skip


@pytest.mark.parametrize(("addresses", "path", "expected"), COUNTED.values(), ids=COUNTED)
def test_counted(addresses: dict[str, int], path: str, expected: tuple[str, tuple[str, ...]] | None) -> None:
    found = counted(addresses, path)
    assert [(one.path, one.filters) for one in found] == ([expected] if expected else [])


ITEMS = {f"product_id {names}": 20 for names in SIX}
SPARED = {
    "an id of many": ({**SIX, **ITEMS}, ("product_id",)),
    "in one word": ({**SIX, **{f"productId {names}": 20 for names in SIX}}, ("productId",)),
    "an id of a few": ({**SIX, **{f"brand_id {names}": 3 for names in SIX}}, ()),
    "an id of a few pages": ({**SIX, **{f"id {names}": 3 for names in SIX}}, ("id",)),
    "nineteen values": ({**SIX, **{f"brand_id {names}": 19 for names in SIX}}, ()),
}


@pytest.mark.parametrize(("addresses", "items"), SPARED.values(), ids=SPARED)
def test_pages_of_items_are_spared(addresses: Mapping[str, int], items: tuple[str, ...]) -> None:
    (found,) = counted(addresses, "/list")
    assert found.items == items
    verdict = Normalizer({"host": {"a.example": {"where": [found.table()]}}}).verdict
    assert verdict("http://a.example/list?a=1&b=2") == (True, False)
    for name in ("product_id", "productId"):
        assert verdict(f"http://a.example/list?a=1&b=2&{name}=5")[0] is (name not in items)


@pytest.mark.parametrize("name", ["%FF_id", "a%2A_id"])
def test_an_id_that_no_rule_can_name(name: str) -> None:
    found = counted({**SIX, **{f"{name} {names}": 20 for names in SIX}}, "/list")
    assert all(not one.items for one in found)
    assert name != "%FF_id" or not found


BESIDE = {
    "a service of many hosts": ([f"host={n}&service={s}" for n in range(25) for s in "ab"] + ["host=1"], {"host"}),
    "one of a few": ([f"brand={n}&size={s}" for n in range(5) for s in "ab"] + ["brand=1"], {"brand", "size"}),
    "alone, too": ([f"brand={n}&size={s}" for n in range(25) for s in "ab"] + ["brand=1", "size=a"], {"brand", "size"}),
    "with this and with that": (
        [f"{a}={n}&size=1" for n in range(25) for a in "uv"] + ["u=1", "v=1"],
        {"u", "v", "size"},
    ),
}


@pytest.mark.parametrize(("queries", "left"), BESIDE.values(), ids=BESIDE)
def test_what_names_a_page_within_another_is_no_filter(queries: list[str], left: set[str]) -> None:
    urls = [f"{SHOP}/info.cgi?type=2&{query}" for query in queries]
    views = [view for url in urls if (view := view_of(url, [Page(url, url)])) is not None]
    names = sorted({item.partition("=")[0] for query in queries for item in query.split("&")})
    found = Facets("/info.cgi", tuple(names), len(urls), 6, 3)
    assert set(independent("shop.example", found, views)) == left


def test_pages_of_items_are_in_no_limit_that_is_learned() -> None:
    """Products are shown at the same path, each under the filters by which it was found."""
    pages = lists()
    for n in range(30):
        product = f"/c/mugs?product_id={n}&brand=a&size=1"
        pages[product] = ["/"]
        pages["/c/mugs?brand=a"].append(product)
    result = learned(pages)
    limits = [one for one in (*result.active, *result.others) if one.rule == "max_params"]
    assert limits
    assert all(one.where["query"] == {"product_id": False} for one in limits)
    assert all("product_id" not in one.value["of"] for one in limits)
