"""What never reaches a file, and what is left as it is."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm.crawl.shown import shown
from scrapy_urinorm.engine.texts import scrubbed, without_userinfo
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.report.inert import inert
from scrapy_urinorm.visits.redaction import Redaction, _pairs

REDACT = Redaction(b"salt")

#: What browsers take for the start of an address of the web.
STARTS = ["https:", "http:/", "HTTP:///", "http:\\\\", "https:/\\", "ftp://", "//"]
HIDDEN = [
    ("http://user:pw@a.example/", "http://a.example/", "userinfo"),
    ("http://user:p@w@a.example/p", "http://a.example/p", "userinfo with an at sign"),
    ("http://a.example/?n=http%3A%2F%2Fu%3Ap%40b%2F", "http://a.example/?n=http%3A%2F%2Fb%2F", "nested userinfo"),
    *((f"{start}user:pw@a.example/p", f"{start}a.example/p", f"userinfo behind {start}") for start in STARTS),
    (
        "http://a.example/?n=http%3A%2F%2Fu:pw@b/",
        "http://a.example/?n=http%3A%2F%2Fb/",
        "half escaped userinfo",
    ),
    ("http://a.example/?n=//u:pw@b.example/", "http://a.example/?n=//b.example/", "userinfo of a nested relative URL"),
    ("http://a.example/?PHPSESSID=abc&x=1", "http://a.example/?PHPSESSID=HASH&x=1", "a session"),
    ("http://a.example/p;jsessionid=1A2B?x=1", "http://a.example/p;jsessionid=HASH?x=1", "a session in the path"),
    ("http://a.example/(S(abc12))/p.aspx", "http://a.example/(S(HASH))/p.aspx", "ASP.NET's session in the path"),
    ("http://a.example/?a=1&X-Amz-Signature=f", "http://a.example/?a=1&X-Amz-Signature=HASH", "a signature"),
    ("http://a.example/?n=%3Ftoken%3Dabc%26x%3D1", "http://a.example/?n=%3Ftoken%3DHASH%26x%3D1", "a nested token"),
    ("http://a.example/?sid=0123456789abcdef.", "http://a.example/?sid=HASH.", "a sid drawn by lot"),
    ("http://a.example/(X(1)S(abc12))/p.aspx", "http://a.example/(X(1)S(HASH))/p.aspx", "ASP.NET's with cookie mark"),
    ("http://a.example/?token=a%2Bbcdefghijklmnop1", "http://a.example/?token=HASH", "an escaped token"),
]
USERINFO = [row for row in HIDDEN if "userinfo" in row[2]]
SHAPES = [
    ("d41d8cd98f00b204e9800998ecf8427e", "[0-9a-f]{32}", "lower-case hexadecimal"),
    ("D41D8CD98F00B204E9800998ECF8427E", "[0-9A-F]{32}", "upper-case hexadecimal"),
    ("123e4567-e89b-12d3-a456-426614174000", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "a UUID"),
    ("1234567890123456", "[0-9]{16}", "digits"),
    ("lit3py55t21z5v55vlm25s55", "[0-9a-z]{24}", "lower case and digits"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjg", r"\w{20}\.\w{15}\.\w{5}", "a token of three parts"),
    ("123456789012345", "[0-9a-f]{16}", "too short to keep its shape"),
    ("a---------------", "[0-9a-f]{16}", "hardly a letter"),
    ("9" * 600, "[0-9a-f]{16}", "very long"),
]  # fmt: skip
KEPT = [
    ("http://a.example/?sid=12", "a sid that is a number"),
    ("http://a.example/@user/?x=1", "an at sign in a path"),
    ("http://a.example/?q=a@b", "an at sign in a query"),
    ("http://a.example/list//ann@work", "an at sign behind two slashes of a path"),
    ("http://a.example/?tag=news:/ann@work", "an at sign behind what ends like a scheme"),
    ("http://a.example/?shop=//b.example&item=7&by=ann@work", "an at sign in the parameter after two slashes"),
    ("http://a.example/?state=open&code=de", "a state and a code that are words"),
    ("http://a.example/?topic=sid=&author=ada", "names that only begin like one"),
    ("http://a.example/?h=d41d8cd98f00b204e9800998ecf8427e00000000", "what a repository names by its hash"),
    ("http://a.example/?id=d41d8cd98f00b204e9800998ecf8427e", "an id that is a hash"),
    ("http://a.example/?title=The_Long_Title_Of_A_Page_2024", "a long title"),
    ("http://a.example/?q=0123456789012345678901234567890123456789", "a long number"),
    ("http://a.example/?token=", "an empty value"),
]


@pytest.mark.parametrize(("url", "expected"), [row[:2] for row in HIDDEN], ids=[row[2] for row in HIDDEN])
def test_hidden(url: str, expected: str) -> None:
    assert re.sub("[0-9a-f]{16}", "HASH", REDACT(url)) == expected


@pytest.mark.parametrize(("url", "expected"), [row[:2] for row in USERINFO], ids=[row[2] for row in USERINFO])
def test_a_password_is_hidden_alike_wherever_it_would_be_shown(url: str, expected: str) -> None:
    """Three places had patterns of their own, each of which let other spellings pass."""
    assert inert(url) == scrubbed(url) == expected
    request: Any = SimpleNamespace(method="GET", url=url)
    assert "pw" not in shown(request)
    assert "?" in url or "pw" not in without_userinfo(url)


def test_passwords_are_found_in_linear_time() -> None:
    for piece in ("http:", "http:/", "://", "//", "/", "http:\\", "%3A%2F%2F", "http:a", " //"):
        assert scrubbed(piece * 200_000 + "@") is not None


@pytest.mark.parametrize("url", [row[0] for row in KEPT], ids=[row[1] for row in KEPT])
def test_kept(url: str) -> None:
    assert REDACT(url) == url


@pytest.mark.parametrize(("value", "shape"), [row[:2] for row in SHAPES], ids=[row[2] for row in SHAPES])
def test_masks_look_like_what_they_hide(value: str, shape: str) -> None:
    masks = {Redaction(bytes([salt])).masked(value) for salt in range(40)}
    assert len(masks) == 40
    assert value not in masks
    assert all(re.fullmatch(shape, mask) for mask in masks)


def test_rules_with_a_value_pattern_do_the_same_to_visits() -> None:
    normalizer = Normalizer({"rules": {"remove_params": [{"name": "s", "value": "[0-9a-f]{32}"}]}})
    assert normalizer.key(REDACT("http://a.example/?s=d41d8cd98f00b204e9800998ecf8427e")) == "http://a.example/"


def test_equal_values_stay_equal_within_a_crawl_only() -> None:
    one, same, other = (REDACT(f"http://a.example/?session={v}") for v in ("x1", "x1", "x2"))
    assert one == same != other
    assert Redaction()("http://a.example/?session=x1") != Redaction()("http://a.example/?session=x1")


@given(st.text(max_size=80))
def test_total(text: str) -> None:
    REDACT(text)
    REDACT("http://u:p@a.example/?token=" + text)


@given(st.text("ab=&;#/?\n\x85 é", max_size=40))
def test_a_name_begins_behind_whatever_ends_another(text: str) -> None:
    names = re.compile(r"(?<![^&;#/?\s=])([^&;#/?\s=]+)=([^&;#/?\s]+)")
    assert _pairs(text) == names.findall(text)
