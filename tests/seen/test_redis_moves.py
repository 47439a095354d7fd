"""A store whose server changes: real Sentinels that fail over, a real cluster whose primary is another one now."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
import redis

from scrapy_urinorm.seen import SeenStoreError, SeenStoreLostError, maintenance, make_store
from scrapy_urinorm.seen.redis import RedisStore
from scrapy_urinorm.seen.redis_address import RedisAddress
from tests.seen import redis_server
from tests.seen.conftest import fingerprints

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.seen.redis_server import RedisServer

    NewServer = Callable[..., RedisServer]


def until(true: Callable[[], Any], seconds: float = 280) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            if true():
                return
        except redis.RedisError:
            pass
        assert time.monotonic() < end, "it does not come about"
        threading.Event().wait(0.02)


def said(server: RedisServer, *words: Any) -> Any:
    """What a server answers to a command."""
    client: Any = server.client()
    return client.execute_command(*words)


def opened(url: str, prefix: str = "moves", **options: Any) -> RedisStore:
    store = make_store(url, prefix=prefix, **options)
    assert isinstance(store, RedisStore)
    store.open()
    return store


def follows(server: RedisServer, primary: RedisServer) -> None:
    """Wait until a replica has all that its primary has."""
    until(lambda: server.client().info("replication")["master_link_status"] == "up")
    assert said(primary, "WAIT", 1, 60_000) == 1


# --- Sentinels ---


class Service:
    """A primary, its replica and a Sentinel that needs nobody's consent."""

    def __init__(self, new: NewServer, folder: Path) -> None:
        self.primary = new()
        self.replica = new("--replicaof", "127.0.0.1", str(self.primary.port))
        configuration = folder / "sentinel.conf"
        configuration.write_text(
            f"sentinel monitor shop 127.0.0.1 {self.primary.port} 1\n"
            # a machine that is busy is not down
            "sentinel down-after-milliseconds shop 60000\nsentinel failover-timeout shop 60000\n"
        )
        self.sentinel = new(str(configuration), "--sentinel")
        self.url = f"redis+sentinel://127.0.0.1:{redis_server.free_port()},127.0.0.1:{self.sentinel.port}/shop/0"
        follows(self.replica, self.primary)
        # it hears of the replica from the primary
        until(lambda: said(self.sentinel, "SENTINEL", "REPLICAS", "shop"))

    def known(self) -> int:
        answer: Any = said(self.sentinel, "SENTINEL", "GET-MASTER-ADDR-BY-NAME", "shop")
        return int(answer[1])


@pytest.mark.slow
def test_a_crawl_waits_for_the_failover(new_redis_server: NewServer, tmp_path: Path) -> None:
    service = Service(new_redis_server, tmp_path)
    store, other = opened(service.url, on_lost="wait"), opened(service.url, on_lost="wait")
    fps = fingerprints(300)
    assert all(map(store.add, fps[:200]))
    follows(service.replica, service.primary)
    service.primary.kill()
    # not before: while it lives it may be slow
    said(service.sentinel, "SENTINEL", "SET", "shop", "down-after-milliseconds", 1000)
    assert all(map(store.add, fps[200:]))
    assert service.known() == service.replica.port
    assert not any(map(other.add, fps))
    assert len(service.replica.client().hgetall("moves"))
    store.close()
    other.close()


@pytest.mark.slow
def test_a_primary_that_became_a_replica_is_left(new_redis_server: NewServer, tmp_path: Path) -> None:
    """The server still answers: it only takes nothing any more. One new attempt is enough, whatever is set."""
    service = Service(new_redis_server, tmp_path)
    store = opened(service.url)
    fps = fingerprints(20)
    assert all(map(store.add, fps[:10]))
    follows(service.replica, service.primary)
    # it refuses as long as it has not heard of the replica lately, as on a busy machine
    until(lambda: said(service.sentinel, "SENTINEL", "FAILOVER", "shop"))
    until(lambda: service.known() == service.replica.port)
    until(lambda: service.primary.client().info("replication")["role"] == "slave")
    assert all(map(store.add, fps[10:]))
    assert not any(map(store.add, fps))
    store.close()


@pytest.mark.slow
def test_a_failover_that_cannot_be_ends_the_crawl(new_redis_server: NewServer, tmp_path: Path) -> None:
    service = Service(new_redis_server, tmp_path)
    store = opened(service.url)
    service.sentinel.kill()
    service.primary.kill()
    with pytest.raises(SeenStoreLostError, match="shop/0"):
        store.add(b"x" * 20)
    store.close()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("redis+sentinel://127.0.0.1:1/", "which service"),
        ("redis+sentinel://127.0.0.1:1,/shop", "no host"),
        ("redis+cluster://127.0.0.1:port", "redis\\+cluster"),
        ("redis+other://127.0.0.1", "expected"),
        ("redis+sentinel://user:secret@127.0.0.1:1/shop", "redis\\+sentinel://127.0.0.1:1/shop \\(urinorm\\)"),
        ("redis+cluster://user:secret@127.0.0.1:1", "redis\\+cluster://127.0.0.1:1 \\(urinorm\\)"),
    ],
)
def test_addresses_that_lead_nowhere(url: str, message: str) -> None:
    with pytest.raises(SeenStoreError, match=message) as raised:
        opened(url, "urinorm")
    assert "secret" not in str(raised.value)


