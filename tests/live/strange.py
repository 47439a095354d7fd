"""A scheduler that is none of Scrapy's, and a program that is no Python."""

from __future__ import annotations

import sys
from collections import deque
from typing import TYPE_CHECKING, Self

from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler


class Strange(BaseScheduler):
    """First in, first out, each address once."""

    def __init__(self) -> None:
        self.queue: deque[Request] = deque()
        self.seen: set[str] = set()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls()

    def has_pending_requests(self) -> bool:
        return bool(self.queue)

    def enqueue_request(self, request: Request) -> bool:
        if request.url in self.seen and not request.dont_filter:
            return False
        self.seen.add(request.url)
        self.queue.append(request)
        return True

    def next_request(self) -> Request | None:
        return self.queue.popleft() if self.queue else None


class Frozen:
    """An add-on of a program that is frozen: it would start itself again, whatever it is given."""

    def update_settings(self, settings: object) -> None:
        # what tools that freeze programs set, and no other Python has
        vars(sys)["frozen"] = True
