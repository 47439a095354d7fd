"""What rules leave alone: URLs that a parameter signs, and those that speak of unsubscribing."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

from scrapy_urinorm.rules.kinds import Names, NameTable
from scrapy_urinorm.rulesets.sources import preset_table
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.url import Item, decoded


class Exemptions(NamedTuple):
    """What lossy rules leave alone: parameters that sign a URL, and URLs that speak of unsubscribing.

    One of `stems`, all of `STEM` letters, is in every word of ASCII letters that does.
    """

    signatures: NameTable
    words: Callable[[str], re.Match[str] | None]
    stems: tuple[str, ...]


#: Four letters are rare enough, and one comparison for the module in C.
STEM = 4


@functools.cache
def exemptions() -> Exemptions:
    """The exemptions that come with the package."""
    data = preset_table("exemptions")
    problems: list[str] = []
    names = Names(guards=True).check(data["signature_params"], lambda m, _: problems.append(m))
    if problems or names is None:
        raise ValueError(f"exemptions.toml: {problems}")
    words = data["unsubscribe_words"]
    return Exemptions(NameTable(names), re.compile("|".join(map(re.escape, words))).search, tuple(_stems(words)))


def _stems(words: Iterable[str]) -> Iterator[str]:
    """A few pieces of words, one of which is in each word: of the pieces left, the one that is in most words."""
    left = {word for word in words if word.isascii()}
    while left:
        pieces: dict[str, set[str]] = {}
        for word in sorted(left):
            for at in range(len(word) - STEM + 1):
                pieces.setdefault(word[at : at + STEM], set()).add(word)
        best = max(pieces, key=lambda piece: len(pieces[piece]))
        yield best
        left -= pieces[best]


def is_signed(items: Iterable[Item]) -> bool:
    """Whether a parameter signs the URL, by name and by the shape of its value."""
    signatures = exemptions().signatures
    for name, value in items:
        plain = decoded(name)
        if signatures[plain] and signatures.removes(plain, value):
            return True
    return False


def unsubscribes(text: str) -> bool:
    """Whether a path or query speaks of unsubscribing: the preset's tracking parameters then carry the recipient."""
    _, words, stems = exemptions()
    text = unquote(text).lower()
    if text.isascii():
        for stem in stems:
            if stem in text:
                return words(text) is not None
        return False
    return words(text) is not None
