"""The fingerprinter of another package, which gets the requests with our URLs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import build_from_crawler, load_object

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings
    from scrapy.utils.request import RequestFingerprinterProtocol

_STOCK = "scrapy.utils.request.RequestFingerprinter"


def fallback_class(settings: BaseSettings) -> Any:
    """The class that the settings name, or None; raises ValueError where it is none."""
    name = "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS"
    path = own.value(settings, name)
    if not path:
        return None
    try:
        fallback = load_object(path)
    except (ImportError, NameError, TypeError, ValueError) as error:
        raise ValueError(f"{name}: {path!r} cannot be loaded: {error}") from error
    if not callable(fallback):
        raise ValueError(f"{name}: {path!r} is not a class")
    return fallback


def fallback_of(crawler: Crawler, ours: type) -> RequestFingerprinterProtocol | None:
    """The fingerprinter that the settings name, or None for Scrapy's own recipe; never one of `ours`."""
    fallback = fallback_class(crawler.settings)
    if fallback is None or fallback is load_object(_STOCK):
        return None
    if isinstance(fallback, type) and issubclass(fallback, ours):
        # naming ourselves would recurse for ever
        return None
    instance: RequestFingerprinterProtocol = build_from_crawler(fallback, crawler)
    return instance
