"""A crawl of the recorded graph: who is met, fetched and cut off under which keys, in every order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.learn.links.graph import BREADTH, DEPTH, Graph, crawl, cuts, lost

LINKS: dict[str, list[str]] = {
    "home": ["list", "list?sort=a", "list?sort=b"],
    "list": ["one"],
    "list?sort=a": ["one", "list?sort=a&page=2"],
    "list?sort=b": ["one", "list?sort=b&page=2"],
    "list?sort=a&page=2": ["two"],
    "list?sort=b&page=2": ["three"],
    "one": [], "two": [], "three": [],
}  # fmt: skip
NAMES = list(LINKS)
ORDERS = [(BREADTH, 1), (DEPTH, 1), (DEPTH, 4), (BREADTH, 16)]


def site(hops: dict[str, str] | None = None) -> Graph:
    number = {name: n for n, name in enumerate(NAMES)}
    links = [[number.get(link, len(NAMES)) for link in LINKS[name]] for name in NAMES]
    return Graph(links, [0], {number[a]: number[b] for a, b in (hops or {}).items()})


def unsorted(name: str) -> str:
    """A rule that drops the order of lists where they have no page."""
    return name.partition("?")[0] if "page=" not in name else name


@pytest.mark.parametrize(("order", "concurrent"), ORDERS)
def test_without_rules_everything_is_met(order: str, concurrent: int) -> None:
    found = crawl(site(), NAMES, order=order, concurrent=concurrent)
    assert sorted(found.fetched) == list(range(len(NAMES)))


@pytest.mark.parametrize(("order", "concurrent"), ORDERS)
def test_the_first_page_of_a_list_does_not_stand_for_what_follows(order: str, concurrent: int) -> None:
    plain = crawl(site(), NAMES, order=order, concurrent=concurrent)
    ruled = crawl(site(), [unsorted(name) for name in NAMES], order=order, concurrent=concurrent)
    labels = [0, 1, 1, 1, 4, 5, 6, 7, 8]
    gone = lost(plain, ruled, labels)
    assert {7, 8} & set(gone), "the pages behind one of the orders are gone, though the lists say the same"
    for nodes in gone.values():
        for node in nodes:
            assert NAMES[cuts(plain, ruled).get(node, node)].startswith("list")


def test_soft_classes_may_go() -> None:
    plain = crawl(site(), NAMES)
    nothing = crawl(site(), ["all"] * len(NAMES))
    assert set(lost(plain, nothing, range(9), frozenset(range(1, 9)))) == set()
    assert set(lost(plain, nothing, range(9))) == set(range(1, 9))


def test_depth_first_takes_the_last_link_first() -> None:
    assert [NAMES[n] for n in crawl(site(), NAMES, order=DEPTH).fetched[:3]] == [
        "home", "list?sort=b", "list?sort=b&page=2",
    ]  # fmt: skip


def test_skipped_addresses_are_met_and_never_requested() -> None:
    skipped = frozenset([NAMES.index("list?sort=a")])
    found = crawl(site(), NAMES, skipped)
    assert NAMES.index("list?sort=a") in found.parents
    assert {NAMES[n] for n in range(9) if n not in found.fetched} == {"list?sort=a", "list?sort=a&page=2", "two"}


def test_deferred_addresses_come_last() -> None:
    deferred = frozenset(n for n, name in enumerate(NAMES) if "sort" in name)
    found = crawl(site(), NAMES, deferred=deferred)
    assert [NAMES[n] for n in found.fetched[:3]] == ["home", "list", "one"]
    assert len(found.fetched) == len(NAMES)


def test_the_target_of_a_redirect_is_fetched_though_its_key_is_that_of_its_source() -> None:
    keys = ["one" if name == "list" else name for name in NAMES]
    found = crawl(site({"list": "one"}), keys)
    assert NAMES.index("one") in found.fetched


@pytest.mark.parametrize(("order", "concurrent"), [(BREADTH, 1), (BREADTH, 4), (DEPTH, 1), (DEPTH, 4)])
@pytest.mark.parametrize("hops", [{1: 2}, {1: 2, 2: 1}], ids=["it leads to a page", "both lead to each other"])
def test_it_is_fetched_once_though_a_link_to_it_was_filtered(order: str, concurrent: int, hops: dict[int, int]) -> None:
    """A page that names `/x` and `/x/`, of which the first redirects to the second."""
    graph = Graph([[1, 2], [], [3], []], [0], hops)
    found = crawl(graph, ["home", "x", "x", "behind"], order=order, concurrent=concurrent)
    assert sorted(found.fetched) == [0, 1, 2, 3]


graphs = st.lists(st.lists(st.integers(0, 14), max_size=4), min_size=1, max_size=12)


@given(graphs, st.sampled_from(ORDERS), st.lists(st.integers(0, 11), max_size=2))
def test_every_node_is_reached_from_the_roots_and_none_of_them_is_idle(
    links: list[list[int]], way: tuple[str, int], starts: list[int]
) -> None:
    graph = Graph(links, [n for n in starts if n < len(links)])
    found = crawl(graph, range(len(links)), order=way[0], concurrent=way[1])
    assert sorted(found.fetched) == list(range(len(links)))
    for root in set(graph.roots) - set(graph.starts):
        rest = [n for n in graph.roots if n != root]
        seen = set(rest)
        stack = list(rest)
        while stack:
            new = {t for t in links[stack.pop()] if t < len(links)} - seen
            seen |= new
            stack += new
        assert root not in seen


@pytest.mark.parametrize("order", [BREADTH, DEPTH])
@pytest.mark.parametrize(("variants", "met"), [(1, True), (2, True), (3, False)])
def test_where_a_variant_failed_others_go(variants: int, met: bool, order: str) -> None:
    """`variants` of one page have failed, one after the other, and the last one leads to what nothing else leads to."""
    links: list[list[int]] = [[1], *([n + 2] for n in range(variants)), [variants + 2], []]
    graph = Graph(links, [0], failed=set(range(1, variants + 1)))
    keys = ["start", *["page"] * (variants + 1), "behind"]
    found = crawl(graph, keys, order=order)
    assert (variants + 2 in found.fetched) is met
    assert found.claimed.get("page") == (variants + 1 if met else None)
