"""Registrable domains: the look-ups of our own give what the package does that has the list."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import suffixes


@cache
def names() -> list[str]:
    """All suffixes, read when the first test wants them and not in every process that collects tests."""
    return sorted(suffixes._extract().tlds)


_labels = ["a", "www", "com", "uk", "co", "ck", "xn--p1ai", "1", "x_y", "-", "", "*", "!www", "kawasaki", "A", "ß"]
_known = st.deferred(lambda: st.sampled_from(names()))
_hosts = st.one_of(
    st.lists(st.sampled_from(_labels), max_size=5).map(".".join),
    st.tuples(st.sampled_from(("", "a.", "b.a.", "www.x.y.", ".")), _known).map("".join),
    _known.map(lambda name: "b.a." + name.lstrip("*!.")),
    st.text(max_size=20),
)


SITES = [
    ("www.shop.example", "shop.example"),
    ("www.shop.example.", "shop.example"),
    ("www.shop.co.uk.", "shop.co.uk"),
    ("localhost.", "localhost"),
    ("127.0.0.1.", "127.0.0.1"),
    ("[::1]", "[::1]"),
    (".", "."),
]


@pytest.mark.parametrize(("host", "site"), SITES)
def test_the_site_of_a_host(host: str, site: str) -> None:
    assert suffixes.site_of(host) == site


def test_a_dot_at_the_end_makes_no_site_of_two() -> None:
    assert suffixes.same_site("www.a.example.", "a.example")
    assert not suffixes.same_site("a.example.", "b.example.")


PORTS = [("a.example", "a.example"), ("a.example:80", "a.example"), ("[::1]", "[::1]"), ("[::1]:8080", "[::1]")]


@pytest.mark.parametrize(("given", "host"), PORTS)
def test_a_host_without_its_port(given: str, host: str) -> None:
    assert suffixes.without_port(given) == host


@pytest.mark.thorough
@given(host=_hosts)
def test_labels_are_those_of_the_package(host: str) -> None:
    assert suffixes.registrable_labels(host) == suffixes._registrable_labels(host)


@pytest.mark.thorough
def test_every_suffix() -> None:
    for name in names():
        for host in (name, f"a.{name}", name.lstrip("*!."), "a." + name.lstrip("*!."), "b.a." + name.lstrip("*!.")):
            assert suffixes.registrable_labels(host) == suffixes._registrable_labels(host), host
