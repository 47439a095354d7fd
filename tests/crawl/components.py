"""Builds our components as a crawl would, without running one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.crawler import CrawlerRunner
from scrapy.settings import default_settings
from scrapy.utils.misc import build_from_crawler, load_object
from scrapy.utils.spider import DefaultSpider
from scrapy.utils.test import get_crawler

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from scrapy.utils.request import RequestFingerprinterProtocol

ADDON: dict[str, Any] = {"ADDONS": {"scrapy_urinorm.Addon": 600}}


def crawler_with(settings: Mapping[str, Any] | None = None, spider: type[Spider] | None = None) -> Crawler:
    """A crawler that has read its settings and applied its add-ons; its engine does not run."""
    if hasattr(default_settings, "TWISTED_REACTOR_ENABLED"):
        return get_crawler(spider, dict(settings or {}))
    # Before 2.15 that wants a reactor to be installed.
    runner = CrawlerRunner({"TELNETCONSOLE_ENABLED": False, "TWISTED_REACTOR": None, **(settings or {})})
    crawler = runner.create_crawler(spider or DefaultSpider)
    crawler._apply_settings()
    return crawler


def fingerprinter_with(
    rules: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    spider: type[Spider] | None = None,
) -> RequestFingerprinterProtocol:
    """The fingerprinter of a crawl with the add-on and these rules for every site."""
    given = {"URINORM_RULES": {"rules": dict(rules)}} if rules else {}
    fingerprinter = crawler_with({**ADDON, **given, **(settings or {})}, spider).request_fingerprinter
    assert fingerprinter is not None
    return fingerprinter


def dupefilter_of(crawler: Crawler) -> Any:
    """The dupefilter that the scheduler of this crawler would use."""
    return build_from_crawler(load_object(crawler.settings["DUPEFILTER_CLASS"]), crawler)
