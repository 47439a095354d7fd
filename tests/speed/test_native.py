"""The module in C gives what the loop gives, or nothing: a crawl cannot tell which way a URL took."""

from __future__ import annotations

import itertools
import os
import random
import string
import subprocess
import sys
import tomllib
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.under_rules import TEN_LINES
from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import native
from scrapy_urinorm.engine.bits import rules_of
from scrapy_urinorm.engine.texts import bare_key
from scrapy_urinorm.recipe import digest, fingerprint_bytes
from scrapy_urinorm.rules.stages import PathAction
from tests.core.strategies import any_text, loaded, rule_files, slow, urls
from tests.effort import share, some

ROOT = Path(__file__).resolve().parents[2]
CORPORA = [ROOT / "benchmarks" / "corpus" / "urls.txt", *(ROOT.parent / "shared" / "data" / "urls").glob("*.txt")]
# a law that is run under each of the 24 sets of rules below has 2,400 examples of a long search together; one of a few
# rows, such as the ends of lines, has at least 300
under_each = settings(max_examples=max(10, share(4)))

RULES: dict[str, dict[str, Any]] = {
    "recommended": {},
    "safe": {"preset": "safe"},
    "loose": {"preset": "loose"},
    "filters": {
        "rules": {"remove_params": ["id", "p*"], "default_params": {"page": "1"}, "remove_empty_params": ["*"]}
    },
    "filters, unsorted": {"preset": "safe", "rules": {"remove_params": ["id", {"name": "q", "value": "a.*"}]}},
    "paths": {"rules": {"duplicate_slashes": "remove", "trailing_slash": "remove", "directory_index": ["index.html"]}},
    "no fragment": {"rules": {"fragment": "remove"}},
    "where": {
        "site": {"example": {"where": [{"path": "/**/docs/**", "query": {"page": False}, "remove_params": ["id"]}]}}
    },
    "hosts": {"rules": {"scheme": "https", "www": "remove"}},
    "hosts, all": {
        "rules": {
            "scheme": "http",
            "www": "add",
            "www_numbers": True,
            "remove_subdomains": ["m", "a"],
            "host_aliases": {"b-c.example.com": "example.com", "www.example": "0.example"},
        }
    },
    "hosts, one with a table": {"rules": {"scheme": "https"}, "site": {"a.example": {"www": "remove"}}},
    "ten lines": {"rules": TEN_LINES},
    "values": {
        "preset": "safe",
        "rules": {
            "default_params": {"page": ["1", "é a+b"], "ID": ""},
            "remove_params": [{"name": "id", "value": "[0-9]+"}, {"name": "q", "value": "a.*"}, "sid"],
            "remove_empty_params": ["q", "x*"],
        },
    },
    "all but some": {
        "rules": {"keep_params": ["id", {"name": "page", "value": "[0-9]+"}], "default_params": {"id": "7"}}
    },
    "no query": {"rules": {"remove_query": True, "where": [{"path": "/docs/**", "keep_params": ["id"]}]}},
    "conditions": {
        "rules": {
            "where": [
                {"path": ["/docs/**", "/x"], "query": {"PAGE": ["1", "a*"]}, "remove_params": ["id"]},
                {"query": {"id": False}, "remove_params": ["page"]},
                {"query": {"id": ["7", False], "é": True}, "remove_params": ["q"], "trailing_slash": "add"},
                {"query": {"page": {"below": 3, "above": 0}}, "default_params": {"id": "7"}},
                {"query": {"q": {"matches": "[a-z]+"}}, "path": "/**/x*", "directory_index": ["x"]},
                {"path": "/docs/*/**/x", "sort_query": "pair"},
                {"path": "/docs", "skip": True},
            ]
        }
    },
    "conditions that turn on one another": {
        "rules": {
            "where": [
                {"query": {"page": "1"}, "remove_params": ["id"]},
                {"query": {"id": False}, "remove_params": ["page"], "trailing_slash": "remove"},
                {
                    "query": {"page": False},
                    "path": "/docs",
                    "rewrite": [{"pattern": "^/docs$", "replace": "/x/?page=1"}],
                },
                {"path": "/x/**", "query": {"q": True}, "rewrite": [{"pattern": "q=", "replace": "page=1&id="}]},
            ]
        }
    },
    "other values": {
        "rules": {
            "map_params": {
                "page": [["1", "2", "\u00e9 a+b"]],
                "q": [[False, "abc"], ["a b", ""]],
                "sid": [["11", "1"]],
            },
            "rewrite_params": {
                "id": {"pattern": "^([0-9]).*$", "replace": r"\1"},
                "t": {"pattern": "^.*$", "replace": "9;jsessionid=0123456789ABCDEF0123456789ABCDEF"},
                "x": {"pattern": "^(.);.*$", "replace": r"\1"},
                "\u00e9": {"pattern": "^$", "replace": "1"},
            },
            "lowercase_params": ["page"],
            "numeric_params": ["s", "year"],
            "unordered_values": {"q": " "},
            "default_params": {"id": "7", "page": "a*"},
        }
    },
    "other values, other names": {
        "preset": "safe",
        "rules": {
            "rename_params": {"page": "q"},
            "lowercase_names": ["ID", "Page"],
            "rewrite_params": {"q": {"pattern": "^(.).*$", "replace": r"\1"}, "id": {"pattern": "7", "replace": ""}},
            "collapse_nested": ["t"],
            "remove_params": [{"name": "sid", "value": "1"}, {"name": "q", "value": "a"}],
        },
    },
    "conditions on other values": {
        "rules": {
            "map_params": {"page": [["2", "1"]]},
            "where": [
                {"query": {"page": "2"}, "rewrite_params": {"id": {"pattern": "^.+$", "replace": "0"}}},
                {"query": {"id": "0"}, "remove_params": ["q"], "rewrite": [{"pattern": "sid=1", "replace": "t=3"}]},
                {"query": {"q": False}, "map_params": {"page": [["", "2"]]}, "trailing_slash": "remove"},
            ],
        }
    },
    "values beside edits": {
        "rules": {
            "trailing_slash": "remove",
            "rewrite": [{"pattern": "^/x(?=$|[?])", "replace": "/x/"}],
            "map_params": {"page": [["1", "2"]]},
            "where": [{"query": {"page": "1"}, "remove_params": ["q"]}],
        }
    },
    "edits": {
        "rules": {
            "trailing_slash": "remove",
            "rewrite": [
                {"pattern": r"^/docs/x(\w+)", "replace": r"/docs?id=\1"},
                {"pattern": "/print$", "replace": ""},
                {"pattern": r"[?&]page=\d+(?=&|$)", "replace": ""},
            ],
        }
    },
    "any edit": {"rules": {"rewrite": [{"pattern": r"^/(\w+)/(\w+)$", "replace": r"/\2?x=é \1&y=#z"}]}},
    "templates": {
        "rules": {
            "template": [
                {"from": "/docs/{a}", "to": "/forum?id={a}"},
                {"from": "/x?id={a}&page={b}", "to": "/x/{a}/é {b}"},
                {"from": "/forum/story_{a}", "to": "/forum?é={a}&q=a b", "rest": "keep"},
                {"from": "/xy?q=a{b}&sid=1", "to": "/xy?q={b}"},
            ],
            "remove_params": ["t"],
        }
    },
    "templates that may match anywhere": {
        "rules": {
            "template": [{"from": "/{a}/{b}.html", "to": "/{b}?x={a}"}, {"from": "/?%C3%A9={a}", "to": "/{a}/docs"}],
            "trailing_slash": "remove",
        }
    },
    "edits without an end": {
        "rules": {"rewrite": [{"pattern": "$", "replace": "x"}, {"pattern": "xxx+", "replace": ""}]}
    },
    "edits to odd texts": {
        "rules": {"rewrite": [{"pattern": "^/docs", "replace": "x/../(y"}, {"pattern": "id=", "replace": "%"}]}
    },
    "paths, all": {
        "preset": "loose",
        "rules": {
            "unicode_nfc": True,
            "stray_percent": "encode",
            "remove_segments": ["print"],
            "lowercase_path": True,
            "remove_extensions": ["html"],
            "trailing_slash": "add",
            "directory_index": ["index*", "é"],
        },
    },
}


