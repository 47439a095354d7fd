"""Long pages that are all but the same, of which one has a text of its own: that is a small part, and no noise.

A view of all of an article has a note more than the article, for one in twenty. Their minhashes resemble each other as
those of two print views do; but what a view says besides stands on no other page.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.content import Frame, is_answer, resemblance
from scrapy_urinorm.content.compare import NEAR_SHARE, OWN_WORDS, is_file

if TYPE_CHECKING:
    from scrapy_urinorm.visits.record import Visit

BANDS = 8
"""Parts of a minhash, of four bins each, of which one is the same on pages that are looked at: so it is for 9,997 of
10,000 pairs that have nine bins of ten in common (Leskovec, Rajaraman, Ullman: Mining of Massive Datasets, 3.4)."""
MAX_TEXTS, MAX_LINES = 20_000, 200_000
"""Texts of a site that are looked at, the first ones, and lines of those that resemble another: 20 MB, and 40 MB."""


def with_own_text(visits: Sequence[Visit], frame: Frame, key: Callable[[str], str]) -> dict[str, int]:
    """Return the keys of pages that resemble another one and say words that no other page does, and how many."""
    labels: dict[str, bytes] = {}
    owner: dict[int, bytes | None] = {}
    words: dict[int, int] = {}
    for visit in _resembling(visits):
        label = frame.content(visit).label
        if label is not None:
            labels[visit.text_digest or ""] = label
            for _, text, n in frame.outside(visit):
                if text in words or len(words) < MAX_LINES:
                    words[text] = n
                    if owner.setdefault(text, label) != label:
                        owner[text] = None
    alone = {text for text, label in owner.items() if label is not None}
    for visit in visits if alone else ():
        if visit.lines and is_answer(visit.status) and (found := alone.intersection(array("Q", visit.lines)[1::2])):
            label = labels.get(visit.text_digest or "") or frame.content(visit).label
            alone -= {text for text in found if owner[text] != label}
    own = Counter[bytes]()
    for text in alone:
        own[owner[text] or b""] += words[text]
    return {
        key(visit.final_url or visit.url): n
        for visit in visits
        # of a file no lines are known: any difference may be a text of its own
        if (n := OWN_WORDS if is_file(visit) else own[labels.get(visit.text_digest or "", b"")]) >= OWN_WORDS
    }


def _resembling(visits: Iterable[Visit]) -> Iterator[Visit]:
    """Yield the visits whose text may resemble another one."""
    first: dict[tuple[int, bytes], Visit] = {}
    texts: set[str] = set()
    given: set[int] = set()
    for visit in visits:
        digest, minhash = visit.text_digest, visit.minhash
        if not (visit.lines and minhash and digest and is_answer(visit.status)):
            continue
        if digest not in texts:
            if len(texts) >= MAX_TEXTS:
                continue
            texts.add(digest)
        size = len(minhash) // BANDS
        alike = [first.setdefault((n, minhash[n * size : (n + 1) * size]), visit) for n in range(BANDS)]
        for one in {id(other): other for other in alike if other.text_digest != digest}.values():
            if one.minhash and resemblance(one.minhash, minhash) >= NEAR_SHARE:
                for found in (one, visit):
                    if id(found) not in given:
                        given.add(id(found))
                        yield found
