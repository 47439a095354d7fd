"""Live rules of a fleet over a real Redis: who learns, what waits, and crawls by several workers that are killed."""

from __future__ import annotations

import importlib
import json
import os
import pickle
import queue
import random
import signal
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import pytest
from scrapy import Request

from scrapy_urinorm.crawl.fleet import over_fleet
from scrapy_urinorm.crawl.fleets import parked as fleet_parked
from scrapy_urinorm.crawl.fleets.parked import FleetParked
from scrapy_urinorm.crawl.live_rules import parked as crawl_parked
from scrapy_urinorm.crawl.live_rules import state as live_state
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live import exchange, fleet_share
from scrapy_urinorm.live.desk import Desk
from scrapy_urinorm.live.exchange import Exchange
from scrapy_urinorm.live.fleet_redis import FleetConnection
from scrapy_urinorm.live.fleet_scripts import EVENTS, NEWS, PUBLISH, PULSE, VISIT, VISITS_BYTES
from scrapy_urinorm.live.fleet_share import CLOSED, FleetShare
from scrapy_urinorm.live.folder import FolderStore
from scrapy_urinorm.live.patience import PATIENCE
from scrapy_urinorm.live.process import FleetStudent
from scrapy_urinorm.seen.protocol import SeenStoreLostError
from tests.crawl.components import crawler_with
from tests.effort import limit
from tests.live.resumed import rows
from tests.live.served import Served
from tests.live.sites import Site, record
from tests.live.test_crawl import all_pages
from tests.seen.cut_line import CutLine
from tests.seen.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs a Redis server, and SIGKILL")

redis = pytest.importorskip("redis")

FLEET = Path(__file__).parents[2] / "example_project" / "fleet"
A, B = b"a" * 8, b"b" * 8
RULES = {"do": "rules", "version": 1, "source": {}, "likely": {}, "rules": [], "pages": 1, "rows": []}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def join(server: RedisServer) -> Iterator[Callable[[str], FleetShare]]:
    server.client().flushall()
    joined = []

    def joining(worker: str) -> FleetShare:
        shared = FleetShare(server.url, "test", "stop", worker)
        shared.open()
        joined.append(shared)
        return shared

    yield joining
    for shared in joined:
        shared.close()


class Worker:
    """An exchange, with what it tells the crawl and teaches the student."""

    def __init__(self, server: RedisServer, name: str, on_lost: str = "stop") -> None:
        self.told: queue.Queue[dict[str, Any]] = queue.Queue()
        self.taught: queue.Queue[dict[str, Any]] = queue.Queue()
        said = {"url": server.url, "prefix": "test", "on_lost": on_lost, "worker": name}
        self.exchange = Exchange(said, self.told.put, lambda header, _: self.taught.put(header), lambda: True)

    def visit(self, url: str) -> None:
        self.exchange.visit(json.dumps({"url": url}).encode(), "a pattern")

    @staticmethod
    def until(messages: queue.Queue[dict[str, Any]], what: str) -> dict[str, Any]:
        """The next message of a kind; those before it are dropped."""
        while (message := messages.get(timeout=280))["do"] != what:
            pass
        return message


@pytest.fixture
def work(server: RedisServer) -> Iterator[Callable[[str], Worker]]:
    server.client().flushall()
    workers: list[Worker] = []

    def working(name: str) -> Worker:
        workers.append(Worker(server, name))
        return workers[-1]

    yield working
    for worker in workers:
        worker.exchange.close()


def ruled(server: RedisServer, site: str, generation: int, prefix: str = "test") -> None:
    server.client().hset(f"{prefix}:live:generations", site, generation)


