"""The frame of a site: what its pages say besides their content, found by how it behaves.

A line stands in a *slot*, a place of the page's tree. Slots on nearly every page belong to the frame where they always
say the same, or say little; and slots that vary where all else is equal ("recently viewed", ages, counters, tokens)
are noise where all else is more than they are: of an article of one paragraph, its versions and its translation have
the same comments and links, and nothing but the article tells them apart. For the same reason they have to vary with
this and with that: what varies with one parameter alone may be what that parameter asks for, unless it is the session
that nearly every address of the site bears.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Protocol

from scrapy_urinorm.content.compare import (
    MIN_WORDS,
    NOTHING,
    Content,
    Recorded,
    label_of,
    line_sketch,
    multiset,
)
from scrapy_urinorm.content.gates import FORM_LINES, gates
from scrapy_urinorm.content.noise import Varying
from scrapy_urinorm.content.table_rows import in_rows
from scrapy_urinorm.content.telling import telling
from scrapy_urinorm.statuses import is_answer

if TYPE_CHECKING:
    from scrapy_urinorm.content.differences import Linked

FRAME_SHARE = 0.8
"""A slot on this share of a site's pages may belong to its frame: errors and feeds have another."""
SHORT_WORDS = 8
"""A slot of the frame with so few words a line is a title, a menu or a date; five applications had no longer titles."""
MIN_FRAME_PAGES = 20
"""Of fewer pages four fifths may be one kind of page by chance."""
MAX_SLOTS = 400_000
"""Slots counted at the most, 0.1 GB; rare ones are forgotten above it."""
MAX_TEXTS = 64
"""Texts of a slot that are told apart: the frame's has few, all others many."""
FEW_TEXTS = 5
"""Texts that are few on any site, chosen."""
PAGES_A_TEXT = 50
"""Pages of a larger site for each further text of a slot that is the frame's, chosen: sections have their menus."""
MAX_WATCHED = 16
"""Slots of the frame that are watched for noise."""
FEWEST_TEXTS, MAX_SHORT = 10, 64
"""Texts of a short slot from which it may tell pages apart, and such slots that are looked at, those of the most texts;
chosen: a name of a section has fewer, and a page of a product has thirty with other products."""
MAX_CELLS = 512
"""Slots that may tell pages apart with others: as many as a page has lines that are kept one by one."""
TITLE_SLOT = 0xED2ACEF963A6DD87
"""The place of the element `title`, as the reader of pages hashes it."""
DATA_SLOT = 2
"""That of the data which a page hands to its scripts: no text of it, and told as its title is."""
_MASK = 0xFFFF_FFFF_FFFF_FFFF
UNKNOWN_WORDS = 4
"""Words of a line where they were not counted."""


class RecordedLines(Recorded, Protocol):
    """A record that also has the lines of its page."""

    url: str
    final_url: str | None
    redirects: tuple[tuple[int, str], ...]
    lines: bytes | None
    line_words: bytes | None
    crawl: str | None


