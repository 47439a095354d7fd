"""What a response looks like to a reader: digests, line hashes and a minhash of the visible text.

The features tell two addresses of one page from two pages. They are computed once per response beside the crawl, so
the code below trades some beauty for C loops. selectolax (the lexbor
parser) was measured against lxml on 800 pages of the public testbed: parsing and walking a page of 47 kB takes
0.30 ms against 0.60 ms, and it builds the tree a browser would.
"""

from __future__ import annotations

import codecs
import contextlib
import hashlib
import re
from base64 import b32encode
from struct import pack, unpack
from typing import NamedTuple
from urllib.parse import urljoin

from selectolax.lexbor import LexborHTMLParser, LexborNode

from scrapy_urinorm.visits.links import page_links
from scrapy_urinorm.visits.rows import rows_digest
from scrapy_urinorm.visits.texts import Hashes, Text, text_of

LINE_CAP = 512
"""Lines kept one by one; the rest of a page is one last line, a sum of hashes, so that a difference still shows."""
BODY_CAP = 4 << 20
"""Bodies above this many bytes are digested, not read."""
LONGEST_GENERATOR = 200
"""Characters kept of the name of a generator."""
_LINKING = "a[href], area[href], base[href], meta[name=generator i]"
"""What is followed by default: the elements of Scrapy's own link extractor."""

_HTML = ("text/html", "application/xhtml+xml")
_TEXT = ("text/", "application/xml", "application/json", "application/javascript", "application/ecmascript")
_TEXT_NODE, _BLOCK, _INLINE, _EMBEDDED, _HIDDEN, _LINK, _BREAK, _OTHER = range(8)
_NAMES = {
    _TEXT_NODE: "-text",
    _INLINE: "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span"
    " strike strong sub sup time tt u var wbr",
    _EMBEDDED: "img iframe video audio source embed input",
    _HIDDEN: "script style noscript template svg math meta base object canvas",
    _LINK: "link",
    _BREAK: "br",
}


#: Tags that are longer are made up, each once.
_LONGEST_TAG = 64


class _Kinds(dict[str, int]):
    """What a node is to a reader, by its tag."""

    def __missing__(self, tag: str) -> int:
        kind = _OTHER if tag[0] in "-_!" else _BLOCK
        if len(self) < 4096 and len(tag) <= _LONGEST_TAG:
            self[tag] = kind
        return kind


_tag_hashes = Hashes(1 << 12)
_kinds = _Kinds({tag: kind for kind, tags in _NAMES.items() for tag in tags.split()})
_OVERFLOW_SLOT = 0
_MIX = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio: Fibonacci hashing (Knuth 6.4)
_MASK = (1 << 64) - 1  # sums are those of a 64-bit word


class PageFeatures(NamedTuple):
    """The features of one response; a field is None where the response has no such thing.

    `lines` holds two little-endian unsigned 64-bit hashes a line, DOM slot and text; `line_words` one byte a
    line, its words (255 = that many or more); `minhash` 32 little-endian unsigned 32-bit minima, 0xffffffff = an
    empty bin. `links` are the addresses of a page, resolved, in its order, each once; `generator` is what its element
    `meta name=generator` says; `rows_digest` is of a table or feed in any order.
    """

    body_digest: str
    text_digest: str | None = None
    words: int | None = None
    lines: bytes | None = None
    line_words: bytes | None = None
    minhash: bytes | None = None
    canonical: str | None = None
    links: list[str] | None = None
    generator: str | None = None
    rows_digest: str | None = None


def page_features(body: bytes, content_type: str, encoding: str | None = None, url: str = "") -> PageFeatures:
    """Return the features of a response.

    `content_type` is the header's value; `encoding` a codec name where it is already known (else the header, the
    byte order mark and the page's own declaration decide, as browsers do); `url` resolves the canonical link.
    Never raises on the content: what cannot be read has only a `body_digest`.
    """
    digest = "sha1:" + b32encode(hashlib.sha1(body, usedforsecurity=False).digest()).decode()
    kind = content_type.partition(";")[0].strip().lower()
    if len(body) > BODY_CAP or not body:
        return PageFeatures(digest)
    if kind in _HTML:
        return _html_features(digest, _markup(body, content_type, encoding), url)
    if kind.startswith(_TEXT) or kind.endswith(("+xml", "+json")):
        shown = _decode(body, content_type, encoding)
        text = text_of([shown], b"\1")
        rows = rows_digest(shown, kind)
        return PageFeatures(digest, text.digest.hex(), text.words, minhash=text.minhash, rows_digest=rows)
    return PageFeatures(digest)


