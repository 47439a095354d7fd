"""Which visits show one page, for many rows at once: the labels of the learner, computed on arrays.

The learner looks at one site at a time and in full; a report has to label millions of rows in one pass. So the frame
of a site is taken from the first pages of it, and the sums that make a label run over all lines of a block together.
"""

from __future__ import annotations

from binascii import a2b_base64
from typing import TYPE_CHECKING, Any

import numpy as np

from scrapy_urinorm.content import MIN_WORDS
from scrapy_urinorm.content.compare import BINS, EMPTY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Words = NDArray[np.uint64]

NO_LABEL = 0
_UNKNOWN_WORDS = 4
"""What a line counts for where its number of words was not recorded; chosen."""
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


class Lines:
    """The lines of the rows of one block, gathered and then labelled together."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self._frames: list[Words | None] = []
        self._lines: list[bytes] = []
        self._words: list[bytes] = []

    def add(self, row: int, lines: bytes, line_words: bytes, frame: Words | None) -> None:
        """Add the lines of a row; `frame` holds the sorted slots of the frame of its site."""
        count = len(lines) // 16
        self.rows.append(row)
        self._frames.append(frame)
        self._lines.append(lines)
        self._words.append(line_words if len(line_words) == count else bytes([_UNKNOWN_WORDS]) * count)

    def labels(self) -> tuple[list[int], list[int], list[bytes], list[int]]:
        """Return for each row its label, its label in order, the sketch of its lines and their number.

        Labels are equal for equal sets of lines outside the frame (`content.frame`); a label in
        order tells a sorted list from itself. `NO_LABEL` where there is nothing to tell a page by.
        """
        if not self.rows:
            return [], [], [], []
        pairs = np.frombuffer(b"".join(self._lines), "<u8")
        slots, texts = pairs[0::2], pairs[1::2]
        words = np.frombuffer(b"".join(self._words), "u1").astype(np.uint64)
        counts = np.array([len(w) for w in self._words])
        starts = np.concatenate(([0], np.cumsum(counts)))[:-1]
        frame = self._in_frame(slots, starts, counts)
        outside = (~frame).astype(np.uint64)
        full = counts > 0
        heads = starts[full]

        def summed(values: Words) -> Words:
            out = np.zeros(len(counts), np.uint64)
            if len(heads):
                out[full] = np.add.reduceat(values, heads)
            return out

        # the place among the lines outside the frame: a changed frame does not move what it surrounds
        before = np.cumsum(outside) - outside
        places = before - np.repeat(before[np.minimum(starts, len(before) - 1)], counts)
        main = summed(texts * outside)
        enough = summed(words * outside) >= MIN_WORDS
        shown = (outside | (words > 0)).astype(np.uint64)
        everything = summed(texts * shown)
        ordered = summed((texts * outside) * (2 * places + 1))
        something = summed(shown) > 0
        label = np.where(enough, main ^ _MAIN, everything ^ _ALL)
        label[~(enough | something)] = NO_LABEL
        order = np.where(enough, ordered, label)
        sketches = self._sketches(texts, np.repeat(np.arange(len(counts)), counts), ~frame, len(counts))
        return label.tolist(), order.tolist(), sketches, summed(outside).tolist()

    def _in_frame(self, slots: Words, starts: Any, counts: Any) -> NDArray[np.bool_]:
        """Whether each line stands in a slot of its site's frame."""
        found = np.zeros(len(slots), np.bool_)
        groups: dict[int, list[int]] = {}
        for number, frame in enumerate(self._frames):
            if frame is not None and len(frame):
                groups.setdefault(id(frame), []).append(number)
        for numbers in groups.values():
            frame = self._frames[numbers[0]]
            assert frame is not None
            if len(numbers) == len(counts):
                return np.isin(slots, frame)
            at = np.concatenate([np.arange(starts[n], starts[n] + counts[n]) for n in numbers])
            found[at] = np.isin(slots[at], frame)
        return found

    @staticmethod
    def _sketches(texts: Words, rows: Any, outside: NDArray[np.bool_], count: int) -> list[bytes]:
        """One-permutation minhashes of the lines outside the frame, as `content.compare.line_sketch` makes them."""
        bins = np.full(count * BINS, EMPTY, np.uint32)
        chosen = texts[outside]
        at = rows[outside] * BINS + (chosen & np.uint64(31)).astype(np.int64)
        np.minimum.at(bins, at, (chosen >> np.uint64(32)).astype(np.uint32))
        data = bins.astype("<u4").tobytes()
        return [data[i : i + 4 * BINS] for i in range(0, len(data), 4 * BINS)]


def sketch(minhash: str | None, lines: bytes | None) -> bytes | None:
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
