"""The way to the page reader: in order, whole, once, and nobody who puts a message waits for who reads it."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl.recording import outbox
from scrapy_urinorm.crawl.recording.outbox import Outbox
from scrapy_urinorm.visits import messages

if TYPE_CHECKING:
    from collections.abc import Iterator

BODY = bytes(range(256)) * 1024


class Way:
    """An outbox with its thread and its pipes; what comes out is read when somebody asks for it."""

    def __init__(self, pipes: int = 1) -> None:
        self.told: list[str] = []
        self.ends = [os.pipe() for _ in range(pipes)]
        self.sources = [os.fdopen(source, "rb") for source, _ in self.ends]
        self.begun = 0
        self.outbox = Outbox(lambda message: self.told.append(message[0]["text"]), self.next)
        self.outbox.attach(self.next())
        self.thread = threading.Thread(target=self.outbox.run, daemon=True)
        self.thread.start()

    def next(self) -> int | None:
        self.begun += 1
        return self.ends[self.begun - 1][1] if self.begun <= len(self.ends) else None

    def put(self, text: str, body: bytes = b"", *, at_once: bool = True) -> None:
        self.outbox.put(({"text": text}, body), at_once=at_once)

    def read(self, count: int, source: int = 0) -> list[messages.Message]:
        return [message for _ in range(count) if (message := messages.received(self.sources[source].read)) is not None]

    def close(self) -> None:
        self.outbox.end()
        self.thread.join(280)
        assert not self.thread.is_alive()
        for source, (_, target) in zip(self.sources, self.ends, strict=True):
            os.close(target)
            source.close()


@pytest.fixture(params=[True, False], ids=["who puts it writes", "the thread writes"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Way]:
    if request.param and not outbox.AT_ONCE:
        pytest.skip("pipes cannot be told not to block here")
    monkeypatch.setattr(outbox, "AT_ONCE", request.param)
    made = Way(pipes=2)
    yield made
    made.close()


@pytest.mark.parametrize("at_once", [True, False])
def test_messages_come_in_their_order(way: Way, at_once: bool) -> None:
    for number in range(300):
        way.put(str(number), bytes(number), at_once=at_once)
    assert way.read(300) == [({"text": str(number)}, bytes(number)) for number in range(300)]


def test_who_puts_more_than_the_pipe_takes_does_not_wait_for_the_reader(way: Way) -> None:
    for number in range(40):
        way.put(str(number), BODY)
    # who reads begins only now: had one `put` waited for him, this line were never reached
    assert way.read(40) == [({"text": str(number)}, BODY) for number in range(40)]


def test_messages_of_several_threads_come_whole_and_each_threads_in_its_order(way: Way) -> None:
    def put(name: int) -> None:
        for number in range(200):
            way.put(f"{name}.{number}", BODY[: 997 * name], at_once=number % 3 == 0)

    threads = [threading.Thread(target=put, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    came = way.read(800)
    for thread in threads:
        thread.join()
    assert all(body == BODY[: 997 * int(header["text"][0])] for header, body in came)
    for name in range(4):
        mine = [int(header["text"].split(".")[1]) for header, _ in came if header["text"].startswith(f"{name}.")]
        assert mine == list(range(200))


def test_what_is_handed_over_is_told(way: Way) -> None:
    for number in range(5):
        way.put(str(number), BODY)
    way.read(5)
    way.outbox.end()
    way.thread.join(280)
    assert way.told == list("01234")


def test_what_nobody_has_read_whole_goes_to_the_next_reader(way: Way) -> None:
    for number in range(20):
        way.put(str(number), BODY)
    first = way.read(1)
    way.sources[0].close()
    way.put("last")
    # a pipe that was closed takes what it held with it, as a reader that was killed does
    came = way.read(1, source=1)
    while came[-1][0]["text"] != "last":
        came += way.read(1, source=1)
    numbers = [int(header["text"]) for header, _ in came[:-1]]
    assert [header["text"] for header, _ in first] == ["0"]
    assert numbers == list(range(numbers[0], 20))
    assert all(body == BODY for _, body in came[:-1])
    way.outbox.end()
    way.thread.join(280)
    assert sorted(way.told) == sorted([*map(str, range(20)), "last"])


def test_what_nobody_will_take_is_told_and_kept_nowhere(way: Way) -> None:
    for source in way.sources:
        source.close()
    for number in range(20):
        way.put(str(number), BODY)
    way.outbox.end()
    way.thread.join(280)
    way.put("later")
    assert way.begun == 3
    assert set(way.told) >= set(map(str, range(20)))
    assert not way.outbox._going


def test_nothing_is_written_once_it_has_ended(way: Way) -> None:
    """Whoever closes the pipe then gives its number to another file: of the user's, perhaps."""
    way.outbox.end()
    way.thread.join(280)
    way.put("late")
    os.close(way.ends[0][1])
    way.ends[0] = (way.ends[0][0], os.open(os.devnull, os.O_WRONLY))
    assert way.read(1) == []


def test_a_pipe_that_is_being_replaced_is_written_to_no_more(way: Way) -> None:
    seen: list[int | None] = []
    following = way.next

    def watched() -> int | None:
        seen.append(way.outbox._pipe)
        return following()

    way.outbox._broken = watched
    way.sources[0].close()
    way.put("one")
    assert way.read(1, source=1) == [({"text": "one"}, b"")]
    assert seen == [None]


def test_who_hurries_has_what_waits_go_without_its_body(way: Way) -> None:
    for number in range(40):
        way.put(str(number), BODY)
    way.outbox.without_bodies = True
    came = way.read(40)
    with_body = [bool(body) for _, body in came]
    assert with_body == sorted(with_body, reverse=True)
    assert sum(with_body) < 40
    assert all(header.get("read") is (None if body else False) for header, body in came)


def test_what_is_no_json_is_left_out_and_said(way: Way, caplog: pytest.LogCaptureFixture) -> None:
    odd: dict[str, Any] = {"text": "odd", "meta": object()}
    way.put("before")
    way.outbox.put((odd, b""))
    way.put("after")
    assert [header["text"] for header, _ in way.read(2)] == ["before", "after"]
    assert "was not sent" in caplog.text


@pytest.fixture
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "LINGER", 0.2)


@pytest.mark.usefixtures("soon")
def test_what_is_in_no_hurry_goes_though_nobody_puts_anything_more() -> None:
    way = Way()
    for _ in range(3):
        way.put("one", at_once=False)
        assert way.read(1) == [({"text": "one"}, b"")]
    way.close()


@pytest.mark.usefixtures("soon")
def test_the_thread_sleeps_where_nothing_waits() -> None:
    """Else a crawl that is idle would be woken for ever."""
    way = Way()
    way.put("one", at_once=False)
    way.read(1)
    limit = time.monotonic() + 280
    while not way.outbox._idle:
        assert time.monotonic() < limit
        threading.Event().wait(0.01)
    way.put("two", at_once=False)
    assert way.read(1) == [({"text": "two"}, b"")]
    way.close()
