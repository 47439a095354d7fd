"""Which visits show one page: content classes, and the outcome of comparing two pages.

Labels decide what can be learned. A digest of the visible text is spoilt by titles that echo the address, by ages
and by counters; so where the lines of the pages are known, the frame of the site is taken off first, and the rest is
compared without its order (reference, section 10, point 2).
"""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from operator import eq
from struct import Struct, pack
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from scrapy_urinorm.visits.record import Visit

FRAME_SHARE = 0.8
"""A slot on this share of a site's pages belongs to its frame, if what it says is short or always the same."""
SHORT_WORDS = 8
MIN_WORDS = 10
"""Below this many words outside the frame a text proves nothing unless all of it is equal."""
NEAR = 0.9
FAR = 0.5
BINS = 32
EMPTY = 0xFFFFFFFF
MIN_FRAME_PAGES = 20
_BINS = Struct(f"<{BINS}I").unpack


class Content(NamedTuple):
    """What is known of the content of one visit.

    `label` is equal for pages of equal content; `None` means unknown. `weak` labels are of bodies: equality means
    one page, difference means nothing. `sketches` are minhashes, of the text and of the lines outside the frame: the
    first is blind to what a big frame surrounds, the second to what one long line holds, so both must agree.
    """

    label: bytes | None
    sketches: tuple[bytes, ...] = ()
    weak: bool = False


UNKNOWN = Content(None)


def _label(kind: bytes, text: str | bytes) -> bytes:
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.blake2b(kind + data, digest_size=8).digest()


def plain_content(visit: Visit) -> Content:
    """Return the content of a visit whose lines are not known."""
    if visit.status is not None and visit.status != 200:
        return UNKNOWN
    enough = visit.words is None or visit.words >= MIN_WORDS
    if visit.main_digest and enough:
        return Content(_label(b"m", visit.main_digest), _sketches(visit))
    if visit.text_digest and (enough or visit.words):
        return Content(_label(b"t", visit.text_digest), _sketches(visit))
    if visit.body_digest and visit.text_digest is None and visit.main_digest is None:
        return Content(_label(b"b", visit.body_digest), weak=not _is_file(visit))
    return UNKNOWN


def _sketches(visit: Visit, *more: bytes) -> tuple[bytes, ...]:
    return more if visit.minhash is None else (visit.minhash, *more)


def _is_file(visit: Visit) -> bool:
    """Whether the body is the content: not a web page, whose body also says when and for whom it was made."""
    return bool(visit.content_type) and "html" not in (visit.content_type or "")


class Frame:
    """The slots of a site: counted over its pages in a first pass, then the frame's are known."""

    def __init__(self) -> None:
        self.pages = 0
        self._pages_with: Counter[int] = Counter()
        self._words: Counter[int] = Counter()
        self._lines: Counter[int] = Counter()
        self._texts: dict[int, set[int]] = {}
        self._frame: frozenset[int] | None = None

    def add(self, lines: bytes, line_words: bytes | None) -> None:
        """Count the slots of one page."""
        hashes = array("Q", lines)
        slots = hashes[0::2]
        self.pages += 1
        self._pages_with.update(set(slots))
        self._lines.update(slots)
        for n, slot in enumerate(slots):
            if line_words is not None and n < len(line_words):
                self._words[slot] += line_words[n]
            texts = self._texts.get(slot)
            if texts is None:
                self._texts[slot] = {hashes[2 * n + 1]}
            elif len(texts) < 64:
                texts.add(hashes[2 * n + 1])
        if len(self._pages_with) > 400_000:
            self._forget_rare()

    def _forget_rare(self) -> None:
        keep = {slot for slot, n in self._pages_with.items() if n > self.pages // 100}
        for table in (self._pages_with, self._words, self._lines, self._texts):
            for slot in [slot for slot in table if slot not in keep]:
                del table[slot]

    def slots(self) -> frozenset[int]:
        """Return the slots of the frame: on nearly every page, and short or of few texts."""
        if self._frame is None:
            found = set()
            if self.pages >= MIN_FRAME_PAGES:
                for slot, pages in self._pages_with.items():
                    if pages < FRAME_SHARE * self.pages or not slot:
                        continue
                    few_texts = len(self._texts[slot]) <= max(5, min(63, self.pages // 50))
                    lines = self._lines[slot]
                    short = lines <= 1.2 * pages and self._words[slot] <= SHORT_WORDS * lines
                    if few_texts or short:
                        found.add(slot)
            self._frame = frozenset(found)
        return self._frame

    def forget_slots(self) -> None:
        """Have the slots of the frame found anew when they are next asked for: more pages have come."""
        self._frame = None

    def content(self, visit: Visit) -> Content:
        """Return the content of a visit whose lines are known, judged without the frame and without order."""
        if visit.status is not None and visit.status != 200:
            return UNKNOWN
        assert visit.lines is not None
        frame = self.slots()
        hashes = array("Q", visit.lines)
        counts = visit.line_words
        main = []
        words = 0
        for n in range(0, len(hashes), 2):
            if hashes[n] not in frame:
                main.append(hashes[n + 1])
                words += counts[n // 2] if counts is not None and n // 2 < len(counts) else 4
        sketches = _sketches(visit, line_sketch(main))
        if words >= MIN_WORDS:
            return Content(_label(b"M", _multiset(main)), sketches)
        everything = [
            hashes[n + 1]
            for n in range(0, len(hashes), 2)
            # a picture in the frame may count its visitors
            if not (hashes[n] in frame and counts is not None and n // 2 < len(counts) and not counts[n // 2])
        ]
        if not everything or visit.words == 0:
            return UNKNOWN
        return Content(_label(b"L", _multiset(everything)), sketches)


def _multiset(hashes: list[int]) -> bytes:
    """The sum of the hashes: the same in any order, and the same whether or not the page was cut at the cap."""
    return pack("<Q", sum(hashes) & 0xFFFF_FFFF_FFFF_FFFF)


def line_sketch(hashes: Iterable[int]) -> bytes:
    """Return the one-permutation minhash of a set of 64-bit line hashes."""
    bins = [EMPTY] * BINS
    for value in hashes:
        at = value & 31
        top = value >> 32
        bins[at] = min(bins[at], top)
    return pack(f"<{BINS}I", *bins)


def resemblance(one: bytes, other: bytes) -> float:
    """Return the estimated Jaccard similarity of two minhashes; 1.0 for two empty ones."""
    if one == other:
        return 1.0
    x: tuple[int, ...] = _BINS(one)
    y: tuple[int, ...] = _BINS(other)
    equal: int = sum(map(eq, x, y))
    if EMPTY not in x or EMPTY not in y:
        return equal / BINS
    empty = sum(a == b == EMPTY for a, b in zip(x, y, strict=True))
    return (equal - empty) / (BINS - empty)


def soft_labels(labels: Sequence[int], floor: int = 50) -> frozenset[int]:
    """Return the labels that too many addresses share: errors served as pages, log-in forms, empty lists."""
    counts = Counter(labels)
    counts.pop(-1, None)
    limit = max(floor, len(labels) // 100)
    return frozenset(label for label, n in counts.items() if n > limit)