needs_c = pytest.mark.skipif(
    native.module is None,
    reason="needs the C module: a C compiler and the headers of Python at installation, URINORM_PURE not set",
)


def in_c(normalizer: Normalizer) -> native.Native:
    return normalizer.native or pytest.skip("needs the C module")


def loop(normalizer: Normalizer, url: str) -> tuple[str, str]:
    return normalizer._key(url), normalizer._canonical(url)


def check(normalizer: Normalizer, url: str) -> tuple[bool, bool]:
    """Whether the module took the URL, for its key and its canonical URL; both must be those of the loop."""
    fast, (key, canonical) = in_c(normalizer), loop(normalizer, url)
    fast_key, fast_canonical = fast.key(url), fast.canonical(url)
    assert fast_key in (None, key)
    assert fast_canonical in (None, canonical)
    return fast_key is not None, fast_canonical is not None


# --- the corpora ----------------------------------------------------------------------------------------------------


#: Of one kind each; what the others do is compared on any text below.
QUICK = ("recommended", "filters", "conditions", "hosts, all", "templates", "paths, all")


@pytest.mark.hypothesis  # tries more where laws do
@pytest.mark.parametrize(
    "rules",
    [pytest.param(one, id=name, marks=[pytest.mark.slow] * (name not in QUICK)) for name, one in RULES.items()],
)
@pytest.mark.parametrize("corpus", CORPORA, ids=lambda path: path.name)
def test_equal_on_corpora(corpus: Path, rules: dict[str, Any]) -> None:
    normalizer = Normalizer(rules)
    lines = some(corpus.read_text("utf-8", "surrogateescape").splitlines(), 20)
    taken = [check(normalizer, line) for line in lines]
    if not rules:
        # else the path would not be worth its name: the measured share is 97 % of keys, 96 % of canonical URLs
        assert all(sum(column) > 0.9 * len(lines) for column in zip(*taken, strict=True))


