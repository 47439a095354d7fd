"""A queue for scrapy-redis that keeps what it hands out until it is done, so that a killed worker loses no page."""

from __future__ import annotations

import threading
import uuid
from typing import TYPE_CHECKING, Any

from scrapy import signals
from scrapy_redis.queue import PriorityQueue

if TYPE_CHECKING:
    import redis
    from scrapy import Request, Spider

# KEYS: queue, leases. ARGV: worker, seconds of a lease, requests that are done. All of it is one step for Redis.
POP = """
local function in_hand(worker) return KEYS[1] .. ':in-hand:' .. worker end
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
for i = 3, #ARGV do redis.call('ZREM', in_hand(ARGV[1]), ARGV[i]) end
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  redis.call('ZUNIONSTORE', KEYS[1], 2, KEYS[1], in_hand(dead), 'AGGREGATE', 'MIN')
  redis.call('DEL', in_hand(dead))
  redis.call('ZREM', KEYS[2], dead)
end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return false end
redis.call('ZREM', KEYS[1], first[1])
redis.call('ZADD', in_hand(ARGV[1]), first[2], first[1])
return first[1]
"""

# What is waiting, and what others have in hand: as long as one of them may die, there may be work.
COUNT = """
local count = redis.call('ZCARD', KEYS[1])
for _, worker in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if worker ~= ARGV[1] then count = count + redis.call('ZCARD', KEYS[1] .. ':in-hand:' .. worker) end
end
return count
"""


class RecoveringQueue(PriorityQueue):
    """`SCHEDULER_QUEUE_CLASS = "fleetcrawl.queue.RecoveringQueue"`

    A request stays with its worker, in Redis, until its response went through the callback. When a worker gives no sign
    of life for FLEET_LEASE seconds (a setting, 30), its requests go back to the queue; the others do not end before.
    These pages may then be fetched twice, by the worker that died and by the one that took over.
    """

    def __init__(self, server: redis.Redis, spider: Spider, key: str, serializer: Any = None) -> None:
        super().__init__(server, spider, key, serializer)
        self._worker = uuid.uuid4().hex
        self._seconds = spider.settings.getint("FLEET_LEASE", 30)
        self._leases = f"{self.key}:workers"
        self._pop = server.register_script(POP)
        self._count = server.register_script(COUNT)
        self._in_hand: list[tuple[Request, bytes]] = []
        self._ended = threading.Event()
        # a thread: a worker whose callback takes long is alive
        threading.Thread(target=self._live, daemon=True).start()
        spider.crawler.signals.connect(self._end, signals.engine_stopped)

    def _live(self) -> None:
        while not self._ended.wait(self._seconds / 3):
            now, _ = self.server.time()
            self.server.zadd(self._leases, {self._worker: now + self._seconds})

    def _end(self) -> None:
        self._ended.set()
        self._done()
        self.server.zrem(self._leases, self._worker)

    def _done(self) -> list[bytes]:
        """What was in hand and is no longer in progress; the engine keeps a request until its callback has ended."""
        slot = self.spider.crawler.engine._slot
        running = slot.inprogress if slot is not None else ()
        done = [data for request, data in self._in_hand if request not in running]
        self._in_hand = [(request, data) for request, data in self._in_hand if request in running]
        return done

    def __len__(self) -> int:
        return int(self._count(keys=[self.key, self._leases], args=[self._worker]))

    def pop(self, timeout: int = 0) -> Request | None:
        """The next request, or None; says what is done at the same time."""
        data = self._pop(keys=[self.key, self._leases], args=[self._worker, self._seconds, *self._done()])
        if data is None:
            return None
        request = self._decode_request(data)
        self._in_hand.append((request, data))
        return request

    def clear(self) -> None:
        """Delete everything, also what is in hand."""
        self.server.delete(self.key, self._leases, *self.server.scan_iter(f"{self.key}:in-hand:*"))
