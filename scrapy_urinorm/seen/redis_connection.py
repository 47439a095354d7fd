"""The connection of a Redis store: it asks twice at most, or waits, and never keeps quiet about it."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from scrapy_urinorm.extras import require
from scrapy_urinorm.seen.protocol import SeenStoreError, SeenStoreLostError
from scrapy_urinorm.seen.redis_address import RedisAddress

if TYPE_CHECKING:
    import redis as redis_py

    from scrapy_urinorm.seen import OnLost

logger = logging.getLogger("scrapy_urinorm.seen")

_T = TypeVar("_T")
# seconds: no answer within the first is a lost connection; the pauses double, so that a server that starts is not
# stormed; a crawl that stood still for a quarter of an hour ends rather than waiting for nobody
_TIMEOUT = 10.0
_FIRST_PAUSE = 0.1
_LONGEST_PAUSE = 5.0
_WAIT_LIMIT = 900.0
_FORGETS = 3
"""How often one question may find that the server, without a break, has forgotten its scripts: a restart is once."""
# What passes by itself or when somebody acts; any other error is a mistake of ours or of a setting.
_PASSING = ("OOM", "READONLY", "LOADING", "MASTERDOWN", "TRYAGAIN", "BUSY", "MISCONF", "MOVED", "ASK", "CLUSTERDOWN")


class RedisConnection:
    """The server of an address, found anew where it may move. `round_trips` counts what was waited for."""

    def __init__(self, url: str, prefix: str, on_lost: OnLost):
        try:
            self.address = RedisAddress(url, prefix)
        except ValueError as error:
            raise SeenStoreError(f"cannot use Redis at {urlsplit(url).scheme}://...: {error}") from error
        self.place = self.address.place
        self.round_trips = 0
        self._is_open = False
        self._waits = on_lost == "wait"
        self._client: redis_py.Redis | None = None
        self._scripts: dict[str, str] = {}
        self._evicted = 0

    def open(self) -> None:
        """Connect. Raises SeenStoreError."""
        require("The seen store 'redis'", "redis")
        self._is_open = True
        with self.explained():
            self._connect()

    def _connect(self) -> redis_py.Redis:
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        self._client = self.address.client(
            # an unseen second attempt would find its own claim and take the page for somebody else's
            retry=Retry(NoBackoff(), 0),
            socket_timeout=_TIMEOUT,
            socket_connect_timeout=_TIMEOUT,
            client_name="scrapy-urinorm",
        )
        self._evicted = self._evicted_keys()
        return self._client

    def _leave(self) -> None:
        """Forget a server that may no longer have the store, and the scripts that it knew."""
        if self._client is not None:
            self._client.close()
        self._client = None
        self._scripts.clear()

    @contextlib.contextmanager
    def explained(self) -> Iterator[None]:
        """Turns what goes wrong at the start into a SeenStoreError."""
        import redis

        try:
            yield
        except (redis.RedisError, OSError, ValueError) as error:
            raise SeenStoreError(f"cannot use Redis at {self.place}: {error}") from error
        except (TypeError, LookupError) as error:
            # how redis-py says that it does not know an option; nothing more is to be asked of such a client
            self._client = None
            why = f"an option of the address that redis-py does not take? {error}"
            raise SeenStoreError(f"cannot use Redis at {self.place}: {why}") from error

    @property
    def client(self) -> redis_py.Redis:
        """The client, for questions that `ask` is given."""
        assert self._is_open, "the store is not open"
        return self._client or self._connect()

    def run(self, script: str, keys: list[str], args: list[Any], client: redis_py.Redis | None = None) -> Any:
        """The answer of a script; with a pipeline as `client` it comes later."""
        if script not in self._scripts:
            self._scripts[script] = str(self.client.script_load(script))
        return (client or self.client).evalsha(self._scripts[script], len(keys), *keys, *args)

    def ask(self, question: Callable[[bool], _T]) -> _T:
        """The answer to a question, which is told whether it may have been asked before. Raises SeenStoreLostError."""
        import redis

        lost_at = 0.0
        pause = _FIRST_PAUSE
        forgotten = 0
        while True:
            self.round_trips += 1
            try:
                answer = question(bool(lost_at))
            except redis.exceptions.NoScriptError as error:
                # a restarted server has forgotten them; behind what keeps none, or sends each command to another
                # server, they are never there, and this would go round and round
                self._scripts.clear()
                forgotten += 1
                if forgotten > _FORGETS:
                    raise self.lost(error) from error
                continue
            except (redis.RedisError, OSError) as error:
                if not self._worth_asking_again(error, lost_at):
                    raise self.lost(error) from error
                if self.address.moves:
                    self._leave()
                if self._waits:
                    if not lost_at:
                        logger.warning("Redis at %s does not answer (%s): the crawl waits for it", self.place, error)
                    self._pause(pause)
                    pause = min(2 * pause, _LONGEST_PAUSE)
                lost_at = lost_at or time.monotonic()
                forgotten = 0
                continue
            if lost_at and self._waits:
                logger.info("Redis at %s answers again after %.0f s", self.place, time.monotonic() - lost_at)
            return answer

    def _worth_asking_again(self, error: Exception, lost_at: float) -> bool:
        """Always once, because servers close idle connections; then as long as the setting says."""
        import redis

        if isinstance(error, redis.AuthenticationError):
            return False
        if isinstance(error, redis.ResponseError) and not _passes(error):
            return False
        return not lost_at or (self._waits and time.monotonic() - lost_at < _WAIT_LIMIT)

    def _pause(self, seconds: float) -> None:
        try:
            with _signals_raise():
                time.sleep(seconds)
        except KeyboardInterrupt:
            raise self.lost("interrupted while waiting for it") from None

    def lost(self, error: Exception | str) -> SeenStoreLostError:
        """The error to raise when the store cannot be relied on any more."""
        return SeenStoreLostError(
            f"the seen store in Redis at {self.place} is lost: {error}. What was answered before stays valid; "
            "bring Redis back with its data, then resume the crawl"
        )

    def warn_of_eviction(self, *, timed: bool) -> None:
        """Warn when the server may throw keys away: any, or, in a timed store, those with a time."""
        memory: Any = self.client.info("memory")
        policy = str(memory.get("maxmemory_policy", "noeviction"))
        if memory.get("maxmemory") and (policy.startswith("allkeys") or (timed and policy != "noeviction")):
            logger.warning(
                "Redis at %s evicts keys when its memory is full (maxmemory-policy %s): fingerprints would be lost and "
                "pages fetched again. Set it to noeviction",
                self.place,
                policy,
            )

    def _evicted_keys(self) -> int:
        stats: Any = self.client.info("stats")
        return int(stats.get("evicted_keys", 0))

    def close(self) -> None:
        """Disconnect; say so when the server evicted keys meanwhile. May be called twice."""
        if self._client is None:
            self._is_open = False
            return
        import redis

        with contextlib.suppress(redis.RedisError, OSError):
            evicted = self._evicted_keys() - self._evicted
            if evicted > 0:
                logger.error(
                    "Redis at %s evicted %d keys during this crawl: fingerprints may be lost and pages fetched again",
                    self.place,
                    evicted,
                )
        self._is_open = False
        self._leave()


def _passes(error: Exception) -> bool:
    """Whether an error will pass: it says in what state the server is, or that another has the store, nothing else."""
    from redis import exceptions as known

    kinds = (
        known.OutOfMemoryError, known.ReadOnlyError, known.MasterDownError, known.TryAgainError, known.ClusterDownError,
        known.AskError,
    )  # fmt: skip
    # redis-py cuts the word off of those that it has a class for, and says of others which command of a pipeline it was
    text = str(error).rpartition(" of pipeline caused error: ")[2]
    if text.startswith("Error running script"):
        # Redis before 7 says first where in the script: "...: @user_script: 43: -READONLY ..."
        text = text.rpartition(": -")[2]
    return isinstance(error, kinds) or text.startswith(_PASSING)


@contextlib.contextmanager
def _signals_raise() -> Iterator[None]:
    """Within it SIGINT and SIGTERM raise KeyboardInterrupt: a crawl's own speak to a reactor that stands still."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
