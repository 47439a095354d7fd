"""Every store against a plain set, under hypothesis: operations in any order, restarts and kills between them."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from scrapy_urinorm.seen.journal import FILE_NAME
from scrapy_urinorm.seen.protocol import as_record
from tests.effort import share
from tests.needs import needs_rocksdict
from tests.seen.conftest import MakeStore, opener

if TYPE_CHECKING:
    from scrapy_urinorm.seen import SeenStore
    from tests.seen.redis_server import RedisServer

# few bytes and few values, so that repeats, shared buckets and matches across a border are the rule
FINGERPRINTS = st.one_of(
    st.binary(min_size=20, max_size=20),
    st.lists(st.sampled_from([b"\0", b"\1", b"ab"]), min_size=10, max_size=20).map(lambda parts: b"".join(parts)[:20]),
    st.binary(max_size=24),
    st.integers(0, 300).map(lambda n: n.to_bytes(20, "big")),
)


class StoreMachine(RuleBasedStateMachine):
    """A store and the set it must equal."""

    kind: ClassVar[str]
    redis_url: ClassVar[str] = ""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(prefix="urinorm-model-")
        self.model: set[bytes] = set()
        self.opened: list[SeenStore] = []
        self.make: MakeStore
        self.store: SeenStore

    @initialize()
    def start(self) -> None:
        self.make, self.opened = opener(self.kind, Path(self.folder.name), self.redis_url)
        self.store = self.make()

    @rule(fp=FINGERPRINTS)
    def add(self, fp: bytes) -> None:
        assert self.store.add(fp) == (as_record(fp) not in self.model)
        self.model.add(as_record(fp))

    @rule(fps=st.lists(FINGERPRINTS, max_size=400))
    def add_many(self, fps: list[bytes]) -> None:
        new = {as_record(fp) for fp in fps} - self.model
        assert self.store.add_many(fps) == len(new)
        self.model |= new

    @rule(fp=FINGERPRINTS)
    def contains(self, fp: bytes) -> None:
        assert (fp in self.store) == (as_record(fp) in self.model)

    @rule()
    def clear(self) -> None:
        self.store.clear()
        self.model.clear()

    @rule()
    def list_all(self) -> None:
        listed = list(self.store)
        assert len(listed) == len(self.model)
        assert set(listed) == self.model

    @precondition(lambda self: self.kind != "memory")
    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = self.make()

    @precondition(lambda self: self.kind == "memory with JOBDIR")
    @rule(torn=st.binary(min_size=1, max_size=23))
    def killed_while_writing(self, torn: bytes) -> None:
        self.store.close()
        with (Path(self.folder.name) / "job" / FILE_NAME).open("ab") as file:
            file.write(torn)
        self.store = self.make()

    @invariant()
    def as_long_as_the_model(self) -> None:
        if self.opened:
            assert len(self.store) == len(self.model)

    def teardown(self) -> None:
        for store in self.opened:
            store.close()
        self.folder.cleanup()


def run(kind: str, examples: int, redis_url: str = "") -> None:
    machine: type[StoreMachine] = type("Machine", (StoreMachine,), {"kind": kind, "redis_url": redis_url})
    case = machine.TestCase
    case.settings = settings(max_examples=examples, stateful_step_count=30)
    case().runTest()


def test_memory() -> None:
    run("memory", share(2))


def test_memory_with_a_journal() -> None:
    run("memory with JOBDIR", share(2))


@needs_rocksdict
def test_disk() -> None:
    run("disk", share(4))


def test_redis(redis_server: RedisServer) -> None:
    run("redis", share(4), redis_server.url)
