"""The stores under test, each made by the factory that users' settings reach."""

from __future__ import annotations

import itertools
import random
import time
from typing import TYPE_CHECKING, Protocol

import pytest

from scrapy_urinorm.seen import SeenStore, make_store
from tests.needs import needs_rocksdict
from tests.seen.redis_server import RedisServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

DISK = pytest.param("disk", marks=needs_rocksdict)
KINDS = ["memory", "memory with JOBDIR", DISK, "redis"]
LASTING = ["memory with JOBDIR", DISK, "redis"]

_prefixes = itertools.count()


class MakeStore(Protocol):
    """Opens a store of the kind under test; every call with the same job gives the same content."""

    def __call__(
        self, job: str = "job", *, stamp: dict[str, str] | None = None, ttl: float | None = None
    ) -> SeenStore: ...


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RedisServer]:
    with RedisServer(tmp_path_factory.mktemp("redis")) as server:
        yield server


@pytest.fixture
def new_redis_server(tmp_path: Path) -> Iterator[Callable[..., RedisServer]]:
    """Starts servers of one test's own, which it may kill."""
    servers: list[RedisServer] = []

    def start(*options: str) -> RedisServer:
        folder = tmp_path / f"redis{len(servers)}"
        folder.mkdir()
        servers.append(RedisServer(folder, *options).start())
        return servers[-1]

    yield start
    for server in servers:
        server.kill()


def opener(kind: str, folder: Path, redis_url: str) -> tuple[MakeStore, list[SeenStore]]:
    """A MakeStore for a kind, and the list of what it has opened."""
    opened: list[SeenStore] = []
    prefix = f"test{next(_prefixes)}"

    def make(job: str = "job", *, stamp: dict[str, str] | None = None, ttl: float | None = None) -> SeenStore:
        directory = folder / job
        directory.mkdir(exist_ok=True)
        spec = redis_url if kind == "redis" else kind.split(maxsplit=1)[0]
        store = make_store(
            spec,
            directory=None if kind == "memory" else directory,
            stamp=stamp,
            prefix=f"{prefix}:{job}",
            ttl=ttl,
        )
        store.open()
        opened.append(store)
        return store

    return make, opened


def _opener_fixture(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    url = request.getfixturevalue("redis_server").url if request.param == "redis" else ""
    make, opened = opener(request.param, tmp_path, url)
    yield make
    for store in opened:
        store.close()


@pytest.fixture(params=KINDS)
def new_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Every kind of store."""
    yield from _opener_fixture(request, tmp_path)


@pytest.fixture(params=LASTING)
def lasting_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    """Every kind that outlives its process."""
    yield from _opener_fixture(request, tmp_path)


@pytest.fixture
def store(new_store: MakeStore) -> SeenStore:
    """One opened store of every kind."""
    return new_store()


def fingerprints(count: int, seed: int = 1) -> list[bytes]:
    """Different 20-byte fingerprints."""
    source = random.Random(seed)
    return [source.randbytes(20) for _ in range(count)]


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Moves the clocks of this process on."""

    def move(seconds: float) -> None:
        wall, steady = time.time, time.monotonic
        monkeypatch.setattr(time, "time", lambda: wall() + seconds)
        monkeypatch.setattr(time, "monotonic", lambda: steady() + seconds)

    return move
