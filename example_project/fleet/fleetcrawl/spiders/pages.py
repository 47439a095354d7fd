"""The spider of every worker: follows all links; where it starts is pushed into Redis once, for the whole fleet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exceptions import DontCloseSpider
from scrapy_redis.spiders import RedisSpider

from fleetcrawl.queue import LOST

if TYPE_CHECKING:
    from collections.abc import Iterator

    import scrapy
    from scrapy.http import Response


class PagesSpider(RedisSpider):
    """`redis-cli lpush pages:start_urls '{"url": "https://shop.example.com/"}'`, then `scrapy crawl pages` anywhere."""

    name = "pages"

    async def start(self) -> Any:
        """Nothing: the first idle moment takes start URLs from Redis."""
        return
        yield

    def spider_idle(self) -> None:
        """Take start URLs from Redis; while that is away, nobody knows whether there are any."""
        try:
            super().spider_idle()
        except LOST:
            raise DontCloseSpider from None

    def parse(self, response: Response, **kwargs: Any) -> Iterator[dict[str, str] | scrapy.Request]:
        """Yield the page, then a request for each link."""
        yield {"url": response.url, "title": response.css("title::text").get("")}
        for link in response.css("a::attr(href)").getall():
            yield response.follow(link)
