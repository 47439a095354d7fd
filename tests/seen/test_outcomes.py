"""What becomes of the keys of a fleet, against a real Redis: who may send which variant, and when."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.seen import SeenStoreLostError, make_store
from scrapy_urinorm.seen.redis import RedisStore
from scrapy_urinorm.seen.redis_outcomes import Granted, KeyState, RedisOutcomes, Variant

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.seen.redis_server import RedisServer

A, B, C, D = (bytes([n]) * 7 for n in b"ABCD")
PAGE, OTHER = b"page".ljust(20), b"other".ljust(20)
DAY = 86_400

_prefixes = itertools.count()


class Worker:
    """A worker's store, and what it knows of outcomes."""

    def __init__(self, server: RedisServer, prefix: str, ttl: float | None, room: int = 100):
        store = make_store(server.url, prefix=prefix, ttl=ttl)
        assert isinstance(store, RedisStore)
        self.store = store
        store.open()
        self.told = RedisOutcomes(store, chances=2, room=room)

    def claim(self, fp: bytes = PAGE, text: bytes = A) -> bool:
        return self.store.add(fp, lambda: text)

    def stands(self, text: bytes, fp: bytes = PAGE) -> KeyState:
        (found,) = self.told.look((), [(fp, text)])
        return found

    def offer(self, text: bytes, data: bytes | None, fp: bytes = PAGE, *, ending: bool = False) -> int:
        (found,) = self.told.offer([Variant(fp, text, data)], ending=ending)
        return found.chance

    def serve(self, *fps: bytes) -> None:
        self.told.look(fps or (PAGE,), ())


@pytest.fixture(params=[None, DAY], ids=["for ever", "for a day"])
def join(request: pytest.FixtureRequest, redis_server: RedisServer) -> Iterator[Callable[..., Worker]]:
    prefix, workers = f"outcomes{next(_prefixes)}", []

    def make(room: int = 100) -> Worker:
        workers.append(Worker(redis_server, prefix, request.param, room))
        return workers[-1]

    yield make
    for worker in workers:
        worker.store.close()


@pytest.fixture
def one(join: Callable[..., Worker]) -> Worker:
    return join()


@pytest.fixture
def other(join: Callable[..., Worker]) -> Worker:
    return join()


def test_how_a_key_stands(one: Worker, other: Worker) -> None:
    assert other.stands(B) is KeyState.USELESS
    assert one.claim()
    assert not other.claim(text=B)
    assert (other.stands(A), other.stands(B)) == (KeyState.USELESS, KeyState.UNDER_WAY)
    assert one.told.fail(PAGE, [A]) is None
    assert (other.stands(A), other.stands(B)) == (KeyState.USELESS, KeyState.FAILED)
    assert other.offer(B, b"b") == 1
    assert [other.stands(text) for text in (A, B, C)] == [KeyState.USELESS, KeyState.USELESS, KeyState.UNDER_WAY]
    other.offer(C, b"c")
    assert other.stands(D) is KeyState.USELESS
    one.serve()
    assert {other.stands(text) for text in (A, B, C)} == {KeyState.SERVED}


def test_nobody_waits_for_what_was_recorded_without_a_text(one: Worker) -> None:
    assert one.store.add(PAGE)
    assert one.stands(B) is KeyState.SERVED
    assert one.offer(B, b"b") == 0
    assert one.told.fail(PAGE, [A]) is None
    assert one.stands(B) is KeyState.SERVED


def test_variants_wait_in_redis_for_whoever_learns_of_the_failure(one: Worker, other: Worker) -> None:
    one.claim()
    assert [other.offer(text, data) for text, data in ((B, b"b"), (B, b"b"), (C, b"c"), (D, b"d"))] == [0] * 4
    assert one.told.fail(PAGE, [A]) == Granted(PAGE, B, 1, b"b")
    # that it failed is told once
    assert one.told.fail(PAGE, [A]) is None
    assert other.told.fail(PAGE, [B]) == Granted(PAGE, C, 2, b"c")
    assert other.told.fail(PAGE, [C]) is None
    assert other.stands(D) is KeyState.GIVEN_UP
    assert other.offer(D, b"d") == 0


def test_one_that_is_found_after_the_failure_goes_at_once_and_only_once(one: Worker, other: Worker) -> None:
    one.claim()
    one.told.fail(PAGE, [A, C])
    assert [worker.offer(text, b"b") for worker, text in ((one, A), (other, C), (other, B), (one, B))] == [
        0, 0, 1, 0,
    ]  # fmt: skip