def test_nothing_waits_under_rules_that_were_taken_back(server: RedisServer, join: Callable[[str], FleetShare]) -> None:
    one, other = join("one"), join("other")
    ruled(server, "a.example", 3)
    assert one.park("a.example", 3, A, b"request")
    ruled(server, "a.example", 0)
    assert not one.park("a.example", 3, A, b"request")
    ruled(server, "a.example", 5)
    assert not other.park("a.example", 3, A, b"request")
    assert other.park("a.example", 5, B, b"another")
    assert other.park("a.example", CLOSED, A, b"closed")
    assert other.older([5]) == [3]
    (old,) = other.waiting(3)
    assert (old.generation, old.class_key, old.data) == (3, A, b"request")
    # to newer rules, once, and only to those that hold
    assert not one.move("a.example", 4, B, old.member)
    assert one.move("a.example", 5, B, old.member)
    assert not other.move("a.example", 5, B, old.member)
    assert other.older([5]) == []
    assert sorted(found.data for found in other.waiting(5, B)) == [b"another", b"request"]
    assert len(list(other.waiting(5, B, 1))) == 1
    assert other.count() == len(list(other.waiting())) == len(list(other.classes())) == 3
    one.remove([found.member for found in one.waiting(5)])
    assert [found.generation for found in other.classes()] == [CLOSED]
    assert one.salt == other.salt


def test_what_was_put_off_for_long_stays_in_the_queue_of_the_fleet(
    server: RedisServer, join: Callable[[str], FleetShare]
) -> None:
    """It comes when that has nothing else; a worker that let it go as a stock scheduler does lost its live rules."""
    scheduler = pytest.importorskip("scrapy_redis.scheduler").Scheduler
    duplicates = "scrapy_redis.dupefilter.RFPDupeFilter"
    settings = {"REDIS_URL": server.url, "URINORM_SEEN": server.url, "DUPEFILTER_CLASS": duplicates}
    mixed: Any = over_fleet(scheduler)
    fleet = mixed.from_crawler(crawler_with(settings))
    fleet.shared = join("one")
    desk = Desk([], "recommended")
    parked = FleetParked(fleet, desk, lambda name, number: None, fleet.shared)
    desk.yields.doubt("http://a.example/sold/#")
    for _ in range(PATIENCE):
        desk.yields.learned("http://a.example/list?page=#", news=True)
    parked.step()
    assert desk.due() == []


@pytest.mark.parametrize("prefix", ["p", "p*", "p?", "p[x]", "p[^x]", r"p\\x", r"\*"])
def test_what_is_forgotten_is_that_of_the_own_prefix(server: RedisServer, prefix: str) -> None:
    client = server.client()
    client.flushall()
    others = {"px:live:parked", "p:livelier", "p:live2:live", "p:live2", "pxx:live", "*x:live", prefix}
    for name in others:
        client.set(name, "x")
    shared = FleetShare(server.url, prefix, "stop", "one")
    shared.open()
    shared.busy()
    shared.park("a.example", CLOSED, A, b"data")
    assert len(list(shared.waiting())) == 1
    shared.clear()
    assert {name.decode() for name in client.scan_iter()} == others
    shared.close()


def test_what_a_worker_cannot_read_is_told_once_and_stays(
    server: RedisServer, join: Callable[[str], FleetShare], caplog: pytest.LogCaptureFixture
) -> None:
    """As where workers of two versions of a spider run side by side."""
    scheduler = pytest.importorskip("scrapy_redis.scheduler").Scheduler
    duplicates = "scrapy_redis.dupefilter.RFPDupeFilter"
    crawler = crawler_with({"REDIS_URL": server.url, "URINORM_SEEN": server.url, "DUPEFILTER_CLASS": duplicates})
    mixed: Any = over_fleet(scheduler)
    fleet = mixed.from_crawler(crawler)
    fleet.shared = join("one")
    fleet.queue = SimpleNamespace(_decode_request=pickle.loads)
    for generation, data in ((3, b"torn"), (CLOSED, b"torn, too")):
        ruled(server, "a.example", generation)
        fleet.shared.park("a.example", generation, A, data)
    ruled(server, "a.example", 5)
    (old,) = fleet.shared.waiting(3)
    assert fleet.read(old) is None
    # the same one under newer rules, and one that has gone meanwhile
    fleet.shared.move("a.example", 5, A, old.member)
    assert fleet.release() == 0
    assert fleet.read(old._replace(data=b"")) is None
    assert caplog.text.count("cannot be read by this spider, and stays there") == 2
    assert crawler.stats is not None
    assert crawler.stats.get_value("urinorm/unreadable") == 2
    assert fleet.shared.count() == 2


