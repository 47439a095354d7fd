"""URLs as columns: every value as the normalizer gives it, nulls, dictionaries and chunks as they came."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scrapy_urinorm import Normalizer, RuleFileError
from scrapy_urinorm.arrow import DECISION, decide, key, normalize
from tests.core.strategies import any_text, urls

RULES = {
    "site": {
        "shop.example.com": {
            "www": "remove",
            "remove_params": ["sid"],
            "where": [{"path": "/calendar/**", "skip": True}, {"path": "/search", "defer": True}],
        }
    }
}
NORMALIZER = Normalizer(RULES)
PLAIN = Normalizer()
URLS = [
    "http://www.shop.example.com/a?sid=1&b=2",
    None,
    "",
    "HTTP://A.example:80/%7Eu?utm_source=x",
    "not a url",
    "http://shop.example.com/calendar/1999",
    "http://shop.example.com/search?q=ü",
    "http://a.example/one\nline?b=1",
    "http://a.example/x\r\n",
]


def expected(one: Any) -> list[Any]:
    return [None if url is None else one(url) for url in URLS]


TYPES = {
    "string": pa.array(URLS, pa.string()),
    "large string": pa.array(URLS, pa.large_string()),
    "string view": pa.array(URLS, pa.string_view()),
    "dictionary": pa.array(URLS).dictionary_encode(),
    "slice of a larger array": pa.array(["http://x.example/", *URLS, "http://y.example/"]).slice(1, len(URLS)),
    "a list of Python": URLS,
}


@pytest.mark.parametrize("column", TYPES.values(), ids=TYPES)
def test_column_gives_what_the_normalizer_gives(column: Any) -> None:
    assert normalize(column, NORMALIZER).to_pylist() == expected(NORMALIZER.normalize)
    assert key(column, NORMALIZER).to_pylist() == expected(NORMALIZER.key)
    assert decide(column, NORMALIZER).to_pylist() == expected(lambda url: NORMALIZER.decide(url)._asdict())


def test_chunks_stay_chunks() -> None:
    chunks = pa.chunked_array([URLS[:3], [], URLS[3:]], pa.string())
    done = normalize(chunks, NORMALIZER)
    assert [len(chunk) for chunk in done.chunks] == [3, 0, 6]
    assert done.to_pylist() == expected(NORMALIZER.normalize)


@pytest.mark.parametrize(
    "column",
    [pa.array([], pa.string()), pa.chunked_array([], pa.string()), pa.array([None, None]), pa.array([], pa.null())],
    ids=["no rows", "no chunks", "nulls alone", "no type"],
)
def test_column_without_urls(column: Any) -> None:
    assert normalize(column).to_pylist() == column.to_pylist()
    assert decide(column).type == DECISION


def test_many_blocks_keep_their_order() -> None:
    column = pa.array([f"http://a.example/{'x' * 200}?n={n}&utm_source=m" for n in range(9_000)])
    assert normalize(column).to_pylist() == [f"http://a.example/{'x' * 200}?n={n}" for n in range(9_000)]


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_url_longer_than_a_block(place: int) -> None:
    longest = "http://a.example/" + "x" * 700_000
    given = ["http://a.example/1", "http://a.example/2", ""]
    given[place] = longest
    assert normalize(pa.array(given)).to_pylist() == given
    assert key(pa.array(["\n" + longest, None, *given])).to_pylist() == [longest, None, *given]


def without_c() -> Normalizer:
    normalizer = Normalizer()
    normalizer.native = None
    return normalizer


WAYS = pytest.mark.parametrize("way", [Normalizer(), without_c()], ids=["in C where it is built", "by the loop"])


@WAYS
@pytest.mark.parametrize(
    "kind", [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
)
@given(st.lists(st.none() | urls | any_text | st.just("http://a.example/x\r\n"), max_size=20), st.integers(0, 20))
def test_law_column_and_normalizer_agree(way: Normalizer, kind: Any, values: list[str | None], start: int) -> None:
    values = [v.encode("utf-8", "replace").decode() if v is not None else None for v in values]
    text = pa.array(values, pa.string())
    column = (text.dictionary_encode() if pa.types.is_dictionary(kind) else text.cast(kind)).slice(start)
    values = values[start:]
    before = way.counts.copy()
    for function, one in (normalize, PLAIN.normalize), (key, PLAIN.key):
        done = function(column, way)
        done.validate(full=True)
        assert done.to_pylist() == [None if v is None else one(v) for v in values]
    if not pa.types.is_dictionary(kind):
        assert way.counts["unparsable"] - before["unparsable"] == 2 * sum(map(is_odd, filter(None, values)))


def is_odd(url: str) -> bool:
    """Whether the URL Standard refuses a URL."""
    normalizer = without_c()
    normalizer.key(url)
    return normalizer.counts["unparsable"] > 0


def of_octets(texts: list[bytes], nulls: int = 0) -> Any:
    """A column of octets, whatever they are, the first of which stand where nulls are."""
    octets = pa.array(texts, pa.binary())
    valid = pa.py_buffer(bytes([0xFF << nulls & 0xFF])) if nulls else None
    return pa.Array.from_buffers(pa.string(), len(texts), [valid, *octets.buffers()[1:]], nulls)


@WAYS
def test_what_stands_in_the_place_of_a_null_is_no_url(way: Normalizer) -> None:
    column = of_octets([b"http://a.example/?b=1&a=2", b"not a url", b"http://A.example/"], nulls=2)
    before = way.counts.copy()
    assert key(column, way).to_pylist() == [None, None, "http://a.example/"]
    assert key(column[1:], way).to_pylist() == [None, "http://a.example/"]
    assert way.counts == before


@WAYS
def test_octets_that_are_no_text_are_taken_as_in_lines(way: Normalizer) -> None:
    texts = [b"http://a.example/\xff?b=\x80&a=1", b"\xc3", b"http://a.example/\xed\xa0\x80", b"http://\xfe/"]
    for function, keys in (normalize, False), (key, True):
        done = function(of_octets(texts), way).view(pa.large_binary()).to_pylist()
        assert done == way.lines(b"\n".join(texts), keys=keys).split(b"\n")


@pytest.mark.parametrize("column", [pa.array([1, 2]), pa.array([b"http://a.example/"])], ids=["numbers", "octets"])
def test_column_without_text_is_refused(column: Any) -> None:
    with pytest.raises(TypeError, match=r"a column of URLs is text, this one is of type (int64|binary)"):
        normalize(column)


def test_wrong_rules_are_refused_as_everywhere() -> None:
    with pytest.raises(RuleFileError, match="remove_parms"):
        normalize(pa.array(["http://a.example/"]), {"rules": {"remove_parms": ["a"]}})
