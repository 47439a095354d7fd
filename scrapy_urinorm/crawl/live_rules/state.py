"""The state of live rules in pieces, and in the file of requests a row for each: what a resumed crawl goes on with."""

from __future__ import annotations

import abc
import json
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.resuming import Part, parts_of, state_of

if TYPE_CHECKING:
    from scrapy_urinorm.crawl.requests.file import RequestsFile
    from scrapy_urinorm.live.desk import Desk

#: So many pieces are looked at between two looks at the clock, or changed ones of so many letters: half a millisecond.
_PIECES, _LETTERS = 100, 5_000
_text = json.JSONEncoder(separators=(",", ":")).encode


class StateInPieces(abc.ABC):
    """The state of a desk, of which only what has changed is written, and looked for some milliseconds at a time.

    All of it is a megabyte for 20,000 patterns.
    """

    def __init__(self, desk: Desk):
        self._desk = desk
        self._written: dict[str, dict[str, object]] = {}
        self._steps: Iterator[None] | None = None

    @abc.abstractmethod
    def read(self) -> dict[str, Any]:
        """Return what was left before."""

    def begin(self) -> None:
        """Have all that has changed written in further steps, unless that is under way."""
        if self._steps is None:
            self._steps = self._looks(self._parts())

    @property
    def is_sought(self) -> bool:
        """Whether that is under way."""
        return self._steps is not None

    def step(self, seconds: float) -> None:
        """Go on with that for some time."""
        until = time.monotonic() + seconds
        while self._steps is not None:
            if next(self._steps, self) is self:
                self._steps = None
            elif time.monotonic() >= until:
                return

    def write(self, *, sites: bool = False) -> None:
        """Write what has changed now: all of it, or of the sites and their rules alone."""
        if not sites:
            self._steps = None
        for _ in self._looks(self._parts(sites=sites)):
            pass

    def _looks(self, parts: Iterable[Part]) -> Iterator[None]:
        looked = letters = 0
        for part in parts:
            written = self._written.setdefault(part.name, {})
            for name, one in list(part.of.items()):
                state = part.state(one)
                if written.get(name, self) != state:
                    text = _text(part.row(one))
                    self._put(part, name, text)
                    written[name] = state
                    letters += len(text)
                looked += 1
                if looked >= _PIECES or letters >= _LETTERS:
                    yield
                    looked = letters = 0
            for name in written.keys() - part.of.keys():
                del written[name]
                self._put(part, name, None)

    @abc.abstractmethod
    def _parts(self, *, sites: bool = False) -> Iterable[Part]:
        """Return what is written, or of that what is said of sites alone."""

    @abc.abstractmethod
    def _put(self, part: Part, name: str, text: str | None) -> None:
        """Write a piece; None takes it away."""


class LiveState(StateInPieces):
    """That of a job, in the transactions of its file of requests, with the rows of that time or after them.

    Rules are written at once: no row may name such as are not there.
    """

    def __init__(self, file: RequestsFile, desk: Desk):
        super().__init__(desk)
        self._file = file

    def read(self) -> dict[str, Any]:
        """Return what the run before has left, as `Desk.restore` takes it."""
        pieces = []
        for key, row in self._file.pieces():
            part, name = key.decode("utf-8", "surrogatepass").split(" ", 1)
            # written anew, or taken away where the desk has none of it any more
            self._written.setdefault(part, {})[name] = self
            pieces.append((part, name, json.loads(row)))
        return state_of(pieces)

    def write(self, *, sites: bool = False) -> None:
        """Write what has changed, and commit it."""
        super().write(sites=sites)
        self._file.commit()

    def _parts(self, *, sites: bool = False) -> Iterable[Part]:
        return parts_of(self._desk, sites=sites)

    def _put(self, part: Part, name: str, text: str | None) -> None:
        self._file.piece(_key(part, name), text)


def _key(part: Part, name: str) -> bytes:
    return f"{part.name} {name}".encode("utf-8", "surrogatepass")
