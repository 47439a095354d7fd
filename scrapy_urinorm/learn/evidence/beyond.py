"""Constant views of the path that say nothing of tomorrow, or of addresses that another rule takes for others.

Page 10 of each category is one empty list, as none has more than two pages; when they have grown, page 3 is a page.
Rules for parameters leave room for that (`traps`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from scrapy_urinorm.learn.pages.values import is_ranged

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.view import View

SERIES = 3
"""Pages that smaller numbers in the place of one show, from which on they are a series: an empty list and a page are
two. Chosen."""

# host and segments, None in the places that are left open
_Form = tuple[str, tuple[str | None, ...]]


class Beyond:
    """What stands against constant views that leave the same places of a path open."""

    def __init__(self, views: Sequence[View], places: tuple[int, ...]) -> None:
        self._views, self._places = views, places
        self._series: dict[int, dict[_Form, list[tuple[int, int]]]] = {}
        self._written: dict[_Form, set[int]] | None = None

    def doubt(self, view: View) -> str:
        """Return what stands against taking all addresses of the form of a view for that view; empty if nothing."""
        segments = view.segments
        if any(self._is_in_a_series(view, segments, at) for at in range(len(segments)) if at not in self._places):
            return "smaller numbers in its place show pages of their own"
        if self._written is None:
            self._written = self._other_addresses()
        if self._written.get(self._form(view.host, segments), set()) - {view.page.label}:
            return "another rule writes some of them as addresses of other pages"
        return ""

    def _is_in_a_series(self, view: View, segments: list[str], at: int) -> bool:
        if is_ranged(segments[at]) is None:
            return False
        if at not in self._series:
            self._series[at] = self._numbers(at)
        found = self._series[at].get(self._form(view.host, segments, at), ())
        return len({label for number, label in found if number < int(segments[at])}) >= SERIES

    def _numbers(self, at: int) -> dict[_Form, list[tuple[int, int]]]:
        """Return the numbers that stand in a place, with the labels of what they show, by the form of the address."""
        found: dict[_Form, list[tuple[int, int]]] = defaultdict(list)
        for view in self._views:
            segments = view.segments
            if at < len(segments) and is_ranged(segments[at]) and view.page.label >= 0:
                found[self._form(view.host, segments, at)].append((int(segments[at]), view.page.label))
        return found

    def _other_addresses(self) -> dict[_Form, set[int]]:
        """Return the labels of pages at addresses that a rule writes otherwise, by the form of these."""
        found: dict[_Form, set[int]] = defaultdict(set)
        for host, path, label in self._merged():
            found[self._form(host, path[1:].split("/"))].add(label)
        return found

    def _merged(self) -> Iterator[tuple[str, str, int]]:
        for view in self._views:
            for page in view.pages if len(view.pages) > 1 else ():
                _, _, path = page.key.partition("://")[2].partition("?")[0].partition("/")
                if page.label >= 0:
                    yield view.host, "/" + path, page.label

    def _form(self, host: str, segments: list[str], *more: int) -> _Form:
        left_open = (*self._places, *more)
        return host, tuple(None if at in left_open else segment for at, segment in enumerate(segments))
