"""A crawl that may be killed: `python -m tests.crawl.killed_crawl JSON`, see `kills.py`."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response


class Pages(Spider):
    """Writes the number of each page to a file, unbuffered, when its callback has yielded all."""

    name = "pages"
    given: ClassVar[dict[str, Any]] = {}
    handled = -1

    async def start(self) -> AsyncIterator[Any]:
        if self.given["linked"]:
            yield Request(f"{self.given['url']}0")
        else:
            for page in range(self.given["pages"]):
                yield Request(f"{self.given['url']}{page}")

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
        os.write(self.handled, response.url.rpartition("/")[2].encode() + b"\n")


def main() -> None:
    given = json.loads(sys.argv[1])
    Pages.given = given
    Pages.handled = os.open(given["handled"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    settings = {
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        "RETRY_ENABLED": False,
        **given["settings"],
    }
    process = CrawlerProcess(settings)
    process.crawl(Pages)
    process.start()


if __name__ == "__main__":
    main()
