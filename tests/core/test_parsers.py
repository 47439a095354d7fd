"""The parser of Pythons that ada has no wheels for reads web URLs as ada does."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scrapy_urinorm import parser, url
from tests.conformance.vectors import VECTORS
from tests.core.strategies import VALUES, paths

pytest.importorskip("can_ada", reason="has no wheels for this Python")
pytest.importorskip("url", reason="url-py is not installed")

from scrapy_urinorm.parser import ada, servo

HOSTS = {
    "plain": ("http://A.example:80", "http://a.example/"),
    "an address": ("http://0x7f.1/", "http://127.0.0.1/"),
    "an international name": ("http://STRA\u1e9eE.example/", "http://xn--strae-oqa.example/"),
    "one in another script, with its full stop": ("http://\u4f8b\u3002jp/", "http://xn--fsq.jp/"),
    "broken Punycode": ("http://XN--a.example:81/x", "http://xn--a.example:81/x"),
    "the same behind who asks, who says it too": ("http://u:xn--a@xn--a/", "http://u:xn--a@xn--a/"),
    "the same, with what is dropped": (" http://xn--\ta/", "http://xn--a/"),
    "none": ("http:///x", "http://x/"),
    "no port": ("http://xn--a:99999/", None),
    "what no host has": ("http://a b/", None),
    "a circumflex in the path alone": ("http://u^@a.example/^?^#^", "http://u%5E@a.example/%5E?^#^"),
    "half a character": ("http://a.example/\ud800", None),
}


@pytest.mark.parametrize(("text", "read"), HOSTS.values(), ids=HOSTS)
def test_hosts(text: str, read: str | None) -> None:
    assert servo.href(text) == read
    assert ada.href(text) == read


REFERENCES = {
    "of a page": ("../x^?y", "http://a.example/b/c", "http://a.example/x%5E?y"),
    "below a host with broken Punycode": ("x", "http://xn--a/b/c", "http://xn--a/b/x"),
    "to such a host": ("http://xn--a/x", "http://a.example/", "http://xn--a/x"),
    "to a host behind too many slashes": ("///b.example/x", "http://a.example/", "http://b.example/x"),
    "from what is no URL": ("http://a.example/", "b", None),
    "from an address that has none below it": ("x", "mailto:a@a.example", None),
}


@pytest.mark.parametrize(("reference", "base", "target"), REFERENCES.values(), ids=REFERENCES)
def test_references(reference: str, base: str, target: str | None) -> None:
    assert servo.join(reference, base) == target
    found = ada.join(reference, base)
    # one of its two parsers leaves a circumflex, as `url.split` knows
    assert (found and found.replace("^", "%5E")) == target


def read_alike(text: str) -> None:
    usual = url.split(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(url, "_parse", servo.parse)
        patch.setattr(url, "_is_plain", servo.is_plain)
        patch.setattr(parser, "href", servo.href)
        assert url.split(text) == usual


PIECES = st.sampled_from([*"aAxn-.:/\\?#@%^[]{}|<> \t\n\x000Z19&=;~`'\"_", "xn--", "\xe9", "\ud800", "\u3002", "%2e"])


@given(
    st.sampled_from(("http://", "https:", "http:/", "ftp://", "ws:\\", " http://", "http://xn--", "http://u:p@")),
    st.lists(PIECES, max_size=12).map("".join),
    paths,
    st.sampled_from(VALUES),
)
@example("http://", "xn--:@xn--", "", "")
def test_law_both_parsers_give_the_same_parts(scheme: str, host: str, path: str, value: str) -> None:
    read_alike(f"{scheme}{host}{path}?x={value}")


@pytest.mark.skipif(not VECTORS.is_dir(), reason=f"needs {VECTORS}")
def test_they_do_on_the_vectors_of_the_field() -> None:
    seen = 0
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text("utf-8").splitlines():
            text = json.loads(line)["input"]
            if not any(ord(character) >= 0x30000 for character in text):
                read_alike(text)
                seen += 1
    assert seen > 5_000
