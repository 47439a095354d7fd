"""Which visits show one page, for many rows at once: the labels of the learner, computed on arrays.

The learner looks at one site at a time and in full; a report has to label millions of rows in one pass. So the frame
of a site is taken from the first pages of it, and the sums that make a label run over all lines of a block together.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from scrapy_urinorm.content import MIN_WORDS
from scrapy_urinorm.content.compare import BINS, EMPTY
from scrapy_urinorm.content.frame import DATA_SLOT, TITLE_SLOT

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

NO_LABEL = 0
_GUESS = b"\4"
"""The words of a line where they were not recorded; chosen."""
# of 200 to 100,000 rows of the example site the quickest, 0.4 us a row against 1.1: the arrays stay in a core's cache
_AT_A_TIME = 500
_MAIN, _ALL = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)


def octets(value: Any, unit: int) -> bytes:
    """The bytes of a column that is base64 in JSON; empty where it is absent or damaged."""
    if isinstance(value, str):
        try:
            # what `b64decode` does beside this takes as long again
            value = a2b_base64(value)
        except ValueError:
            return b""
    return value if isinstance(value, bytes) and len(value) % unit == 0 else b""


class Labels(NamedTuple):
    """What tells the pages of some rows: arrays with a value for each."""

    label: NDArray[np.uint64]
    """Equal for equal sets of lines outside the frame (`content.frame`); `NO_LABEL` where nothing tells a page."""
    order: NDArray[np.uint64]
    """The same, but it tells a sorted list from itself."""
    sketch: NDArray[np.uint32]
    """The sketch of the lines outside the frame, of `BINS` numbers."""
    lines: NDArray[np.uint64]
    """How many lines are outside the frame."""
    words: NDArray[np.uint64]
    """How many words these have."""
    title: NDArray[np.uint64]
    """What a page hands to its scripts, with its title where the frame has that; 0 where there is neither."""


def labels(lines: pa.Array, line_words: pa.Array, frames: Sequence[Words | None]) -> Labels:
    """What tells the pages whose `lines` are known, all of them together.

    `lines` are octets, at least 16 for each; `frames` holds for each row the sorted slots of the frame of its site.
    """
    some = [
        _labels(lines.slice(at, _AT_A_TIME), line_words.slice(at, _AT_A_TIME), frames[at : at + _AT_A_TIME])
        for at in range(0, len(lines), _AT_A_TIME)
    ]
    return Labels(*map(np.concatenate, zip(*some, strict=True)))


def _labels(lines: pa.Array, line_words: pa.Array, frames: Sequence[Words | None]) -> Labels:
    data, ends = _joined(lines)
    pairs = np.frombuffer(data, "<u8")
    starts, counts = ends[:-1] // 16, np.diff(ends) // 16
    slots, texts = pairs[0::2], pairs[1::2]
    words = _words(line_words, counts)
    data_lines, framed = slots == np.uint64(DATA_SLOT), _in_frame(slots, starts, counts, frames)
    outside = ~(framed | data_lines)
    main = np.where(outside, texts, np.uint64(0))

    def summed(values: NDArray[Any]) -> Words:
        found: Words = np.add.reduceat(values, starts, dtype=np.uint64)
        return found

    # the place among the lines outside the frame: a changed frame does not move what it surrounds
    before = np.cumsum(outside, dtype=np.uint64) - outside
    places = before - np.repeat(before[starts], counts)
    said = summed(words * outside)
    enough = said >= MIN_WORDS
    shown = outside | (words > 0)
    label = np.where(enough, summed(main) ^ _MAIN, summed(np.where(shown, texts, np.uint64(0))) ^ _ALL)
    # a script draws what has data and hardly a word
    drawn = np.logical_or.reduceat(data_lines, starts)
    label[~enough & (drawn | ~np.logical_or.reduceat(shown, starts))] = NO_LABEL
    title = summed(np.where(data_lines | (framed & (slots == np.uint64(TITLE_SLOT))), texts, np.uint64(0)))
    order = np.where(enough, summed(main * (2 * places + 1)), label)
    sketches = _sketches(texts, np.repeat(np.arange(len(counts)), counts), outside, len(counts))
    # as in the learner, a page of a few words names none
    return Labels(label, order, sketches, summed(outside), said, np.where(enough, title, np.uint64(0)))


def _joined(texts: pa.Array) -> tuple[memoryview, NDArray[np.int64]]:
    """The octets of an array without nulls in a row, and where each begins and the last one ends."""
    _, offsets, data = texts.buffers()
    ends = np.frombuffer(offsets, "<i4")[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    return memoryview(data)[ends[0] : ends[-1]], ends - ends[0]


def _words(line_words: pa.Array, counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """How many words each line has; a guess for those of a row whose numbers are not recorded."""
    known = line_words.fill_null(b"")
    data, ends = _joined(known)
    if np.array_equal(np.diff(ends), counts):
        return np.frombuffer(data, "u1")
    rows = zip(known.to_pylist(), counts.tolist(), strict=True)
    return np.frombuffer(b"".join(n if len(n) == count else _GUESS * count for n, count in rows), "u1")


def _in_frame(slots: Words, starts: Any, counts: Any, frames: Sequence[Words | None]) -> NDArray[np.bool_]:
    """Whether each line stands in a slot of its site's frame."""
    found = np.zeros(len(slots), np.bool_)
    groups: dict[int, list[int]] = {}
    for number, frame in enumerate(frames):
        if frame is not None and len(frame):
            groups.setdefault(id(frame), []).append(number)
    for numbers in groups.values():
        frame = frames[numbers[0]]
        assert frame is not None
        if len(numbers) == len(counts):
            return _among(slots, frame)
        at = np.concatenate([np.arange(starts[n], starts[n] + counts[n]) for n in numbers])
        found[at] = _among(slots[at], frame)
    return found


