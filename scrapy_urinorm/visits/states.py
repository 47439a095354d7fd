"""What the class of a day, a seat or a square tells: booked, taken, black."""

from __future__ import annotations

import re

CELLS = frozenset(("td", "th"))
GRID = frozenset("a b button div i li span".split())
"""Elements of which the days of a month and the seats of a hall are made where no table is."""
FEWEST = 20
"""So many of them in one element are no stars, pages or steps; chosen: a month has 28 days."""
PASSING = frozenset(
    """
    active alt alternate current even first focus future highlight hover last now odd passed past row selected sorted
    sorting today
    """.split()
)
"""Words of classes that tell when a page was made, what is chosen on it, and in which order it is."""
_is_day = re.compile(r"[ \t\n\r\f\u00a0]*+[0-9]{0,3}+[ \t\n\r\f\u00a0]*+").fullmatch
_classes = re.compile(r"[^ \t\n\r\f]+").findall
_words = re.compile(r"[A-Za-z]+").findall
_leaves = re.compile(r">(?:[ \t\n\r\f\u00a0]|&nbsp;)*+[0-9]{0,3}+(?:[ \t\n\r\f\u00a0]|&nbsp;)*+</").findall


def is_day(text: str) -> bool:
    """Whether a text is the number of a day or a seat, or nothing but spaces."""
    return _is_day(text) is not None


def states_of(given: str) -> str:
    """Return the classes of an element that tell its state, as far as they tell the same tomorrow."""
    return " ".join(one for one in _classes(given) if PASSING.isdisjoint(map(str.lower, _words(one))))


def grid_selector(html: str) -> str:
    """Return a selector, to be put behind another one, of what may be a day or a seat, where there are enough."""
    if len(_leaves(html)) < FEWEST:
        return ""
    return "".join(f", {tag}[class]" for tag in sorted(GRID))
