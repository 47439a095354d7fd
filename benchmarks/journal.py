"""What the journal adds to a request's way through the scheduler: enqueue, dequeue, end; with a JOBDIR, CPU time."""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from typing import TYPE_CHECKING, Any

from scrapy import Request, Spider
from scrapy.utils.misc import build_from_crawler
from scrapy.utils.test import get_crawler

from benchmarks.measured import Figure
from benchmarks.processes import module
from scrapy_urinorm import Scheduler

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Requests of one round; so many wait at a time, as in a crawl that finds twenty new links a page.
REQUESTS = 20_000
WAITING = 20


class Pages(Spider):
    """A spider whose requests are as most are."""

    name = "pages"

    def parse(self, response: Any) -> None:
        """Any callback."""


def costs(rounds: int, requests: int = REQUESTS) -> Iterator[Figure]:
    """Microseconds a request, with the journal less without it, in turns."""
    added, with_it = [], []
    for _ in range(rounds):
        took = {name: module(__name__, name, str(requests)).json()["us"] for name in ("off", "on")}
        added.append(took["on"] - took["off"])
        with_it.append(took["on"])
    note = f"of {statistics.median(with_it):.0f} us for duplicate filter and queue in all; {requests} requests"
    yield Figure("the journal of requests, added to each", statistics.median(added), "us", 50, note=note)


def main() -> None:
    count = int(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "JOBDIR": folder,
            "DUPEFILTER_CLASS": "scrapy_urinorm.DupeFilter",
            "REQUEST_FINGERPRINTER_CLASS": "scrapy_urinorm.RequestFingerprinter",
            "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
            "URINORM_JOURNAL": sys.argv[1] == "on",
        }
        crawler = get_crawler(Pages, settings)
        spider = crawler.spider = crawler._create_spider()
        scheduler = build_from_crawler(Scheduler, crawler)
        scheduler.open(spider)
        meta = {"depth": 3, "download_timeout": 180.0, "link_text": "an article of the archive"}
        headers = {"Referer": "https://shop.example.com/archive?page=7", "Accept-Language": "en"}
        requests = [
            Request(f"https://shop.example.com/p/{n}?colour={n % 7}", callback=spider.parse, meta=meta, headers=headers)
            for n in range(count)
        ]
        started = time.process_time()
        for at in range(0, count, WAITING):
            for request in requests[at : at + WAITING]:
                assert scheduler.enqueue_request(request)
            for _ in range(WAITING):
                assert scheduler.next_request() is not None
        took = time.process_time() - started
        scheduler.close("finished")
    print(json.dumps({"us": 1e6 * took / count}))


if __name__ == "__main__":
    main()
