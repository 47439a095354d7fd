"""The examples of RFC 3986, RFC 3987 and of Wikipedia's article on URI normalization, as canonical URLs."""

# ruff: noqa: E501  a row of a table is a line
from __future__ import annotations

from typing import Any

import pytest

from scrapy_urinorm import Normalizer

SAFE = Normalizer(preset="safe")

#: (section, spelling, canonical URL)
RFC_3986_6 = [
    ("6.2.2.1 case of scheme and host", "HTTP://www.EXAMPLE.com/", "http://www.example.com/"),
    ("6.2.2.1 case of an escape", "http://example.com/a%c2%b1", "http://example.com/a%C2%B1"),
    ("6.2.2.2 unreserved octets", "http://example.com/%7Esmith/home.html", "http://example.com/~smith/home.html"),
    ("6.2.2.3 dot segments", "http://example.com/a/./b/../b/%63/d", "http://example.com/a/b/c/d"),
    ("6.2.3 empty path", "http://example.com", "http://example.com/"),
    ("6.2.3 empty port", "http://example.com:/", "http://example.com/"),
    ("6.2.3 default port", "http://example.com:80/", "http://example.com/"),
    ("2.1 example of an escaped tilde", "http://example.com/%7e", "http://example.com/~"),
]

#: RFC 3986 5.4: the base, and reference -> target.
BASE = "http://a/b/c/d;p?q"
RFC_3986_5_4 = {
    "g:h": "g:h", "g": "http://a/b/c/g", "./g": "http://a/b/c/g", "g/": "http://a/b/c/g/", "/g": "http://a/g", "//g": "http://g/",
    "?y": "http://a/b/c/d;p?y", "g?y": "http://a/b/c/g?y", "#s": "http://a/b/c/d;p?q#s", "g#s": "http://a/b/c/g#s",
    "g?y#s": "http://a/b/c/g?y#s", ";x": "http://a/b/c/;x", "g;x": "http://a/b/c/g;x", "g;x?y#s": "http://a/b/c/g;x?y#s",
    "": "http://a/b/c/d;p?q", ".": "http://a/b/c/", "./": "http://a/b/c/", "..": "http://a/b/", "../": "http://a/b/", "../g": "http://a/b/g",
    "../..": "http://a/", "../../": "http://a/", "../../g": "http://a/g",
    # 5.4.2, abnormal
    "../../../g": "http://a/g", "../../../../g": "http://a/g", "/./g": "http://a/g", "/../g": "http://a/g", "g.": "http://a/b/c/g.",
    ".g": "http://a/b/c/.g", "g..": "http://a/b/c/g..", "..g": "http://a/b/c/..g", "./../g": "http://a/b/g", "./g/.": "http://a/b/c/g/",
    "g/./h": "http://a/b/c/g/h", "g/../h": "http://a/b/c/h", "g;x=1/./y": "http://a/b/c/g;x=1/y", "g;x=1/../y": "http://a/b/c/y",
    "g?y/./x": "http://a/b/c/g?y/./x", "g?y/../x": "http://a/b/c/g?y/../x", "g#s/./x": "http://a/b/c/g#s/./x",
    "g#s/../x": "http://a/b/c/g#s/../x",
    # the one that parsers may read as a relative reference "for backward compatibility", as browsers do
    "http:g": "http://a/b/c/g",
}  # fmt: skip

