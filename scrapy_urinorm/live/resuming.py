"""What a later run of a crawl takes up of its desk, in pieces: those that did not change are not written again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from scrapy_urinorm.live.brought import columns_of, row_of
from scrapy_urinorm.live.ids import Ids, packed
from scrapy_urinorm.live.patience import doubted

if TYPE_CHECKING:
    from scrapy_urinorm.live.questions import SiteDesk
    from scrapy_urinorm.live.yields import Yields


class Resumed(Protocol):
    """What of a desk a later run takes up: rules by their number, what patterns have brought, ids, lines of packs."""

    generations: int
    sites: dict[str, SiteDesk]
    yields: Yields
    ids: Ids
    known: dict[str, dict[str, Any]]


class Part(NamedTuple):
    """Pieces of one kind. `row` is what JSON holds of one; what `state` says of it is equal as long as it is the same.

    `of` is what the desk itself has, and may change while its pieces are written.
    """

    name: str
    of: Mapping[str, Any]
    row: Callable[[Any], Any]
    state: Callable[[Any], object]


def parts_of(desk: Resumed, *, sites: bool = False) -> Iterator[Part]:
    """Yield all parts of a desk, or those of its `sites` alone: their rules, and what is counted of these.

    Each as it is when it is asked for: rules that have come since the first one was are no older than their number.

    What patterns have brought may be older than the rows of requests, and one pattern older than another: what a closed
    one keeps back is asked again in any case. Rules may not, as rows name them by their generation.
    """
    yield Part("generations", {"": desk.generations}, _itself, _itself)
    yield Part("site", desk.sites, lambda site: [site.generation, site.message], lambda site: site.generation)
    yield Part("counts", desk.sites, lambda site: site.canaries.dump(), lambda site: repr(site.canaries.dump()))
    if not sites:
        yield from brought(desk.yields)
        yield Part("id", desk.ids.places, packed, lambda one: hash(tuple(packed(one))))
        yield Part("known", desk.known, _itself, _itself)


def brought(yields: Yields) -> Iterator[Part]:
    """Yield what patterns have brought: those parts that workers of a fleet share."""
    yield Part("yield", yields.of, row_of, lambda one: hash(columns_of(one)))
    yield Part("doubt", yields.doubts.waiting, _itself, _itself)


def _itself(value: Any) -> Any:
    return value


def state_of(pieces: Iterable[tuple[str, str, Any]]) -> dict[str, Any]:
    """Return the state that pieces make, each with its part, its name and its row, as `Desk.restore` takes it."""
    parts: dict[str, dict[str, Any]] = {}
    for part, name, row in pieces:
        parts.setdefault(part, {})[name] = row
    counts = parts.get("counts", {})
    return {
        "generations": parts.get("generations", {}).get("", 0),
        "sites": {
            name: {"generation": generation, "message": message, "counts": counts.get(name, {})}
            for name, (generation, message) in parts.get("site", {}).items()
        },
        "yields": parts.get("yield", {}) | {doubted(name): [count] for name, count in parts.get("doubt", {}).items()},
        "ids": parts.get("id", {}),
        "known": [*parts.get("known", {}).values()],
    }
