"""The spiders of the tests. They run in the crawling process, see `runner.py`."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

from scrapy import Request, Spider, signals
from scrapy.http import Response, TextResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

from scrapy_urinorm import Links
from scrapy_urinorm.crawl.scheduling import releases


class Follow(Spider):
    """Scrape every page: follow each link, submit each form."""

    name = "follow"
    proxy = ""

    def parse(self, response: Response) -> Iterator[Any]:
        yield scraped(response)
        if isinstance(response, TextResponse):
            for href in response.css("a::attr(href)").getall():
                yield response.follow(href)
            for action in response.css("form::attr(action)").getall():
                yield response.follow(action, method="POST", body="user=ann")


class FollowSlowly(Follow):
    """Follow the first link of a page, and the others once something else was fetched."""

    name = "follow slowly"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # a busy machine may take longer for a page than a callback is waited for
        releases._WAIT_SECONDS = 280

    async def parse(self, response: Response) -> AsyncIterator[Any]:  # type: ignore[override]  # as it fetches
        yield scraped(response)
        hrefs = response.css("a::attr(href)").getall()
        for href in hrefs[:1]:
            yield response.follow(href)
        if len(hrefs) > 1:
            request, engine = response.follow("/slow"), self.crawler.engine
            assert engine is not None
            await (engine.download_async(request) if hasattr(engine, "download_async") else engine.download(request))
        for href in hrefs[1:]:
            yield response.follow(href)


class FollowWithMeta(Follow):
    """Copy the meta of the response to every request, as many spiders do."""

    name = "follow with meta"

    def parse(self, response: Response) -> Iterator[Any]:
        for found in super().parse(response):
            yield found.replace(meta=response.meta.copy()) if isinstance(found, Request) else found


class OwnRequest(Request):
    """A request that cannot be copied: its `__init__` wants more than `replace()` gives."""

    def __init__(self, url: str, token: str, **kwargs: Any) -> None:
        super().__init__(url, **kwargs)


class FollowWithOwnRequests(Follow):
    """Follow links by requests of an own class."""

    name = "follow with own requests"

    def parse(self, response: Response) -> Iterator[Any]:
        yield scraped(response)
        for href in response.css("a::attr(href)").getall():
            yield OwnRequest(response.urljoin(href), "secret")


def scraped(response: Response) -> dict[str, Any]:
    """What the tests look at of a response that reached a callback."""
    title = response.css("title::text").get() if isinstance(response, TextResponse) else None
    return {"page": title, "url": response.url, "method": response.request.method if response.request else ""}


class Requests(Spider):
    """Send exactly these requests (attributes of `Request` as a dict) from the first page, in order."""

    name = "requests"
    requests: ClassVar[list[dict[str, Any]]] = []

    def parse(self, response: Response) -> Iterator[Any]:
        for attributes in self.requests:
            yield Request(callback=self.parse_page, errback=self.failed, **attributes)

    def parse_page(self, response: Response) -> Iterator[Any]:
        meta = {k: v for k, v in response.meta.items() if k.startswith(("urinorm", "redirect_urls"))}
        yield {**scraped(response), "meta": meta}

    def failed(self, failure: Any) -> Iterator[Any]:
        yield {"page": f"failed: {failure.type.__name__}", "url": failure.request.url, "method": ""}


class WithFiles(Spider):
    """Yield one item with `file_urls`, as for the files pipeline."""

    name = "with files"
    file_urls: ClassVar[list[str]] = []

    def parse(self, response: Response) -> Iterator[Any]:
        yield {**scraped(response), "file_urls": self.file_urls}
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href, self.parse_page)

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield scraped(response)


class ByRules(CrawlSpider):
    """A crawl spider that uses the link helpers."""

    name = "by rules"
    links = Links({"rules": {"remove_params": ["sid"], "rewrite_requests": ["remove_params"]}})
    rules = (
        Rule(
            LinkExtractor(process_value=links.process_value),
            process_links=links.process_links,
            callback="parse_page",
            follow=True,
        ),
    )

    def parse_page(self, response: Response) -> Iterator[Any]:
        yield scraped(response)


class ClientMiddleware:
    """Sends requests through the spider's `proxy`, and soon gives up on URLs that have its `impatient` in them."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Any) -> ClientMiddleware:
        return cls(crawler)

    def process_request(self, request: Request, **_: Any) -> None:  # 2.13 passes the spider
        spider = self.crawler.spider
        if spider.proxy:
            request.meta["proxy"] = spider.proxy
        if spider.impatient and spider.impatient in request.url:
            request.meta["download_timeout"] = 1


class LiveRequests:
    """Counts the requests that are alive when the spider closes."""

    def __init__(self, crawler: Any) -> None:
        self.crawler = crawler
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> LiveRequests:
        return cls(crawler)

    def closed(self) -> None:
        gc.collect()
        live = sum(1 for item in gc.get_objects() if isinstance(item, Request))
        self.crawler.stats.set_value("test/live_requests", live)


class SmallDisk:
    """No file of the process may grow beyond `TEST_FILE_BYTES` while the spider is open, as on a disk that is full."""

    def __init__(self, crawler: Any) -> None:
        self.bytes = crawler.settings.getint("TEST_FILE_BYTES")
        crawler.signals.connect(self.opened, signals.spider_opened)
        crawler.signals.connect(self.closed, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Any) -> SmallDisk:
        return cls(crawler)

    def opened(self) -> None:
        import resource

        self.before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (self.bytes, self.before[1]))

    def closed(self) -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, self.before)
