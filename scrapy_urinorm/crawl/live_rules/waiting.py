"""Which requests may wait for a live rule, and what makes two requests for one page different requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from scrapy_urinorm.crawl.given import FOLLOWING, KIND, KNOWN, chosen, name_of
from scrapy_urinorm.recipe import hash_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: Whoever sends one of these may get a page of his own.
_PERSONAL = (b"Cookie", b"Authorization")
#: Attributes of a plain request; the newest Scrapy keeps them in slots.
_PLAIN_NAMES = frozenset(getattr(Request("http://a.example/"), "__dict__", ()))
_PLAIN = (str, bytes, int, float, bool, type(None))


def may_wait(request: Request) -> bool:
    """Whether a request may be kept back.

    A plain GET may, that the spider has made from a page. Not one with cookies or credentials of its own, nor one with
    objects in its meta or arguments that others share: those that are written to the file come back as copies.
    """
    if request.dont_filter or request.callback is NO_CALLBACK or not may_speak(request):
        return False
    meta = request._meta or {}
    if any(name in meta for name in FOLLOWING):
        return False
    return all(name in KNOWN or _plain(value) for name, value in meta.items())


def may_speak(request: Request) -> bool:
    """Whether the answer to a request may serve another that waits: it is nobody's own, and its kind can be told.

    Objects in its meta, or in the arguments of its callback, cannot be compared, and what they do when they are asked
    is not known.
    """
    if request.method != "GET" or request.body or not request.url.startswith(("http:", "https:")):
        return False
    return not is_personal(request) and not _has_more(request) and is_told(request)


def is_told(request: Request) -> bool:
    """Whether the kind of a request can be told: it has no objects, which may do anything when they are asked."""
    meta = request._meta or {}
    told = (*(meta.get(name) for name in KIND), *chosen(meta).values(), *request.cb_kwargs.values())
    return all(map(_plain, told))


def is_personal(request: Request) -> bool:
    """Whether a request has cookies or credentials of its own."""
    return bool(request.cookies) or any(name in request.headers for name in _PERSONAL)


def _has_more(request: Request) -> bool:
    """Whether a request has attributes that a plain one has not, as those of a project's own class do.

    They would not come back from the file, and may be what its callback goes by.
    """
    kind = type(request)
    if kind is not Request:
        own = [one for one in kind.__mro__ if not one.__module__.startswith("scrapy.")]
        if kind not in own:
            return False
        if any(vars(one).get("__slots__") for one in own):
            return True
    return not _PLAIN_NAMES.issuperset(getattr(request, "__dict__", ()))


def why_not(crawler: Crawler, scheduler: object) -> str:
    """Return why nothing may wait in a crawl; empty where it may. `scheduler` is ours, or None."""
    if scheduler is None:
        return f"the scheduler is {crawler.settings['SCHEDULER']}"
    if crawler.settings.getint("DEPTH_LIMIT"):
        return "DEPTH_LIMIT is set, and a variant that is less deep may lead further"
    return ""


def given(request: Request) -> dict[str, str | None]:
    """Return what a spider gives a callback beside the page, by where it stands: plain values in words, else None."""
    found = {f"meta[{name!r}]": value for name, value in chosen(request._meta or {}).items()}
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
        name_of(request.callback),
        name_of(request.errback),
        *(meta.get(name) for name in KIND),
        sorted((str(key), repr(value)) for key, value in request.cb_kwargs.items()),
        sorted((name, repr(value)) for name, value in chosen(meta).items()),
    )
    return int.from_bytes(hash_of(repr(parts), 6), "little")
