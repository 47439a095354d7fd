"""What a tree of HTML says to a reader: its lines, links, canonical address and generator; in C where it is built."""

from __future__ import annotations

import contextlib
import re
from struct import pack, unpack
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.declared import is_canonical
from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.links import page_links, stems
from scrapy_urinorm.visits.texts import Hashes, text_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

    from scrapy_urinorm.visits.texts import Text

LINE_CAP = 512
"""Lines kept one by one; the rest of a page is one last line, a sum of hashes, so that a difference still shows."""
LONGEST_GENERATOR = 200
"""Characters kept of the name of a generator."""
DEEPEST = 960
"""Elements in each other at which the walk ends: some below Python's limit of recursion; what was seen so far tells the
page well enough."""
_LINKING = "a[href], area[href], base[href], meta[name=generator i]"
"""What is followed by default: the elements of Scrapy's own link extractor. A crawl that goes into frames, or where the
head points to (`link rel=next`), is known by the referers of what it requests there; of others they are no ways."""

_TEXT_NODE, _BLOCK, _DRAWING, _INLINE, _EMBEDDED, _HIDDEN, _LINK, _BREAK, _OTHER = range(9)
_NAMES = {
    _TEXT_NODE: "-text",
    _INLINE: "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span"
    " strike strong sub sup time tt u var wbr",
    _DRAWING: "svg math",
    _EMBEDDED: "img frame iframe video audio source embed object input",
    _HIDDEN: "script style noscript template meta base canvas",
    _LINK: "link",
    _BREAK: "br",
}
#: Of a drawing what is not shown: its own title is a tip that appears under the mouse.
_NOT_DRAWN = frozenset("script style title desc metadata template noscript".split())

#: Tags that are longer are made up, each once.
_LONGEST_TAG = 64


class _Kinds(dict[str, int]):
    """What a node is to a reader, by its tag."""

    def __missing__(self, tag: str) -> int:
        kind = _OTHER if tag[0] in "-_!" else _BLOCK
        if len(self) < 4096 and len(tag) <= _LONGEST_TAG:
            self[tag] = kind
        return kind


#: What `native.module.page` gives.
Compiled = tuple[bytes, bytes, int, bytes, bytes, str, str, str, str | None, str | None]

_tag_hashes = Hashes(1 << 12)
_kinds = _Kinds({tag: kind for kind, tags in _NAMES.items() for tag in tags.split()})
_OVERFLOW_SLOT = 0
FIELD_LETTERS = 4
"""Letters of the shortest word in a field: shorter ones are units, codes and answers; chosen."""
_letters = re.compile(rb"[A-Za-z\x80-\xff]+").findall
_word = re.compile(rb"[A-Za-z\x80-\xff][a-z\x80-\xff]{3,39}").fullmatch
_hexadecimal = re.compile(rb"[A-Fa-f]+").fullmatch
_MIX = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio: Fibonacci hashing (Knuth 6.4)
_MASK = (1 << 64) - 1  # sums are those of a 64-bit word


class Said(NamedTuple):
    """What `PageFeatures` has of a tree, in its order."""

    text_digest: str
    words: int
    lines: bytes
    line_words: bytes
    minhash: bytes
    canonical: str | None
    links: list[str]
    generator: str | None


def said_by(root: LexborNode, url: str) -> Said:
    """Return what the document says of which this is the root; `url` is its address."""
    if native.module is not None and (found := native.module.page(root.html or "", *stems(url))) is not None:
        return compiled(found, url)
    return walked(root, url)


def said_without_tree(markup: bytes, url: str) -> Said | None:
    """What a page says whose tree is what stands there, so that none is built; None for any other, and without C."""
    if native.module is None or (written := native.module.written(markup)) is None:
        return None
    found = native.module.page(written, *stems(url))
    return None if found is None else compiled(found, url)


def walked(root: LexborNode, url: str) -> Said:
    """What a tree says, in Python: what the module in C must equal where it takes a page."""
    walk = _Walk()
    with contextlib.suppress(RecursionError):
        walk.children(root, 1, DEEPEST)
    text = text_of(walk.texts, bytes(walk.seen))
    links, generator = _links(root, url)
    return Said(
        text.digest.hex(),
        text.words,
        *_pack_lines(walk.slots, text),
        text.minhash,
        _resolved(walk.canonical, url),
        links,
        generator,
    )


def compiled(found: Compiled, url: str) -> Said:
    """What a tree says that the module in C has taken."""
    lines, counts, words, digest, minima, canonical, bases, generator, hrefs, links = found
    if links is None:
        base = next(filter(None, (_resolved(href, url) for href in bases.split("\0"))), None)
        addresses = page_links((hrefs or "").split("\0"), base or url)
    else:
        # a line each
        addresses = list(dict.fromkeys(links[:-1].split("\n"))) if links else []
    return Said(
        digest.hex(),
        words,
        lines,
        counts,
        minima,
        _resolved(canonical, url),
        addresses,
        generator[:LONGEST_GENERATOR] or None,
    )


def _links(root: LexborNode, url: str) -> tuple[list[str], str | None]:
    """The addresses of a document, and the program that it says has made it."""
    base = generator = None
    hrefs: list[str] = []
    for node in root.css(_LINKING):
        attributes = node.attributes
        href = attributes.get("href")
        if node.tag == "meta":
            generator = generator or attributes.get("content")
        elif href is None:
            continue
        elif node.tag != "base":
            hrefs.append(href)
        elif base is None:
            base = _resolved(href, url)
    return page_links(hrefs, base or url), generator and generator[:LONGEST_GENERATOR]


