"""What a tree of HTML says to a reader: its lines, links, canonical address and generator; in C where it is built."""

from __future__ import annotations

from struct import pack, unpack
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from scrapy_urinorm.content.table_rows import CUT_SLOT
from scrapy_urinorm.engine import native
from scrapy_urinorm.visits.ages import AGED
from scrapy_urinorm.visits.links import page_links, stems
from scrapy_urinorm.visits.shown import MARKED
from scrapy_urinorm.visits.states import grid_selector
from scrapy_urinorm.visits.texts import Text, text_of
from scrapy_urinorm.visits.viewers import selector_of
from scrapy_urinorm.visits.walk import DEEPEST, Walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode


LINE_CAP = 512
"""Lines kept one by one; the rest of a page is one last line, a sum of hashes, so that a difference still shows."""
LONGEST_GENERATOR = 200
"""Characters kept of the name of a generator."""
_LINKING = "a[href], area[href], base[href], meta[name=generator i]"
"""What is followed by default: the elements of Scrapy's own link extractor. A crawl that goes into frames, or where the
head points to (`link rel=next`), is known by the referers of what it requests there; of others they are no ways."""

#: What `native.module.page` gives.
Compiled = tuple[bytes, bytes, int, bytes, bytes, str, str, str, str | None, str | None]

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
    """Return what the document says of which this is the root; `url` is its address.

    Raises `RecursionError` where it is deeper than a walk goes.
    """
    if native.module is not None and (found := native.module.page(root.html or "", *stems(url))) is not None:
        return compiled(found, url)
    return walked(root, url)


def said_without_tree(markup: bytes, url: str) -> Said | None:
    """Return what a page says where that can be read off its text: a parser would build just the tree that is written.

    None for any other page, and without the module in C.
    """
    if native.module is None or (written := native.module.written(markup)) is None:
        return None
    found = native.module.page(written, *stems(url))
    return None if found is None else compiled(found, url)


def walked(root: LexborNode, url: str) -> Said:
    """Read a tree in Python: the module in C, for the pages that it takes, must give the same.

    Raises `RecursionError` as `said_by`.
    """
    html = root.html or ""
    marked = root.css(MARKED + selector_of(html) + grid_selector(html))
    walk = Walk(frozenset(node.mem_id for node in marked), frozenset(node.mem_id for node in root.css(AGED)))
    walk.children(root, 1, DEEPEST)
    text = text_of(walk.texts, bytes(walk.seen))
    lines, line_words = _pack_lines(walk.slots, text)
    sums = walk.sums.lines()
    links, generator = links_and_generator(root, url)
    return Said(
        text.digest.hex(),
        text.words,
        lines + sums,
        line_words + bytes(len(sums) // 16),
        text.minhash,
        _resolved(walk.canonical, url),
        links,
        generator,
    )


def compiled(found: Compiled, url: str) -> Said:
    """Return what a page says, out of what the module in C has given."""
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


def links_and_generator(root: LexborNode, url: str) -> tuple[list[str], str | None]:
    """Return the addresses of a document, however deep, and the program that it says has made it."""
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


def _pack_lines(slots: list[int], text: Text) -> tuple[bytes, bytes]:
    hashes, counts = unpack(f"<{len(slots)}Q", text.hashes), text.counts
    if len(slots) > LINE_CAP:
        keep = LINE_CAP - 1
        # a sum, so that the sum of all text hashes of a page does not depend on the order of its lines
        hashes = (*hashes[:keep], sum(hashes[keep:]) & _MASK)
        slots = [*slots[:keep], CUT_SLOT]
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
