"""Which visits show one page, and what comparing two pages gives.

A digest of the visible text is spoilt by titles that echo the address, by ages and by counters; so where the lines of
the pages are known, the frame of the site (`frame`) is taken off first, and the rest is compared
without its order.

The outcome of a comparison has four values. `EXACT` is the only one that speaks for a rule by itself: pages that are
`NEAR` each other support what exact pairs support already, `DIFFERENT` ones are counter-evidence, `UNKNOWN` is neither.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import eq
from struct import Struct, pack
from typing import NamedTuple, Protocol

from scrapy_urinorm.statuses import is_answer

EXACT, NEAR, DIFFERENT, UNKNOWN = 2, 1, -1, 0

MIN_WORDS = 10
"""Below this many words outside the frame a text proves nothing unless all of it is equal: a shingle has four words,
so fewer give a sketch of six values at the most."""
NEAR_SHARE = 0.9
"""Broder's resemblance (1997) from which two texts are versions of one; on two copies of a page that differ in a
counter or an age it was 0.93 and more on the recorded sites."""
SAID_SHARE = 0.8
"""The estimate from which two texts may have a resemblance of 0.9: of 32 bins, at 0.9 each, fewer than 26 agree in one
case of 28, so that an estimate of 0.85 is no sign of another page where the site itself says that it is the same."""
FAR_SHARE = 0.5
"""Below this resemblance a stand-in has nothing to do with the page: what scores call lost."""
MAX_LENGTH = 1.5
"""A text that is longer than another by half is not the same, however alike: a feed of 1,328 words held one of 756."""
TIME_WINDOW_DAYS = 60
"""Captures further apart than this may differ because the page has changed; archives come back so late."""
BINS = 32
EMPTY = 0xFFFFFFFF
"""Bins of a sketch, and one that no shingle fell into: the format of visits (docs/visits.md)."""
_BINS = Struct(f"<{BINS}I").unpack


class Recorded(Protocol):
    """What a record of a response says of its content."""

    status: int | None
    content_type: str | None
    body_digest: str | None
    text_digest: str | None
    main_digest: str | None
    minhash: bytes | None
    words: int | None


OWN_WORDS = 12
"""Words in lines of no other page, from which a page has a text of its own. A form to reply has seven on the recorded
blog, two of them the name of who is answered, which may be four words longer; chosen."""


class Shown(Protocol):
    """A page as it is compared: `label` is equal for equal content and negative where it is unknown."""

    key: str
    label: int
    weak: bool
    sketches: tuple[bytes, ...]
    words: int | None
    data: int
    canonical: str | None
    day: int | None
    own: int


class Content(NamedTuple):
    """What is known of the content of one visit.

    `label` is equal for pages of equal content; `None` means unknown. `weak` labels are of bodies: equality means
    one page, difference means nothing. `sketches` are minhashes, of the text and of the lines outside the frame: the
    first is blind to what a big frame surrounds, the second to what one long line holds, so both must agree. `words`
    is how long the compared text is. Where the label is the same in any order, `order` tells orders apart; 0 = unknown.
    `title` is the hash of a title that was left out; 0 = none. `drawn`: what is unknown is drawn by a script in the
    browser, from `data`, the hash of what the page hands to it; 0 = none, or another on each request. `form` is then
    the label of the few words that it shows, if these stand in lines as those of a form do.
    """

    label: bytes | None
    sketches: tuple[bytes, ...] = ()
    weak: bool = False
    words: int | None = None
    order: int = 0
    title: int = 0
    drawn: bool = False
    data: int = 0
    form: bytes | None = None


NOTHING = Content(None)
"""The content of what answered no page."""


def label_of(kind: bytes, text: str | bytes) -> bytes:
    """Return the label of a text; texts of different kinds never share one."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return hashlib.blake2b(kind + data, digest_size=8).digest()


def plain_content(visit: Recorded) -> Content:
    """Return the content of a visit whose lines are not known.

    A feed without entries, or a table without rows, says nothing yet: its digest is 0.
    """
    if not is_answer(visit.status):
        return NOTHING
    enough = visit.words is None or visit.words >= MIN_WORDS
    sketches = () if visit.minhash is None else (visit.minhash,)
    if visit.main_digest and not visit.main_digest.strip("0"):
        return NOTHING
    if visit.main_digest and enough:
        order = int.from_bytes(label_of(b"t", visit.text_digest)) if visit.text_digest else 0
        return Content(label_of(b"m", visit.main_digest), sketches, words=visit.words, order=order)
    if visit.text_digest and (enough or visit.words):
        return Content(label_of(b"t", visit.text_digest), sketches, words=visit.words)
    if visit.body_digest and visit.text_digest is None and visit.main_digest is None:
        return Content(label_of(b"b", visit.body_digest), weak=not is_file(visit))
    return NOTHING