def test_what_patterns_have_brought_is_noted_some_at_a_time_and_only_what_has_changed(
    server: RedisServer, join: Callable[[str], FleetShare], monkeypatch: pytest.MonkeyPatch
) -> None:
    """JSON of 20,000 patterns was written every 30 seconds, 42 ms in one call, whatever had changed."""
    monkeypatch.setattr(fleet_parked, "_NOTE_SECONDS", -1)
    monkeypatch.setattr(crawl_parked, "_LOOK_SECONDS", 0)
    noted: list[int] = []
    before = FleetShare.note

    def counted(one: FleetShare, rows: Any) -> None:
        noted.append(len(rows))
        before(one, rows)

    monkeypatch.setattr(FleetShare, "note", counted)

    def working(name: str) -> tuple[Desk, FleetParked]:
        scheduler: Any = SimpleNamespace(
            journal=SimpleNamespace(file=None, engine=None), releases=None, poke=lambda: None
        )
        desk = Desk([], "recommended")
        parked = FleetParked(scheduler, desk, lambda *_: None, join(name))
        parked.restore(None)
        return desk, parked

    desk, parked = working("one")
    names = [f"http://s.example/{n}\ud800/*" for n in range(1_000)]
    for name in names:
        desk.yields.learned(name, news=True)
    desk.yields.doubt(names[3])
    parked.kept()
    while parked._state.is_sought:
        seen = len(noted)
        parked.step()
        assert len(noted) - seen <= 1
    assert sum(noted) == 1_001
    assert max(noted) <= live_state._PIECES
    noted.clear()
    # a worker that comes later knows it; each writes what has changed with it
    later, other = working("two")
    assert rows(later.yields) == rows(desk.yields)
    other.save()
    noted.clear()
    desk.yields.learned(names[7], news=False)
    del desk.yields.doubts.waiting[names[3]]
    later.yields.learned(names[8], news=False)
    parked.save()
    other.save()
    assert sum(noted) == 3
    last, _ = working("three")
    assert last.yields[names[7]] == desk.yields[names[7]]
    assert last.yields[names[8]] == later.yields[names[8]]
    assert not last.yields.doubts.waiting
    # what many workers note is bounded as what one does
    monkeypatch.setattr(fleet_share, "MOST_NOTES", 1_000)
    later.yields.learned("http://s.example/new/*", news=True)
    later.yields.learned(names[9], news=False)
    other.save()
    assert sum(noted) == 5
    last, _ = working("four")
    assert (len(last.yields.of), last.yields[names[9]]) == (1_000, later.yields[names[9]])


def test_what_was_served_is_told_to_all(join: Callable[[str], FleetShare]) -> None:
    one, other = join("one"), join("other")
    one.serve("a.example", 7, "http://a.example/ü?x=\ud800")
    one.told({})
    other.serve("a.example", 8, "http://a.example/2")
    pages = [(7, "http://a.example/ü?x=\ud800"), (8, "http://a.example/2")]
    assert other.told({"a.example": 0, "b.example": 0}) == {"a.example": pages, "b.example": []}
    assert one.told({"a.example": 1}) == {"a.example": pages[1:]}


