"""Requests as bytes, in the way of Scrapy's own disk queues."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.utils.misc import load_object
from scrapy.utils.request import request_from_dict

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

#: The protocol of Scrapy's queues, so that an older Python resumes the job as well.
_PROTOCOL = 4


def dumped(request: Request, spider: Spider | None) -> bytes | None:
    """The bytes of a request; None where it has none: a callback that is no method of the spider, an open file.

    Pickle, as Scrapy's queues: meta and keyword arguments are the spider's own objects. Such a file belongs to whom the
    crawl belongs to, and must not come from elsewhere.
    """
    try:
        return pickle.dumps(as_dict(request, spider), protocol=_PROTOCOL)
    except Exception:  # noqa: BLE001  whatever the objects of a spider raise when they are pickled
        return None


def loaded(data: bytes, spider: Spider | None) -> Request | None:
    """The request of `dumped`; None where this version of the spider cannot read it."""
    try:
        return request_from_dict(pickle.loads(data), spider=spider)
    except Exception:  # noqa: BLE001  a callback or a class that is no longer there
        return None


def url_of(data: bytes, spider: Spider | None) -> str:
    """The URL of the request of `loaded`, empty where that would be None.

    The request is not built, which takes most of the time.
    """
    try:
        row = pickle.loads(data)
        for name in filter(None, (row["callback"], row["errback"])):
            getattr(spider, name)
        if "_class" in row:
            load_object(row["_class"])
        return str(row["url"])
    except Exception:  # noqa: BLE001  as in `loaded`
        return ""


def as_dict(request: Request, spider: Spider | None) -> dict[str, Any]:
    """`Request.to_dict`, which looks through all members of the spider for a callback: 60 of its 70 us."""
    callback, errback = _name(request.callback, spider), _name(request.errback, spider)
    kind = type(request)
    if kind.to_dict is not Request.to_dict or callable(callback) or callable(errback):
        return request.to_dict(spider=spider)
    found = {"url": request.url, "callback": callback, "errback": errback, "headers": dict(request.headers)}
    for attribute in request.attributes:
        if attribute not in found:
            found[attribute] = getattr(request, attribute)
    if kind is not Request:
        found["_class"] = f"{kind.__module__}.{kind.__name__}"
    return found


def _name(function: Any, spider: Spider | None) -> Any:
    """The name of a method of the spider; anything else as it is."""
    inner = getattr(function, "__func__", None)
    name = getattr(inner, "__name__", "")
    if inner is not None and getattr(getattr(spider, name, None), "__func__", None) is inner:
        return name
    return function


def unreadable(crawler: Crawler, place: str, *, stays: bool = True) -> None:
    """Tell of one: without it nobody knew that a page is still to be fetched by a version that has the callback."""
    what = "stays there" if stays else "is left out"
    own.logger.warning("A request in %s cannot be read by this spider, and %s", place, what)
    own.stats_of(crawler).inc_value("urinorm/unreadable")