class _Walk:
    """The visible lines of a document, in its order.

    A line is the text of one block, its inline elements included. Its slot is a hash of the path from the nearest
    element that has an id of letters, tags numbered among their likes, so that what comes earlier in the page does
    not move it. Pictures and players are lines by their address (a plain text), since a gallery may have no other
    content, and words in the fields of a form are, since a register may show its records so.
    """

    # three lists of plain values instead of one of objects: the garbage collector has nothing to look at
    __slots__ = ("canonical", "open", "seen", "slots", "texts")

    def __init__(self) -> None:
        self.slots: list[int] = []
        self.texts: list[str] = []
        self.seen = bytearray()
        """1 = text, 0 = the address of a picture or player."""
        self.open = False
        self.canonical: str | None = None

    def children(self, parent: LexborNode, slot: int, room: int) -> None:
        """Add what is inside an element that is the block of this slot, or inline in it.

        `room` is how deep it may be. Raises `RecursionError` where it is deeper.
        """
        if not room:
            raise RecursionError
        kinds = _kinds
        numbers: dict[str, int] = {}
        node = parent.child
        while node is not None:
            # an instruction of XML has none
            tag = node.tag or "-instruction"
            kind = kinds[tag]
            if kind == _TEXT_NODE:
                self._shown(node, slot)
            elif kind == _INLINE:
                self.children(node, slot, room - 1)
            elif kind <= _EMBEDDED:
                self.open = False
                inner = _slot_in(parent, slot, tag, node.id, numbers)
                if kind == _BLOCK:
                    self.children(node, inner, room - 1)
                elif kind == _DRAWING:
                    self._drawn(node, inner, room - 1)
                else:
                    self._embedded(tag, inner, node)
                self.open = False
            elif kind != _OTHER:
                self.open = False
                if kind == _LINK and self.canonical is None:
                    self.canonical = _canonical_link(node)
            node = node.next

    def _shown(self, node: LexborNode, slot: int) -> None:
        text: str = node.text_content  # type: ignore[assignment]  # a text has one
        if self.open:
            self.texts[-1] += text
        elif not text.isspace():
            self.open = True
            self._line(slot, text)

    def _line(self, slot: int, text: str, seen: int = 1) -> None:
        self.slots.append(slot)
        self.texts.append(text)
        self.seen.append(seen)

    def _drawn(self, parent: LexborNode, slot: int, room: int) -> None:
        """Add the text in a drawing or a formula, one line whatever it is made of."""
        if not room:
            raise RecursionError
        node = parent.child
        while node is not None:
            tag = node.tag or "-instruction"
            if _kinds[tag] == _TEXT_NODE:
                self._shown(node, slot)
            elif _kinds[tag] != _OTHER and tag not in _NOT_DRAWN:
                self._drawn(node, slot, room - 1)
            node = node.next

    def _embedded(self, tag: str, slot: int, node: LexborNode) -> None:
        attributes = node.attributes
        address = attributes.get("data-src") or attributes.get("src") or (tag == "object" and attributes.get("data"))
        if address:
            self._line(slot, f"{tag}:{address}", seen=0)
        alt = attributes.get("alt")
        if alt and not alt.isspace():
            self._line(slot, alt)
        value = attributes.get("value")
        if value and tag == "input" and (attributes.get("type") or "text").lower() == "text" and _is_worded(value):
            self._line(slot, value)


def _is_worded(value: str) -> bool:
    """Whether what stands in a field is words: a name of a record, no token, date, number, or address to be copied."""
    octets = value.encode("utf-8", "surrogatepass")
    if b" " in octets:
        letters = sum(map(len, _letters(octets)))
        return letters >= FIELD_LETTERS and 2 * letters > len(octets) and b"<" not in octets and b"://" not in octets
    return _word(octets) is not None and _hexadecimal(octets) is None


def _slot_in(parent: LexborNode, slot: int, tag: str, name: str | None, numbers: dict[str, int]) -> int:
    """Return the slot of an element inside one of this slot; `numbers` counts those of each tag."""
    if name and name.isalpha():
        return _tag_hashes[name]
    if tag == "title" and parent.tag == "body":
        # where a doctype with entities (gitweb) has made a parser leave the head
        return TITLE_SLOT
    numbers[tag] = number = numbers.get(tag, 0) + 1
    return ((slot ^ _tag_hashes[tag]) * _MIX + number) & _MASK


def _canonical_link(link: LexborNode) -> str | None:
    attributes = link.attributes
    return attributes.get("href") if is_canonical(attributes.get("rel")) else None


def _pack_lines(slots: list[int], text: Text) -> tuple[bytes, bytes]:
    hashes, counts = unpack(f"<{len(slots)}Q", text.hashes), text.counts
    if len(slots) > LINE_CAP:
        keep = LINE_CAP - 1
        # a sum, so that the sum of all text hashes of a page does not depend on the order of its lines
        hashes = (*hashes[:keep], sum(hashes[keep:]) & _MASK)
        slots = [*slots[:keep], _OVERFLOW_SLOT]
        counts = counts[:keep] + bytes([min(255, sum(counts[keep:]))])
    pairs = [0] * (2 * len(slots))
    pairs[::2] = slots
    pairs[1::2] = hashes
    return pack(f"<{len(pairs)}Q", *pairs), counts


def _resolved(link: str | None, url: str) -> str | None:
    if not link:
        return None
    try:
        return urljoin(url, link.strip())
    except ValueError:
        return None
