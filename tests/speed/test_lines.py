"""Normalizing many lines at once gives, line by line, what the normalizer gives."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer, RuleFileError
from tests.core.strategies import any_text, rule_files, urls

if TYPE_CHECKING:
    from collections.abc import Callable

CORPUS = Path(__file__).resolve().parents[2] / "benchmarks" / "corpus" / "urls.txt"

RULES: dict[str, dict[str, Any]] = {
    "safe": {"preset": "safe"},
    "recommended": {"preset": "recommended"},
    "loose": {"preset": "loose"},
    "order off": {"preset": "recommended", "rules": {"sort_query": "off"}},
    "guards": {"rules": {"remove_params": [{"name": "s", "value": "[0-9a-f]{8}"}, "x*"], "except_params": ["xy"]}},
    "defaults": {"rules": {"default_params": {"page": "1"}, "remove_empty_params": ["*"]}},
    "renaming": {"rules": {"rename_params": {"b": "a"}}},
    "fragment": {"rules": {"fragment": "remove"}},
    "a site": {"site": {"a.example": {"www": "remove", "scheme": "https", "lowercase_path": True}}},
    "a part": {"site": {"a.example": {"where": [{"path": "/é/**", "remove_params": ["b"]}]}}},
}

ROWS = {
    "nothing to do": "http://a.example/p?a=1&b=2#top",
    "an empty line": "",
    "a blank line": " ",
    "no URL": "not a url",
    "no path": "http://a.example",
    "no path, a query": "http://a.example?b=1&a=2",
    "scheme and host in capitals": "HTTP://A.Example/P",
    "default port": "http://a.example:80/",
    "another port": "http://www.a.example:8080/?b=1&a=2",
    "user and password": "http://u:p@a.example/?b=1&a=2",
    "internationalized host": "http://bücher.example/?utm_source=x&ü=1",
    "host that is an IPv4 address in disguise": "http://0x7f.1/a",
    "host with a dot at its end": "http://a.example./a",
    "host with an underscore": "http://a_b.example/a",
    "host with two dots": "http://a..example/a",
    "IPv6": "http://[::1]/?b=1&a=2",
    "dot segments": "http://a.example/a/../b/./c",
    "escaped dot segments": "http://a.example/a/%2e%2E/b",
    "dot file": "http://a.example/.well-known/x",
    "other characters than ASCII": "http://a.example/é?ü=1&a=é#ø",
    "the same, escaped in lower case": "http://a.example/%c3%a9?%c3%bc=1",
    "escapes of unreserved characters": "http://a.example/%41%7e?%61=%2D",
    "escapes of reserved characters": "http://a.example/%2F%3F%23%25%3B?a=%26%3D%2B",
    "a lone per cent sign": "http://a.example/100%?q=5%&a=%zz",
    "escapes that would complete another": "http://a.example/%%36%31",
    "session in the path": "http://a.example/p;jsessionid=0123456789ABCDEF0123456789ABCDEF?b=1&a=2",
    "another path parameter": "http://a.example/p;v=1/q;w=2",
    "an empty path parameter": "http://a.example/p;",
    "session of ASP.NET": "http://a.example/(S(lit3py55t21z5v55vlm25s55))/p.aspx?b=1&a=2",
    "parentheses": "http://a.example/wiki/Bar_(music)?a=(1)",
    "tracking alone": "http://a.example/p?utm_source=x",
    "tracking and content": "http://a.example/p?utm_source=x&b=1&fbclid=2&a=1#top",
    "tracking in other spellings": "http://a.example/p?UTM_Source=x&utm%5Fmedium=y&b=1",
    "a session of a proven shape": "http://a.example/p?PHPSESSID=0123456789abcdef0123456789abcdef&a=1",
    "a signed URL": "http://www.a.example/p?utm_source=x&X-Amz-Signature=" + "0" * 64 + "&b=1&a=2",
    "unsubscribing": "http://a.example/unsubscribe?utm_source=x&b=1&a=2",
    "unsubscribing, escaped": "http://a.example/p?u=%75nsubscribe&utm_source=x",
    "sorted already": "http://a.example/?a=1&b=2",
    "to be sorted": "http://a.example/?b=2&a=1",
    "a name that begins another": "http://a.example/?a-b=1&a=2",
    "one name twice": "http://a.example/?a=2&b=1&a=1",
    "the order of values with plus and escapes": "http://a.example/?a=b%20c&a=b+c&a=b%21&a=%C3%A9&a=z",
    "names with plus and escapes": "http://a.example/?a+b=1&a%20b=2&a=3&%C3%A9=1",
    "parameters without a value": "http://a.example/?b&a&c=",
    "parameters without a name": "http://a.example/?=1&a=2",
    "empty parameters": "http://a.example/?&b=1&&a=2&",
    "an empty query": "http://a.example/?",
    "a query of separators": "http://a.example/?&&",
    "values with equals signs": "http://a.example/?b=1=2&a==",
    "brackets": "http://a.example/?b[]=1&a[x]=2&b[]=0",
    "semicolons": "http://a.example/?b=1;a=2",
    "an empty fragment": "http://a.example/#",
    "a text fragment": "http://a.example/#:~:text=x",
    "a fragment that routes": "http://a.example/?b=1&a=2#/x?y=1",
    "a question mark in the query": "http://a.example/?b=1?&a=/x",
    "backslashes": "http:\\\\a.example\\b",
    "a tab": "http://a.example/a\tb",
    "spaces around": "  http://a.example/a  ",
    "another scheme": "mailto:joe@a.example",
    "ftp": "ftp://a.example/a;b",
    "default values": "http://a.example/?page=1&q=&a=2",
    "guarded values": "http://a.example/?s=0123abcd&s=x&xa=1&xy=2&b=1",
}  # fmt: skip


def texts(normalizer: Normalizer, lines: list[str], *, keys: bool) -> list[str]:
    block = "".join(f"{line}\n" for line in lines).encode()
    return normalizer.lines(block, keys=keys).decode("utf-8", "surrogatepass").split("\n")[:-1]


def each(normalizer: Normalizer, lines: list[str], *, keys: bool) -> list[str]:
    return [(normalizer.key if keys else normalizer.normalize)(line) if line else "" for line in lines]


def without_c(rules: dict[str, Any]) -> Normalizer:
    normalizer = Normalizer(rules)
    normalizer.native = None
    return normalizer


MADE = [pytest.param(Normalizer, id="in C where it is built"), pytest.param(without_c, id="by the loop")]
FORMS = pytest.mark.parametrize("keys", [True, False], ids=["keys", "canonical URLs"])


@FORMS
@pytest.mark.parametrize("make", MADE)
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_rows(rules: dict[str, Any], make: Callable[[dict[str, Any]], Normalizer], keys: bool) -> None:
    normalizer = make(rules)
    lines = [line.replace("\n", "") for line in ROWS.values()]
    for _ in range(2):  # the second time with everything known
        for line, text in zip(lines, texts(normalizer, lines, keys=keys), strict=True):
            assert (line, text) == (line, each(normalizer, [line], keys=keys)[0])
    block = "".join(f"{line}\r\n" for line in lines).encode()
    assert normalizer.lines(block, keys=keys) == normalizer.lines(block.replace(b"\r\n", b"\n"), keys=keys)


@FORMS
@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_corpus(rules: dict[str, Any], keys: bool) -> None:
    normalizer = Normalizer(rules)
    lines = CORPUS.read_text(encoding="utf-8").split("\n")[:-1:7]
    assert texts(normalizer, lines, keys=keys) == each(normalizer, lines, keys=keys)


@FORMS
@given(lines=st.lists(st.one_of(urls, any_text), max_size=8), rules=rule_files())
def test_any_lines_under_any_rules(lines: list[str], rules: dict[str, Any], keys: bool) -> None:
    try:
        normalizer, pure = Normalizer(rules), without_c(rules)
    except RuleFileError:
        return
    lines = [line.encode("utf-8", "replace").decode().replace("\n", " ").rstrip("\r") for line in lines]
    expected = each(pure, lines, keys=keys)
    assert texts(normalizer, lines, keys=keys) == expected
    assert texts(pure, lines, keys=keys) == expected


@pytest.mark.parametrize("make", MADE)
def test_the_last_line_may_lack_its_end(make: Callable[[dict[str, Any]], Normalizer]) -> None:
    normalizer = make({})
    assert normalizer.lines(b"http://A.example/\nhttp://B.example/") == b"http://a.example/\nhttp://b.example/"
    assert normalizer.lines(b"") == b""


def test_hosts_that_are_forgotten_are_learned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scrapy_urinorm.engine.sites._MAX_SITES", 2)
    monkeypatch.setattr("scrapy_urinorm.engine.concerns.Concerns.LIMIT", 2)
    lines = [f"http://h{n % 5}.example/?b{n % 7}=1&utm_source=x&a{n % 3}=2" for n in range(100)]
    normalizer = Normalizer()
    assert texts(normalizer, lines, keys=False) == each(without_c({}), lines, keys=False)
