"""The fleet's store against real servers: what it asks, what it shares, what happens when Redis goes away."""

from __future__ import annotations

import logging
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.seen import OnLost, SeenStoreError, SeenStoreLostError, make_store
from scrapy_urinorm.seen.redis import RedisStore
from scrapy_urinorm.seen.redis_connection import RedisConnection, logger
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.seen.redis_server import RedisServer

    NewServer = Callable[..., RedisServer]

ROOT = Path(__file__).parents[2]
DAY = 86_400


def worker(
    server: RedisServer | str, prefix: str, *, ttl: float | None = None, on_lost: OnLost = "stop", seconds: float = 280
) -> RedisStore:
    url = server if isinstance(server, str) else f"{server.url}?socket_timeout={seconds}"
    store = make_store(url, prefix=prefix, ttl=ttl, on_lost=on_lost)
    assert isinstance(store, RedisStore)
    store.open()
    return store


def asked(store: RedisStore, act: Callable[[], object]) -> int:
    """How many round trips an action takes."""
    before = store.stats()["round_trips"]
    act()
    return store.stats()["round_trips"] - before


# --- what it asks ---


def test_one_round_trip_for_a_new_fingerprint_and_none_for_a_known_one(redis_server: RedisServer) -> None:
    store = worker(redis_server, "trips")
    fps = fingerprints(100)
    assert asked(store, lambda: [store.add(fp) for fp in fps]) == 100
    assert asked(store, lambda: [store.add(fp) for fp in fps * 9]) == 0
    assert asked(store, lambda: [fp in store for fp in fps]) == 0
    store.close()


def test_what_other_workers_added_comes_with_the_next_answer(redis_server: RedisServer) -> None:
    one, other = worker(redis_server, "news"), worker(redis_server, "news")
    fps = fingerprints(3000)
    assert all(map(one.add, fps))
    assert asked(other, lambda: other.add(b"a question of its own")) == 1
    assert asked(other, lambda: [other.add(fp) for fp in fps]) == 0
    assert not any(map(other.add, fps))
    one.close()
    other.close()


@pytest.mark.slow
def test_news_that_are_missed_are_asked_for(redis_server: RedisServer) -> None:
    late, busy = worker(redis_server, "missed"), worker(redis_server, "missed")
    fps = fingerprints(70_000)
    busy.add_many(fps)
    assert late.add(b"own")
    # the ring holds the last 65,536, and the first ones have to be asked for
    assert asked(late, lambda: late.add(fps[0])) == 1
    assert asked(late, lambda: late.add(fps[-1])) == 0
    assert not any(map(late.add, fps))
    late.close()
    busy.close()


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.thorough)])
def test_two_workers_never_both_get_a_page(redis_server: RedisServer, count: int) -> None:
    code = (
        "import random, sys; from scrapy_urinorm.seen import make_store\n"
        f"store = make_store(sys.argv[1], prefix='race{count}'); store.open()\n"
        "pages = list(range(1500)); random.Random(int(sys.argv[2])).shuffle(pages)\n"
        "print(*(page for page in pages if store.add(page.to_bytes(20, 'big'))))"
    )
    workers = [
        subprocess.Popen([sys.executable, "-c", code, redis_server.url, str(seed)], stdout=subprocess.PIPE, cwd=ROOT)
        for seed in range(count)
    ]
    got = [set(map(int, process.communicate()[0].split())) for process in workers]
    assert sum(map(len, got)) == 1500
    assert set().union(*got) == set(range(1500))


# --- what it stores ---


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(10_000, id="first tiers"),
        pytest.param(150_000, id="third tier", marks=pytest.mark.slow),
    ],
)
def test_tiers_hold_every_record_once_and_clear_leaves_nothing(new_redis_server: NewServer, count: int) -> None:
    server = new_redis_server()
    store = worker(server, "tiers")
    fps = fingerprints(count)
    store.add_many(fps)
    assert len(store) == count
    assert set(store) == set(fps)
    assert store.add_many(fps[::97]) == 0
    store.clear()
    assert server.client().keys() == [b"tiers"]
    store.close()


