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
        asked = False

        def along() -> tuple[str, float, bytes]:
            nonlocal asked
            asked = True
            return self.queue.member(request)

        store.along = along
        try:
            if self.df.request_seen(request):
                self.df.log(request, self.spider)
                return False
        finally:
            store.along = None
        if not asked:
            # let through for another reason than that it is new, as a second chance is
            self.queue.push(request)
        self.stats.inc_value("scheduler/enqueued/redis")
        return True
