"""The requests of a crawl that are under way, each with what followed from it, and how they end."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.given import chosen
from scrapy_urinorm.statuses import is_answer

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


@dataclass(slots=True)
class Flight:
    """A request that was handed out, or what followed from it: a redirect, another try."""

    request: Request
    waiting: bool = False
    """Whether what followed is in the queue."""
    final: str | None = None
    """The address that was delivered; None as long as nothing was, or where it failed."""
    back: str | None = None
    """The address that a redirect led to, where that was known and nothing followed."""
    failed: bool = False
    items: int = 0
    """What its callback has yielded: items, and requests."""
    requests: int = 0
    goes_on: bool = False
    """Whether one of these requests is for the same callback."""

    @property
    def finishes(self) -> bool:
        """Whether its callback made items of the page, or handed on what it was given, and asked for no more like it.

        What asks for more like it may have no end, whatever it yields.
        """
        return not self.goes_on and (self.items > 0 or (self.requests == 1 and self.is_chained))

    @property
    def is_chained(self) -> bool:
        """Whether its callback is given something beside the page."""
        return bool(self.request.cb_kwargs or chosen(self.request._meta or {}))


class Flights:
    """Those of one crawl, by the number of their claim, which is in the meta of their requests."""

    def __init__(self) -> None:
        self._of: dict[int, Flight] = {}

    def __len__(self) -> int:
        return len(self._of)

    def _flight(self, request: Request) -> Flight | None:
        return self._of.get((request._meta or {}).get(own.LIVE_META, 0))

    def begin(self, request: Request, number: int) -> None:
        """A request is handed out."""
        request.meta[own.LIVE_META] = number
        self._of[number] = Flight(request)

    def follow(self, request: Request) -> bool:
        """Whether a request that comes into the queue follows from one that was handed out.

        Callbacks copy the meta of their response: what comes after a page was delivered follows from nothing.
        """
        flight = self._flight(request)
        meta = request._meta or {}
        if flight is None or flight.final is not None or flight.failed:
            return False
        if "redirect_times" not in meta and "retry_times" not in meta:
            return False
        flight.request, flight.waiting = request, True
        return True

    def led_back(self, request: Request) -> None:
        """A request is not let into the queue: a redirect has led to what the crawl knows."""
        flight = self._flight(request)
        if flight is not None and "redirect_times" in (request._meta or {}) and flight.final is None:
            flight.back = request.url

    def resume(self, request: Request) -> bool:
        """Whether a request that is handed out follows from one that was."""
        flight = self._flight(request)
        if flight is None or flight.request is not request:
            return False
        flight.waiting = False
        return True

    def delivered(self, request: Request, response: Response) -> None:
        """A response goes to its callback."""
        flight = self._flight(request)
        if flight is not None and is_answer(response.status):
            flight.final = response.url

    def yields(self, request: Request) -> None:
        """A callback makes an item of the answer to a request."""
        if (flight := self._flight(request)) is not None:
            flight.items += 1

    def asks(self, request: Request, another: Request) -> None:
        """A callback asks for another page because of the answer to a request."""
        if (flight := self._flight(request)) is not None:
            flight.requests += 1
            flight.goes_on |= _name(another.callback) == _name(request.callback)

    def failed(self, request: Request) -> None:
        """Whatever came of a request is not to be counted on."""
        flight = self._flight(request)
        if flight is not None:
            flight.failed = True

    def leave(self, request: Request) -> None:
        """What follows goes to whoever is next: nobody here hears of its end, so it has come to nothing."""
        flight = self._flight(request)
        if flight is not None:
            flight.waiting, flight.failed = False, True

    def ended(self, running: Container[Request]) -> Iterator[tuple[int, Flight]]:
        """Take out what is no longer under way; `running` are the engine's requests in progress."""
        gone = [number for number, one in self._of.items() if not one.waiting and one.request not in running]
        for number in gone:
            yield number, self._of.pop(number)


def _name(callback: Any) -> str:
    """Return the name of the function behind a callback, whatever arguments go with it; None is `parse`."""
    while isinstance(callback, partial):
        callback = callback.func
    return "parse" if callback is None else str(getattr(callback, "__name__", type(callback).__name__))
