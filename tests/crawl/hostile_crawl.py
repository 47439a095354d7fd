"""Crawls a hostile site: `python -m tests.crawl.hostile_crawl URL PAGES SETTINGS`; prints as JSON what it cost."""

from __future__ import annotations

import json
import re
import resource
import sys
import time
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider, signals
from scrapy.crawler import CrawlerProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

#: Seconds between two looks at the clock.
BEAT = 0.01
# no parser: it would be the spider that stops the reactor
links = re.compile(rb"<a href='([^']{1,4000})'").findall


class Follow(Spider):
    name = "follow"
    start_url = ""
    pages = 0
    counted: ClassVar[dict[str, float]] = {"pages": 0, "blocked": 0.0, "blocked_cpu": 0.0}

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.start_url)

    def parse(self, response: Response) -> Iterator[Any]:
        self.counted["pages"] += 1
        if self.counted["pages"] < self.pages:
            for href in links(response.body[:20_000])[:4]:
                yield response.follow(href.decode("latin-1"), errback=self.failed)

    def failed(self, failure: object) -> None:
        """The site has hung up, as it may on a busy machine: no error of the crawl, which would log it as one."""


class Heart:
    """Notes the longest time, and the most CPU of this thread, between two beats of the reactor."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Heart:
        heart = cls()
        crawler.signals.connect(heart.begin, signals.spider_opened)
        return heart

    def begin(self) -> None:
        self.last, self.cpu = time.monotonic(), time.thread_time()
        self.beat()

    def beat(self) -> None:
        from twisted.internet import reactor

        now, cpu = time.monotonic(), time.thread_time()
        counted = Follow.counted
        counted["blocked"] = max(counted["blocked"], now - self.last - BEAT)
        counted["blocked_cpu"] = max(counted["blocked_cpu"], cpu - self.cpu)
        self.last, self.cpu = now, cpu
        loop: Any = reactor
        loop.callLater(BEAT, self.beat)


def main() -> None:
    url, pages, settings = sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3])
    process = CrawlerProcess(
        {
            "TELNETCONSOLE_ENABLED": False,
            "REMOTE_CONTROL_ENABLED": False,
            "LOG_LEVEL": "ERROR",
            "DOWNLOAD_MAXSIZE": 4 << 20,
            "CLOSESPIDER_PAGECOUNT": pages,
            "EXTENSIONS": {Heart: 0},
            **settings,
        }
    )
    crawler = process.create_crawler(Follow)
    process.crawl(crawler, start_url=url, pages=pages)
    process.start()
    # kilobytes on Linux
    sizes = {
        "rss": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
        "reader_rss": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10,
    }
    print(json.dumps({**Follow.counted, **sizes}))


if __name__ == "__main__":
    main()
