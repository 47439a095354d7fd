"""Which requests may wait for a live rule, and what makes two requests for one page different requests."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from scrapy.http.request import NO_CALLBACK

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Request
    from scrapy.crawler import Crawler

#: Whoever sends one of these may get a page of his own.
_PERSONAL = (b"Cookie", b"Authorization")
#: Meta of requests that follow from another one, or are others' business.
_FOLLOWING = ("redirect_urls", "redirect_times", "retry_times", own.CHANCE_META, "is_start_request", own.CANARY_META)
#: Meta that has the answer treated otherwise.
_KIND = ("rule", "cookiejar")
#: Whose containers nobody changes: Scrapy only reads them, or they are our own.
_KNOWN = frozenset({own.CLAIMS_META, own.ROW_META, "urinorm", "handle_httpstatus_list"})
#: What Scrapy puts into the meta, which callbacks copy from a response, and what changes nothing in a callback.
_NOT_CHOSEN = frozenset(
    ("depth", "download_latency", "download_slot", "download_timeout", "link_text", "max_retry_times", "proxy")
).union(own.REDIRECT_META, _FOLLOWING, _KIND, _KNOWN)
_PLAIN = (str, bytes, int, float, bool, type(None))
#: What an address begins with: of the page that named this one, which is another one for each link.
_ADDRESSES = ("http://", "https://", "/")


def may_wait(request: Request) -> bool:
    """Whether a request may be kept back.

    A plain GET may, that the spider has made from a page. Not one with cookies or credentials of its own, nor one with
    objects in its meta or arguments that others share: those that are written to the file come back as copies.
    """
    if request.dont_filter or request.callback is NO_CALLBACK or not may_speak(request):
        return False
    meta = request._meta or {}
    if any(name in meta for name in _FOLLOWING):
        return False
    return all(name in _KNOWN or _plain(value) for name, value in meta.items())


def may_speak(request: Request) -> bool:
    """Whether the answer to a request may serve another that waits: it is nobody's own, and its kind can be told.

    Objects in its meta, or in the arguments of its callback, cannot be compared, and what they do when they are asked
    is not known.
    """
    if request.method != "GET" or request.body or request.cookies or not request.url.startswith(("http:", "https:")):
        return False
    if any(name in request.headers for name in _PERSONAL):
        return False
    meta = request._meta or {}
    told = (*(meta.get(name) for name in _KIND), *_chosen(meta).values(), *request.cb_kwargs.values())
    return all(map(_plain, told))


def why_not(crawler: Crawler, scheduler: object) -> str:
    """Return why nothing may wait in a crawl; empty where it may. `scheduler` is ours, or None."""
    if scheduler is None:
        return f"the scheduler is {crawler.settings['SCHEDULER']}"
    if crawler.settings.getint("DEPTH_LIMIT"):
        return "DEPTH_LIMIT is set, and a variant that is less deep may lead further"
    return ""


def _chosen(meta: Mapping[Any, Any]) -> dict[str, Any]:
    """Return what a callback may go by: a level that it counts, a category. Of middlewares are names like `_callback`.

    An address that is deeper by the spider's own count may not be followed, where a variant that waits would be. Where
    a link was found is noted by many spiders, and told by the `Referer` anyway.
    """
    names = (one for one in meta if isinstance(one, str) and one not in _NOT_CHOSEN and not one.startswith("_"))
    return {name: meta[name] for name in names if not _is_address(meta[name])}


def _is_address(value: object) -> bool:
    return isinstance(value, str) and value.startswith(_ADDRESSES)


def given(request: Request) -> dict[str, str | None]:
    """Return what a spider gives a callback beside the page, by where it stands: plain values in words, else None."""
    found = {f"meta[{name!r}]": value for name, value in _chosen(request._meta or {}).items()}
    found |= {f"cb_kwargs[{name!r}]": value for name, value in request.cb_kwargs.items()}
    return {name: repr(value) if _plain(value) else None for name, value in found.items()}


def _plain(value: Any) -> bool:
    return isinstance(value, _PLAIN) or (isinstance(value, tuple) and all(map(_plain, value)))


def kind_of(request: Request) -> int:
    """Return a number for what is done with the answer: two requests of different kinds are never one page.

    Callback and errback, the rule of a CrawlSpider, the session of a cookie jar, arguments for the callback, and what
    its spider has put into the meta.
    """
    meta = request._meta or {}
    parts: tuple[Any, ...] = (
        _name(request.callback),
        _name(request.errback),
        *(meta.get(name) for name in _KIND),
        sorted((str(key), repr(value)) for key, value in request.cb_kwargs.items()),
    )
    # what an earlier version has told of a request without any stays so
    if chosen := _chosen(meta):
        parts += (sorted((name, repr(value)) for name, value in chosen.items()),)
    digest = hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "little")


def _name(function: Any) -> str:
    return "" if function is None else getattr(function, "__qualname__", "") or repr(function)