def test_what_is_asked_twice_is_done_once(server: RedisServer) -> None:
    """The connection breaks when the server has acted, before it can say so."""
    client = server.client()
    client.flushall()
    ruled(server, "a.example", 3)
    client.hset("test:live:learners", "a.example", "one")
    with CutLine(server.port) as line:
        shared = FleetShare(line.url, "test", "stop", "one")
        shared.open()
        assert shared.park("a.example", 3, A, b"before")
        line.cut()
        assert shared.park("a.example", 3, A, b"request")
        assert [one.data for one in shared.waiting()] == [b"before", b"request"]
        line.cut()
        shared.busy()
        assert client.hget("test:live", "moves") == b"1"
        line.cut()
        assert shared.judge(1, 60) == 1
        assert client.xlen("test:live:events") == 1
        line.cut()
        # nobody else has the task: whoever were told so would leave it to nobody
        assert shared.alone("a task", 60)
        assert not shared.alone("a task", 60)
        shared.serve("a.example", 7, "http://a.example/1")
        shared.serve("a.example", 7, "http://a.example/2")
        line.cut()
        pages = [(7, "http://a.example/1"), (7, "http://a.example/2")]
        assert shared.told({"a.example": 0}) == {"a.example": pages}
        shared.close()
        connection = FleetConnection(line.url, "test", "stop")
        connection.open()
        calls = [
            (VISIT, "one", "a.example", b"{}", b"", VISITS_BYTES),
            (PUBLISH, "one", "a.example", "rules", "{}"),
            (VISIT, "one", "b.example", b"{}", b"", VISITS_BYTES),
            (NEWS, EVENTS, "{}"),
        ]
        connection.piped([("PING",)])
        connection.script(PULSE, "one", 30)
        line.cut()
        assert connection.piped(calls) == [0, 1, 1, 1]
        assert [client.xlen(f"test:live:visits:{site}") for site in ("a.example", "b.example")] == [1, 1]
        assert client.hget("test:live", "generation") == b"1"
        assert client.xlen("test:live:events") == 2
        # the same calls are others in a question of their own
        assert connection.piped(calls) == [0, 1, 0, 1]
        assert client.hget("test:live", "generation") == b"2"
        connection.close()
        assert line.cuts == 6


def test_a_call_that_the_server_refused_is_made_again_without_the_others(server: RedisServer) -> None:
    client = server.client()
    client.flushall()
    client.set("test:live:visits:a.example", "x")
    connection = FleetConnection(server.url, "test", "stop")
    connection.open()
    calls = [(NEWS, EVENTS, "{}"), (VISIT, "one", "a.example", b"{}", b"", VISITS_BYTES), (NEWS, EVENTS, "{}")]
    with pytest.raises(SeenStoreLostError, match="WRONGTYPE"):
        connection.piped(calls)
    client.delete("test:live:visits:a.example")
    # the same question again, as where a server was full
    connection._asked -= 1
    assert connection.piped(calls)[0] == 1
    assert client.xlen("test:live:events") == 2
    assert client.xlen("test:live:visits:a.example") == 1
    connection.close()


def test_one_worker_asks_for_the_last_judgement_when_all_are_idle(
    server: RedisServer, join: Callable[[str], FleetShare]
) -> None:
    one, other = join("one"), join("other")
    client = server.client()
    client.eval(PULSE, 1, "test:live", "one", 30)
    client.eval(PULSE, 1, "test:live", "other", 30)
    one.busy()
    client.hset("test:live:idle", mapping={"one": 0, "other": 0})
    # what has begun since counts
    assert not other.standing().idle
    client.hset("test:live:idle", "one", 1)
    standing = other.standing()
    assert standing.idle
    assert standing.workers == {"one", "other"}
    assert standing.moves == 1 != standing.judged
    number = one.judge(standing.moves, 60)
    assert number == 1
    assert other.judge(standing.moves, 60) == 0
    one.judged(standing.moves)
    assert other.judge(standing.moves, 60) == 0
    other.busy()
    assert other.judge(other.standing().moves, 60) == 2
    # a judge that is dead is none
    client.zrem("test:live:workers", "other")
    assert one.judge(2, 60) == 3


