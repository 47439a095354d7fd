"""A queue for scrapy-redis that keeps what it hands out until it is done, so that a killed worker loses no page."""

from __future__ import annotations

import logging
import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

import redis
from scrapy import signals
from scrapy_redis.queue import PriorityQueue

if TYPE_CHECKING:
    from scrapy import Request, Spider

logger = logging.getLogger(__name__)

# What passes when Redis is started again, has room again, or another server is the primary.
LOST = (
    redis.ConnectionError,
    redis.TimeoutError,
    redis.BusyLoadingError,
    redis.OutOfMemoryError,
    redis.ReadOnlyError,
)

# KEYS: queue, leases. ARGV: worker, seconds of a lease, number of this question, numbers that are done. All of it is
# one step for Redis. A worker has in hand a hash from the number of the question to "score:request". A question that
# comes again, because its answer was lost, gets the same answer.
POP = """
local function in_hand(worker) return KEYS[1] .. ':hand:' .. worker end
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[2], now + ARGV[2], ARGV[1])
for i = 4, #ARGV do redis.call('HDEL', in_hand(ARGV[1]), ARGV[i]) end
for _, dead in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now)) do
  for _, held in ipairs(redis.call('HVALS', in_hand(dead))) do
    local colon = string.find(held, ':', 1, true)
    redis.call('ZADD', KEYS[1], string.sub(held, 1, colon - 1), string.sub(held, colon + 1))
  end
  redis.call('DEL', in_hand(dead))
  redis.call('ZREM', KEYS[2], dead)
end
local held = redis.call('HGET', in_hand(ARGV[1]), ARGV[3])
if held then return string.sub(held, string.find(held, ':', 1, true) + 1) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if not first[1] then return false end
redis.call('ZREM', KEYS[1], first[1])
redis.call('HSET', in_hand(ARGV[1]), ARGV[3], first[2] .. ':' .. first[1])
return first[1]
"""

# What is waiting, and what others have in hand: as long as one of them may die, there may be work.
COUNT = """
local count = redis.call('ZCARD', KEYS[1])
for _, worker in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if worker ~= ARGV[1] then count = count + redis.call('HLEN', KEYS[1] .. ':hand:' .. worker) end
end
return count
"""


class RecoveringQueue(PriorityQueue):
    """`SCHEDULER_QUEUE_CLASS = "fleetcrawl.queue.RecoveringQueue"`

    A request stays with its worker, in Redis, until its response went through the callback. When a worker gives no sign
    of life for FLEET_LEASE seconds (a setting, 30), its requests go back to the queue; the others do not end before.
    These pages may then be fetched twice, by the worker that died and by the one that took over.

    A Redis that is away is waited for: nothing is forgotten here before Redis has said that it knows.
    """

    def __init__(self, server: redis.Redis, spider: Spider, key: str, serializer: Any = None) -> None:
        super().__init__(server, spider, key, serializer)
        self._worker = uuid.uuid4().hex
        self._seconds = spider.settings.getint("FLEET_LEASE", 30)
        self._leases = f"{self.key}:workers"
        self._pop = server.register_script(POP)
        self._count = server.register_script(COUNT)
        self._number = 0
        self._in_hand: dict[Request, int] = {}
        self._done: list[int] = []
        self._away = False
        self._ended = threading.Event()
        # a thread: a worker whose callback takes long is alive
        threading.Thread(target=self._live, daemon=True).start()
        spider.crawler.signals.connect(self._end, signals.engine_stopped)

    def _live(self) -> None:
        while not self._ended.wait(self._seconds / 3):
            try:
                now, _ = self.server.time()
                self.server.zadd(self._leases, {self._worker: now + self._seconds})
            except redis.RedisError:
                # at the next turn, whatever it is: without a sign of life others take what this worker has in hand
                continue

    def _end(self) -> None:
        self._ended.set()
        self._settle()
        # what is still in hand, because its output could not be kept, goes to others when the lease has run out
        if not self._in_hand:
            try:
                self.server.delete(f"{self.key}:hand:{self._worker}")
                self.server.zrem(self._leases, self._worker)
            except LOST:
                logger.warning("Redis is away: others will fetch again what this worker did last")

    def _settle(self) -> None:
        """Note what is no longer in progress; the engine keeps a request until its callback's output was taken."""
        crawler = self.spider.crawler
        if crawler.stats.get_value("urinorm/seen_lost"):
            # links were dropped: the pages they stood on are not done
            return
        slot = crawler.engine._slot
        running = slot.inprogress if slot is not None else ()
        for request in [request for request in self._in_hand if request not in running]:
            self._done.append(self._in_hand.pop(request))

    def __len__(self) -> int:
        try:
            return int(self._count(keys=[self.key, self._leases], args=[self._worker]))
        except LOST as error:
            self._is_away(error)
            # nobody knows: the worker must not end
            return 1

    def push(self, request: Request) -> None:
        """Put a request into the queue; waits for Redis, up to a quarter of an hour."""
        for second in range(900):
            try:
                super().push(request)
            except LOST as error:
                self._is_away(error)
                time.sleep(min(1, 0.1 * (second + 1)))
            else:
                return
        super().push(request)

    def pop(self, timeout: int = 0) -> Request | None:
        """The next request, or None; says what is done at the same time."""
        self._settle()
        done = list(self._done)
        try:
            data = self._pop(keys=[self.key, self._leases], args=[self._worker, self._seconds, self._number, *done])
        except LOST as error:
            self._is_away(error)
            return None
        except redis.ResponseError as error:
            # what Redis before 7 says of a script for which it has no room
            if "-OOM " not in str(error):
                raise
            self._is_away(error)
            return None
        self._away = False
        del self._done[: len(done)]
        if data is None:
            return None
        request = self._decode_request(data)
        self._in_hand[request] = self._number
        self._number += 1
        return request

    def _is_away(self, error: Exception) -> None:
        if not self._away:
            self._away = True
            logger.warning("Redis does not answer (%s): this worker waits for it", error)

    def member(self, request: Request) -> tuple[str, float, bytes]:
        """What `push` would write: the key of the queue, the score, the member."""
        return self.key, -request.priority, self._encode_request(request)

    def clear(self) -> None:
        """Delete everything, also what is in hand."""
        self.server.delete(self.key, self._leases, *self.server.scan_iter(f"{self.key}:hand:*"))