# --- any text, any rules --------------------------------------------------------------------------------------------


NORMALIZERS = {name: Normalizer(rules) for name, rules in RULES.items()}

# what a URL is written with, each character and escape as likely as any other
_pieces = st.one_of(
    st.sampled_from(string.printable + "\0\x1f\x7f\x80éß☃\U0001f600\u2028"),
    st.integers(0, 255).map(lambda octet: f"%{octet:02x}"),
    st.sampled_from(
        ("%", "%4", "%%36%31", "&", "=", "&&", "/", "/.", "/..", "/%2e", "/(", "/%28S(x))", ";", "#", "?", "+")
    ),
    st.sampled_from(("utm_source=", "id=", "page=1", "sig=", "_ga=", "unsubscribe", "?a=1&a=0", "&b", "index.html")),
)
# what the rules above speak of
_segments = ["docs", "x", "xy", "index.html", "INDEX.HTML", "forum", "story_7", "calendar", "print", "a.b", "%C3%A9"]
_fields = [
    *("id=7", "ID=8", "id", "page=1", "Page=2", "page=a%2A", "q=", "q=abc", "q=a%20b", "sid=1", "é=1", "%C3%A9", "xa="),
    *(
        "x=+",
        "utm_source=a",
        "x=a;b",
        "q=a%3Bjsessionid=0123456789ABCDEF0123456789ABCDEF",
        "year=1999",
        "t=3",
        "sort=ascending",
        "page=%C3%A9+a%2Bb",
        "s=" + "0" * 32,
    ),
]
spoken_urls = st.tuples(
    st.sampled_from(("http://a.example", "https://www.example", "http://example:8080")),
    st.lists(st.sampled_from([*_segments, "", " "]), max_size=4).map(lambda parts: "/" + "/".join(parts)),
    st.lists(st.sampled_from(_fields), max_size=5).map(lambda parts: "?" + "&".join(parts) if parts else ""),
    st.sampled_from(("", "", "#x")),
).map("".join)
odd_urls = st.tuples(
    st.sampled_from(("http://a.example", "https://www.a.example:8080", "http://A.example", "http://a.example:80", "http://é.example")),
    st.sampled_from(("/", "/", "/", "", "?")),
    st.lists(_pieces, max_size=12).map("".join),
).map("".join)  # fmt: skip


@pytest.mark.parametrize("rules", RULES)
@under_each
@given(url=st.one_of(odd_urls, spoken_urls, spoken_urls, urls, any_text))
def test_equal_on_any_text(url: str, rules: str) -> None:
    check(NORMALIZERS[rules], url)


@pytest.mark.parametrize("rules", RULES)
@under_each
@given(url=st.one_of(odd_urls, spoken_urls))
def test_rules_that_changed_a_url_are_told(url: str, rules: str) -> None:
    normalizer = NORMALIZERS[rules]
    told = in_c(normalizer).request(url, "GET", b"")
    assert (told is None) is (in_c(normalizer).key(url) is None)
    if told is not None:
        fp, mask = told
        assert fp == fingerprint_bytes(loop(normalizer, url)[0])
        assert set(rules_of(mask) or ()) == set(normalizer.changed_by(url))


@given(
    url=st.one_of(spoken_urls, st.integers(0, 200).map(lambda n: "http://a.example/" + "x" * n)),
    method=st.one_of(st.sampled_from(("GET", "POST", "get", "", "GE T", "\u0131", "\ud800", '"')), st.text(max_size=3)),
    body=st.one_of(st.binary(max_size=300), st.just(b"x" * 100_000)),
)
def test_fingerprints_are_those_of_the_recipe(url: str, method: str, body: bytes) -> None:
    normalizer = NORMALIZERS["recommended"]
    told = in_c(normalizer).request(url, method, body)
    if told is not None:
        assert told[0] == fingerprint_bytes(normalizer.key(url), method, body)
    else:
        assert not method.isascii() or not method.isalpha() or in_c(normalizer).key(url) is None


def test_fingerprints_of_every_length() -> None:
    normalizer = NORMALIZERS["recommended"]
    for length in (*range(200), *range(1900, 2100), *range(5200, 5400), 20_000):
        url, body = "http://a.example/" + "x" * (length % 100), b"x" * length
        told = in_c(normalizer).request(url, "POST", body)
        assert told is not None
        assert told[0] == fingerprint_bytes(url, "POST", body)


