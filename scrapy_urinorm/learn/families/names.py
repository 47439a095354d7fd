"""Names in addresses, and the edits of their pieces.

A *name* is the last segment of a path, or a query that is nothing but a name (`/archive?thread-12-1`). What is not a
number in it, its *outline*, tells what it names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.importers.facets import FIRST
from scrapy_urinorm.learn.evidence.edits import Row, text_value
from scrapy_urinorm.learn.pages.contexts import ENUM_COUNT

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

LONGEST = 100
"""Characters of a name that is looked at; chosen: programs that write numbers into names write short ones."""
MOSTNUMBERS = 6
"""Numbers of such a name; phpWind's addresses have three."""
NUMBER = re.compile("[0-9]+")
EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}$")
FIRST_NAME = re.compile(
    r"(?P<rest>.*?)(?P<mark>[-_.,](?:p|pg|pag|page|pagina|seite)[-_.,]?|(?<=[0-9])[-_.,])(?P<at>[0-9]+)"
)
"""The number of a page behind a name: after a word for it, or after another number."""
FIRST_FOLDER = re.compile(r"(?P<rest>.*)(?P<mark>/(?:pag|page|pagina|seite)[/:_-]?)(?P<at>[0-9]+)(?P<after>/?)")
"""That of a page of a folder, as a segment or two of their own."""
SUFFIXES = re.compile(r"(?=(?P<mark>(?:[-_.,][A-Za-z]{1,12}){1,3})$)")
"""A word at the end of a name, or two or three: `-print`, and `-sort-c` of tables that lcov writes, with no `-sort`."""

IN_SERIES = re.compile(r"(.*[^0-9])([0-9]+)")
SERIES = 3
"""Numbers behind one word from which they are a series, as pages are; `mp3` and `mp4` are none; chosen."""


def is_in_a_series(segment: str, views: Iterable[View]) -> bool:
    """Whether a segment is one of a series, and not its first: `comment-page-4` is what a post shows, where the newest
    come first, until there is a fifth.
    """
    found = IN_SERIES.fullmatch(segment)
    if found is None or found[2] in FIRST:
        return False
    word = found[1]
    segments = {one for view in views if word in view.path for one in view.path.split("/") if one.startswith(word)}
    return sum(one[len(word) :].isdecimal() for one in segments) >= SERIES


class NumberedName(NamedTuple):
    """A name in its address: what precedes it, the name without its extension, the extension, and what follows."""

    before: str
    stem: str
    extension: str
    after: str
    in_query: bool

    @classmethod
    def of(cls, view: View) -> NumberedName | None:
        """Return the name of a view, None where it has none or a long one."""
        if view.items:
            if len(view.items) > 1 or view.items[0][1]:
                return None
            before, name, after = view.path + "?", view.items[0][0], ""
        else:
            bare = view.path.rstrip("/")
            before, name, after = bare[: bare.rfind("/") + 1], bare[bare.rfind("/") + 1 :], view.path[len(bare) :]
        if not name or len(name) > LONGEST:
            return None
        found = EXTENSION.search(name)
        extension = found[0] if found else ""
        return cls(before, name.removesuffix(extension), extension, after, bool(view.items))

    def hash_with(self, view: View, stem: str) -> int:
        """Return the hash of the view's address with another stem."""
        if self.in_query:
            return view.with_items(((stem + self.extension, ""),))
        return view.with_path(self.before + stem + self.extension + self.after)


def suffixes(stem: str) -> list[str]:
    """Return the last word of a name, the last two and the last three, each with what precedes it."""
    return [m["mark"] for m in SUFFIXES.finditer(stem) if m.start() and stem[m.start() - 1] not in "-_.,"]


def any_number(outline: str) -> str:
    """Return the pattern of an outline with any numbers in it."""
    return "[0-9]+".join(map(re.escape, outline.split("0")))


def _outline(named: NumberedName) -> str:
    return NUMBER.sub("0", named.stem) + named.extension


def piece_edits(views: Sequence[View]) -> Callable[[View], Iterator[Row]]:
    """Drop the number of a first page and a word that many names end with, and mask each number of a name with several,
    of an outline that many have.
    """
    counts: Counter[str | tuple[str, str]] = Counter()
    for view in views:
        named = NumberedName.of(view)
        if named is not None and NUMBER.search(named.stem):
            counts[_outline(named)] += 1
        if named is not None:
            counts.update((mark, named.extension) for mark in suffixes(named.stem))

    def edits(view: View) -> Iterator[Row]:
        folder = FIRST_FOLDER.fullmatch(view.path)
        if folder and folder["at"] in FIRST:
            for end in ("", "/") if folder["rest"] else ("/",):
                edit = ("first folder", folder["mark"], folder["at"], folder["after"], end)
                yield edit, view.with_path(folder["rest"] + end), 1
        named = NumberedName.of(view)
        if named is None:
            return
        place = "query" if named.in_query else "path"
        first = FIRST_NAME.fullmatch(named.stem)
        if first and first["at"] in FIRST and first["rest"]:
            yield ("first", place, first["mark"], first["at"], named.extension), named.hash_with(view, first["rest"]), 1
        many = (mark for mark in suffixes(named.stem) if counts[mark, named.extension] >= ENUM_COUNT)
        for mark in many:
            yield ("suffix", place, mark, named.extension), named.hash_with(view, named.stem.removesuffix(mark)), 1
        numbers = list(NUMBER.finditer(named.stem))
        outline = _outline(named)
        if not 1 < len(numbers) <= MOSTNUMBERS or counts[outline] < ENUM_COUNT or "%" in outline:
            return
        for at, number in enumerate(numbers):
            masked = f"{named.stem[: number.start()]}*{named.stem[number.end() :]}"
            yield ("piece", place, outline, str(at)), named.hash_with(view, masked), text_value(number[0])

    return edits