_CHARSET = re.compile(rb"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
#: Codecs of Python that are no encodings of pages: they raise, or take a time that grows with the square.
_NO_ENCODINGS = frozenset({"idna", "mbcs", "oem", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})
_BYTE_ORDER_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))


def _codec(body: bytes, content_type: str, encoding: str | None) -> str:
    if encoding is None:
        for place in (content_type.encode("latin-1", "replace"), body[:1024]):
            declared = _CHARSET.search(place)
            if declared:
                encoding = declared[1].decode()
                break
    try:
        found = codecs.lookup(encoding or "utf-8")
    except (LookupError, ValueError):
        return "utf-8"
    is_text = getattr(found, "_is_text_encoding", True) and found.name not in _NO_ENCODINGS
    return found.name if is_text else "utf-8"


def _decode(body: bytes, content_type: str, encoding: str | None) -> str:
    for mark, codec in _BYTE_ORDER_MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    return body.decode(_codec(body, content_type, encoding), "replace")


def _markup(body: bytes, content_type: str, encoding: str | None) -> bytes | str:
    """What to give to the parser: the bytes where they are UTF-8, as it would encode a text again."""
    if body[:1] not in b"\xef\xfe\xff" and _codec(body, content_type, encoding) in ("utf-8", "ascii"):
        return body
    return _decode(body, content_type, encoding)


def _html_features(body_digest: str, markup: bytes | str, url: str) -> PageFeatures:
    root = LexborHTMLParser(markup).root
    if root is None:
        return PageFeatures(body_digest)
    walk = _Walk()
    # elements nested a thousand deep: what was seen so far tells the page well enough
    with contextlib.suppress(RecursionError):
        walk.children(root, 1)
    text = text_of(walk.texts, bytes(walk.seen))
    links, generator = _links(root, url)
    return PageFeatures(
        body_digest,
        text.digest.hex(),
        text.words,
        *_pack_lines(walk.slots, text),
        text.minhash,
        _resolved(walk.canonical, url),
        links,
        generator,
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
    content.
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

    def children(self, parent: LexborNode, slot: int) -> None:
        """Add what is inside an element that is the block of this slot, or inline in it."""
        kinds = _kinds
        numbers: dict[str, int] = {}
        node = parent.child
        while node is not None:
            tag: str = node.tag  # type: ignore[assignment]
            kind = kinds[tag]
            if kind == _TEXT_NODE:
                text: str = node.text_content  # type: ignore[assignment]
                if self.open:
                    self.texts[-1] += text
                elif not text.isspace():
                    self.open = True
                    self.slots.append(slot)
                    self.texts.append(text)
                    self.seen.append(1)
            elif kind == _INLINE:
                self.children(node, slot)
            elif kind <= _EMBEDDED:
                self.open = False
                name = node.id
                if name and name.isalpha():
                    inner = _tag_hashes[name]
                else:
                    numbers[tag] = number = numbers.get(tag, 0) + 1
                    inner = ((slot ^ _tag_hashes[tag]) * _MIX + number) & _MASK
                if kind == _BLOCK:
                    self.children(node, inner)
                else:
                    self._embedded(tag, inner, node)
                self.open = False
            elif kind != _OTHER:
                self.open = False
                if kind == _LINK and self.canonical is None:
                    self.canonical = _canonical_link(node)
            node = node.next

    def _embedded(self, tag: str, slot: int, node: LexborNode) -> None:
        attributes = node.attributes
        address = attributes.get("data-src") or attributes.get("src")
        if address:
            self.slots.append(slot)
            self.texts.append(f"{tag}:{address}")
            self.seen.append(0)
        alt = attributes.get("alt")
        if alt and not alt.isspace():
            self.slots.append(slot)
            self.texts.append(alt)
            self.seen.append(1)


def _canonical_link(link: LexborNode) -> str | None:
    attributes = link.attributes
    return attributes.get("href") if "canonical" in (attributes.get("rel") or "").lower().split() else None


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
