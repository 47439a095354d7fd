"""What elements show besides texts: pictures and players by their addresses, numbers in fields, drawings, and what
only a class or a tip tells.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from struct import pack

from scrapy_urinorm.visits.states import CELLS, FEWEST, GRID, states_of
from scrapy_urinorm.visits.texts import Hashes
from scrapy_urinorm.visits.viewers import picture_in

TIPS_SLOT, CELLS_SLOT, DRAWINGS_SLOT = 5, 6, 7
"""The places of the lines that sum up the tips of empty elements, the classes of empty cells, and what is drawn."""
BESIDE = 0x6A09E667F3BCC908
"""What the slot of a picture behind an element differs by from that of its text (SHA-512 begins with it)."""
MARKED = (
    '[style*="url("], [data-bg], [data-background], [data-video-id], [data-videoid], [data-youtube-id],'
    " [data-id]:empty, [data-src]:empty, [title]:empty, td[class], th[class], td[bgcolor], th[bgcolor]"
)
"""Elements that may show something besides their text."""
_LAZY = ("data-original", "data-lazy-src", "data-lazy", "data-srcset")
"""Where scripts that load pictures late find them; some write no more than `true` there."""
_PICTURED = ("data-bg", "data-background", "data-video-id", "data-videoid", "data-youtube-id")
_FILLED = ("data-id", "data-src")
"""Of an empty element, which a script fills."""
_GEOMETRY = frozenset("d points href xlink:href x y width height cx cy r x1 y1 x2 y2 transform".split())
SMALL = 64
"""Pixels of an icon at the most, chosen: they say in which order a list is, and how the page is to look."""
PIXEL = 2
"""Pixels of a picture that is there to count visits, at the most; chosen."""
_leading = re.compile(r"([0-9]{1,9})(?![0-9%])").match
_urls = re.compile(r"url\([^)]*+").findall
_number = re.compile(r"[-+.,% ]*+[0-9][-+.,% 0-9]*+").fullmatch
LONGEST_NUMBER = 20
"""Characters of a number in a field; what is longer is a code. Chosen."""
FIELD_LETTERS = 4
"""Letters of the shortest word in a field: shorter ones are units, codes and answers; chosen."""
_letters = re.compile(rb"[A-Za-z\x80-\xff]+").findall
_word = re.compile(rb"[A-Za-z\x80-\xff][a-z\x80-\xff]{3,39}").fullmatch
_hexadecimal = re.compile(rb"[A-Fa-f]+").fullmatch
_hashes = Hashes(1 << 12)
_MASK = (1 << 64) - 1  # sums are those of a 64-bit word


def address_of(tag: str, attributes: Mapping[str, str | None]) -> str | None:
    """Return the address of a picture, player or object; one within the page itself only where there is no other."""
    if found := attributes.get("data-src"):
        return found
    for name in _LAZY:
        value = attributes.get(name)
        if value and ("/" in value or "." in value):
            return value
    src = attributes.get("src")
    if src and not src.startswith("data:"):
        return src
    data = attributes.get("data") if tag == "object" else None
    return attributes.get("srcset") or data or attributes.get("poster") or src


def urls_in(style: str | None) -> str:
    """Return the addresses in a style, one behind the other."""
    return "".join(_urls(style)) if style and "(" in style else ""


def picture_of(attributes: Mapping[str, str | None], *, bare: bool) -> str | None:
    """Return what an element shows behind its text, or, where it is `bare`, in place of one."""
    if urls := urls_in(attributes.get("style")):
        return urls
    names = (*_PICTURED, *_FILLED) if bare else _PICTURED
    return next((value for name in names if (value := attributes.get(name))), None)


def is_icon(attributes: Mapping[str, str | None]) -> bool:
    """Whether a drawing belongs to what is around it."""
    if (
        "aria-hidden" in attributes
        or "icon" in (attributes.get("class") or "")
        or "none" in (attributes.get("style") or "")
    ):
        return True
    height = re.split("[ ,]", attributes.get("viewBox") or "")[-1]
    return any(
        found is not None and int(found[1]) <= SMALL for found in map(_leading, (height, attributes.get("width") or ""))
    )


# frameworks lay such a picture over its place: `position:absolute; border:none`
_HIDDEN = ("display:none", "display: none", "visibility:hidden", "visibility: hidden", "left:-", "left: -")


def late_picture(attributes: Mapping[str, str | None]) -> str | None:
    """Return the picture of those who have no scripts: its file, as a counter of visits has none of its own."""
    width, style = _leading(attributes.get("width") or ""), attributes.get("style") or ""
    if (width is not None and int(width[1]) <= PIXEL) or any(one in style for one in _HIDDEN):
        return None
    return picture_in(attributes.get("src") or "")


def is_counter(attributes: Mapping[str, str | None], address: str) -> bool:
    """Whether a picture is there to count visits, or to have the site do something: a dot without a file of its own.

    What it is asked with, such as the visitor's session, is then no part of the page.
    """
    if address != attributes.get("src"):
        return False
    sizes = (_leading(attributes.get(name) or "") for name in ("width", "height"))
    return all(size is not None and int(size[1]) <= PIXEL for size in sizes) and picture_in(address) is None


def is_placed(attributes: Mapping[str, str | None]) -> bool:
    """Whether a form of a collection stands at a place of its own, as pieces on a board do and icons do not."""
    return any(attributes.get(name) not in (None, "", "0") for name in ("x", "y", "transform"))


def geometry_of(attributes: Mapping[str, str | None]) -> list[str]:
    """Return where an element of a drawing is, and its form."""
    return [value for name, value in attributes.items() if value and name in _GEOMETRY]


def is_number(value: str) -> bool:
    """Whether what stands in a field is a number."""
    return len(value) <= LONGEST_NUMBER and _number(value) is not None


def is_worded(value: str) -> bool:
    """Whether what stands in a field is words: a name of a record, no token, date, number, or address to be copied."""
    octets = value.encode("utf-8", "surrogatepass")
    if b" " in octets:
        letters = sum(map(len, _letters(octets)))
        return letters >= FIELD_LETTERS and 2 * letters > len(octets) and b"<" not in octets and b"://" not in octets
    return _word(octets) is not None and _hexadecimal(octets) is None


class Sums:
    """What is summed up of a page: a sum is the same where the rows of a list are sorted otherwise."""

    __slots__ = ("_cells", "_colour", "_field", "_grid", "_row", "drawing", "sums")

    def __init__(self) -> None:
        self.sums = {TIPS_SLOT: 0, CELLS_SLOT: 0, DRAWINGS_SLOT: 0}
        self.drawing: list[str] | None = None
        self._row: object = None
        self._cells: list[str] = []
        self._colour = ""
        self._field: object = None
        self._grid: list[str] = []

    def _add(self, slot: int, text: str) -> None:
        self.sums[slot] = (self.sums[slot] + _hashes[text]) & _MASK

    def see(self, tag: str, attributes: Mapping[str, str | None], row: object, *, bare: bool) -> None:
        """Note an empty element, or one of a day or a seat; those with one `row` are in one element."""
        title, given = attributes.get("title"), attributes.get("class") or ""
        if bare and title:
            self._add(TIPS_SLOT, title)
        if tag in CELLS:
            colour = attributes.get("bgcolor") or ""
            name = given if bare and given else states_of(given)
            if not (name or colour):
                return
            if row is not self._row:
                self._end_row()
                self._row, self._colour = row, ""
            if not name:
                # where it changes: rows may be coloured in turns, and sorted otherwise
                name, self._colour = colour if self._colour not in ("", colour) else "-", colour
            self._cells.append(name)
        elif tag in GRID and (name := states_of(given)):
            if row is not self._field:
                self._end_grid()
                self._field = row
            self._grid.append(name)

    def _end_grid(self) -> None:
        if len(self._grid) >= FEWEST and any(name != self._grid[0] for name in self._grid):
            self._add(CELLS_SLOT, "\0".join(self._grid))
        self._grid = []

    def _end_row(self) -> None:
        if self._cells:
            # the place in a row tells; rows may be sorted
            self._add(CELLS_SLOT, "\0".join(self._cells))
            self._cells = []

    def end_drawing(self) -> None:
        """Note the drawing that is at its end."""
        if self.drawing:
            self._add(DRAWINGS_SLOT, "\0".join(self.drawing))
        self.drawing = None

    def lines(self) -> bytes:
        """Return the slots and the sums, where there is anything."""
        self._end_row()
        self._end_grid()
        return b"".join(pack("<QQ", slot, total) for slot, total in self.sums.items() if total)
