"""Addresses below folders in parts: a tree of the site, the folder, and the name there; and what else stands there."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from scrapy_urinorm.learn.evidence.edits import INDEX_NAMES, Row, text_value
from scrapy_urinorm.learn.families.names import EXTENSION, NUMBER
from scrapy_urinorm.learn.pages.values import is_volatile, names_tree
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

DEEPEST = 8
"""Segments of a path that is looked at; chosen: categories are not nested deeper."""
_MARK = re.compile(r"(?:[-_.,][A-Za-z]{1,2})?[-_.,]0$")
"""What says of a name, its numbers masked, that it is one of a kind: `-p-0`."""


class Tail(NamedTuple):
    """An address in parts: the tree of the site that it is in, empty or `/de`, its folder, and the name there."""

    tree: str
    folder: str
    name: str

    @classmethod
    def of(cls, view: View) -> Tail | None:
        """Return the parts of an address below a folder; None where nothing can be said of it."""
        path = view.path.removesuffix("/")
        *folders, name = path[1:].split("/")
        if view.items or not folders or len(folders) >= DEEPEST or not all([*folders, name]):
            return None
        at = int(names_tree(decoded(folders[0])))
        if folders[at:] and not _moves(name) and not any(map(_is_tree, folders[at:])) and name not in INDEX_NAMES:
            return cls("".join(f"/{one}" for one in folders[:at]), "/".join(folders[at:]), name)
        return None


def _is_tree(segment: str) -> bool:
    return _moves(segment) or names_tree(decoded(segment))


def _moves(segment: str) -> bool:
    return segment.isdecimal() or is_volatile(decoded(segment))


def tail_edits(view: View) -> Iterator[Row]:
    """Drop all folders before the last segment, save the one of a language or a version."""
    tail = Tail.of(view)
    if tail is not None:
        end = "/" if view.path.endswith("/") else ""
        yield ("tail", tail.tree, end), view.with_path(_top(view, tail)), text_value(tail.folder)


def names_top(view: View) -> bool:
    """Whether a page names its address at the top as canonical, met or not."""
    tail = Tail.of(view)
    if tail is None or view.page.canonical is None:
        return False
    return view.page.canonical == f"{view.key.removesuffix(view.path)}{_top(view, tail)}"


def _top(view: View, tail: Tail) -> str:
    return f"{tail.tree}/{tail.name}{'/' if view.path.endswith('/') else ''}"


def extension_of(name: str) -> str:
    """Return the extension of a name with its dot, empty where it has none."""
    found = EXTENSION.search(name)
    return found[0] if found else ""


def mark_of(name: str, extension: str) -> str:
    """Return the number at the end of a name and what tells of which kind it is, as `-p-0`; empty without one."""
    found = _MARK.search(NUMBER.sub("0", name.removesuffix(extension)))
    return found[0] if found else ""


class Places:
    """What stands below the folders of a site, by host and path."""

    def __init__(self, views: Sequence[View]) -> None:
        self._views = views

    @cached_property
    def lists(self) -> frozenset[str]:
        """The addresses below which others are, without their scheme."""
        return frozenset(folder for view in self._views for folder, _ in _steps(view))

    def is_list(self, view: View) -> bool:
        """Whether others are below an address: those of a file below its name."""
        return f"{view.host}{EXTENSION.sub('', view.path.removesuffix('/'))}" in self.lists

    @cached_property
    def parents(self) -> frozenset[str]:
        """The addresses below which some of these are."""
        return frozenset(one.rpartition("/")[0] for one in self.lists)

    @cached_property
    def names(self) -> dict[tuple[str, str], dict[str, set[str]]]:
        """For each folder and extension the names in it by their marks; without pages that name the top."""
        found: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        for view in self._views:
            below = [step for step in _steps(view) if step[1]]
            if below and names_top(view):
                below.pop()
            for folder, name in below:
                extension = extension_of(name)
                found[folder, extension][mark_of(name, extension)].add(name)
        return found


def _steps(view: View) -> Iterator[tuple[str, str]]:
    """Yield each folder of an address with the name that follows there."""
    segments = view.path.removesuffix("/").split("/")[:DEEPEST]
    return zip(accumulate([view.host, *segments[1:]], "{}/{}".format), segments[1:], strict=False)