def test_what_was_tried_on_the_way_is_not_tried_again(one: Worker, other: Worker) -> None:
    one.claim()
    other.offer(B, b"b")
    other.offer(C, b"c")
    assert one.told.fail(PAGE, [A, B]) == Granted(PAGE, C, 1, b"c")


def test_a_served_key_leaves_nothing_behind(one: Worker, other: Worker, redis_server: RedisServer) -> None:
    prefix = one.store._prefix
    one.claim()
    one.claim(OTHER)
    other.offer(B, b"b")
    one.told.fail(PAGE, [A, C])
    one.serve(PAGE, OTHER)
    client = redis_server.client()
    assert [client.exists(f"{prefix}:{name}") for name in ("failed", "variants", "left")] == [0, 0, 0]
    # the record is as small as one of which nobody waited for the outcome
    values = {value for key in client.keys(f"{prefix}:*:*") for value in client.hgetall(key).values()}
    assert all(value == b"" or value.isdigit() for value in values)
    assert sorted(one.store) == [OTHER, PAGE]


def test_what_finds_no_room_goes_at_once(join: Callable[..., Worker]) -> None:
    one, other = join(), join(room=1)
    one.claim()
    one.claim(OTHER)
    assert other.offer(B, b"b") == 0
    assert other.offer(B, b"b", OTHER) == 1
    # it speaks for the key from then on
    assert one.told.fail(OTHER, [A]) is None
    assert other.told.fail(OTHER, [B]) is None
    assert other.offer(C, b"c", OTHER) == 2


def test_what_cannot_be_written_down_goes_at_once(one: Worker, other: Worker) -> None:
    one.claim()
    assert other.offer(B, None) == 1
    one.claim(OTHER)
    assert other.offer(B, None, OTHER, ending=True) == 0


def test_a_worker_that_ends_leaves_its_variants_to_others(one: Worker, other: Worker) -> None:
    one.claim()
    one.told.fail(PAGE, [A])
    assert other.offer(B, b"b", ending=True) == other.offer(C, b"c", ending=True) == 0
    assert one.told.left() == Granted(PAGE, B, 1, b"b")
    # the second one waits for the first
    assert one.told.left() is None
    assert one.told.fail(PAGE, [B]) == Granted(PAGE, C, 2, b"c")


def test_a_request_that_was_not_sent_gets_itself_again(one: Worker) -> None:
    one.claim()
    assert [one.told.again(PAGE, A), one.told.again(PAGE, A), one.told.again(PAGE, A)] == [1, 2, 0]
    assert one.told.again(PAGE, B) == 0


@pytest.mark.parametrize("found", ["before", "after"])
def test_a_variant_whose_answer_never_came_is_given_again(one: Worker, other: Worker, found: str) -> None:
    one.claim()
    if found == "after":
        one.told.fail(PAGE, [A])
    else:
        other.offer(B, b"b")
    real, broken = one.store._run, iter([True])

    def cut_after_the_server_acted(script: str, args: list[Any], client: Any = None) -> Any:
        answer = real(script, args, client)
        if next(broken, False):
            raise ConnectionResetError("the line broke before the answer")
        return answer

    one.store._run = cut_after_the_server_acted  # type: ignore[method-assign]  # a broken line
    if found == "after":
        assert one.offer(B, b"b") == 1
    else:
        assert one.told.fail(PAGE, [A]) == Granted(PAGE, B, 1, b"b")
    assert other.offer(B, b"b") == 0


def test_what_is_forgotten_is_forgotten_with_its_outcome(redis_server: RedisServer) -> None:
    worker = Worker(redis_server, f"outcomes{next(_prefixes)}", DAY)
    worker.claim()
    worker.told.fail(PAGE, [A, B])
    client = redis_server.client()
    for key in client.keys(f"{worker.store._prefix}:*:*"):
        for field, value in client.hgetall(key).items():
            assert isinstance(value, bytes)
            client.hset(key, field, b"1 " + value.partition(b" ")[2])
    worker.store._recent.clear()
    assert list(worker.store) == []
    assert worker.claim(text=C)
    assert worker.stands(B) is KeyState.UNDER_WAY
    worker.store.close()


def test_clearing_forgets_outcomes(one: Worker, other: Worker, redis_server: RedisServer) -> None:
    one.claim()
    other.offer(B, b"b")
    one.store.clear()
    assert not redis_server.client().exists(f"{one.store._prefix}:variants")
    with pytest.raises(SeenStoreLostError, match="FORGOTTEN"):
        other.told.fail(PAGE, [A])