def test_a_site_is_learned_by_one_worker_and_its_rules_reach_all(
    server: RedisServer, work: Callable[[str], Worker]
) -> None:
    one, other = work("one"), work("other")
    one.visit("http://a.example/1")
    one.until(one.taught, "learn")
    other.visit("http://a.example/2")
    assert one.until(one.taught, "visit")["by"] == "other"
    assert other.taught.empty()
    one.exchange.say({**RULES, "site": "a.example"})
    for worker in (one, other):
        assert worker.until(worker.told, "rules")["generation"] == 1
    # who does not learn a site has nothing to say of it
    other.exchange.say({**RULES, "site": "a.example"})
    other.exchange.say({"do": "news", "pattern": "p", "by": "one"})
    assert one.until(one.told, "news")["own"]
    assert server.client().hget("test:live", "generation") == b"1"
    one.exchange.say({"do": "doubt", "site": "a.example", "version": 1, "rules": [], "urls": []})
    for worker in (one, other):
        worker.until(worker.told, "doubt")
    assert server.client().hget("test:live:generations", "a.example") == b"0"


def test_a_learner_that_ends_is_succeeded_with_all_that_it_has_seen(work: Callable[[str], Worker]) -> None:
    one, other = work("one"), work("other")
    for number in range(3):
        one.visit(f"http://a.example/{number}")
    one.until(one.taught, "learn")
    one.exchange.say({**RULES, "site": "a.example"})
    struck = {"a.example": {"struck": ["a rule"], "since": {}}}
    one.exchange.say({"do": "struck", "struck": struck})
    one.until(one.told, "rules")
    one.exchange.close()
    assert other.until(other.taught, "forget")["site"] == "a.example"
    assert [other.until(other.taught, "visit")["old"] for _ in range(3)] == [True] * 3
    learn = other.until(other.taught, "learn")
    assert (learn["struck"], learn["had"]) == (struck, True)
    # and a judgement waits for what was handed over
    other.visit("http://a.example/9")
    other.exchange.say({"do": "idle", "epoch": 0})
    other.until(other.told, "wake")
    assert other.until(other.taught, "visit")["old"] is False


def test_a_page_reader_that_is_started_again_goes_on(work: Callable[[str], Worker]) -> None:
    before = work("one")
    before.visit("http://a.example/1")
    before.until(before.taught, "learn")
    before.exchange.say({**RULES, "site": "a.example"})
    before.until(before.told, "rules")
    after = work("one")
    assert after.until(after.told, "rules")["generation"] == 1
    assert after.until(after.taught, "learn")["had"]


def test_a_worker_taken_for_dead_gives_its_sites_up(server: RedisServer, work: Callable[[str], Worker]) -> None:
    one = work("one")
    one.visit("http://a.example/1")
    one.until(one.taught, "learn")
    client = server.client()
    client.zrem("test:live:workers", "one")
    client.hset("test:live:learners", "a.example", "other")
    client.zadd("test:live:workers", {"other": time.time() + 60})
    assert one.until(one.taught, "forget")["site"] == "a.example"


def test_a_site_is_learned_whose_first_answer_was_lost(server: RedisServer, work: Callable[[str], Worker]) -> None:
    one = work("one")
    server.client().hset("test:live:learners", "a.example", "one")
    one.visit("http://a.example/1")
    assert one.until(one.taught, "learn")["site"] == "a.example"


@pytest.mark.slow
def test_a_successor_learns_the_same_rules(tmp_path: Path) -> None:
    visits, _ = record(Site(1, features={"sid", "ref"}, articles=40))
    first, second = (FleetStudent(Options(skip=False), [], FolderStore(str(tmp_path / name))) for name in "ab")
    said = [one for visit in visits for one in first.take(visit)]
    (name,) = first._sites
    said += first.judge(name)
    rules = [one for one in said if one["do"] == "rules"][-1]
    for visit in visits:
        assert second.recall(visit) == []
    (again,) = second.again(name, had=True)
    assert again["source"] == rules["source"]
    second.forget(name)
    assert second.again(name, had=True)[0]["rules"] == []


