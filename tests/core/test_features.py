"""The page of features names every rule of the catalogue and no other, and its rows are whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.rules import CATALOGUE

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "features.md").read_text("utf-8")
ROWS = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in PAGE.splitlines() if line[:2] == "| "]
CAPABILITIES = {row[0]: row for row in ROWS if row[0] not in ("capability", "---")}
LINK = re.compile(r"\[`(\w+)`\]\(reference/rules\.md#([\w-]+)\)")

#: Rows that are always on: what the canonical URL makes of a text.
SAFE = {
    "lower-case the scheme": ("HTTP://a.example/", "http://a.example/"),
    "lower-case the host": ("http://A.Example/", "http://a.example/"),
    "upper-case the digits of an escape": ("http://a.example/%c3?%c3#%c3", "http://a.example/%C3?%C3#%C3"),
    "decode escapes of unreserved characters": ("http://a.example/%41%2f?%7e%26", "http://a.example/A%2F?~%26"),
    "escape what a URL cannot hold": ('http://a.example/é "?ü', "http://a.example/%C3%A9%20%22?%C3%BC"),
    "octets that are not UTF-8": ("http://a.example/%E9?q=%E9", "http://a.example/%E9?q=%E9"),
    "dot segments": ("http://a.example/a/./../b", "http://a.example/b"),
    "`%2e` is a dot": ("http://a.example/a/%2e%2E/b", "http://a.example/b"),
    "an empty path is `/`": ("http://a.example?a", "http://a.example/?a"),
    "default port": ("https://a.example:443/", "https://a.example/"),
    "empty port, leading zeros": ("http://a.example:0081/", "http://a.example:81/"),
    "empty user and password": ("http://:@a.example/", "http://a.example/"),
    "IDN to A-labels": ("http://faß.example/", "http://xn--fa-hia.example/"),
    "percent-encoded host": ("http://%41.example/", "http://a.example/"),
    "short, hexadecimal and octal IPv4": ("http://0x7f.1/", "http://127.0.0.1/"),
    "IPv6 compression": ("http://[2001:db8:0:0::1]/", "http://[2001:db8::1]/"),
    "backslashes, tabs, line ends, blanks around": (" http:\\\\a.ex\tample\\b\n ", "http://a.example/b"),
}
#: Rows that say no: what is left alone.
REFUSED = {
    "decode until nothing changes": "http://a.example/%252F",
    "legacy character sets in a query": "http://a.example/?q=%CA%D6",
    "`%uXXXX`": "http://a.example/?q=%u0161",
    "parameters of `data:` URLs": "data:text/plain;charset=utf-8,A",
    "guess a scheme": "example.com/a",
    "`#!` to `_escaped_fragment_`": "http://a.example/#!/x",
}


def test_every_rule_is_named_and_no_other() -> None:
    links = LINK.findall(PAGE)
    assert {name for name, _ in links} == CATALOGUE.keys()
    assert all(anchor == name for name, anchor in links)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_every_row_says_where_or_why_not(capability: str) -> None:
    assert len(CAPABILITIES[capability]) == 3
    _, here, where = CAPABILITIES[capability]
    assert here in ("yes", "no")
    assert where
    if here == "no":
        assert len(where) > 20, "a reason"


@pytest.mark.parametrize("capability", SAFE)
def test_what_is_always_on(capability: str) -> None:
    assert CAPABILITIES[capability][1] == "yes"
    assert "safe" in CAPABILITIES[capability][2]
    before, after = SAFE[capability]
    n = Normalizer(preset="safe")
    assert n.normalize(before) == after
    assert n.key(before) == n.key(after)


@pytest.mark.parametrize("capability", REFUSED)
def test_what_is_never_done(capability: str) -> None:
    assert CAPABILITIES[capability][1] == "no"
    for preset in ("safe", "loose"):
        assert (
            Normalizer({"rules": {"scheme": "keep", "fragment": "keep"}}, preset=preset).normalize(REFUSED[capability])
            == REFUSED[capability]
        )
