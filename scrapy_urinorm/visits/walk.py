"""The walk over a tree of HTML in Python: what is on its lines, and where each stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.content.frame import TITLE_SLOT
from scrapy_urinorm.declared import is_canonical
from scrapy_urinorm.visits.ages import aged_text
from scrapy_urinorm.visits.shown import (
    BESIDE,
    Sums,
    address_of,
    geometry_of,
    is_counter,
    is_icon,
    is_number,
    is_placed,
    is_worded,
    late_picture,
    picture_of,
    urls_in,
)
from scrapy_urinorm.visits.states import CELLS, GRID, is_day
from scrapy_urinorm.visits.texts import Hashes
from scrapy_urinorm.visits.viewers import sources_of

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

DEEPEST = 960
"""Elements in each other at which the walk ends: some below Python's limit of recursion. What was seen so far does not
tell the page: tags that are never closed put all that follows deeper, and pages may differ in that alone."""
_TEXT_NODE, _BLOCK, _DRAWING, _INLINE, _EMBEDDED, _HIDDEN, _LINK, _BREAK, _OTHER = range(9)
_NAMES = {
    _TEXT_NODE: "-text",
    _INLINE: "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark q s samp small span"
    " strike strong sub sup time tt u var wbr",
    _DRAWING: "svg math",
    _EMBEDDED: "img frame iframe video audio source embed object input area amp-img amp-anim amp-video amp-audio"
    " amp-iframe",
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


_tag_hashes = Hashes(1 << 12)
_kinds = _Kinds({tag: kind for kind, tags in _NAMES.items() for tag in tags.split()})
_MIX = 0x9E3779B97F4A7C15  # 2^64 by the golden ratio: Fibonacci hashing (Knuth 6.4)
_MASK = (1 << 64) - 1  # sums are those of a 64-bit word


class Walk:
    """The visible lines of a document, in its order.

    A line is the text of one block, its inline elements included. Its slot is a hash of the path from the nearest
    element that has an id of letters, tags numbered among their likes, so that what comes earlier in the page does
    not move it. Pictures and players are lines by their address (a plain text), since a gallery may have no other
    content, and words in the fields of a form are, since a register may show its records so.
    """

    # three lists of plain values instead of one of objects: the garbage collector has nothing to look at
    __slots__ = ("aged", "canonical", "marked", "open", "seen", "slots", "sums", "texts")

    def __init__(self, marked: frozenset[int], aged: frozenset[int]) -> None:
        self.marked = marked
        self.aged = aged
        self.sums = Sums()
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
        kinds, marked, aged = _kinds, self.marked, self.aged
        numbers: dict[str, int] = {}
        node = parent.child
        while node is not None:
            # an instruction of XML has none
            tag = node.tag or "-instruction"
            kind = kinds[tag]
            if kind == _TEXT_NODE:
                self._shown(node.text_content or "", slot)
            elif kind == _INLINE:
                if marked and node.mem_id in marked:
                    self._marked(parent, slot, node, numbers)
                if aged and room > 1 and node.mem_id in aged and (text := aged_text(node)):
                    self._shown(text, slot)
                else:
                    self.children(node, slot, room - 1)
            elif kind <= _EMBEDDED:
                self.open = False
                inner = _slot_in(parent, slot, tag, node.id, numbers)
                if marked and node.mem_id in marked:
                    self._marked(parent, slot, node, numbers, inner)
                if kind == _BLOCK:
                    self.children(node, inner, room - 1)
                elif kind == _DRAWING:
                    self._drawing(tag, inner, node, room - 1)
                else:
                    self._embedded(tag, inner, node)
                self.open = False
            elif kind != _OTHER:
                self.open = False
                self._hidden(tag, node, parent, slot, numbers)
            node = node.next

    def _shown(self, text: str, slot: int) -> None:
        if self.open:
            self.texts[-1] += text
        elif not text.isspace():
            self.open = True
            self._line(slot, text)

    def _line(self, slot: int, text: str, seen: int = 1) -> None:
        self.slots.append(slot)
        self.texts.append(text)
        self.seen.append(seen)

    def _hidden(self, tag: str, node: LexborNode, parent: LexborNode, slot: int, numbers: dict[str, int]) -> None:
        if tag == "style":
            slot = _slot_in(parent, slot, tag, node.id, numbers)
            if node.child is not None:
                self._behind(slot, urls_in(node.child.text_content))
        elif tag == "canvas" and node.mem_id in self.marked:
            self._marked(parent, slot, node, numbers)
        elif tag == "noscript":
            # what a script shows in place of something blank
            for picture in filter(None, (late_picture(one.attributes) for one in node.css("img"))):
                self._line(slot ^ BESIDE, f"img:{picture}", seen=0)
        elif tag == "link" and self.canonical is None:
            self.canonical = _canonical_link(node)

    def _drawing(self, tag: str, slot: int, node: LexborNode, room: int) -> None:
        self.sums.drawing = None if tag != "svg" or is_icon(node.attributes) else []
        self._drawn(node, slot, room)
        self.sums.end_drawing()

    def _drawn(self, parent: LexborNode, slot: int, room: int) -> None:
        """Add the text in a drawing or a formula, one line whatever it is made of."""
        if not room:
            raise RecursionError
        node = parent.child
        while node is not None:
            tag = node.tag or "-instruction"
            if _kinds[tag] == _TEXT_NODE:
                self._shown(node.text_content or "", slot)
            elif _kinds[tag] != _OTHER and tag not in _NOT_DRAWN:
                if self.sums.drawing is not None and (tag != "use" or is_placed(node.attributes)):
                    self.sums.drawing += geometry_of(node.attributes)
                self._drawn(node, slot, room - 1)
            node = node.next

    def _embedded(self, tag: str, slot: int, node: LexborNode) -> None:
        attributes = node.attributes
        address = address_of(tag, attributes)
        if address and not (tag == "img" and is_counter(attributes, address)):
            self._line(slot, f"{tag}:{address}", seen=0)
        alt = attributes.get("alt") or (tag == "area" and attributes.get("title"))
        if alt and not alt.isspace():
            self._line(slot, alt)
        value = attributes.get("value")
        if value and tag == "input":
            kind = (attributes.get("type") or "text").lower()
            if kind == "text" and is_worded(value):
                self._line(slot, value)
            elif kind in ("text", "number", "range") and is_number(value):
                self._line(slot, f"{tag}:{value}", seen=0)
        elif tag in ("video", "audio") and not attributes.get("src"):
            self._source(slot, node.child)

    def _source(self, slot: int, node: LexborNode | None) -> None:
        """Add what a player without an address plays: the first of its sources."""
        while node is not None:
            if node.tag == "source" and (address := address_of("source", node.attributes)):
                self._line(slot ^ BESIDE, f"source:{address}", seen=0)
                return
            node = node.next

    def _marked(
        self, parent: LexborNode, slot: int, node: LexborNode, numbers: dict[str, int], inner: int | None = None
    ) -> None:
        """Add what an element shows besides its text.

        `inner` is the slot of the element; None where it stands within a line and has not been given one.
        """
        tag, attributes = node.tag or "", node.attributes
        bare = node.child is None and _kinds[tag] in (_BLOCK, _INLINE)
        shown = picture_of(attributes, bare=bare)
        known = _kinds[tag] == _EMBEDDED and not (address_of(tag, attributes) or "data:").startswith("data:")
        if not known or tag == "img":
            # a picture with an address may be there in place of another one
            shown = "\0".join(filter(None, (shown, *sources_of(tag, attributes, bare=bare or known))))
        if shown:
            self._behind(_slot_in(parent, slot, tag, node.id, numbers) if inner is None else inner, shown)
        if bare or ((tag in CELLS or tag in GRID) and _is_told(node)):
            self.sums.see(tag, attributes, numbers, bare=bare)

    def _behind(self, slot: int, shown: str) -> None:
        if not shown:
            return
        # a line that is open goes on behind it
        at = len(self.slots) - self.open
        self.slots.insert(at, slot ^ BESIDE)
        self.texts.insert(at, shown)
        self.seen.insert(at, 0)


def _is_told(node: LexborNode) -> bool:
    """Whether an element has the number of a day alone, or spaces."""
    child = node.child
    return child is not None and child.next is None and child.tag == "-text" and is_day(child.text_content or "")


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
