"""Titles: pages whose texts are equal, and whose titles no other page bears, are drawn by a script in the browser.

A form to log in has the title of the page that it is opened from, which bears it, too: there the title is part of the
frame. Of a product of which the server sends an empty shell the title is all that tells it from the next one.
"""

from __future__ import annotations

from collections import Counter
from struct import pack
from typing import Protocol

OWN_TITLES = 3
"""Titles of its own by which a text is many pages: an article has two where it is shown for printing; chosen."""
SHELL_WORDS = 200
"""A text with more words is what the page is about, and its title may say in which order; chosen: the readers that a
library opens have 150 words around each book."""
MAX_TITLES = 400_000
"""Titles that are remembered, some 40 MB; a later one is nobody's own."""
_SEVERAL = -1


class Titled(Protocol):
    """A page as it is compared, with the hash of its title, 0 = none that the comparison left out."""

    label: int
    title: int
    words: int | None
    sketches: tuple[bytes, ...]


def may_be_shells(one: Titled, other: Titled) -> bool:
    """Whether the titles of two pages differ, and their text is so short that these may be all that tells them."""
    return one.title != other.title and max(one.words or 0, other.words or 0) <= SHELL_WORDS


class Titles:
    """Which texts of a site bear which titles."""

    def __init__(self) -> None:
        self._bearer: dict[int, int] = {}
        self._shells: frozenset[int] | None = None

    def add(self, page: Titled) -> None:
        """Note the title of a page."""
        if page.title and page.label >= 0:
            label = page.label if (page.words or 0) <= SHELL_WORDS else _SEVERAL
            known = self._bearer.get(page.title)
            if known is None and len(self._bearer) < MAX_TITLES:
                self._bearer[page.title] = label
            elif known != label:
                self._bearer[page.title] = _SEVERAL
            self._shells = None

    def tell_apart(self, page: Titled, labels: dict[bytes, int]) -> None:
        """Give a page a label of its own by its title, where its text is one shell of many pages.

        `labels` numbers them. Those pages resemble each other wholly, which is to speak for nothing.
        """
        if self._shells is None:
            own = Counter(self._bearer.values())
            self._shells = frozenset(label for label, n in own.items() if n >= OWN_TITLES and label != _SEVERAL)
        if page.title and page.label in self._shells and self._bearer.get(page.title, page.label) == page.label:
            page.label = labels.setdefault(b"T" + pack("<qQ", page.label, page.title), len(labels))
            page.sketches = ()
