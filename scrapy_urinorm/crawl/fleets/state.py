"""What patterns have brought, in Redis, for workers of a fleet that come later: in pieces, as `live_rules` has it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl.live_rules.state import StateInPieces
from scrapy_urinorm.live.patience import doubted
from scrapy_urinorm.live.resuming import Part, brought

if TYPE_CHECKING:
    from scrapy_urinorm.live.desk import Desk
    from scrapy_urinorm.live.fleet_share import FleetShare


class FleetState(StateInPieces):
    """That of one worker, which writes what has changed here: of each pattern the last word is in Redis."""

    def __init__(self, shared: FleetShare, desk: Desk):
        super().__init__(desk)
        self._shared = shared
        self._pieces: dict[str, str] = {}

    def read(self) -> dict[str, Any]:
        """Return what workers before have noted of patterns, as `Yields.load` takes it."""
        return self._shared.noted()

    def _parts(self, *, sites: bool = False) -> Iterable[Part]:
        # what is said of sites the learners write
        return () if sites else brought(self._desk.yields)

    def _looks(self, parts: Iterable[Part]) -> Iterator[None]:
        for _ in super()._looks(parts):
            self._tell()
            yield
        self._tell()

    def _put(self, part: Part, name: str, text: str | None) -> None:
        if part.name == "doubt":
            # as `state_of` has it
            name, text = doubted(name), f"[{text}]" if text else text
        self._pieces[name] = text or ""

    def _tell(self) -> None:
        if self._pieces:
            self._shared.note(self._pieces)
            self._pieces = {}