def is_file(visit: Recorded) -> bool:
    """Whether the body is the content: not a web page, whose body also says when and for whom it was made."""
    return bool(visit.content_type) and "html" not in (visit.content_type or "")


def compare(one: Shown, other: Shown) -> int:
    """Return what comparing two pages says: `EXACT`, `NEAR`, `DIFFERENT` or `UNKNOWN`.

    Two pages that a script draws are different where their data are; equal data may be those of any page.
    Two pages that each name a canonical address of their own are different unless their texts are equal. A shared one
    is the site's word that they are one page: it makes exact what is near, and near what resembles by half; alone it
    says nothing, as many sites name their front page everywhere. Of two that are near none may have a text of its own.
    """
    if one.label < 0 or other.label < 0:
        return DIFFERENT if _drawn_apart(one, other) else UNKNOWN
    if one.label == other.label:
        return EXACT
    if one.weak or other.weak:
        return UNKNOWN
    if not one.sketches or len(one.sketches) != len(other.sketches):
        return DIFFERENT
    if one.day is not None and other.day is not None and abs(one.day - other.day) > TIME_WINDOW_DAYS:
        return UNKNOWN
    said = _canonicals(one, other)
    share = min(map(resemblance, one.sketches, other.sketches))
    if said is False or share < FAR_SHARE or _lengths_differ(one.words, other.words):
        return DIFFERENT
    if share >= NEAR_SHARE:
        return EXACT if said else DIFFERENT if max(one.own, other.own) >= OWN_WORDS else NEAR
    return NEAR if said else DIFFERENT


def are_apart(one: Shown, other: Shown) -> bool:
    """Whether two pages have nothing to do with each other: neither one that has changed, nor a part of the other."""
    if one.label < 0 or other.label < 0 or one.label == other.label or one.weak or other.weak:
        return False
    if not one.sketches or len(one.sketches) != len(other.sketches) or _lengths_differ(one.words, other.words):
        return True
    return min(map(resemblance, one.sketches, other.sketches)) < FAR_SHARE


def _drawn_apart(one: Shown, other: Shown) -> bool:
    return one.label < 0 and other.label < 0 and 0 not in (one.data, other.data) and one.data != other.data


def are_one(one: Shown, other: Shown) -> bool:
    """Whether two pages are one without a doubt: equal, or near by the site's own word.

    That word is a canonical link that they share, and near is what their sketches cannot tell from it.
    """
    if one.label == other.label and one.label >= 0:
        return True
    if compare(one, other) < NEAR or not _canonicals(one, other):
        return False
    return min(map(resemblance, one.sketches, other.sketches)) >= SAID_SHARE


def _canonicals(one: Shown, other: Shown) -> bool | None:
    """Whether the canonical addresses of two pages say that they are one, or that they are two; None: neither."""
    if one.canonical is None and other.canonical is None:
        return None
    mine, theirs = one.canonical or one.key, other.canonical or other.key
    if mine == theirs:
        return True
    own = one.canonical is not None and other.canonical is not None
    return False if own else None


def _lengths_differ(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and max(one, other) > MAX_LENGTH * max(1, min(one, other))


def multiset(hashes: Iterable[int]) -> bytes:
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


SOFT_PAGES = 50
SOFT_SHARE = 0.01
"""A text at so many addresses, and on so large a share of a site, is an error or a form: what scores leave out too."""
SOFT_KINDS, SOFT_TIMES = 16, 3
"""Errors and forms are of few kinds, and stand out: where more texts than a dozen are at as many addresses each, a few
pages are crawled again and again, under sessions or in paths without an end. Chosen; no recorded site has so many."""


def soft_labels(labels: Sequence[int]) -> frozenset[int]:
    """Return the labels that too many addresses share: errors served as pages, log-in forms, empty lists."""
    counts = Counter(labels)
    counts.pop(-1, None)
    others = counts.most_common(SOFT_KINDS)[-1:]
    limit = max((SOFT_TIMES * n for _, n in others), default=0)
    return frozenset(label for label in frequent_labels(labels) if counts[label] > limit)


def frequent_labels(labels: Sequence[int]) -> frozenset[int]:
    """Return the labels that as many addresses share as share an error, whether or not they stand out."""
    counts = Counter(labels)
    counts.pop(-1, None)
    limit = max(SOFT_PAGES, int(len(labels) * SOFT_SHARE))
    return frozenset(label for label, n in counts.items() if n > limit)
