"""What a later run takes up of a desk, whole: a crawl writes it in pieces."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.resuming import Part, brought, parts_of, state_of

if TYPE_CHECKING:
    from scrapy_urinorm.live.desk import Desk
    from scrapy_urinorm.live.yields import Yields


def state(desk: Desk) -> dict[str, Any]:
    """What `Desk.restore` takes."""
    return _joined(parts_of(desk))


def rows(yields: Yields) -> dict[str, list[Any]]:
    """What `Yields.load` takes."""
    found: dict[str, list[Any]] = _joined(brought(yields))["yields"]
    return found


def _joined(parts: Iterable[Part]) -> dict[str, Any]:
    return state_of((part.name, name, part.row(one)) for part in parts for name, one in part.of.items())
