"""Runs crawls that may be killed, each in a fork, which starts without importing anything: see `kills.py`.

For each line of JSON on stdin: the process number of the crawl, then, when it has ended, its exit status.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess

from scrapy_urinorm.crawl.scheduler import scheduler_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from scrapy.http import Response

#: What a crawl imports when it starts, but the reactor.
IMPORTED = [
    "scrapy.core.downloader.handlers.http11",
    "scrapy.core.engine",
    "scrapy.core.scheduler",
    "scrapy.downloadermiddlewares.redirect",
    "scrapy.extensions.memusage",
    "scrapy.extensions.spiderstate",
    "scrapy.pqueues",
    "scrapy_urinorm.crawl.rewrite",
    "scrapy_urinorm.crawl.scheduler",
    "scrapy_urinorm.crawl.second_chance",
    "scrapy_urinorm.crawl.summary",
]


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


class Walk(Spider):
    """Follows every link, and writes the name of each page to a file, unbuffered, when its callback has yielded all.

    At the page `dies_at`, if one is given, it is killed instead, when all that other pages led to is written down.
    """

    name = "walk"
    given: ClassVar[dict[str, Any]] = {}
    handled = -1

    async def start(self) -> AsyncIterator[Any]:
        yield Request(self.given["start"])

    def parse(self, response: Response) -> Iterator[Any]:
        for href in response.css("a::attr(href)").getall():
            yield response.follow(href)
        name = response.css("title::text").get() or ""
        if name == self.given.get("dies_at"):
            scheduler = scheduler_of(self.crawler)
            assert scheduler is not None
            scheduler.journal.settle()
            os.kill(os.getpid(), signal.SIGKILL)
        os.write(self.handled, name.encode() + b"\n")


def crawl(given: dict[str, Any]) -> None:
    spider = Walk if "start" in given else Pages
    spider.given = given
    spider.handled = os.open(given["handled"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    settings = {
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": False,
        "REMOTE_CONTROL_ENABLED": False,
        "LOGSTATS_INTERVAL": 0,
        "RETRY_ENABLED": False,
        **given["settings"],
    }
    process = CrawlerProcess(settings)
    process.crawl(spider)
    process.start()


def main() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    for line in sys.stdin:
        given = json.loads(line)
        pid = os.fork()
        if not pid:
            os.dup2(os.open(given["log"], os.O_WRONLY | os.O_CREAT), 2)
            try:
                crawl(given)
            except BaseException:  # noqa: BLE001  it must not return to the parent's code
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        print(pid, flush=True)
        print(os.waitpid(pid, 0)[1], flush=True)


if __name__ == "__main__":
    main()
