"""Columns of URLs: canonical URLs, keys and decisions of Arrow arrays, for pandas, Polars, DuckDB and Spark.

Needs `scrapy-urinorm[learn]` (numpy, pyarrow). The module in C, where it is at hand, reads the octets of a column and
writes those of another one: no object of Python is made per URL that it takes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrapy_urinorm.normalizer import Normalizer

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet, Source

    Rules = Normalizer | RuleSet | Source | Sequence[Source] | None
    #: pyarrow is published without types: an array, a chunked array, or what becomes one.
    Column = Any

#: The type of what `decide` returns.
DECISION = pa.struct(
    [("canonical", pa.large_string()), ("key", pa.large_string()), ("skip", pa.bool_()), ("defer", pa.bool_())]
)

#: URLs that the module in C is given at a time: between two of them other threads and Ctrl-C have their turn.
_BLOCK = 1 << 12


def normalize(urls: Column, rules: Rules = None) -> Column:
    """The canonical URL of each URL of a column.

    `urls` is an Arrow array or chunked array of strings (string, large_string, string_view, dictionaries of these, or
    anything that pyarrow can make such an array of); `rules` is a `Normalizer`,
    best made once, or whatever one is made of. Returns large strings of the same length and chunks, null where
    `urls` is. Raises TypeError for a column that holds no text, RuleFileError for wrong rules.
    """
    normalizer = _normalizer(rules)
    return _over_texts(urls, lambda texts: _made(texts, normalizer, keys=False))


def key(urls: Column, rules: Rules = None) -> Column:
    """The key of each URL of a column: equal keys mean one page. As `normalize` otherwise."""
    normalizer = _normalizer(rules)
    return _over_texts(urls, lambda texts: _made(texts, normalizer, keys=True))


def decide(urls: Column, rules: Rules = None) -> Column:
    """All that the rules say of each URL: structs of `canonical`, `key`, `skip` and `defer` (`DECISION`).

    As `normalize` otherwise. Where a table has `skip` or `defer`, each URL is asked by itself.
    """
    normalizer = _normalizer(rules)

    def decisions(texts: pa.Array) -> pa.Array:
        verdicts = np.zeros((len(texts), 2), dtype=bool)
        if normalizer.has_verdicts:
            for at, url in enumerate(texts.to_pylist()):
                if url is not None:
                    verdicts[at] = normalizer.verdict(url)
        fields = [
            _made(texts, normalizer, keys=False),
            _made(texts, normalizer, keys=True),
            pa.array(verdicts[:, 0]),
            pa.array(verdicts[:, 1]),
        ]
        return pa.StructArray.from_arrays(fields, fields=list(DECISION), mask=texts.is_null())

    return _over_texts(urls, decisions)


def _normalizer(rules: Rules) -> Normalizer:
    return rules if isinstance(rules, Normalizer) else Normalizer(rules)


def _over_texts(urls: Any, function: Callable[[pa.Array], pa.Array]) -> Any:
    """`function` over the chunks of a column as large strings; a dictionary's values are asked once each."""
    if not isinstance(urls, (pa.Array, pa.ChunkedArray)):
        urls = pa.array(urls)
    if isinstance(urls, pa.ChunkedArray):
        chunks = [_over_texts(chunk, function) for chunk in urls.chunks]
        if not chunks:
            return pa.chunked_array([function(_texts(pa.array([], urls.type)))])
        return pa.chunked_array(chunks)
    if pa.types.is_dictionary(urls.type):
        return _over_texts(urls.dictionary, function).take(urls.indices)
    return function(_texts(urls))


def _texts(urls: pa.Array) -> pa.Array:
    if pa.types.is_null(urls.type) or urls.type in _TEXT_TYPES:
        return urls.cast(pa.large_string())
    raise TypeError(f"a column of URLs is text, this one is of type {urls.type}")


_TEXT_TYPES = (pa.string(), pa.large_string(), pa.string_view())


def _made(texts: pa.Array, normalizer: Normalizer, *, keys: bool) -> pa.Array:
    """What the normalizer makes of a column of large strings."""
    one = normalizer.key if keys else normalizer.normalize
    if normalizer.native is None:
        given = texts.view(pa.large_binary()).to_pylist()
        return pa.array([text and _by_itself(one, text) for text in given], pa.large_binary()).view(pa.large_string())
    if not len(texts):
        return texts
    valid = None
    if texts.null_count:
        valid = texts.is_valid().buffers()[1]
        texts = pc.fill_null(texts, "")  # what stands in the place of a null is no URL
    _, places, octets = texts.buffers()
    starts = np.frombuffer(places, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    ends = np.zeros(len(starts), np.int64)
    made = bytearray()
    for start in range(0, len(texts), _BLOCK):
        block = slice(start, start + _BLOCK + 1)
        made += normalizer.native.column(one, octets or b"", starts[block], ends[block], keys)
    return pa.Array.from_buffers(pa.large_string(), len(texts), [valid, pa.py_buffer(ends), pa.py_buffer(made)])


def _by_itself(one: Callable[[str], str], text: bytes) -> bytes:
    return one(text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogatepass")
