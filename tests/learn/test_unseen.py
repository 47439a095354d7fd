"""What was not seen is left alone: values of switches, paged lists, and links that nobody followed."""

from __future__ import annotations

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.learn import learn
from scrapy_urinorm.learn.candidate import united
from scrapy_urinorm.visits.record import Visit, visit_from_row

HOST = "http://a.example"


def page(path: str, text: str, links: list[str] | None = None, depth: int = 1) -> Visit:
    row = {"url": HOST + path, "status": 200, "text_digest": text, "words": 100, "depth": depth}
    if links is not None:
        row["links"] = [HOST + link for link in links]
    return visit_from_row(row)


def browser(actions: tuple[str, ...]) -> list[Visit]:
    """A repository browser in which `h` makes no difference to some views; each view is at many paths."""
    visits = []
    for action in actions:
        for n in range(15):
            given = ("", "&h=one", "&h=two")
            visits += [page(f"/?a={action}&f=file{n}{h}", f"{action} {n}") for h in given]
    return visits


def test_a_switch_says_where_a_rule_was_seen() -> None:
    normalizer = Normalizer(learn(browser(("blob", "blame"))).rules)
    for action in ("blob", "blame"):
        assert normalizer.key(f"{HOST}/?a={action}&f=new&h=one") == normalizer.key(f"{HOST}/?a={action}&f=new")
    assert normalizer.key(f"{HOST}/?a=history&f=new&h=one") != normalizer.key(f"{HOST}/?a=history&f=new")


def test_a_list_without_a_page_number_says_nothing_of_those_with_one() -> None:
    visits = []
    for n in range(30):
        visits += [page(f"/list?cat=c{n}{order}", f"list {n}") for order in ("", "&order=up", "&order=down")]
        visits += [page(f"/list?cat=c{n}&page={p}", f"list {n} {p}") for p in (2, 3)]
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&order=up") == normalizer.key(f"{HOST}/list?cat=new")
    assert normalizer.key(f"{HOST}/list?cat=new&order=up&page=2") != normalizer.key(f"{HOST}/list?cat=new&page=2")


@pytest.mark.parametrize(
    ("private", "is_rule"), [(False, True), (True, False)], ids=["the same links", "links of its own"]
)
def test_pages_that_lead_to_what_nobody_followed_are_not_merged(private: bool, is_rule: bool) -> None:
    """Each variant shows one text; where each leads to pages of its own, a crawl cut short does not know them."""
    visits = [page("/", "front", [f"/x{n}?v={v}" for n in range(30) for v in range(3)], depth=0)]
    for n in range(30):
        for v in range(3):
            links = [f"/behind/{n}/{v if private else 0}/{k}" for k in range(3)]
            visits.append(page(f"/x{n}?v={v}", f"page {n}", links))
    normalizer = Normalizer(learn(visits).rules)
    assert (normalizer.key(f"{HOST}/x99?v=1") == normalizer.key(f"{HOST}/x99?v=2")) is is_rule


def test_aliases_of_nested_scopes_add_up_by_value() -> None:
    rules = {
        "site": {
            "a.example": {
                "map_params": {"h": [["HEAD", "master"], ["x", "y"]]},
                "where": [{"query": {"a": True}, "map_params": {"h": [["one", "two"], ["y", "z"]]}}],
            }
        }
    }
    normalizer = Normalizer(rules)
    for given, kept in (("master", "HEAD"), ("two", "one"), ("z", "y"), ("y", "y"), ("x", "x")):
        assert normalizer.key(f"{HOST}/?a=1&h={given}") == f"{HOST}/?a=1&h={kept}", given
    assert normalizer.key(f"{HOST}/?h=y") == f"{HOST}/?h=x"


@pytest.mark.parametrize(
    ("groups", "expected"),
    [
        ([["a", "b"], ["b", "c"]], [["a", "b", "c"]]),
        ([["a", "b"], ["c", "d"]], [["a", "b"], ["c", "d"]]),
        ([["a", "b"], ["c", "d"], ["b", "d"]], [["a", "b", "c", "d"]]),
        ([["a", "b"], [False, "a"]], [[False, "a", "b"]]),
        ([["a", "b"], ["a", "b"]], [["a", "b"]]),
    ],
)
def test_chains_of_aliases_are_one_group(groups: list[list[object]], expected: list[list[object]]) -> None:
    assert united(groups) == expected


def test_default_values_of_several_parts_add_up() -> None:
    visits = []
    for n in range(30):
        visits += [page(f"/list?cat=c{n}{s}", f"list {n}") for s in ("", "&sort=name")]
        visits += [page(f"/search?cat=c{n}{s}", f"search {n}") for s in ("", "&sort=rank", "&sort=name")]
        visits.append(page(f"/list?cat=c{n}&sort=rank", f"list {n} by rank"))
    normalizer = Normalizer(learn(visits).rules)
    assert normalizer.key(f"{HOST}/list?cat=new&sort=name") == normalizer.key(f"{HOST}/list?cat=new")
    assert normalizer.key(f"{HOST}/search?cat=new&sort=name") == normalizer.key(f"{HOST}/search?cat=new")
    assert normalizer.key(f"{HOST}/search?cat=new&sort=rank") == normalizer.key(f"{HOST}/search?cat=new")
    assert normalizer.key(f"{HOST}/list?cat=new&sort=rank") != normalizer.key(f"{HOST}/list?cat=new")