def test_what_the_module_is_for_is_done_in_it() -> None:
    for name, url in (
        ("ten lines", "http://www.a.example/forum/story_7/?utm_source=a&page=1"),
        ("ten lines", "http://a.example/x/index.html?promo_a=1&sort=ascending&s=" + "0" * 32),
        ("conditions", "http://a.example/docs/x?page=abc&id=7"),
        ("values", "http://a.example/a b?id=7&q=abc&page=1"),
        ("edits", "http://a.example/docs/x7/print?page=3"),
        ("other values", "http://a.example/docs?id=8abc&page=2&q=abc&s=007"),
        ("conditions on other values", "http://a.example/docs?page=1&id=8"),
    ):
        assert in_c(NORMALIZERS[name]).key(url) == NORMALIZERS[name]._key(url)


@pytest.mark.parametrize(
    ("rules", "url", "is_taken"),
    [
        ("other values", "?id=8abc&page=2&q=abc&s=007", True),
        # twice the same: what a field has become is looked at again
        ("conditions on other values", "x/docs?page=1&page=é&page=2", True),
        # what is longer does not fit in its place
        ("other values", "?page=2&x=a;b", True),
        ("other values", "?é=", False),
        ("other values", "?page=é a+b&t=3", False),
        # another name may be one of which other rules speak; and one rule asks for the path
        ("other values, other names", "?page=2", False),
        ("other values, other names", "?t=/docs", False),
        ("other values, other names", "?q=abc&id=87", True),
        # an edit that comes out where the path began, beside a value on which another table turns
        ("values beside edits", "x/?page=2&q=1", False),
        ("values beside edits", "x/?q=1", True),
        ("other values", "?id=unsubscribe8", True),
        ("other values", "?id=8unsubscribe", False),
        ("other values", "?id=8&signature=1", False),
    ],
)
def test_equal_where_values_change(rules: str, url: str, is_taken: bool) -> None:
    normalizer = NORMALIZERS[rules]
    key = in_c(normalizer).key(f"http://a.example/{url}")
    assert (key is not None) is is_taken
    assert key in (None, normalizer._key(f"http://a.example/{url}"))


_hosts = st.one_of(
    st.from_regex(r"[a-z0-9.\-]{1,40}", fullmatch=True),
    st.lists(
        st.sampled_from(("a", "b-c", "0", "0x7f", "xn--a", "1e", "a--b", "-", "example", "com", "x" * 64)), max_size=6
    ).map(".".join),
)


@given(host=_hosts, scheme=st.sampled_from(("http", "https", "ftp")))
def test_a_usual_origin_is_what_the_parser_says(host: str, scheme: str) -> None:
    one, other = Normalizer({"preset": "safe"}), Normalizer({"preset": "safe"})
    origin = f"{scheme}://{host}"
    site, parsed = one.sites.learn_written(origin), other.sites.learn(origin)
    if site is not None:
        assert parsed is not None
        assert site[:4] == parsed[:4]


@pytest.mark.parametrize("rules", ["safe", "hosts", "hosts, all", "ten lines", "hosts, one with a table"])
@under_each
@given(host=_hosts, scheme=st.sampled_from(("http", "https", "ftp")))
def test_equal_on_any_host(host: str, scheme: str, rules: str) -> None:
    check(NORMALIZERS[rules], f"{scheme}://{host}/x?a=1")
    check(NORMALIZERS[rules], f"{scheme}://www.{host}/x?a=1")


@slow
@given(rules=rule_files(), texts=st.lists(st.one_of(odd_urls, spoken_urls, urls), min_size=1, max_size=8))
def test_equal_under_any_rules(rules: dict[str, Any], texts: list[str]) -> None:
    normalizer = loaded(rules)
    for text in texts:
        check(normalizer, text)


@given(url=st.one_of(odd_urls, spoken_urls, urls, any_text))
def test_a_key_without_rules_is_that_of_the_conventions_alone(url: str) -> None:
    for rules in ("recommended", "hosts"):
        assert NORMALIZERS[rules].key(url, lossy=False) == bare_key(url)


VERDICTS = {
    "everywhere": {"rules": {"skip": True}},
    "elsewhere": {"host": {"b.example": {"skip": True}}},
    "a part": {"rules": {"where": [{"path": "/docs/**", "skip": True}, {"query": {"page": "1"}, "defer": True}]}},
}


@pytest.mark.parametrize("rules", VERDICTS.values(), ids=VERDICTS)
@under_each
@given(url=st.one_of(odd_urls, urls, st.sampled_from(("http://a.example/docs/x", "http://a.example/?page=1&id=2"))))
def test_one_pass_gives_key_and_verdict(url: str, rules: dict[str, Any]) -> None:
    normalizer = Normalizer(rules)
    _, key, skip, defer = normalizer.decide(url)
    assert normalizer.judge(url) == (key, skip, defer)
    assert normalizer.verdict(url) == (skip, defer)


