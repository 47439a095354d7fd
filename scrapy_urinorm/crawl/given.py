"""What a spider gives a callback beside the page: arguments, and meta of its own."""

from __future__ import annotations

import hashlib
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from scrapy import Item
from scrapy.loader import ItemLoader

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request

#: Meta of requests that follow from another one, or are others' business.
FOLLOWING = ("redirect_urls", "redirect_times", "retry_times", own.CHANCE_META, "is_start_request", own.CANARY_META)
#: Meta that has the answer treated otherwise.
KIND = ("rule", "cookiejar")
#: Whose containers nobody changes: Scrapy only reads them, or they are our own.
KNOWN = frozenset({own.CLAIMS_META, own.ROW_META, "urinorm", "handle_httpstatus_list"})
#: What Scrapy puts into the meta, which callbacks copy from a response, and what changes nothing in a callback.
_NOT_CHOSEN = frozenset(
    ("depth", "download_latency", "download_slot", "download_timeout", "link_text", "max_retry_times", "proxy")
).union(own.REDIRECT_META, FOLLOWING, KIND, KNOWN)
#: What an address begins with: of the page that named this one, which is another one for each link.
_ADDRESSES = ("http://", "https://", "/")
_VALUES = frozenset((str, bytes, int, float, bool, type(None)))
_CONTAINERS = frozenset((list, tuple, dict))
#: Values of an item that are compared, and its levels; chosen: items have some dozen, and what hands on the data of a
#: whole page is not to cost more.
_MOST_VALUES = 1_000
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
    values: list[Any] = [(name, without_addresses(value)) for name, value in chosen(request._meta or {}).items()]
    values += request.cb_kwargs.items()
    if not values:
        return None
    try:
        shown = _shown(sorted(values, key=lambda one: one[0]))
    except Exception:  # noqa: BLE001  whatever objects of a project raise
        shown = None
    if shown is None:
        return ""
    text = repr((getattr(request.callback, "__qualname__", ""), shown))
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def without_addresses(value: Any) -> Any:
    """Return a table without the addresses in it, as others put the request's own there."""
    if type(value) is not dict:
        return value
    return {name: without_addresses(one) for name, one in value.items() if not _is_address(one)}


def _shown(value: Any) -> list[Any] | None:
    """Return the texts and numbers of a value, its lists, tables and items, level by level; None where it is an item
    that is being filled, or has too many.
    """
    found: list[Any] = []
    level = [value]
    for _ in range(_LEVELS):
        below: list[Any] = []
        for one in level:
            if isinstance(one, ItemLoader):
                return None
            if type(one) in _CONTAINERS:
                found.append(len(one))
                below += one if type(one) is not dict else (part for item in one.items() for part in item)
            elif isinstance(one, Item):
                below += (part for item in one.items() for part in item)
            elif is_dataclass(one):
                below += (getattr(one, field.name, None) for field in fields(one))
            else:
                found.append(one if type(one) in _VALUES else type(one).__qualname__)
        if not below or len(found) + len(below) > _MOST_VALUES:
            return None if below else found
        level = below
    return None