class Frame:
    """The slots of a site: counted over its pages in a first pass, then the frame's are known."""

    def __init__(self) -> None:
        self.pages = 0
        self.linked: Linked | None = None
        """For whoever knows the links of the pages to say: what they lead to, of that which differs in two ways."""
        self._pages_with: Counter[int] = Counter()
        self._words: Counter[int] = Counter()
        self._lines: Counter[int] = Counter()
        self._texts: dict[int, set[int]] = {}
        self._contents: set[int] = set()
        self._frame: frozenset[int] | None = None
        self._noise: frozenset[int] = frozenset()
        self._visitors: frozenset[int] = frozenset()
        self._again: frozenset[int] = frozenset()
        self._telling: frozenset[int] = frozenset()
        self._loose: frozenset[int] = frozenset()
        self._short: frozenset[int] = frozenset()
        self._gates: frozenset[tuple[bytes, int]] = frozenset()

    def add(self, lines: bytes, line_words: bytes | None) -> None:
        """Count the slots of one page."""
        hashes = array("Q", lines)
        slots = hashes[0::2]
        self.pages += 1
        self._pages_with.update(set(slots))
        self._lines.update(slots)
        content = 0
        for n, slot in enumerate(slots):
            if line_words is not None and n < len(line_words):
                self._words[slot] += line_words[n]
            if line_words is None or n >= len(line_words) or line_words[n] > SHORT_WORDS:
                content += hashes[2 * n + 1]
            texts = self._texts.get(slot)
            if texts is None:
                self._texts[slot] = {hashes[2 * n + 1]}
            elif len(texts) < MAX_TEXTS:
                texts.add(hashes[2 * n + 1])
        if len(self._contents) < MAX_TEXTS * PAGES_A_TEXT:
            self._contents.add(content & _MASK)
        if len(self._pages_with) > MAX_SLOTS:
            self._forget_rare()

    def _forget_rare(self) -> None:
        keep = {slot for slot, n in self._pages_with.items() if n > self.pages // 100}
        for table in (self._pages_with, self._words, self._lines, self._texts):
            for slot in [slot for slot in table if slot not in keep]:
                del table[slot]

    def slots(self) -> frozenset[int]:
        """Return the slots of the frame: on nearly every page, and short or of few texts; and what is noise."""
        if self._frame is None:
            found, short = set(), set()
            # not of visits: where each of some fifty articles has as many addresses, their paragraphs are no menus
            few = max(FEW_TEXTS, min(MAX_TEXTS - 1, len(self._contents) // PAGES_A_TEXT))
            for slot in self._common():
                if self._is_single(slot) and self._words[slot] <= SHORT_WORDS * self._lines[slot]:
                    short.add(slot)
                elif len(self._texts[slot]) <= few:
                    found.add(slot)
            found |= short
            self._frame = (frozenset(found) | self._noise) - self._telling | {DATA_SLOT}
            # a number or a day of the week stands in its row on each page, an age is another each time
            loose = {slot for slot in found if len(self._texts[slot]) > FEW_TEXTS}
            self._loose = (self._noise | loose) - self._telling
            # "no entries", where one in ten says what the society was founded for
            self._short = frozenset(s for s in short if len(self._texts[s]) > 1) - self._noise - {TITLE_SLOT}
        return self._frame

    def _common(self) -> list[int]:
        if self.pages < MIN_FRAME_PAGES:
            return []
        return [slot for slot, n in self._pages_with.items() if slot and n >= FRAME_SHARE * self.pages]

    def short(self) -> frozenset[int]:
        """Return the slots of the frame with one line a page and several texts, without the title, data and noise."""
        frame = self.slots() - self._noise - self._visitors - {TITLE_SLOT, DATA_SLOT}
        return frozenset(s for s in self._common() if s in frame and len(self._texts[s]) > 1 and self._is_single(s))

    def _is_single(self, slot: int) -> bool:
        """Whether the slot has about one line a page: lists are content."""
        return self._lines[slot] <= 1.2 * self._pages_with[slot]

    def forget_slots(self) -> None:
        """Have the slots of the frame found anew when they are next asked for: more pages have come."""
        self._frame = None

    def find_noise(self, pages: Iterable[RecordedLines], sessions: frozenset[str] = frozenset()) -> None:
        """Find the slots that vary where nothing else does; `pages` are those that were added.

        `sessions` are parameters that bear the visitor's session, so that what varies with them alone is the visitor's.
        """
        frame = self.slots()
        open_slots = frozenset(slot for slot in self._common() if slot not in frame and self._is_single(slot))
        short = (slot for slot in self._common() if slot in frame - {TITLE_SLOT} and len(self._texts[slot]) > FEW_TEXTS)
        framed = frozenset(sorted(short, key=lambda slot: (-len(self._texts[slot]), slot))[:MAX_WATCHED])
        if not open_slots and not framed:
            return
        varied = Varying(framed, sessions, self.linked)
        for page in pages:
            if page.lines and is_answer(page.status):
                told = _told_apart(page.lines, page.line_words, frame, open_slots, framed)
                varied.add(page.url, told, page.crawl)
        self._noise, self._visitors, self._again = varied.noise(frozenset((TITLE_SLOT,)))
        self._frame = None

    def find_telling(self, pages: Iterable[tuple[str, bytes, str | None]]) -> None:
        """Find the short slots that tell pages apart whose other texts are one, from the lines of those pages, which
        come with their addresses and their crawls.
        """
        frame = self.slots()
        common = (slot for slot in self._common() if slot in frame - self._again - {TITLE_SLOT, DATA_SLOT})
        varied = (slot for slot in common if len(self._texts[slot]) > 1)
        cells = sorted(varied, key=lambda slot: (-len(self._texts[slot]), slot))[:MAX_CELLS]
        short = [slot for slot in cells if len(self._texts[slot]) >= FEWEST_TEXTS and self._is_single(slot)]
        single = frozenset(short[:MAX_SHORT])
        self._telling = telling(pages, frame, single, frozenset(cells), self.linked) if cells else frozenset()
        # what looked like a counter while nobody knew where else it stands
        self._visitors -= self._telling
        self._frame = None

    def find_gates(self, visits: Sequence[RecordedLines]) -> None:
        """Find the forms to which the site redirects, which are known though they have data for scripts."""
        self._gates = gates(visits, self.content)

    def _title(self, slots: array[int], texts: array[int]) -> int:
        """Return what tells a page that its text does not: a title that is the frame's, and the data of its scripts."""
        data = self._data(slots, texts)
        if TITLE_SLOT not in self.slots() or TITLE_SLOT in self._visitors:
            return data
        return (data + _said_in(TITLE_SLOT, slots, texts)) & _MASK

    def _data(self, slots: array[int], texts: array[int]) -> int:
        return 0 if DATA_SLOT in self._visitors else _said_in(DATA_SLOT, slots, texts)

    @property
    def noise(self) -> frozenset[int]:
        """The slots that vary where nothing else does, once they were looked for."""
        return self._noise - self._telling

    def outside(self, visit: RecordedLines) -> Iterator[tuple[int, int, int]]:
        """Yield the slots of a visit that are not the frame's, with what they say and in how many words."""
        hashes = array("Q", visit.lines or b"")
        slots, counts = hashes[0::2], _counts(visit.line_words, len(hashes) // 2)
        yield from compress(zip(slots, hashes[1::2], counts, strict=True), self._outside(slots, counts))

    def _outside(self, slots: Sequence[int], counts: bytes) -> list[bool]:
        """Say of each line of a page whether it is content: not of the frame, or a sentence where others are short."""
        frame, short = self.slots(), self._short
        return [slot not in frame or (n >= MIN_WORDS and slot in short) for slot, n in zip(slots, counts, strict=True)]

    def content(self, visit: RecordedLines) -> Content:
        """Return the content of a visit whose lines are known, judged without the frame and without order."""
        if not is_answer(visit.status):
            return NOTHING
        assert visit.lines is not None
        hashes = array("Q", visit.lines)
        slots, texts = hashes[0::2], hashes[1::2]
        counts = _counts(visit.line_words, len(slots))
        outside = self._outside(slots, counts)
        main = list(compress(texts, outside))
        words = sum(compress(counts, outside))
        sketches = (*(() if visit.minhash is None else (visit.minhash,)), line_sketch(main))
        if words >= MIN_WORDS:
            label = label_of(b"M", multiset(in_rows(slots, texts, outside, self._loose)))
            title, data = self._title(slots, texts), self._data(slots, texts)
            return Content(label, sketches, words=words, order=hash(tuple(main)), title=title, data=data)
        data = self._data(slots, texts)
        # a picture in the frame may count its visitors; what one address says otherwise each time is no page's own
        lines = zip(slots, outside, counts, strict=True)
        shown = [(out or n > 0) and slot not in self._visitors for slot, out, n in lines]
        everything = in_rows(slots, texts, shown, self._visitors)
        if DATA_SLOT not in slots and (not everything or visit.words == 0):
            return NOTHING
        label = label_of(b"L", multiset(everything))
        if DATA_SLOT in slots and (label, data) not in self._gates:
            form = label if sum(map(bool, compress(counts, outside))) >= FORM_LINES else None
            return Content(None, drawn=True, data=data, form=form)
        return Content(label, sketches, words=visit.words)


def _said_in(slot: int, slots: array[int], texts: array[int]) -> int:
    return texts[slots.index(slot)] if slot in slots else 0


def _counts(line_words: bytes | None, lines: int) -> bytes:
    """The words of each line, also where they were not counted for all."""
    known = line_words or b""
    return known[:lines] + bytes([UNKNOWN_WORDS]) * (lines - len(known))


def _told_apart(
    lines: bytes, line_words: bytes | None, frame: frozenset[int], open_slots: frozenset[int], framed: frozenset[int]
) -> Iterator[tuple[tuple[int, int], dict[int, int]]]:
    """Yield what a page says besides one of the open slots, and besides all of them, where that is not too little.

    Each comes with what those slots say, which is no more than the rest; besides all of them with what `framed` ones of
    the frame say, too.
    """
    hashes = array("Q", lines)
    said: dict[int, int] = {}
    beside: dict[int, int] = {}
    words: Counter[int] = Counter()
    rest = others = 0
    for slot, text, n in zip(hashes[0::2], hashes[1::2], _counts(line_words, len(hashes) // 2), strict=True):
        if slot in open_slots:
            said[slot] = said.get(slot, 0) + text
            words[slot] += n
        elif slot not in frame:
            rest += text
            others += n
        elif slot in framed:
            beside[slot] = beside.get(slot, 0) + text
    if others >= max(MIN_WORDS, words.total()):
        yield (0, rest & _MASK), said | beside
    if len(said) > 1:
        whole, total = rest + sum(said.values()), others + words.total()
        for slot, text in said.items():
            if total - words[slot] >= max(MIN_WORDS, words[slot]):
                yield (slot, (whole - text) & _MASK), {slot: text}