def test_what_was_not_handed_over_in_the_end_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "_LEAVE", 0.2)
    with RedisServer(tmp_path) as server:
        one = Worker(server, "one")
        one.visit("http://a.example/1")
        one.until(one.taught, "learn")
        assert server._process is not None
        server._process.send_signal(signal.SIGSTOP)
        one.visit("http://a.example/2")
        one.exchange.close()
        assert "has not answered" in one.until(one.told, "left")["text"]
    monkeypatch.undo()
    # never there, and waited for
    late = Worker(server, "late", on_lost="wait")
    late.visit("http://a.example/3")
    late.exchange.close()
    assert "cannot use Redis" in late.until(late.told, "left")["text"]
    assert late.told.empty()


def test_whatever_ends_the_exchange_is_told(server: RedisServer, work: Callable[[str], Worker]) -> None:
    one = work("one")
    one.visit("http://a.example/1")
    one.until(one.taught, "learn")
    # as where somebody flushes the keys in between: a generation without its rules
    ruled(server, "a.example", 7)
    server.client().hincrby("test:live", "version", 1)
    assert "Error" in one.until(one.told, "failed")["text"]
    one.until(one.told, "live_died")


# ------------------------------------------------------------------ whole crawls


@contextmanager
def workers(served: Served, url: str, folder: Path, count: int, **settings: Any) -> Iterator[list[Any]]:
    """Workers of the example fleet on a site."""
    redis.Redis.from_url(url).lpush("pages:start_urls", json.dumps({"url": served.start}))
    every = {
        "FLEET_LEASE": 5, "MAX_IDLE_TIME_BEFORE_CLOSE": 3, "URINORM_LIVE": 1, "DOWNLOAD_DELAY": 0.03,
        "LOG_LEVEL": "INFO", **settings,
    }  # fmt: skip
    path = os.pathsep.join([str(FLEET), str(FLEET.parents[1])])
    environment = os.environ | {"REDIS_URL": url, "SCRAPY_SETTINGS_MODULE": "fleetcrawl.settings", "PYTHONPATH": path}
    fleet = []
    for number in range(count):
        own = {"LOG_FILE": folder / f"{number}.log", "URINORM_LIVE_OUTPUT": folder / f"{number}.toml"}
        options = [part for name, value in {**every, **own}.items() for part in ("-s", f"{name}={value}")]
        command = [sys.executable, "-m", "scrapy", "crawl", "pages", *options]
        fleet.append(subprocess.Popen(command, cwd=folder, env=environment))
    try:
        yield fleet
        for worker in fleet:
            worker.wait(limit())
    finally:
        for worker in fleet:
            worker.kill()


def pages(served: Served) -> set[str]:
    return served.identities([served.start + target[1:] for target in served.asked])


def logs(folder: Path) -> str:
    return "".join(path.read_text() for path in sorted(folder.glob("*.log")))


def stated(log: str, name: str) -> list[int]:
    """What the statistics at the end of logs say."""
    lines = [line for line in log.splitlines() if f"'urinorm/live/{name}': " in line]
    return [int(line.split(": ")[1].rstrip(",}")) for line in lines]


def counted(folder: Path, name: str) -> int:
    return sum(stated(logs(folder), name))


@pytest.fixture
def lasting(tmp_path: Path) -> Iterator[RedisServer]:
    (tmp_path / "redis").mkdir()
    with RedisServer(tmp_path / "redis", "--appendonly", "yes") as server:
        yield server


class NewSession(Site):
    """Each page has a session of its own for its links: a crawl ends under rules, or never."""

    def _dressed(self, path: str, where: str) -> str:
        return f"{super()._dressed(path, where)}&s={random.Random(where).getrandbits(64):016x}"


@pytest.mark.slow
def test_a_fleet_learns_one_set_of_rules_and_ends(tmp_path: Path, lasting: RedisServer) -> None:
    pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    site = NewSession(1, host="127.0.0.1", features={"ref"}, articles=30)
    every = all_pages(Site(site.seed, site.host, site.features, site.articles))
    with Served(site) as served, workers(served, lasting.url, tmp_path, 3, DOWNLOAD_DELAY=0.1):
        pass
    assert pages(served) == every
    assert " ERROR: " not in logs(tmp_path)
    assert "Traceback" not in logs(tmp_path)
    assert counted(tmp_path, "parked") > 0
    # a worker that had nothing to do for long has left before the others, with what all knew then
    learned: dict[int, Any] = {}
    for path in tmp_path.glob("*.toml"):
        (*_, generation) = stated(path.with_suffix(".log").read_text(), "generation")
        site_rules = tomllib.loads(path.read_text())["site"]
        assert learned.setdefault(generation, site_rules) == site_rules
    assert learned
    # what waits is named once
    kept = (tmp_path / "urinorm.parked.jsonl").read_text().splitlines()
    assert len(kept) == lasting.client().zcard("urinorm:pages:live:index")


