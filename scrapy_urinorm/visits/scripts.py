"""What scripts show: the numbers of a chart, a formula, what a player plays, what a viewer opens, where a map is.

Each program has its own way to hand such things over; looked for are those that stand in the page as they are shown.
"""

from __future__ import annotations

import re
from itertools import islice

from scrapy_urinorm.visits.data import DATA_CAP, QUOTE, Script, is_state
from scrapy_urinorm.visits.players import loaded_by, shown_by, sources_in
from scrapy_urinorm.visits.texts import hash_of_all
from scrapy_urinorm.visits.viewers import EXTENSIONS

NUMBERS_SLOT, MEDIA_SLOT = 3, 4
"""The places of the lines for numbers with formulas, and for addresses: advertisements in one leave the other alone."""
LONGEST_ADDRESS, MOST_MEDIA = 300, 1_000
"""Octets in which an address begins, and addresses that are read; chosen."""
_NUMBERS = re.compile(rb"\[(?:[\s,\[\]]{0,20}+(?:-?[\d.][\d.eE+-]{0,40}+|null)){3,}+")
"""Three numbers and more in a row, whatever brackets: two are the size of a picture or a place on the map. Each part
has an end, so that no octet is looked at more than some times."""
DATA_FILES = "csv srt tsv vtt"
"""Files that programs alone load: the rows of a chart, the texts of a film. In an attribute such an address is mostly
that of a button which gives away what the page shows. JSON, XML and scripts are what programs are set up with."""
_MEDIA = re.compile(
    rb"\.(?=\w{3,11}[\"'?\\)])"
    rb"(?:%b|(?<=/info\.)json|(?<=/manifest\.)json|(?<=/ImageProperties\.)xml)(?=[\"'?\\)])"
    % "|".join(f"{EXTENSIONS} {DATA_FILES}".split()).encode(),
    re.IGNORECASE,
)
"""The first look leaves few points of a program."""
_separated = re.compile(rb"[\"'\s(<>]").split
_formula = re.compile(rb"\btype\s*=\s*[\"']?math/", re.IGNORECASE).search
_SPACE = re.compile(rb"\s++")


def script_lines(
    markup: bytes, found: list[Script], valued: list[bytes], *, bare: bool = False
) -> list[tuple[int, int]]:
    """Return the place and the hash of what is shown so, whatever its order; no line for what the page has not.

    `found` are its `scripts`, `valued` its `values`. On a `bare` page, which has hardly a text of its own, the pictures
    that are handed to its programs are what they show, and not some of what they might.
    """
    numbers: set[bytes] = set()
    media = set(loaded_by(markup, [head for head, _, _ in found]))
    room = DATA_CAP
    for head, begin, end in found:
        block = markup[begin : min(end, begin + room)]
        room -= len(block)
        if _formula(head) is not None:
            numbers.add(block.strip())
        elif block and is_state(head, block):
            media.update(_media(block) if bare else ())
        elif block:
            numbers.update(_numbers(block))
            media.update(_media(block))
            named, told = shown_by(block)
            # a file before a question mark is read without what follows, which may be a signature
            media.update(one for one in named if _MEDIA.search(one) is None)
            numbers.update(_SPACE.sub(b"", one) for one in told)
        if room <= 0:
            break
    for value in valued:
        if value[:1] in (b"{", b"["):
            numbers.update(_numbers(value))
            media.update(sources_in(value))
            media.update(_media(QUOTE.sub(b'"', value)) if bare else ())
    return [(slot, hash_of_all(shown)) for slot, shown in ((NUMBERS_SLOT, numbers), (MEDIA_SLOT, media)) if shown]


def _numbers(block: bytes) -> list[bytes]:
    return [_SPACE.sub(b"", one) for one in _NUMBERS.findall(block)]


def _media(block: bytes) -> list[bytes]:
    """The addresses of pictures, films and sounds, without what follows a question mark: it may be a signature."""
    ends = islice(_MEDIA.finditer(block), MOST_MEDIA)
    return [_separated(block[max(0, one.start() - LONGEST_ADDRESS) : one.end()])[-1] for one in ends]