#: Wikipedia, "URI normalization": the normalizations that preserve semantics, then those that need a rule.
WIKIPEDIA_SAFE = [
    ("escapes to upper case", "http://example.com/foo%2a", "http://example.com/foo%2A"),
    ("scheme and host to lower case", "HTTP://User@Example.COM/Foo", "http://User@example.com/Foo"),
    ("unreserved octets", "http://example.com/%7Efoo", "http://example.com/~foo"),
    ("dot segments", "http://example.com/foo/./bar/baz/../qux", "http://example.com/foo/bar/qux"),
    ("empty path", "http://example.com", "http://example.com/"),
    ("default port", "http://example.com:80/", "http://example.com/"),
]
WIKIPEDIA_RULES: list[tuple[str, dict[str, Any], str, str]] = [
    ("trailing slash", {"trailing_slash": "add"}, "http://example.com/foo", "http://example.com/foo/"),
    ("directory index", {"directory_index": ["default.asp", "index.html"]}, "http://example.com/default.asp", "http://example.com/"),
    ("directory index in a folder", {"directory_index": ["default.asp", "index.html"]}, "http://example.com/a/index.html", "http://example.com/a/"),
    ("fragment", {"fragment": "remove"}, "http://example.com/bar.html#section1", "http://example.com/bar.html"),
    ("address to name", {"ip_hosts": {"208.77.188.166": "example.com"}}, "http://208.77.188.166/", "http://example.com/"),
    ("protocol", {"scheme": "http"}, "https://example.com/", "http://example.com/"),
    ("duplicate slashes", {"duplicate_slashes": "remove"}, "http://example.com/foo//bar.html", "http://example.com/foo/bar.html"),
    ("www", {"www": "remove"}, "http://www.example.com/", "http://example.com/"),
    ("sorting", {"sort_query": "pair"}, "http://example.com/display?lang=en&article=fred", "http://example.com/display?article=fred&lang=en"),
    ("unused parameters", {"keep_params": ["id"]}, "http://example.com/display?id=123&fakefoo=fakebar", "http://example.com/display?id=123"),
    ("default parameters", {"default_params": {"sort": "ascending"}}, "http://example.com/display?id=&sort=ascending", "http://example.com/display?id="),
    ("empty query", {"remove_query": True}, "http://example.com/display?x", "http://example.com/display"),
]  # fmt: skip

RFC_3987 = [
    (
        "3.1 IRI to URI",
        "http://r\u00e9sum\u00e9.example.org/r\u00e9sum\u00e9",
        "http://xn--rsum-bpad.example.org/r%C3%A9sum%C3%A9",
    ),
    (
        "3.1 two escapes to one character",
        "http://example.com/\U00010300\U00010301",
        "http://example.com/%F0%90%8C%80%F0%90%8C%81",
    ),
    ("3.2 octets that are not UTF-8 stay", "http://www.example.org/D%FCrst", "http://www.example.org/D%FCrst"),
    ("3.2 UTF-8 stays escaped in a URI", "http://www.example.org/D%C3%BCrst", "http://www.example.org/D%C3%BCrst"),
]


def rows(table: list[tuple[str, str, str]]) -> list[object]:
    return [pytest.param(before, after, id=reason) for reason, before, after in table]


@pytest.mark.parametrize(("spelling", "canonical"), rows([*RFC_3986_6, *WIKIPEDIA_SAFE, *RFC_3987]))
def test_safe_normalizations(spelling: str, canonical: str) -> None:
    assert SAFE.normalize(spelling) == canonical
    assert SAFE.normalize(canonical) == canonical
    assert SAFE.key(spelling) == SAFE.key(canonical)


@pytest.mark.parametrize(("rules", "before", "after"), [pytest.param(*row[1:], id=row[0]) for row in WIKIPEDIA_RULES])
def test_normalizations_that_change_semantics(rules: dict[str, Any], before: str, after: str) -> None:
    n = Normalizer({"rules": rules}, preset="safe")
    assert n.normalize(before) == after
    assert n.normalize(after) == after
    assert SAFE.normalize(before) == before


@pytest.mark.parametrize(("reference", "target"), RFC_3986_5_4.items(), ids=lambda text: text or "empty")
def test_reference_resolution(reference: str, target: str) -> None:
    assert SAFE.normalize(reference, BASE) == target


def test_the_four_equal_uris_of_rfc_3986_6_2_3() -> None:
    spellings = ["http://example.com", "http://example.com/", "http://example.com:/", "http://example.com:80/"]
    assert len({SAFE.key(text) for text in spellings}) == 1


def test_uris_of_rfc_3986_6_2_2_with_another_scheme() -> None:
    assert SAFE.key("example://a/b/c/%7Bfoo%7D") == SAFE.key("eXAMPLE://a/./b/../b/%63/%7bfoo%7d")


@pytest.mark.parametrize("base", ["mailto:joe@a.example", "not a URL", "", "http://[::1", "\ud800"])
def test_a_base_that_is_no_base(base: str) -> None:
    assert isinstance(SAFE.normalize("x?y", base), str)
    assert SAFE.normalize("http://a.example/%41", base) == "http://a.example/A"
