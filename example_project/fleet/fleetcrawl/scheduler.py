"""scrapy-redis' scheduler, with fingerprint and request written in one step."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_redis.scheduler import Scheduler as RedisScheduler

if TYPE_CHECKING:
    from scrapy import Request


class Scheduler(RedisScheduler):
    """`SCHEDULER = "fleetcrawl.scheduler.Scheduler"`

    scrapy-redis asks the filter, which records the fingerprint, and then pushes the request: a worker that is killed
    between the two loses the page for all. Here the record pushes the request in the same step.
    """

    def enqueue_request(self, request: Request) -> bool:
        """Record a request as seen and push it, unless it was seen."""
        if request.dont_filter:
            return bool(super().enqueue_request(request))
        store = self.df.store
        store.along = lambda: self.queue.member(request)
        try:
            if self.df.request_seen(request):
                self.df.log(request, self.spider)
                return False
        finally:
            store.along = None
        self.stats.inc_value("scheduler/enqueued/redis")
        return True
