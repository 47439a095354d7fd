"""Classes that a project may have of its own."""

from __future__ import annotations

from hashlib import sha1
from typing import TYPE_CHECKING, Any

from scrapy.dupefilters import RFPDupeFilter
from scrapy.statscollectors import MemoryStatsCollector
from scrapy.utils.request import fingerprint

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class OwnDupeFilter(RFPDupeFilter):
    """As many projects have one."""


def make_dupefilter() -> OwnDupeFilter:
    """A function that makes one: Scrapy takes it as well."""
    return OwnDupeFilter()


class ByLanguage:
    """A fingerprinter that looks at a header besides the URL as it was sent to it."""

    def fingerprint(self, request: Request) -> bytes:
        language = request.headers.get("Accept-Language") or b""
        return sha1(request.method.encode() + b" " + request.url.encode() + b" " + language).digest()


class Wrapped:
    """A fingerprinter that asks Scrapy's function, as most do."""

    def fingerprint(self, request: Request) -> bytes:
        return sha1(b"own" + fingerprint(request)).digest()


class FromCrawler(ByLanguage):
    """A fingerprinter that Scrapy builds from the crawler."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> FromCrawler:
        return cls(crawler)


class Failing:
    """A fingerprinter with a bug."""

    def fingerprint(self, request: Request) -> bytes:
        raise ZeroDivisionError(request.url)


class FingerprinterAddon:
    """An add-on that installs a fingerprinter of its own without asking what was there, as scrapy-poet does."""

    def update_settings(self, settings: Any) -> None:
        settings.set("REQUEST_FINGERPRINTER_CLASS", ByLanguage, "addon")


class Counting(MemoryStatsCollector):
    """A collector that sees each count, as those that send them elsewhere do."""

    def __init__(self, crawler: Crawler):
        super().__init__(crawler)
        self.calls = 0

    def inc_value(self, key: str, *args: Any, **kwargs: Any) -> None:
        """Count, and count that."""
        self.calls += "filtered" in key
        super().inc_value(key, *args, **kwargs)
