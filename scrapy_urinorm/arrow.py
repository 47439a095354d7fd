"""Columns of URLs: canonical URLs, keys and decisions of Arrow arrays, for pandas, Polars, DuckDB and Spark.

Needs `scrapy-urinorm[learn]` (numpy, pyarrow). A column becomes one text of lines, which the normalizer takes whole,
and its lines become a column again: no object of Python is made per URL where the module in C is at hand.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from scrapy_urinorm.normalizer import Normalizer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from scrapy_urinorm.rulesets.ruleset import RuleSet, Source

    Rules = Normalizer | RuleSet | Source | Sequence[Source] | None
    #: pyarrow is published without types: an array, a chunked array, or what becomes one.
    Column = Any

#: The type of what `decide` returns.
DECISION = pa.struct(
    [("canonical", pa.large_string()), ("key", pa.large_string()), ("skip", pa.bool_()), ("defer", pa.bool_())]
)

#: Octets of URLs that become one text: larger ones would only wait in memory (as a block of `urinorm normalize`).
_BLOCK = 1 << 19


def normalize(urls: Column, rules: Rules = None) -> Column:
    """The canonical URL of each URL of a column.

    `urls` is an Arrow array or chunked array of strings (string, large_string, string_view, dictionaries of these, or
    anything that pyarrow can make such an array of); `rules` is a `Normalizer`,
    best made once, or whatever one is made of. Returns large strings of the same length and chunks, null where
    `urls` is. Raises TypeError for a column that holds no text, RuleFileError for wrong rules.
    """
    lines = _normalizer(rules)
    return _over_texts(urls, lambda texts: _through_lines(texts, lines, keys=False))


def key(urls: Column, rules: Rules = None) -> Column:
    """The key of each URL of a column: equal keys mean one page. As `normalize` otherwise."""
    lines = _normalizer(rules)
    return _over_texts(urls, lambda texts: _through_lines(texts, lines, keys=True))


def decide(urls: Column, rules: Rules = None) -> Column:
    """All that the rules say of each URL: structs of `canonical`, `key`, `skip` and `defer` (`DECISION`).

    As `normalize` otherwise. Where a table has `skip` or `defer`, each URL is asked by itself.
    """
    normalizer = _normalizer(rules)
    lines = normalizer

    def decisions(texts: pa.Array) -> pa.Array:
        verdicts = np.zeros((len(texts), 2), dtype=bool)
        if normalizer.has_verdicts:
            for at, url in enumerate(texts.to_pylist()):
                if url is not None:
                    verdicts[at] = normalizer.verdict(url)
        fields = [
            _through_lines(texts, lines, keys=False),
            _through_lines(texts, lines, keys=True),
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


def _through_lines(texts: pa.Array, lines: Normalizer, *, keys: bool) -> pa.Array:
    """A column of large strings through the way of lines, in blocks."""
    if not len(texts):
        return texts
    ends = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    starts = np.unique(np.searchsorted(ends[:-1], np.arange(ends[0], ends[-1] + 1, _BLOCK)))
    starts = starts[starts < len(texts)]  # the last URL may be longer than a block
    parts = [
        _block_through_lines(texts.slice(start, stop - start), lines, keys=keys)
        for start, stop in zip(starts, [*starts[1:], len(texts)], strict=True)
    ]
    return pa.concat_arrays(parts)


def _block_through_lines(texts: pa.Array, lines: Normalizer, *, keys: bool) -> pa.Array:
    block = _joined(texts)
    if b"\r" not in block:
        done = _lines_as_texts(lines.lines(block, keys=keys), texts)
        if len(done) == len(texts):
            return done
    # what has an end of a line in it cannot go as a line
    odd = pc.fill_null(pc.match_substring_regex(texts, "[\r\n]"), fill_value=False)
    done = _lines_as_texts(lines.lines(_joined(pc.if_else(odd, "", texts)), keys=keys), texts)
    one = lines.key if keys else lines.normalize
    by_themselves = pa.array([one(url) for url in texts.filter(odd).to_pylist()], pa.large_string())
    return pc.replace_with_mask(done, odd, by_themselves)


def _joined(texts: pa.Array) -> bytes:
    """Texts as lines, an empty one for a null."""
    filled = pc.fill_null(texts, "") if texts.null_count else texts
    one = pa.ListArray.from_arrays([0, len(filled)], filled)
    text: bytes = pc.binary_join(one, pa.scalar("\n", pa.large_string()))[0].as_buffer().to_pybytes()
    return text + b"\n"


def _lines_as_texts(block: bytes, like: pa.Array) -> pa.Array:
    """The lines of a block as large strings, null where `like` is."""
    whole = [None, pa.py_buffer(np.array([0, len(block) - 1])), pa.py_buffer(block)]
    texts = pc.split_pattern(pa.Array.from_buffers(pa.large_string(), 1, whole), "\n").values
    if not like.null_count or len(texts) != len(like):
        return texts
    _, offsets, values = texts.buffers()
    valid = like.is_valid().buffers()[1]
    return pa.Array.from_buffers(pa.large_string(), len(texts), [valid, offsets, values], like.null_count)
