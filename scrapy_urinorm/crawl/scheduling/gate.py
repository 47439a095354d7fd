"""What the scheduler asks of whoever keeps requests back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from scrapy import Request

    from scrapy_urinorm.crawl.scheduling.journal import Kept


class Gate(Protocol):
    """Who may keep requests back, as parked or later. Nothing here may raise."""

    def orders(self, request: Request) -> bool | None:
        """Asked of a request of which the rules say `defer`: whether `at_enqueue` is to say when it is its turn."""

    def at_enqueue(self, request: Request) -> Kept | None:
        """Asked of a request that the duplicate filter has let through; None lets it into the queue."""

    def at_dequeue(self, request: Request) -> Kept | None:
        """Asked of a request that is to be handed to the engine, but of released ones; None hands it out."""

    def refused(self, request: Request) -> None:
        """Told of a request that the duplicate filter has not let through."""

    def handed_out(self, request: Request) -> None:
        """Told of every request that goes to the engine."""

    def later_may_go(self) -> bool:
        """Whether one that comes later may be served now; asked when nothing else waits."""

    def tick(self) -> None:
        """Called whenever the engine asks for a request."""

    def off(self, why: str) -> None:
        """Keep back nothing more: what was kept back is served now."""

    def at_close(self) -> None:
        """Called before the file is closed."""
