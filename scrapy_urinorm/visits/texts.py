"""Texts of a page to hashes, numbers of words and a sketch: in C where it is built, else here."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections.abc import Iterable
from struct import pack
from typing import NamedTuple

from scrapy_urinorm.content.compare import BINS, EMPTY
from scrapy_urinorm.engine import native

REMEMBERED = 256
"""Characters of the longest line and the longest word whose hash is remembered."""
SHINGLE = 4
"""Words of a shingle: fewer make all texts alike, more make one changed word a difference (Broder 1997 took 10)."""
_IN_TWOS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff65-\uff9f\U00020000-\U0003ffff"
"""Han and kana, which put no spaces between words: a word of Chinese has one or two letters, one of Japanese two or
three (chosen: two)."""
_IN_FOURS = "\u0e00-\u109f\u1780-\u17ff"
"""Thai, Lao, Tibetan, Myanmar and Khmer, which put none either: their letters are of an alphabet, so that a syllable
has two to four (chosen: four). Hangul has spaces."""
_JOINED = re.compile(f"[{_IN_TWOS}{_IN_FOURS}]")
_OTHER = rf"[^\s{_IN_TWOS}{_IN_FOURS}]"
_PARTS = re.compile(rf"{_OTHER}*+(?:[{_IN_TWOS}]{{1,2}}+|[{_IN_FOURS}]{{1,4}}+){_OTHER}*+|{_OTHER}++")
"""A word of a text in which some are joined: so many letters in a row, with what stands around them. What is not such a
letter begins anew, so that a letter more moves the words up to the next comma, not all that follow."""


class Hashes(dict[str, int]):
    """64-bit BLAKE2b of a text, remembered: frames repeat on every page of a site and words in every text."""

    def __init__(self, limit: int, *, signed: bool = False) -> None:
        super().__init__()
        self.limit, self.signed = limit, signed

    def __missing__(self, text: str) -> int:
        if len(self) >= self.limit:
            self.clear()
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        value = int.from_bytes(digest, "little", signed=self.signed)
        # what is long hardly ever comes again, and would make the limit mean nothing
        if len(text) <= REMEMBERED:
            self[text] = value
        return value


def hash_of_all(texts: Iterable[bytes]) -> int:
    """Return a 64-bit BLAKE2b of texts, whatever their order."""
    return int.from_bytes(hashlib.blake2b(b"\0".join(sorted(texts)), digest_size=8).digest(), "little")


class _Words(dict[str, int]):
    """60-bit hash of a word: two CRCs are enough for a sketch and cost a third of a BLAKE2b."""

    limit = 1 << 17

    def __missing__(self, word: str) -> int:
        if len(self) >= self.limit:
            self.clear()
        octets = word.encode("utf-8", "surrogatepass")
        value = (zlib.crc32(octets) << 28) ^ zlib.crc32(octets, 0x9E3779B9)
        if len(word) <= REMEMBERED:
            self[word] = value
        return value


_text_hashes = Hashes(1 << 14)
_word_hashes = _Words()


class Text(NamedTuple):
    """What there is to say of the texts of a page: 64-bit hashes and numbers of words by line, and of all of them."""

    hashes: bytes
    counts: bytes
    words: int
    digest: bytes
    minhash: bytes


def text_of(texts: list[str], seen: bytes) -> Text:
    """Read texts as lines with one space between words; those not seen have no words, and are hashed as they are."""
    if native.module is not None and (found := native.module.text(texts, seen)) is not None:
        return Text(*found)
    return plain_text(texts, seen)


def plain_text(texts: list[str], seen: bytes) -> Text:
    """The same in Python: what the module in C must equal."""
    words: list[str] = []
    shown: list[str] = []
    hashes: list[int] = []
    counts = bytearray()
    for text, is_seen in zip(texts, seen, strict=True):
        if is_seen:
            tokens = text.split()
            line = " ".join(tokens)
            if not text.isascii() and _JOINED.search(text) is not None:
                tokens = _PARTS.findall(text)
            words += tokens
            shown.append(line)
            hashes.append(_text_hashes[line])
            counts.append(min(255, len(tokens)))
        else:
            hashes.append(_text_hashes[text])
            counts.append(0)
    digest = hashlib.blake2b("\n".join(shown).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Text(pack(f"<{len(hashes)}Q", *hashes), bytes(counts), len(words), digest, minhash(words))


SIFT = 8 * BINS
"""How many of the lowest hashes of a long text are looked at: eight for a bin leave one in a hundred texts without one
in some bin, all of whose hashes are looked at then."""


def minhash(words: list[str]) -> bytes:
    """Return the one-permutation minhash (Li, Owen and Zhang 2012) over the shingles of four words.

    The bin of a shingle is the lowest five bits of its 64-bit hash, its value the top 32; a text shorter than one
    shingle counts as one. Shingles are hashed by CPython's hash of a tuple of integers: it does not depend on
    PYTHONHASHSEED and runs in C; a test pins its values.
    """
    h = list(map(_word_hashes.__getitem__, words))
    if not h:
        return b"\xff" * (4 * BINS)
    if len(h) < SHINGLE:
        h += [0] * (SHINGLE - len(h))
    shingles = list(map(hash, zip(h, h[1:], h[2:], h[3:])))  # noqa: B905  the shifted lists are shorter
    if len(shingles) > SIFT:
        # the minima of all bins are nearly always among the few lowest
        limit = (1 << 64) * SIFT // len(shingles) - (1 << 63)
        bins = _minima([x for x in shingles if x < limit])
        if EMPTY not in bins:
            return pack(f"<{BINS}I", *bins)
    return pack(f"<{BINS}I", *_minima(shingles))


def _minima(shingles: list[int]) -> list[int]:
    bins = [EMPTY] * BINS
    for shingle in sorted(shingles, reverse=True):
        bins[shingle & 31] = (shingle >> 32) + 0x8000_0000
    return bins