@pytest.mark.parametrize("place", ["http://a.example/x{}y", "http://a.example/?x{}y=1", "http://a.example/?a=x{}y", "http://a.example/#x{}y"],
                         ids=["path", "name", "value", "fragment"])  # fmt: skip
def test_equal_for_every_character_and_escape(place: str) -> None:
    normalizer = NORMALIZERS["recommended"]
    for piece in itertools.chain(
        map(chr, range(0x120)), (f"%{n:02X}" for n in range(256)), (f"%{n:02x}" for n in range(256))
    ):
        check(normalizer, place.format(piece))


UNSUBSCRIBING = [
    *tomllib.loads((ROOT / "scrapy_urinorm/rulesets/presets/exemptions.toml").read_text("utf-8"))["unsubscribe_words"],
    *(
        "UnSubscribe",
        "un%73ubscribe",
        "%D0%9E%D1%82%D0%BF%D0%B8%D1%81%D0%BA%D0%B0",
        "prescription",
        "unsubscrib",
        "opt_in",
    ),
]


@pytest.mark.parametrize("word", UNSUBSCRIBING)
def test_equal_where_a_url_speaks_of_unsubscribing(word: str) -> None:
    for text in (
        "/{}?utm_source=a",
        "/x{}?utm_source=a&b=1",
        "/?utm_source=a&x={}",
        "/?{}=1&utm_source=a",
        "/?utm_source=a#{}",
    ):
        check(NORMALIZERS["recommended"], "http://a.example" + text.format(word))


# --- bounds ---------------------------------------------------------------------------------------------------------

LONG = [*range(509, 515), *range(2045, 2051), 20_000]
MEGABYTE = 1_000_000
GROWING = {
    "host": "http://{}.example/",
    "path": "http://a.example/{}",
    "escaped path": "http://a.example/%2f{}",
    "name": "http://a.example/?{}",
    "value": "http://a.example/?a={}",
    "fragment": "http://a.example/#{}",
}
FILLINGS = {
    "letters": "x",
    "three octets for one": "^",
    "four octets for two": "^&",
    "non-ASCII": "é",
    "escapes": "%7e",
}


