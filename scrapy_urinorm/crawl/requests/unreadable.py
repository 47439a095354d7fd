"""Requests that this version of a spider cannot read: told, counted, and kept where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def unreadable(crawler: Crawler, place: str) -> None:
    """Tell of one: without it nobody knew that a page is still to be fetched by a version that has the callback."""
    own.logger.warning("A request in %s cannot be read by this spider, and stays there", place)
    own.stats_of(crawler).inc_value("urinorm/unreadable")
