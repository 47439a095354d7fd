"""Titles: pages whose texts are equal, and whose titles no page with a text of its own bears, may be any pages.

They are drawn by a script in the browser, and what the server sends is a shell with a title, or data for the script. A
form to log in has the title of the page that it is opened from, which bears it, too: there it is part of the frame.
"""

from __future__ import annotations

from collections import Counter
from typing import Protocol

OWN_TITLES = 3
"""Titles from which a short text is a shell: an article has two where it is shown for printing; chosen."""
SHELL_WORDS = 200
"""A text with more words is what the page is about, and its title may say in which order; chosen: the readers that a
library opens have 150 words around each book."""
ADDRESSES = 30
"""Addresses at which a text under one title is known, whoever else bears that: a form to log in, not a product's views;
chosen."""
MAX_TITLES = 400_000
"""Titles of texts that are remembered, some 60 MB; of later ones nobody knows who else bears them."""
UNKNOWN_LABEL = -1


class Titled(Protocol):
    """A page as it is compared, with the hash of its title, 0 = none that the comparison left out."""

    label: int
    title: int
    words: int | None
    sketches: tuple[bytes, ...]


class Titles:
    """Which texts of a site bear which titles."""

    def __init__(self) -> None:
        self._borne: Counter[tuple[int, int]] = Counter()
        self._long: set[int] = set()
        self._shells: frozenset[int] | None = None
        self._named: frozenset[int] = frozenset()

    def add(self, page: Titled) -> None:
        """Note the title of a page."""
        if page.title and page.label >= 0:
            borne = page.label, page.title
            if len(self._borne) < MAX_TITLES or borne in self._borne:
                self._borne[borne] += 1
            if (page.words or 0) > SHELL_WORDS:
                self._long.add(page.label)
            self._shells = None

    def forget_shell(self, page: Titled) -> bool:
        """Take a page for unknown whose text is that of a shell, and whose title no other text than shells bears.

        Another address with that title and text may be a view of the same thing, or the thing itself. Return whether
        it was such a page.
        """
        if self._shells is None:
            titles = Counter(label for label, _ in self._borne)
            short = (label for label, n in titles.items() if n >= OWN_TITLES and label not in self._long)
            self._shells = frozenset(short)
            self._named = frozenset(title for label, title in self._borne if label not in self._shells)
        if not page.title or page.label not in self._shells or page.title in self._named:
            return False
        if self._borne[page.label, page.title] >= ADDRESSES:
            return False
        page.label, page.sketches = UNKNOWN_LABEL, ()
        return True