@pytest.mark.parametrize("filling", FILLINGS.values(), ids=FILLINGS)
@pytest.mark.parametrize("text", GROWING.values(), ids=GROWING)
def test_equal_at_any_length(text: str, filling: str) -> None:
    for length in (*LONG, MEGABYTE) if filling == "x" else LONG:
        room = length - len(text) + 2
        check(NORMALIZERS["safe"], text.format((filling * (room // len(filling) + 1))[:room]))


# rules that C has on the path, each with what a path must end with to be changed
ACTIONS: dict[PathAction, tuple[dict[str, Any], str]] = {
    PathAction.TRIM_SLASH: ({"trailing_slash": "remove"}, "/"),
    PathAction.ADD_SLASH: ({"trailing_slash": "add"}, ""),
    PathAction.LAST_SEGMENT: ({"directory_index": ["index.html"]}, "/index.html"),
}
# octets of the URL at which the module leaves it to the loop, and of paths and texts that rules make
LIMIT = 2048
_AROUND = range(LIMIT - 2, LIMIT + 3)


def filled(text: str, filling: str, octets: int, *, spelled: bool) -> str:
    """`text` with so many fillings in place of its `{}` that it, or its key, has about that many octets."""
    measured = bare_key if spelled else str
    empty, one = (len(measured(text.format(piece)).encode()) for piece in ("", filling))
    count, rest = divmod(octets - empty, one - empty)
    return text.format("x" * rest + filling * count)


@pytest.mark.parametrize("spelled", [True, False], ids=["the key", "the URL"])
@pytest.mark.parametrize("filling", FILLINGS.values(), ids=FILLINGS)
@pytest.mark.parametrize("action", PathAction)
def test_equal_at_the_limit_of_each_action_on_paths(action: PathAction, filling: str, spelled: bool) -> None:
    rules, end = ACTIONS[action]
    normalizer = Normalizer({"preset": "safe", "rules": rules})
    assert in_c(normalizer).key(f"http://a.example/x{end}") != bare_key(f"http://a.example/x{end}")
    origin = len("http://a.example")
    # the path alone has as many octets as the URL may have, too
    for octets in (*_AROUND, *(n + origin for n in _AROUND)):
        check(normalizer, filled("http://a.example/{}" + end, filling, octets, spelled=spelled))
        check(normalizer, filled("http://a.example/{}" + end + "?a=1", filling, octets, spelled=spelled))


@pytest.mark.parametrize("filling", FILLINGS.values(), ids=FILLINGS)
@pytest.mark.parametrize(
    "rules", [pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in RULES]
)
@pytest.mark.thorough
def test_equal_at_the_limit_under_all_rules(rules: str, filling: str) -> None:
    origin = len("http://a.example")
    for text in ("docs/x/{}", "docs/{}/index.html?page=1&id=7", "x?id=7&page=1&q={}#x"):
        # the last length and the first one beyond it; of each action alone there are more, above
        for octets in (LIMIT, LIMIT + 1, LIMIT + origin, LIMIT + origin + 1):
            for spelled in (True, False):
                check(NORMALIZERS[rules], filled(f"http://a.example/{text}", filling, octets, spelled=spelled))


@pytest.mark.parametrize("count", [1, 2, 63, 64, 65, 66, 500], ids=lambda n: f"{n} parameters")
@pytest.mark.parametrize("order", ["sorted", "reversed", "shuffled", "equal"])
def test_equal_for_any_number_of_parameters(count: int, order: str) -> None:
    names = [f"p{0 if order == 'equal' else n:03}={count - n}" for n in range(count)]
    if order == "reversed":
        names.reverse()
    elif order == "shuffled":
        random.Random(count).shuffle(names)
    check(NORMALIZERS["recommended"], "http://a.example/?" + "&".join(names))


# --- many lines at once -----------------------------------------------------------------------------------------------

lines_of_text = st.lists(
    st.one_of(odd_urls, urls, any_text).map(lambda t: t.translate({10: None, 13: None})), max_size=8
)


def all_lines(normalizer: Normalizer, block: bytes, *, keys: bool) -> list[str]:
    other = normalizer.key if keys else normalizer.normalize
    return in_c(normalizer).lines(other, block, keys).decode("utf-8", "surrogatepass").split("\n")


@pytest.mark.parametrize("keys", [True, False], ids=["keys", "canonical URLs"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@under_each
@given(lines=lines_of_text, rules=st.sampled_from(list(RULES)))
def test_lines_give_what_each_gives(lines: list[str], rules: str, keys: bool, end: str) -> None:
    normalizer = NORMALIZERS[rules]
    lines = [line.encode("utf-8", "replace").decode() for line in lines]
    block = "".join(line + end for line in lines).encode()
    expected = [loop(normalizer, line)[not keys] for line in lines]
    alone = normalizer.lines("".join(line + end for line in lines).encode(), keys=True, lossy=False)
    assert alone.decode("utf-8", "surrogatepass").split("\n")[:-1] == [bare_key(line) if line else "" for line in lines]
    assert all_lines(normalizer, block, keys=keys) == [*expected, ""]
    # the last line may lack its end
    if lines and lines[-1]:
        assert all_lines(normalizer, block.removesuffix(end.encode()), keys=keys) == expected


@given(block=st.binary(max_size=200))
def test_lines_take_any_octets(block: bytes) -> None:
    for keys in (True, False):
        assert len(all_lines(NORMALIZERS["recommended"], block, keys=keys)) == len(block.split(b"\n"))


def test_lines_that_grow_find_room() -> None:
    normalizer = Normalizer({"preset": "safe", "rules": {"host_aliases": {"a.example": f"{'x' * 60}.example"}}})
    lines = ["http://a.example/" + "^" * n for n in range(0, 2000, 9)] + ["http://a.example/" + "é" * 3000]
    block = "".join(line + "\n" for line in lines).encode()
    for keys in (True, False):
        assert all_lines(normalizer, block, keys=keys)[:-1] == [loop(normalizer, line)[not keys] for line in lines]


# --- columns ----------------------------------------------------------------------------------------------------------


def column(module: Any, texts: list[bytes], base: int = 0, other: Any = str.upper, before: bytes = b"") -> list[bytes]:
    """What the module makes of texts that stand side by side behind others, and ends from `base` on."""
    starts = array("q", itertools.accumulate(map(len, texts), initial=len(before)))
    ends = array("q", [base, *(-1 for _ in texts)])
    done = module(other, before + b"".join(texts), starts, ends, True)
    assert ends[0] == base
    assert ends[-1] == base + len(done)
    return [done[one - base : two - base] for one, two in itertools.pairwise(ends)]


@given(
    texts=st.lists(st.one_of(odd_urls, spoken_urls, urls, any_text), max_size=8),
    rules=st.sampled_from(list(RULES)),
    base=st.integers(0, 2**40),
    before=st.binary(max_size=9),
)
def test_columns_give_what_each_gives(texts: list[str], rules: str, base: int, before: bytes) -> None:
    normalizer = NORMALIZERS[rules]
    texts = [text.encode("utf-8", "replace").decode() for text in texts]
    expected = [loop(normalizer, text)[0].encode("utf-8", "surrogatepass") for text in texts]
    given = [text.encode() for text in texts]
    assert column(in_c(normalizer).column, given, base, normalizer._key, before) == expected


@given(texts=st.lists(st.binary(max_size=40) | st.binary(max_size=9).map(b"http://a.example/".__add__), max_size=8))
def test_columns_take_any_octets(texts: list[bytes]) -> None:
    normalizer = NORMALIZERS["recommended"]
    each = [in_c(normalizer).lines(normalizer.key, text, True) for text in texts if not {10, 13} & {*text}]
    done = column(in_c(normalizer).column, texts, other=normalizer.key)
    assert [made for made, text in zip(done, texts, strict=True) if not {10, 13} & {*text}] == each


@pytest.mark.parametrize(
    ("starts", "said"),
    [
        ([-1, 3], "outside"),
        ([0, 8], "outside"),
        ([0, 2, 1], "outside"),
        ([1 << 62, -(1 << 62)], "outside"),
        ([7, 7, 1 << 62], "outside"),
        ([], "one size"),
    ],
    ids=repr,
)
def test_columns_outside_of_their_octets_are_refused(starts: list[int], said: str) -> None:
    ends = array("q", [0] * len(starts))
    with pytest.raises(ValueError, match=said):
        in_c(NORMALIZERS["safe"]).column(str, b"ftp://a", array("q", starts), ends, True)


def test_columns_of_another_shape_are_refused() -> None:
    take: Any = in_c(NORMALIZERS["safe"]).column
    two, three = array("q", [0, 1]), array("q", [0, 0, 0])
    with pytest.raises(ValueError, match="one size"):
        take(str, b"x", two, three, True)
    with pytest.raises(ValueError, match="64 bits"):
        take(str, b"x", b"\0" * 9, bytearray(9), True)
    for wrong in ((str, b"x", two, bytes(16), True), (str, "x", two, two, True), (str, b"x", [0, 1], two, True)):
        with pytest.raises((TypeError, BufferError)):
            take(*wrong)
    with pytest.raises(TypeError, match="expected"):
        take(str, b"x", two, two)

    def fail(_: str) -> str:
        raise LookupError("mine")

    with pytest.raises(LookupError):
        take(fail, b"x", two, array("q", [0, 0]), True)


# --- misuse and faults of others ------------------------------------------------------------------------------------


def compiled() -> Any:
    return native.module or pytest.skip("needs the C module")


@pytest.mark.parametrize("name", ["key", "canonical"])
def test_wrong_arguments_are_errors(name: str) -> None:
    function = getattr(compiled(), name)
    with pytest.raises(TypeError, match="expected"):
        function()
    with pytest.raises(TypeError, match="dict"):
        function([], None, None, b"", "http://a.example/")
    with pytest.raises(TypeError, match="bytes"):
        function({}, None, None, "", "http://a.example/")
    assert function({}, None, None, b"", b"http://a.example/") is None


def site_of(concerns: Any, *, wheres: Any = (), paths: Any = (), edit: Any = None) -> dict[str, Any]:
    base = (concerns, paths, edit, 0, None)
    return {"http://a.example": ("http://a.example", "http", "a.example", "", None, (wheres, {}, base), 0, None)}


def usual_site(usual: Any, origin: Any = "") -> dict[str, Any]:
    return {"": (origin, "", "", "", None, ((), {}, ({}, (), None, 0, None)), 0, usual)}


def request_of(module: Any) -> Any:
    return lambda *arguments: module.request(*arguments[:4], digest, *arguments[4:], "GET", b"")


def test_errors_of_callbacks_come_through() -> None:
    def fail(*_: str) -> bool:
        raise LookupError("mine")

    class Failing(dict[Any, Any]):
        def __missing__(self, name: Any) -> Any:
            raise LookupError("mine")

    module = compiled()
    for function in (module.key, request_of(module), module.canonical):
        for known in (
            {},
            site_of({"gone": 2}),
            site_of({"gone": ((fail, 0),)}),
            site_of({"gone": fail}),
            site_of(Failing()),
            site_of({"gone": 0}, paths=((0, (), fail, 0),)),
            site_of({"gone": 0}, wheres=((((2, b"/", fail),), ()),)),
            site_of({"gone": 0}, wheres=(((), ((Failing(), None, True),)),)),
            site_of({"gone": 0}, wheres=(((), (({"gone": True}, fail, True),)),)),
            {"http://a.example": (*site_of({})["http://a.example"][:5], ((), {}, ({}, (), None, 16, fail)), 0, None)},
            usual_site((b"http", 0, b"https", 0, (), Failing())),
        ):
            with pytest.raises(LookupError):
                function(known, fail, fail, b"gone", "http://a.example/?gone=1;")
        with pytest.raises(KeyError):
            function(site_of({"gone": 2}), fail, fail, b"gone", "http://a.example/?new=1")
        with pytest.raises(KeyError):
            function(site_of({"gone": 2}, wheres=(((), ()),)), fail, fail, b"gone", "http://a.example/?gone=1")
    with pytest.raises(LookupError):
        module.key(site_of({}, edit=((), fail, 0)), fail, fail, b"gone", "http://a.example/")
    with pytest.raises(LookupError):
        module.lines({}, lambda _: None, fail, b"", fail, b"http://a.example/", True)


SHAPES: tuple[Any, ...] = (
    None,
    (),
    (1,),
    ((),),
    (1, 2, 3, 4),
    "text",
    b"octets",
    {},
    True,
    -1,
    1 << 70,
    ((1, 2),),
    (("a", "b", "c"),),
)


@pytest.mark.parametrize("wrong", SHAPES, ids=repr)
def test_what_has_another_shape_is_an_error_or_for_the_loop(wrong: Any) -> None:
    module = compiled()
    good = site_of({"a": 0})["http://a.example"]
    plan, base = good[5], good[5][2]
    plans = [wrong, *((*plan[:n], wrong, *plan[n + 1 :]) for n in range(3))]
    wheres = (wrong, (wrong,), ((), wrong), (((), ()),), ((wrong, ()),), (((wrong,), ()),), (((), wrong),))
    plans += [(where, {(0,): wrong}, base) for where in (*wheres, (((), (wrong,)),))]
    made = (wrong, (wrong, 0), ("1", wrong), ("longer than it was", 0), ("\ud800", 0))
    said = (wrong, (wrong,), ((wrong, 0),), ((None, wrong),), *(lambda *_, one=one: one for one in made))
    plans += [((), {}, ({"a": one}, (), None, 0)) for one in said]
    steps = (wrong, (0, wrong, wrong, wrong), (3, wrong, None, 0), (3, (wrong,), None, 0), (wrong, (), str, 0))
    plans += [((), {}, ({"a": 0}, (step,), None, 0)) for step in (*steps, (0, (), lambda _: wrong, 0))]
    edits = (wrong, (wrong, str, 0), ((wrong,), str, 0), ((), wrong, 0), ((), str, wrong), ((), lambda _: wrong, 0))
    plans += [((), {}, ({"a": 0}, (), edit, 0)) for edit in edits]
    plans += [((), {}, (*base[:n], wrong, *base[n + 1 :])) for n in range(4)]
    plans += [((), {}, (*base[:3], 16, changes)) for changes in (wrong, lambda _: wrong)]
    for told in plans:
        for function in (module.key, request_of(module), module.canonical):
            try:
                found = function(
                    {"http://a.example": (*good[:5], told, 0, None)}, None, None, b"", "http://a.example/x/y?a=1%3B"
                )
            except (TypeError, SystemError, KeyError, IndexError, OverflowError):
                continue
            assert found is None or isinstance(found, (str, tuple))


@pytest.mark.parametrize("wrong", SHAPES, ids=repr)
def test_a_usual_origin_of_another_shape_is_an_error_or_for_the_loop(wrong: Any) -> None:
    module = compiled()
    good = (b"http", 0, b"https", 0, (), {"a.example": ("b.example", 1)})
    assert module.key(usual_site(good), None, None, b"", "http://a.example/") == "http://b.example/"
    moved = (wrong, (wrong, 0), ("b.example", wrong), ("b_c", 0), ("b" * 600, 0))
    told = [wrong, *((*good[:n], wrong, *good[n + 1 :]) for n in range(6)), (*good[:4], (wrong,), {})]
    told += [(*good[:5], {"a.example": one}) for one in moved]
    told += [(b"x" * 600, *good[1:]), (b"ht", *good[1:])]
    for usual in told:
        for function in (module.key, request_of(module), module.canonical):
            try:
                found = function(usual_site(usual), None, None, b"", "http://a.example/x")
            except (TypeError, SystemError, KeyError, IndexError, OverflowError, ValueError):
                continue
            assert found is None or isinstance(found, (str, tuple))


@pytest.mark.parametrize(
    "site",
    [
        None,
        (),
        ("http://a.example",),
        ("http://a.example", "", "", "", None, None, 0, None),
        ("http://a.example", "", "", "", None, (), 0, None),
        (1, "", "", "", None, ((), {}, ({}, (), None, 0)), 0, None),
        ("http://a.example", "", "", "", None, ((), {}, None), 0, None),
    ],
    ids=repr,
)
def test_sites_without_a_fast_path_take_the_loop(site: Any) -> None:
    assert compiled().key({"http://a.example": site}, None, None, b"", "http://a.example/") is None


def test_environment_leaves_the_module_out() -> None:
    code = """
from scrapy_urinorm import Normalizer
from scrapy_urinorm.engine import native
from scrapy_urinorm.engine.bits import rules_of
print(native.module, Normalizer().key('http://A.example/?b&a'))
"""
    pure = {**os.environ, "URINORM_PURE": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code], env=pure, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["None", "http://a.example/?a=&b="]