@pytest.mark.slow
def test_an_unknown_service(new_redis_server: NewServer, tmp_path: Path) -> None:
    service = Service(new_redis_server, tmp_path)
    with pytest.raises(SeenStoreError, match="knows no primary of 'other'"):
        opened(service.url.replace("/shop/", "/other/"))


# --- a cluster ---


class Cluster:
    """Three nodes: two share the slots, the third follows the one that has those of the store."""

    def __init__(self, new: NewServer) -> None:
        self.nodes = [
            new("--cluster-enabled", "yes", "--cluster-node-timeout", "10000", "--cluster-require-full-coverage", "no")
            for _ in range(3)
        ]
        self.other, self.primary, self.replica = self.nodes
        for node, slots in ((self.other, range(8192)), (self.primary, range(8192, 16_384))):
            said(node, "CLUSTER", "ADDSLOTS", *slots)
        for number, node in enumerate(self.nodes):
            said(node, "CLUSTER", "SET-CONFIG-EPOCH", number + 1)
            said(node, "CLUSTER", "MEET", "127.0.0.1", self.other.port)
        name = said(self.primary, "CLUSTER", "MYID").decode()
        until(lambda: said(self.replica, "CLUSTER", "REPLICATE", name))
        for node in self.nodes:
            until(lambda node=node: b"cluster_state:ok" in said(node, "CLUSTER", "INFO"))  # type: ignore[misc]  # mypy takes no default of a lambda
            until(lambda node=node: said(node, "CLUSTER", "INFO").count(b"known_nodes:3"))  # type: ignore[misc]  # mypy takes no default of a lambda
        follows(self.replica, self.primary)
        # the slot of `{moves}` is one of the second half
        self.url = f"redis+cluster://127.0.0.1:{self.other.port}"

    def failover(self, *nodes: RedisServer) -> None:
        """Let the replica take over, until the nodes know; both have the same then.

        Asked for a vote of the others, which `FAILOVER` alone does, they give it up without a word after five seconds.
        """
        said(self.replica, "CLUSTER", "FAILOVER", "TAKEOVER")
        until(lambda: self.replica.client().info("replication")["role"] == "master")
        for node in nodes:
            until(lambda node=node: self._serves(node) == self.replica.port)  # type: ignore[misc]  # mypy takes no default of a lambda

    @staticmethod
    def _serves(node: RedisServer) -> int | None:
        """The port of whom a node knows to have the second half of the slots."""
        return next((primary[1] for first, _, primary, *_ in said(node, "CLUSTER", "SLOTS") if first == 8192), None)


@pytest.mark.slow
def test_a_store_in_a_cluster(new_redis_server: NewServer) -> None:
    cluster = Cluster(new_redis_server)
    store = opened(cluster.url, on_lost="wait")
    fps = fingerprints(3000)
    assert store.add_many(fps[:1000]) == 1000
    assert all(map(store.add, fps[1000:1010]))
    assert not said(cluster.other, "KEYS", "*")

    # planned: the old primary answers with the name of the new one
    follows(cluster.replica, cluster.primary)
    # it knows, too: a node that takes over takes the slots that it knows its primary to have
    cluster.failover(*cluster.nodes)
    assert store.add_many(fps[1000:2000]) == 990
    assert set(store) == set(fps[:2000])

    # unplanned: the primary is dead; its replica, the old one, is told to take over
    until(lambda: cluster.primary.client().info("replication")["master_link_status"] == "up")
    follows(cluster.primary, cluster.replica)
    cluster.primary, cluster.replica = cluster.replica, cluster.primary
    cluster.primary.kill()
    cluster.failover(cluster.other, cluster.replica)
    assert store.add_many(fps) == 1000
    assert not any(map(store.add, fps))
    store.close()
    with maintenance.opened(cluster.url, prefix="moves") as found:
        assert len(found) == 3000
        found.clear()
        assert len(found) == 0


def test_the_keys_of_a_store_have_one_slot() -> None:
    assert RedisAddress("redis+cluster://a", "shop").prefix == "{shop}"
    assert RedisAddress("redis+cluster://a", "{all}:shop").prefix == "{all}:shop"
    assert RedisAddress("redis+sentinel://a/service", "shop").prefix == "shop"