@pytest.mark.slow
def test_takes_less_than_half_the_memory_of_scrapy_redis(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    client = server.client()
    fps = fingerprints(50_000)

    def grown(fill: Callable[[], object]) -> int:
        before = int(client.info("memory")["used_memory"])
        fill()
        return int(client.info("memory")["used_memory"]) - before

    theirs = grown(lambda: client.sadd("dupefilter", *(fp.hex() for fp in fps)))
    store = worker(server, "ours")
    ours = grown(lambda: store.add_many(fps))
    assert len(store) == 50_000
    # the ring of news is a constant 1.3 MB
    assert 2 * (ours - int(client.memory_usage("ours:feed") or 0)) < theirs
    store.close()


# --- time ---


def grow_older(server: RedisServer, prefix: str, seconds: int) -> None:
    """Make all records of a store older, as its server's clock cannot be moved on."""
    client = server.client()
    for key in client.keys(f"{prefix}:*:*"):
        client.hset(key, mapping={field: int(at) - seconds for field, at in client.hgetall(key).items()})


def test_a_page_may_be_crawled_again_after_its_time(redis_server: RedisServer, later: Callable[[float], None]) -> None:
    one, other = worker(redis_server, "timed", ttl=DAY), worker(redis_server, "timed", ttl=DAY)
    fps = fingerprints(500)
    one.add_many(fps)
    assert one.add(b"page")
    assert not one.add(b"page")
    assert not other.add(b"page")
    later(DAY)
    grow_older(redis_server, "timed", DAY)
    assert list(one) == []
    assert other.add(b"page")
    # the other worker's new claim reaches the first one
    assert not one.add(b"page")
    assert not any(fp in one for fp in fps)
    one.close()
    other.close()


def test_expired_records_leave_redis(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "timed", ttl=DAY)
    store.add_many(fingerprints(2000))
    client = server.client()
    left = [client.ttl(bucket) for bucket in client.keys("timed:*:*")]
    assert len(left) > 200
    assert 0 < min(left) <= max(left) <= DAY + 1
    store.close()


def test_a_store_without_times_takes_no_ttl(redis_server: RedisServer) -> None:
    worker(redis_server, "untimed").close()
    with pytest.raises(SeenStoreError, match="made without URINORM_SEEN_TTL"):
        worker(redis_server, "untimed", ttl=60)


# --- when Redis goes away ---


def test_a_dead_server_stops_the_crawl(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "dead")
    store.add(b"known")
    server.kill()
    assert not store.add(b"known")
    with pytest.raises(SeenStoreLostError, match="lost"):
        store.add(b"new")
    store.close()


@pytest.mark.slow
def test_a_silent_server_stops_the_crawl(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "silent", seconds=5)
    process = server._process
    assert process is not None
    process.send_signal(signal.SIGSTOP)
    with pytest.raises(SeenStoreLostError, match=r"[Tt]ime"):
        store.add(b"new")
    process.send_signal(signal.SIGCONT)
    # a busy machine may take longer to wake it than the store waits
    server.client().ping()
    # the claim went through although its answer did not; asked again, it is still this worker's
    assert store.add(b"newer")
    store.close()


def test_an_answer_that_was_lost_is_given_again(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "cut", on_lost="wait")
    fps = fingerprints(40)
    client = server.client()
    me = [row["id"] for row in client.client_list() if row["name"] == "scrapy-urinorm"]
    for number, fp in enumerate(fps):
        if number % 4 == 0:
            # the server cuts the line; the next question is asked twice
            client.client_kill_filter(_id=me[0])
            assert store.add(fp)
            me = [row["id"] for row in client.client_list() if row["name"] == "scrapy-urinorm"]
        else:
            assert store.add(fp)
    assert not any(map(store.add, fps))
    store.close()


def test_a_claim_whose_answer_never_came_stays_with_its_worker(redis_server: RedisServer) -> None:
    store, other = worker(redis_server, "claim"), worker(redis_server, "claim")
    real = store._run
    broken = iter([True])

    def cut_after_the_server_acted(script: str, args: list[object]) -> object:
        answer = real(script, args)
        if next(broken, False):
            raise ConnectionResetError("the line broke before the answer")
        return answer

    store._run = cut_after_the_server_acted  # type: ignore[method-assign, assignment]  # a broken line
    assert store.add(b"page")
    assert not store.add(b"page")
    assert not other.add(b"page")
    store.close()
    other.close()


class Told(logging.Handler):
    """Starts a server as soon as a crawl says that it waits for it."""

    def __init__(self, server: RedisServer):
        super().__init__(logging.WARNING)
        self.server = server
        self.times = 0

    def emit(self, record: logging.LogRecord) -> None:
        assert "the crawl waits for it" in record.getMessage()
        self.times += 1
        self.server.start()


def test_waits_for_a_server_that_comes_back(new_redis_server: NewServer) -> None:
    server = new_redis_server("--appendonly", "yes", "--appendfsync", "always")
    store = worker(server, "wait", on_lost="wait")
    store.add(b"before")
    server.kill()
    told = Told(server)
    logger.addHandler(told)
    try:
        assert store.add(b"after")
    finally:
        logger.removeHandler(told)
    assert told.times == 1
    assert b"before" in store
    store.close()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_waiting_ends_when_the_user_says_so(new_redis_server: NewServer, number: signal.Signals) -> None:
    server = new_redis_server()
    code = (
        "import logging, signal, sys; from scrapy_urinorm.seen import make_store\n"
        "logging.basicConfig(stream=sys.stdout)\n"
        # as a reactor's: it only takes note, and nobody reads the note while the store waits
        "signal.signal(signal.SIGINT, lambda *_: None); signal.signal(signal.SIGTERM, lambda *_: None)\n"
        "store = make_store(sys.argv[1], on_lost='wait'); store.open(); print('open', flush=True); input()\n"
        "try:\n    store.add(b'page')\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    )
    command = [sys.executable, "-c", code, server.url]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "open\n"
        server.kill()
        process.stdin.write("\n")
        process.stdin.flush()
        assert "the crawl waits for it" in process.stdout.readline()
        said = ""
        while not said:
            # one that comes between two pauses is the crawl's own
            process.send_signal(number)
            said = process.stdout.readline() if select.select([process.stdout], [], [], 0.2)[0] else ""
        assert said.startswith("SeenStoreLostError")
        assert "interrupted" in said


def test_a_server_that_forgot_is_never_taken_for_an_empty_one(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "forgot", on_lost="wait")
    store.add(b"before")
    server.kill()
    server.start()
    with pytest.raises(SeenStoreLostError, match="FORGOTTEN"):
        store.add(b"after")
    store.close()


@pytest.mark.parametrize("on_lost", ["stop", "wait"])
def test_a_server_that_never_has_a_script_is_given_up(redis_server: RedisServer, on_lost: OnLost) -> None:
    """As behind a proxy that has each command done by another server: a crawl went round and round, without a pause."""
    connection = RedisConnection(redis_server.url, "scripts", on_lost)
    connection.open()
    asked = []

    def question(again: bool) -> None:
        asked.append(again)
        connection.client.evalsha("0" * 40, 0)

    with pytest.raises(SeenStoreLostError, match=r"(?i)no matching script"):
        connection.ask(question)
    assert 2 <= len(asked) < 10
    # a server that has forgotten once is asked again
    connection.run("return 1", [], [])
    connection.client.script_flush()
    assert connection.ask(lambda _again: connection.run("return 1", [], [])) == 1
    connection.close()


def test_a_server_that_went_back_in_time_is_noticed(new_redis_server: NewServer) -> None:
    server = new_redis_server()
    store = worker(server, "back")
    store.add_many(fingerprints(10))
    store.add(b"a")
    client = server.client()
    old = client.dump("back")
    store.add_many(fingerprints(10, seed=2))
    store.add(b"b")
    # as a restart from an older RDB file does
    assert old is not None
    client.restore("back", 0, old, replace=True)
    with pytest.raises(SeenStoreLostError, match="went back from 22 to 12"):
        store.add(b"c")
    store.close()


@pytest.mark.slow
def test_a_full_server_stops_the_crawl_and_loses_nothing(new_redis_server: NewServer) -> None:
    server = new_redis_server("--maxmemory", "4mb", "--maxmemory-policy", "noeviction")
    store = worker(server, "full")
    added: list[bytes] = []
    with pytest.raises(SeenStoreLostError, match="maxmemory"):
        added.extend(fp for fp in fingerprints(300_000) if store.add(fp))
    server.client().config_set("maxmemory", "64mb")
    assert set(store) == set(added)
    store.close()


@pytest.mark.slow
def test_a_server_that_evicts_is_warned_of(new_redis_server: NewServer, caplog: pytest.LogCaptureFixture) -> None:
    server = new_redis_server("--maxmemory", "4mb", "--maxmemory-policy", "allkeys-random")
    store = worker(server, "evict")
    assert "Set it to noeviction" in caplog.text
    caplog.clear()
    try:
        store.add_many(fingerprints(150_000))
    except SeenStoreLostError:
        # the head of the store was among the evicted
        return
    finally:
        store.close()
    assert "evicted" in caplog.text


def test_clear_stops_workers_that_are_still_running(redis_server: RedisServer) -> None:
    one, other = worker(redis_server, "cleared"), worker(redis_server, "cleared")
    one.add(b"page")
    other.clear()
    assert other.add(b"page")
    with pytest.raises(SeenStoreLostError, match="FORGOTTEN"):
        one.add(b"another")
    one.close()
    other.close()


# --- how it connects ---


def test_no_server_is_said_at_the_start_without_the_password() -> None:
    with pytest.raises(SeenStoreError, match=r"cannot use Redis at redis://127\.0\.0\.1:1/3 \(p\)") as caught:
        worker("redis://user:secret@127.0.0.1:1/3", "p")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("option", "said"), [("foo=bar", "does not take.*foo"), ("decode_responses=True", "decode_responses has to go")]
)
def test_an_option_that_cannot_be_is_said_at_the_start(new_redis_server: NewServer, option: str, said: str) -> None:
    server = new_redis_server()
    with pytest.raises(SeenStoreError, match=said):
        worker(f"{server.url}?{option}", "p")


def test_user_and_password_by_url(new_redis_server: NewServer) -> None:
    server = new_redis_server("--requirepass", "secret")
    with pytest.raises(SeenStoreError, match=r"[Aa]uth"):
        worker(server, "auth")
    with pytest.raises(SeenStoreError):
        worker(server.url.replace("//", "//:wrong@"), "auth")
    store = worker(server.url.replace("//", "//default:secret@"), "auth")
    assert store.add(b"page")
    store.close()


@pytest.mark.parametrize(("field", "value"), [("stamps", "null"), ("stamps", '["x"]'), ("stamps", "["), ("feed", "x")])
def test_a_damaged_store_is_said(redis_server: RedisServer, field: str, value: str) -> None:
    worker(redis_server, "damaged").close()
    redis_server.client().hset("damaged", field, value)
    with pytest.raises(SeenStoreError, match="holds a seen store that is damaged"):
        worker(redis_server, "damaged")
    redis_server.client().delete("damaged")


def test_a_prefix_that_holds_something_else_is_said(redis_server: RedisServer) -> None:
    redis_server.client().hset("taken", "id", "somebody's hash")
    with pytest.raises(SeenStoreError, match="holds no seen store"):
        worker(redis_server, "taken")
    redis_server.client().set("string", "somebody's string")
    with pytest.raises(SeenStoreError, match="WRONGTYPE"):
        worker(redis_server, "string")


def test_tls_by_url(redis_server: RedisServer, tmp_path: Path) -> None:
    from tests.seen.tls_proxy import TlsProxy

    with TlsProxy(redis_server.port, tmp_path) as proxy:
        store = worker(f"rediss://127.0.0.1:{proxy.port}/0?ssl_ca_certs={proxy.certificate}", "tls")
        assert store.add(b"page")
        assert not store.add(b"page")
        store.close()
        with pytest.raises(SeenStoreError, match=r"(?i)certificate"):
            worker(f"rediss://127.0.0.1:{proxy.port}/0", "tls")


def test_a_database_number_and_a_socket_by_url(new_redis_server: NewServer, tmp_path: Path) -> None:
    if sys.platform == "win32":
        pytest.skip("lacks Unix sockets")
    # a socket's path is limited to about 100 bytes
    path = Path(f"/tmp/urinorm-{os.getpid()}.sock")
    server = new_redis_server("--unixsocket", str(path))
    store = worker(f"unix://{path}?db=3", "socket")
    assert store.add(b"page")
    store.close()
    assert server.client().dbsize() == 0
    store = worker(server.url.removesuffix("/0") + "/3", "socket")
    assert b"page" in store
    store.close()
    path.unlink()
