"""What a spider gives a callback beside the page: arguments, and meta of its own."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import chain, islice
from types import NoneType
from typing import TYPE_CHECKING, Any
from uuid import UUID

from itemadapter import ItemAdapter, is_item
from scrapy.loader import ItemLoader

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.recipe import hash_of

if TYPE_CHECKING:
    from scrapy import Request

#: Meta of requests that follow from another one, or are others' business.
FOLLOWING = ("redirect_urls", "redirect_times", "retry_times", own.CHANCE_META, "is_start_request", own.CANARY_META)
#: Meta that has the answer treated otherwise.
KIND = ("rule", "cookiejar")
#: Whose containers nobody changes: Scrapy only reads them, or they are our own.
KNOWN = frozenset({own.CLAIMS_META, own.ROW_META, "urinorm", "handle_httpstatus_list"})
#: What Scrapy puts into the meta, which callbacks copy from a response, and what changes nothing in a callback.
_NOT_CHOSEN = frozenset(
    ("cache_timestamp", "cached_response", "depth", "download_latency", "download_slot", "download_timeout")
).union(
    # how it is asked for: by the robots.txt middleware, and by spiders, for all of a kind
    ("allow_offsite", "bindaddress", "dont_cache", "dont_obey_robotstxt", "dont_retry", "download_fail_on_dataloss"),
    ("download_maxsize", "download_warnsize", "give_up_log_level", "priority_adjust", "referrer_policy"),
    ("link_text", "max_retry_times", "proxy"),
    (*own.REDIRECT_META, *FOLLOWING, *KIND, *KNOWN),
)
#: What an address begins with: of the page that named this one, which is another one for each link.
_ADDRESSES = ("http://", "https://", "/")
_VALUES = (str, bytes, int, float, NoneType, Decimal, date, time, timedelta, UUID, Enum)
#: Values of an item that are compared, its letters and its levels; chosen: items have some dozen values, and what hands
#: on the data of a whole page is not to cost more.
_MOST_VALUES = 1_000
_MOST_LETTERS = 100_000
_LEVELS = 8


def chosen(meta: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what a callback may go by: a level that it counts, a category. Of middlewares are names like `_callback`.

    An address that is deeper by the spider's own count may not be followed, where a variant that waits would be. Where
    a link was found is noted by many spiders, and told by the `Referer` anyway.
    """
    names = (one for one in meta if isinstance(one, str) and one not in _NOT_CHOSEN and not one.startswith("_"))
    return {name: meta[name] for name in names if not _is_address(meta[name])}


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(_ADDRESSES)


def name_of(function: Any) -> str:
    """Return the name of a callback; of one that has none what it says of itself."""
    return "" if function is None else getattr(function, "__qualname__", "") or repr(function)


def digest_of_given(request: Request) -> str | None:
    """Return some letters for what a callback is given beside the page; None where that is nothing.

    Empty where it is no one else's: an item that is being filled, or more than can be compared. Of other objects, as
    of instructions to a browser, the type counts: they may say anything of themselves, or raise.
    """
    meta = chosen(request._meta or {})
    if not meta and not request.cb_kwargs:
        return None
    try:
        values = [_Values(bare=True).of(sorted(meta.items())), _Values().of(sorted(request.cb_kwargs.items()))]
        text = repr((getattr(request.callback, "__qualname__", ""), values))
        return hash_of(text).hex()
    except Exception:  # noqa: BLE001  whatever objects of a project raise, and what has too many values
        return ""


class _Values:
    """The texts and numbers of lists, tables and items, level by level; `bare`: without the addresses in tables, as
    others put the request's own there.
    """

    def __init__(self, *, bare: bool = False) -> None:
        self._bare = bare
        self._letters = 0

    def of(self, value: Any) -> list[Any]:
        """Return what can be compared; raises ValueError where that is too much, or an item that is being filled."""
        found: list[Any] = []
        level = [value]
        for _ in range(_LEVELS):
            below: list[Any] = []
            for one in level:
                parts = self._parts(one)
                if parts is None:
                    found.append(self._plain(one))
                else:
                    found.append(len(one) if isinstance(one, Collection) else type(one).__qualname__)
                    below += islice(parts, _MOST_VALUES + 1)
                if len(found) + len(below) > _MOST_VALUES:
                    raise ValueError
            if not below:
                return found
            level = below
        raise ValueError

    def _parts(self, one: Any) -> Iterable[Any] | None:
        """Return what a value consists of; None where it stands for itself."""
        if isinstance(one, ItemLoader):
            raise ValueError
        if isinstance(one, (list, tuple)):
            return one
        if isinstance(one, (set, frozenset)):
            return sorted(map(repr, one)) if len(one) <= _MOST_VALUES else one
        if not isinstance(one, _VALUES) and is_item(one):
            rows = one if isinstance(one, dict) else ItemAdapter(one)
            return chain.from_iterable(row for row in rows.items() if not (self._bare and _is_address(row[1])))
        return None

    def _plain(self, one: Any) -> Any:
        if not isinstance(one, _VALUES):
            return type(one).__qualname__
        if isinstance(one, (str, bytes)):
            self._letters += len(one)
            if self._letters > _MOST_LETTERS:
                raise ValueError
        return one
