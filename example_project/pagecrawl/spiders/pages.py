"""A spider that follows every link of its sites and keeps the text of every page."""
# ruff: noqa: RUF012  (lists in a spider class are the custom)

from __future__ import annotations

from typing import TYPE_CHECKING

import scrapy
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor

from pagecrawl.items import Page

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy.http import Response


class PagesSpider(scrapy.Spider):
    """`scrapy crawl pages -O pages.jsonl`. It says nothing of duplicates: that is the add-on's business."""

    name = "pages"
    allowed_domains = ["shop.test", "forum.test"]
    start_urls = ["https://shop.test/", "http://forum.test/"]
    links = LinkExtractor()

    def parse(self, response: Response) -> Iterator[Page | scrapy.Request]:
        """Yield the page, then a request for each link."""
        if not isinstance(response, TextResponse):
            return
        yield Page(
            url=response.url,
            title=response.css("title::text").get(""),
            canonical=response.css('link[rel="canonical"]::attr(href)').get(),
            text="\n".join(filter(None, map(str.strip, response.css("main ::text").getall()))),
        )
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)