def _among(slots: Words, frame: Words) -> NDArray[np.bool_]:
    # not `isin`, which sorts the slots
    found: NDArray[np.bool_] = frame[np.minimum(np.searchsorted(frame, slots), len(frame) - 1)] == slots
    return found


def _sketches(texts: Words, rows: Any, outside: NDArray[np.bool_], count: int) -> NDArray[np.uint32]:
    """One-permutation minhashes of the lines outside the frame, as `content.compare.line_sketch` makes them."""
    bins = np.full(count * BINS, EMPTY, "<u4")
    chosen = texts[outside]
    at = rows[outside] * BINS + (chosen & np.uint64(31)).astype(np.int64)
    np.minimum.at(bins, at, (chosen >> np.uint64(32)).astype(np.uint32))
    return bins.reshape(count, BINS)


def sketch(minhash: bytes | None, lines: bytes | None) -> bytes | None:
    """The sketch of a page: of its text, then of its lines where these are known."""
    words = octets(minhash, 4 * BINS) if minhash else b""
    if lines:
        return (words or b"\xff" * 4 * BINS) + lines
    return words or None


def resemblances(ones: Sequence[bytes | None], others: Sequence[bytes | None]) -> list[float | None]:
    """The estimated Jaccard similarity of each pair of sketches; None where one is unknown.

    A sketch is one minhash of the text, or that and one of the lines outside the frame: the first is blind to what a
    big frame surrounds, the second to what one long line holds, so the lower of both counts (`content.compare`).
    """
    out: list[float | None] = [None] * len(ones)
    for width in (1, 2):
        size = 4 * BINS * width
        at = [n for n, (a, b) in enumerate(zip(ones, others, strict=True)) if a and b and len(a) == len(b) == size]
        if not at:
            continue
        a = np.frombuffer(b"".join(ones[n] or b"" for n in at), "<u4").reshape(len(at), width, BINS)
        b = np.frombuffer(b"".join(others[n] or b"" for n in at), "<u4").reshape(len(at), width, BINS)
        filled = ((a != EMPTY) | (b != EMPTY)).sum(axis=2)
        equal = ((a == b) & (a != EMPTY)).sum(axis=2)
        share = np.where(filled > 0, equal / np.maximum(filled, 1), 1.0).min(axis=1)
        for n, value in zip(at, share.tolist(), strict=True):
            out[n] = value
    return out


def containment(part: bytes, whole: bytes, sizes: tuple[int, int]) -> float:
    """The estimated share of the lines of `part` that `whole` has too; `sizes` are their numbers of lines."""
    (similarity,) = resemblances([part[-4 * BINS :]], [whole[-4 * BINS :]])
    if similarity is None or not sizes[0]:
        return 1.0
    shared = similarity * (sizes[0] + sizes[1]) / (1 + similarity)
    return min(1.0, shared / sizes[0])
