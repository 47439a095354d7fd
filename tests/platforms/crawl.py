"""A crawl of all links of one host, breadth first, without cookies; what it met is recorded as visits.

python -m tests.platforms.crawl URL VISITS RULES_AS_JSON MOST_REQUESTS
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse
from scrapy.linkextractors import LinkExtractor

if TYPE_CHECKING:
    from collections.abc import Iterator


def main(url: str, visits: str, rules: str, most: str) -> None:
    class Spider(scrapy.Spider):
        name = "crawl"
        start_urls = [url]
        handle_httpstatus_list = [400, 401, 403, 404, 405, 500]
        extract = LinkExtractor(tags=("a", "area"), deny_extensions=())
        here = urlsplit(url).netloc

        def parse(self, response: scrapy.http.Response, **_: Any) -> Iterator[scrapy.Request]:
            if isinstance(response, TextResponse) and response.status == 200:
                for link in self.extract.extract_links(response):
                    if urlsplit(link.url).netloc == self.here:
                        yield scrapy.Request(link.url)

    process = CrawlerProcess(
        {
            "ADDONS": {"scrapy_urinorm.Addon": 600},
            "URINORM_RULES": json.loads(rules),
            "URINORM_VISITS": visits,
            "URINORM_VISITS_CPU": 0,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "RETRY_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "LOG_LEVEL": "ERROR",
            "CONCURRENT_REQUESTS": 4,
            "DOWNLOAD_DELAY": 0,
            "CLOSESPIDER_PAGECOUNT": int(most),
            "DEPTH_PRIORITY": 1,
            "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
            "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
        }
    )
    crawler = process.create_crawler(Spider)
    process.crawl(crawler)
    process.start()
    stats = crawler.stats
    print(json.dumps({name: stats.get_value(name) for name in ("downloader/request_count", "finish_reason")}))


if __name__ == "__main__":
    main(*sys.argv[1:])