@pytest.mark.slow
def test_a_rule_that_fails_is_taken_back_in_all_workers(tmp_path: Path, lasting: RedisServer) -> None:
    pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    site = Site(5, host="127.0.0.1", features={"turning", "sid"}, articles=60)
    site.turn = 35
    with Served(site) as served, workers(served, lasting.url, tmp_path, 2):
        pass
    assert pages(served) == all_pages(site)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [2, pytest.param(30, marks=pytest.mark.soak)])
def test_workers_that_are_killed_lose_nothing(tmp_path: Path, lasting: RedisServer, kills: int) -> None:
    """Any of them, the learner too, at any moment; and Redis in between."""
    pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    site = Site(1, host="127.0.0.1", features={"sid", "ref", "turning"}, articles=40)
    # by default a write is put off where the disk is slow, and a kill loses what was answered
    lasting.client().config_set("appendfsync", "no")
    with Served(site) as served, workers(served, lasting.url, tmp_path, kills + 1) as fleet:
        ended = threading.Event()

        def kill() -> None:
            for number, worker in enumerate(fleet[:kills], 1):
                while len(served.asked) < number * 400 // (kills + 1) and not ended.wait(0.01):
                    pass
                worker.send_signal(signal.SIGKILL)
                if number == kills:
                    lasting.kill()
                    lasting.start()

        killer = threading.Thread(target=kill)
        killer.start()
        for worker in fleet:
            worker.wait(limit())
        ended.set()
        killer.join()
    assert pages(served) == all_pages(site)


@pytest.mark.slow
def test_what_a_fleet_kept_back_is_fetched_without_live_rules(tmp_path: Path, lasting: RedisServer) -> None:
    pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    site = Site(1, host="127.0.0.1", features={"sid"}, articles=5)
    shared = FleetShare(lasting.url, "urinorm:pages", "stop", "a worker of the run before")
    shared.open()
    ruled(lasting, "127.0.0.1", 3, "urinorm:pages")
    with Served(site) as served:
        left = [f"/article/{n}?nobody=links" for n in range(3)]
        for target in left:
            data = pickle.dumps(Request(served.start + target[1:]).to_dict(), protocol=-1)
            assert shared.park("127.0.0.1", 3, A, data)
        with workers(served, lasting.url, tmp_path, 1, URINORM_LIVE=0):
            pass
        assert set(left) <= set(served.asked)
    assert shared.count() == 0
    shared.close()


def test_the_queue_of_the_example_waits_for_a_full_redis(
    server: RedisServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told to refuse what is new rather than to forget what is there, and has room again later."""
    pytest.importorskip("scrapy_redis")
    monkeypatch.syspath_prepend(FLEET)
    queue_class = importlib.import_module("fleetcrawl.queue").RecoveringQueue
    client = server.client()
    client.flushall()
    crawler = crawler_with({})
    crawler.engine = cast("Any", SimpleNamespace(_slot=None))
    spider = crawler._create_spider("pages")
    waiting = queue_class(client, spider, "full:requests")
    try:
        waiting.push(Request("http://a.example/"))
        client.config_set("maxmemory", 1)
        assert waiting.pop() is None
        assert len(waiting) > 0, "the worker does not end"
        assert "this worker waits for it" in caplog.text
    finally:
        client.config_set("maxmemory", 0)
        waiting._ended.set()
    request = waiting.pop()
    assert request is not None
    assert request.url == "http://a.example/"
