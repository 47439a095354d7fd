"""A worker's exchange with its fleet: what it has seen goes to Redis, what others have learned comes from there.

It runs in a thread of the page reader. A site is learned by one worker, who reads the visits of all: the first that has
seen a page of it, or whoever notices that the learner is dead, and then reads anew what there is. All that crawls know
of rules has come through Redis, what their own worker has learned, too: so all apply the same version.
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.live.fleet_redis import FleetConnection, pairs, streams, text
from scrapy_urinorm.live.fleet_scripts import EVENTS, LEAVE, NEWS, PUBLISH, PULSE, VISIT, VISITS_BYTES
from scrapy_urinorm.suffixes import site_at

if TYPE_CHECKING:
    from scrapy_urinorm.live.fleet_redis import Call

LEASE = 30
"""Seconds without a sign of life after which a worker is taken for dead; one that is killed says so before."""
_PULSE = 2.0
"""Seconds between two signs of life: a lease stands a dozen that fail."""
_TURN = 0.1
"""Seconds between two looks at what others have said: a round trip of some ten microseconds of Redis."""
_WAKE = 0.3
"""Seconds after which an idle crawl is to look again."""
_READ = 200
"""Entries of a stream that are read at once: a megabyte."""
_SENT = 200
"""Entries that are written at once."""
_LEAVE = 5.0
"""Seconds that the end of a crawl waits for what was not handed over: a round trip, where Redis is there at all."""

Message = dict[str, Any]


class Exchange:
    """That of one crawl. `tell` gives a message to it, `teach` one to the student; `room` says whether it keeps up.

    `said` is what Redis is to have: `url`, `prefix`, `on_lost` as those of the seen store, `worker` a name.
    """

    def __init__(
        self,
        said: Message,
        tell: Callable[[Message], object],
        teach: Callable[[Message, bytes], object],
        room: Callable[[], bool],
    ) -> None:
        self.worker: str = said["worker"]
        self._redis = FleetConnection(said["url"], said["prefix"], said["on_lost"])
        self._base = self._redis.base
        self._tell, self._teach, self._room = tell, teach, room
        self._queue: SimpleQueue[Message] = SimpleQueue()
        self._ended = threading.Event()
        self._read: dict[str, bytes] = {}
        """The sites that are learned here, each with the entry of its stream that was read last."""
        self._behind: dict[str, Message] = {}
        """Those of which not all was read yet that others have seen, with what the student is told then."""
        self._judging = 0
        self._events = b"$"
        self._version = b""
        self._rules: dict[str, int] = {}
        self._platforms: dict[str, bytes] = {}
        self._pulse = -_PULSE
        self._wake = 0.0
        self._thread = threading.Thread(target=self._run, name="urinorm-fleet", daemon=True)
        self._thread.start()

    # ------------------------------------------------------------------ what this worker says

    def visit(self, line: bytes, pattern: str | None) -> None:
        """Hand over a visit."""
        self._queue.put({"do": "visit", "line": line, "pattern": pattern})

    def say(self, message: Message) -> None:
        """Take a message of the crawl (`met`, `idle`) or of the student."""
        if message["do"] in ("failed", "live_died"):
            self._tell(message)
        else:
            self._queue.put(message)

    def close(self) -> None:
        """Hand over what there is, and leave the fleet."""
        self._ended.set()
        self._thread.join(_LEAVE)
        if self._thread.is_alive():
            self._tell({"do": "left", "text": f"Redis has not answered for {_LEAVE:.0f} s"})

    # ------------------------------------------------------------------ the thread

    def _run(self) -> None:
        try:
            self._redis.open_until(self._ended)
            while not self._ended.is_set() or not self._queue.empty():
                self._turn()
            self._redis.script(LEAVE, self.worker)
        except Exception as error:  # noqa: BLE001  told: a crawl that waits for a thread that is gone would never end
            text = f"{type(error).__name__}: {error}"
            if self._ended.is_set():
                self._tell({"do": "left", "text": text})
            else:
                self._tell({"do": "failed", "site": "", "text": text})
                self._tell({"do": "live_died"})
        finally:
            self._redis.close()

    def _turn(self) -> None:
        now = time.monotonic()
        if now - self._pulse >= _PULSE:
            # before anything is said: who has not said that he lives is taken for dead
            self._pulse = now
            self._beat()
        sent = self._sent()
        heard = self._listened()
        if self._wake and now >= self._wake:
            self._wake = 0.0
            self._tell({"do": "wake"})
        if not sent and not heard:
            self._ended.wait(_TURN)

    # ------------------------------------------------------------------ out

    def _sent(self) -> int:
        """Hand over what waits; how many messages it was."""
        messages: list[Message] = []
        while len(messages) < _SENT:
            try:
                messages.append(self._queue.get_nowait())
            except Empty:
                break
        calls = [call for message in messages for call in self._calls(message)]
        for call, answer in zip(calls, self._redis.piped(calls), strict=True):
            if call[0] == VISIT and answer:
                self._learn(call[2])
            elif call[0] == PUBLISH and not answer:
                # another one learns it by now
                self._forget(call[2])
        return len(messages)

    def _calls(self, message: Message) -> Iterator[Call]:
        what = message["do"]
        if what == "visit":
            url = json.loads(message["line"]).get("url", "")
            header = {"by": self.worker, "pattern": message["pattern"]}
            yield from self._entry(url, header, zlib.compress(message["line"], 1))
        elif what == "met":
            sites: dict[str, list[str]] = {}
            for url in message["urls"]:
                sites.setdefault(site_at(url), []).append(url)
            for urls in sites.values():
                yield from self._entry(urls[0], {"met": urls}, b"")
        elif what in ("rules", "doubt", "platform"):
            yield PUBLISH, self.worker, message["site"], what, json.dumps(message)
        elif what == "struck":
            for site, names in message["struck"].items():
                yield PUBLISH, self.worker, site, what, json.dumps(names)
        elif what == "news":
            yield NEWS, EVENTS, json.dumps(message)
        elif what == "verdict":
            name = f"{self._base}:verdicts:{message['asked']}"
            yield "SADD", name, self.worker
            yield "EXPIRE", name, 3600
        elif what == "idle":
            # the visits until then were handed over before
            yield "HSET", f"{self._base}:idle", self.worker, message["epoch"]
            self._wake = time.monotonic() + _WAKE

    def _entry(self, url: str, header: Message, body: bytes) -> Iterator[Call]:
        if site := site_at(url):
            yield VISIT, self.worker, site, json.dumps(header), body, VISITS_BYTES

    # ------------------------------------------------------------------ who learns

    def _beat(self) -> None:
        """Say that this worker lives, and learn what the server says that it learns: an answer may have been lost."""
        mine = [text(site) for site in self._redis.script(PULSE, self.worker, LEASE)]
        for site in self._read.keys() - set(mine):
            self._forget(site)
        for site in mine:
            self._learn(site)

    def _forget(self, site: str) -> None:
        self._behind.pop(site, None)
        if self._read.pop(site, None) is not None:
            self._teach({"do": "forget", "site": site}, b"")

    def _learn(self, site: str) -> None:
        """Learn a site from now on: first what others have seen of it, then what they make of it."""
        if site in self._read:
            return
        self._read[site] = b"0"
        self._teach({"do": "forget", "site": site}, b"")
        struck, had = self._redis.piped(
            [("HGET", f"{self._base}:struck", site), ("HGET", f"{self._base}:generations", site)]
        )
        known = {site: json.loads(struck)} if struck else {}
        self._behind[site] = {"do": "learn", "site": site, "struck": known, "had": had is not None}

    # ------------------------------------------------------------------ in

    def _listened(self) -> int:
        """Read what others have said; how much it was."""
        if not self._version:
            # what is there already; events only from now on
            self._version = b"0"
            (last,) = self._redis.piped([("XREVRANGE", f"{self._base}:events", "+", "-", "COUNT", 1)])
            self._events = last[0][0] if last else b"0"
        (version,) = self._redis.piped([("HGET", self._base, "version")])
        if version is not None and version != self._version:
            self._version = version
            self._changed()
        asked = {"": self._events}
        if self._room():
            asked |= self._read
        call = ("XREAD", "COUNT", _READ, "STREAMS", *map(self._stream, asked), *asked.values())
        found = dict(streams(self._redis.piped([call])[0] or {}))
        for at, fields in found.pop(f"{self._base}:events", ()):
            self._events = at
            self._event(json.loads(fields[b"e"]))
        for site in asked.keys() - {""}:
            entries = found.get(self._stream(site), [])
            for at, fields in entries:
                self._read[site] = at
                self._heard(fields, old=site in self._behind)
            if not entries and site in self._behind:
                self._teach(self._behind.pop(site), b"")
        if self._judging and len(asked) > len(self._read) and not found:
            # every visit that was handed over counts
            self._teach({"do": "judge", "sites": [*self._read], "asked": self._judging}, b"")
            self._judging = 0
        return len(found)

    def _stream(self, site: str) -> str:
        return f"{self._base}:visits:{site}" if site else f"{self._base}:events"

    def _heard(self, fields: dict[bytes, bytes], *, old: bool) -> None:
        header = json.loads(fields[b"h"])
        if "met" in header:
            self._teach({"do": "met", "urls": header["met"]}, b"")
        else:
            line = zlib.decompress(fields[b"b"])
            self._teach({"do": "visit", "old": old, "by": header["by"], "pattern": header["pattern"]}, line)

    def _event(self, message: Message) -> None:
        if message["do"] == "judge":
            self._judging = message["asked"]
        else:
            self._tell({**message, "own": message.get("by") == self.worker})

    def _changed(self) -> None:
        """Tell the crawl what holds now, where it has not heard of it."""
        names = ("generations", "platforms")
        generations, platforms = map(pairs, self._redis.piped([("HGETALL", f"{self._base}:{name}") for name in names]))
        for site, said in platforms.items():
            if self._platforms.get(text(site)) != said:
                self._platforms[text(site)] = said
                self._tell(json.loads(said))
        for site, number in generations.items():
            name, generation = text(site), int(number)
            if self._rules.get(name, 0) == generation:
                continue
            self._rules[name] = generation
            if generation:
                (found,) = self._redis.piped([("HGET", f"{self._base}:rules", site)])
                given, _, said = found.partition(b" ")
                self._rules[name] = int(given)
                self._tell({**json.loads(said), "generation": int(given)})
            else:
                (found,) = self._redis.piped([("HGET", f"{self._base}:doubts", site)])
                self._tell(json.loads(found))
