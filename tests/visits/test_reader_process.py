"""The page reader: hostile pages, death and haste cost visits their text, and never the crawl a moment."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from scrapy_urinorm.crawl.recording import reader_process
from scrapy_urinorm.crawl.recording.crawl_identity import crawl_identity
from scrapy_urinorm.crawl.recording.reader_process import ReaderProcess, in_thread, shared_reader
from scrapy_urinorm.crawl.visits_extension import VisitsExtension
from scrapy_urinorm.rulesets.platforms import reading
from scrapy_urinorm.visits import isolation, marks, messages, read_visits
from scrapy_urinorm.visits.courtesy import EAGER, NICENESS
from scrapy_urinorm.visits.features import BODY_CAP
from scrapy_urinorm.visits.isolation import BEGUN, SHARED, Parser, Read, Unread
from scrapy_urinorm.visits.links import url_hash
from scrapy_urinorm.visits.page import Crawl, visit_of
from scrapy_urinorm.visits.process import MOST, PROGRESS, Inbox
from scrapy_urinorm.visits.record import visit_from_row
from tests.crawl.components import crawler_with
from tests.live.spiders import running
from tests.visits.hostile import KINDS, hostile_page

if TYPE_CHECKING:
    from collections.abc import Iterator

# Python 3.12 and later say so of the threads of whatever runs the tests, and in 3.15 `fork` raises it
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

SALT = "00" * 16
PAGE = b"<p>a page with a <a href=/next>link</a>"


def visit(number: int, url: str = "http://a.example/", **said: Any) -> dict[str, Any]:
    return {"do": "visit", "crawl": number, "url": url, "status": 200, "time": 0, "type": "text/html", **said}


class Heard:
    """The messages about one crawl."""

    def __init__(self) -> None:
        self.said: list[dict[str, Any]] = []
        self._news = threading.Condition()

    def __call__(self, header: dict[str, Any], _: bytes) -> None:
        with self._news:
            self.said.append(header)
            self._news.notify()

    def wait_for(self, what: str) -> dict[str, Any]:
        with self._news:
            assert self._news.wait_for(lambda: any(said["do"] == what for said in self.said), 280), self.said
            return next(said for said in self.said if said["do"] == what)


@contextmanager
def running_reader() -> Iterator[ReaderProcess]:
    started = ReaderProcess()
    yield started
    for number in [*started._clients, 0]:
        started.forget(number)
    started.wait(280)


@pytest.fixture
def reader() -> Iterator[ReaderProcess]:
    """One to be stopped, killed, or asked for what no other crawl may see."""
    with running_reader() as started:
        yield started


@pytest.fixture(scope="module")
def shared() -> Iterator[ReaderProcess]:
    """One for the crawls of many tests, as those of a process have."""
    with running_reader() as started:
        yield started


def opened(reader: ReaderProcess, path: Path, **options: Any) -> tuple[int, Heard]:
    heard = Heard()
    return reader.open({"id": "c", "salt": SALT, "path": str(path), **options}, heard), heard


def test_a_visit_goes_to_its_file_with_all_that_its_page_tells(shared: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl")
    assert shared.send(visit(number, read=True, cookies=["DokuWiki"], headers=["X-Powered-By"]), PAGE)
    shared.close(number)
    assert heard.wait_for("closed")["written"] == 1
    (found,) = read_visits([tmp_path / "v.jsonl"])
    assert (found.words, found.links_count, found.crawl) == (5, 1, "c")
    assert found.marks == ("cookie:DokuWiki", "header:x-powered-by")
    assert found.time == "1970-01-01T00:00:00Z"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_what_stops_a_crawl_does_not_reach_a_reader_that_has_only_begun(number: int, tmp_path: Path) -> None:
    """Ctrl-C in the first second of a crawl."""
    with running_reader() as reader:
        reader._process.send_signal(number)
        crawl, heard = opened(reader, tmp_path / "v.jsonl")
        reader.send(visit(crawl, read=True), PAGE)
        reader.close(crawl)
        assert heard.wait_for("closed")["written"] == 1
    assert "restarted" not in [said["do"] for said in heard.said]


def test_only_the_user_may_read_visits(shared: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl")
    heard.wait_for("opened")
    assert stat.S_IMODE((tmp_path / "v.jsonl").stat().st_mode) == 0o600
    shared.close(number)
    heard.wait_for("closed")


def test_crawls_of_one_process_share_the_reader_and_may_share_a_file(shared: ReaderProcess, tmp_path: Path) -> None:
    path = tmp_path / "v.jsonl.gz"
    crawls = [opened(shared, path, id=name) for name in "ab"]
    for number, _ in crawls * 3:
        shared.send(visit(number, read=True), PAGE)
    for number, heard in crawls:
        shared.close(number)
        assert heard.wait_for("closed")["written"] == 3
    assert sorted(str(found.crawl) for found in read_visits([path])) == list("aaabbb")


def test_a_file_that_cannot_be_written_is_said(shared: ReaderProcess, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    number, heard = opened(shared, tmp_path / "file" / "v.jsonl")
    assert "v.jsonl" in heard.wait_for("refused")["text"] or "file" in heard.wait_for("refused")["text"]
    shared.close(number)
    assert heard.wait_for("closed")["files"] == []


def test_what_the_reader_does_not_know_it_ignores(shared: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl")
    shared.send({"do": "dance", "crawl": number}, b"x")
    shared.send({"do": "visit", "crawl": number})
    assert "KeyError" in heard.wait_for("failed")["text"]
    shared.send(visit(number))
    shared.close(number)
    assert heard.wait_for("closed")["written"] == 1


def test_pages_are_recorded_where_a_rule_is_known_to_the_crawl_alone(shared: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl", rules=[{"site": {"a.example": {"house_rule": True}}}])
    assert "house_rule" in heard.wait_for("failed")["text"]
    shared.send(visit(number, read=True), PAGE)
    shared.close(number)
    heard.wait_for("closed")
    (found,) = read_visits([tmp_path / "v.jsonl"])
    assert (found.links_count, found.link_keys) == (1, None)


# ---------------------------------------------------------------------- hostile pages


def read(parser: Parser, crawl: Crawl, body: bytes, *, names: bool = False) -> Read:
    (found,) = parser.read([Unread(crawl, visit(1), body, names)])
    return found


@pytest.fixture(scope="module")
def parser() -> Iterator[Parser]:
    started = Parser()
    yield started
    started.close()


@pytest.fixture(scope="module")
def hasty() -> Iterator[Parser]:
    """Gives pages up soon: for what comes after, which is the same however long they took."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(isolation, "PAGE_SECONDS", 0.2)
        started = Parser()
    yield started
    started.close()


@pytest.mark.parametrize(
    "size", [pytest.param(1 << 16, id="64 kB"), pytest.param(4 << 20, id="4 MB", marks=pytest.mark.slow)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_no_page_takes_longer_than_a_second_of_cpu(parser: Parser, kind: str, size: int) -> None:
    before = parser.spent
    line = read(parser, Crawl("c", b""), hostile_page(kind, size)).line
    # the timer of the limit and the clock that counts here are not the same one: unlimited it would be minutes
    assert parser.spent - before <= 5
    assert line is None or len(line) < 200_000
    assert read(parser, Crawl("c", b""), PAGE).line is not None


@pytest.mark.thorough
def test_a_body_of_any_size_is_read_whole(parser: Parser) -> None:
    crawl = Crawl("c", bytes(16))
    assert SHARED - BEGUN.size >= BODY_CAP
    for octets in (len(PAGE), 0, BODY_CAP, SHARED - BEGUN.size, SHARED - BEGUN.size + 1, len(PAGE)):
        # 4 MB of tags are too much for a busy machine that reads them in pure Python
        body = (b" " * (octets - len(PAGE)) + PAGE)[:octets]
        assert read(parser, crawl, body).line == visit_of(crawl, visit(1), body).to_json().encode()


@pytest.mark.slow
def test_pages_that_are_read_together_tell_what_each_tells_alone(parser: Parser) -> None:
    """Whatever is among them, one that the process dies of costs itself alone."""
    crawls = Crawl("plain", b"1"), Crawl("ruled", b"2", [{"site": {"a.example": {"remove_params": ["x"]}}}])
    bad = hostile_page("nested blocks", 4 << 20)
    # as many tags as a busy machine reads in pure Python within the time of a page
    large = (PAGE + b" " * 1000) * 2000
    bodies = [PAGE, PAGE, bad, b"", b"<a href=/?x=1>", bytes(SHARED), large, large, bad, bad, PAGE]
    pages = [Unread(crawls[n % 2], visit(1, f"http://a.example/{n}"), body) for n, body in enumerate(bodies)]
    for page, found in zip(pages, parser.read(pages), strict=True):
        alone = None if page.body is bad else visit_of(page.crawl, page.said, page.body).to_json().encode()
        assert found.line == alone


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="processes are looked for in /proc")
def test_a_process_that_somebody_ends_costs_no_page_and_mixes_up_none() -> None:
    """Its guardian says that it died of a page, though none was asked for."""
    parser = Parser()
    children = Path(f"/proc/{parser._guardian}/task/{parser._guardian}/children")
    crawl = Crawl("c", b"")
    for _ in range(3):
        assert read(parser, crawl, PAGE).line is not None
        before = children.read_text()
        os.kill(int(before), signal.SIGKILL)
        until(lambda before=before: children.read_text() not in ("", before))
        pages = [Unread(crawl, visit(1, f"http://a.example/{n}"), PAGE) for n in range(3)]
        lines = [found.line or b"{}" for found in parser.read(pages)]
        assert [json.loads(line)["url"] for line in lines] == [page.said["url"] for page in pages]
    parser.close()


def test_the_time_of_each_page_is_counted(parser: Parser) -> None:
    # the clock of a process that has an alarm stands still between the ticks of the system
    for _ in range(5):
        before = parser.spent
        read(parser, Crawl("c", b""), PAGE)
        assert parser.spent > before


def test_a_process_that_takes_the_place_of_another_reads_no_packs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They took a tenth of a second of its first page's: what is forked has them from its guardian."""
    read_pack = reading.read_pack

    def noted(name: str, text: str) -> reading.Pack:
        with (tmp_path / "read").open("a") as file:
            file.write(f"{name}\n")
        return read_pack(name, text)

    monkeypatch.setattr(reading, "read_pack", noted)
    monkeypatch.setattr(isolation, "PAGE_SECONDS", 0.2)
    for cached in (reading.pack, reading.markers, marks._markers):
        cached.cache_clear()
    parser = Parser()
    for body in (PAGE, hostile_page("nested blocks", 4 << 20), PAGE):
        read(parser, Crawl("c", b""), body)
    parser.close()
    assert sorted((tmp_path / "read").read_text().split()) == sorted(reading.names())


def test_the_links_of_a_page_are_named_where_they_are_asked_for(hasty: Parser) -> None:
    crawl = Crawl("named", b"")
    named: list[str] = []
    for names in (False, True, True):
        named += read(hasty, crawl, b"<a href=/next>link</a><a href=/other>link</a>", names=names).named
        named += read(hasty, crawl, PAGE, names=names).named
    assert not named
    third = read(hasty, crawl, b"<a href=/third>link</a><a href=/next>link</a>", names=True)
    assert third.named == ["http://a.example/third"]
    assert not read(hasty, crawl, hostile_page("nested blocks", 4 << 20), names=True).named


def test_a_process_that_takes_the_place_of_another_knows_the_rules_of_the_crawl(hasty: Parser) -> None:
    crawl = Crawl("ruled", b"", [{"site": {"a.example": {"remove_params": ["x"]}}}])
    page = b"<a href=/next?x=1>link</a>"
    for body in (page, page, hostile_page("nested blocks", 4 << 20), page):
        line = read(hasty, crawl, body).line
        if body is page:
            assert line is not None
            assert visit_from_row(json.loads(line)).link_keys == url_hash("http://a.example/next")


def test_rules_with_a_date_of_toml_are_told(shared: ReaderProcess, tmp_path: Path) -> None:
    rules = {"where": [{"query": {"from": {"below": date(2024, 1, 31)}}, "remove_params": ["x"]}]}
    number, heard = opened(shared, tmp_path / "v.jsonl", id="dated", rules=[{"site": {"a.example": rules}}])
    shared.send(visit(number, read=True), b"<a href='/?from=2024-01-30&x=1'>link</a>")
    shared.close(number)
    heard.wait_for("closed")
    (found,) = read_visits([tmp_path / "v.jsonl"])
    assert found.link_keys == url_hash("http://a.example/?from=2024-01-30")


@pytest.mark.slow
def test_rules_that_are_many_are_not_loaded_by_each_process(parser: Parser) -> None:
    """A hundred thousand tables took a process more than it may keep: each page had one of its own load them."""
    tables = {f"s{n}.example": {"remove_params": [f"name{n}"]} for n in range(30_000)}
    crawl = Crawl("many", b"", [{"site": {"a.example": {"remove_params": ["x"]}, **tables}}])
    assert crawl.ruled is not None
    line = read(parser, crawl, b"<a href=/next?x=1>link</a>").line
    assert line is not None
    assert visit_from_row(json.loads(line)).link_keys is None


@pytest.mark.thorough
def test_a_page_that_is_given_up_is_recorded_without_text(shared: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl")
    shared.send(
        visit(number, "http://a.example/?PHPSESSID=1", read=True, size=7), hostile_page("nested blocks", 4 << 20)
    )
    shared.send(visit(number, read=True), PAGE)
    shared.close(number)
    assert heard.wait_for("closed")["given_up"] == 1
    bad, good = read_visits([tmp_path / "v.jsonl"])
    assert (bad.lines, bad.size) == (None, 7)
    assert "PHPSESSID=1" not in bad.url
    assert good.words == 5


@pytest.mark.slow
def test_pages_are_read_after_somebody_has_ended_the_processes_that_read_them() -> None:
    parser = Parser()
    os.kill(parser._guardian, signal.SIGKILL)
    # the process that the guardian has forked answers once more, or nobody does
    crawl = Crawl("c", b"")
    lines = [found.line for _ in range(2) for found in parser.read([Unread(crawl, visit(1), PAGE)] * 3)]
    parser.close()
    assert lines.count(None) <= 1


# ---------------------------------------------------------------------- a full pipe


def test_what_does_not_fit_goes_without_text(
    shared: ReaderProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, heard = opened(shared, tmp_path / "v.jsonl")
    heard.wait_for("opened")
    os.kill(shared._process.pid, signal.SIGSTOP)
    try:
        monkeypatch.setattr(reader_process, "WAITING_BODIES", 3 << 20)
        taken = [shared.send(visit(number, read=True), bytes(1 << 20)) for _ in range(8)]
        assert taken[:2] == [True, True]
        assert taken[-1] is False
        monkeypatch.setattr(reader_process, "WAITING_VISITS", 8)
        assert [shared.send(visit(number)) for _ in range(8)][-1] is None
    finally:
        os.kill(shared._process.pid, signal.SIGCONT)
    shared.close(number)
    assert heard.wait_for("closed")["written"] >= 8
    found = list(read_visits([tmp_path / "v.jsonl"]))
    assert 2 <= sum(visit.body_digest is not None for visit in found) < 8


@pytest.mark.thorough
def test_who_hurries_leaves_the_bodies_out(reader: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(reader, tmp_path / "v.jsonl")
    heard.wait_for("opened")
    os.kill(reader._process.pid, signal.SIGSTOP)
    for _ in range(8):
        assert reader.send(visit(number, read=True), bytes(2 << 20))
    reader.hurry()
    os.kill(reader._process.pid, signal.SIGCONT)
    reader.close(number)
    assert heard.wait_for("closed")["written"] == 8
    assert sum(visit.body_digest is not None for visit in read_visits([tmp_path / "v.jsonl"])) <= 2


# ---------------------------------------------------------------------- death


def test_a_reader_that_dies_is_started_again_once(reader: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(reader, tmp_path / "v.jsonl.gz")
    reader.send(visit(number, read=True), PAGE)
    heard.wait_for("opened")
    reader._process.kill()
    heard.wait_for("restarted")
    reader.send(visit(number, "http://a.example/second", read=True), PAGE)
    reader.close(number)
    assert heard.wait_for("closed")["written"] >= 1
    assert [found.url for found in read_visits([tmp_path / "v.jsonl.gz"])][-1] == "http://a.example/second"


@pytest.mark.thorough
def test_a_reader_that_dies_twice_is_let_go(
    reader: ReaderProcess, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    number, heard = opened(reader, tmp_path / "v.jsonl")
    heard.wait_for("opened")
    reader._process.kill()
    until(lambda: [said["do"] for said in heard.said] == ["opened", "restarted", "opened"])
    reader._process.kill()
    heard.wait_for("died")
    assert reader.send(visit(number)) is None
    extension = VisitsExtension(crawler_with({"URINORM_VISITS": str(tmp_path / "v.jsonl")}))
    extension._reader, request = reader, Request("http://a.example/")
    for _ in range(2):
        extension.response_received(HtmlResponse(request.url, body=PAGE), request)
    # nothing that a traceback would tell
    [record] = [one for one in caplog.records if "Visit not recorded" in one.message]
    assert not record.exc_info
    assert record.message.endswith("or has ended")
    assert extension.crawler.stats is not None
    assert extension.crawler.stats.get_value("urinorm/visits/failed") == 2
    reader.close(number)


def waiting(pid: int) -> int:
    """Octets of the standard input of a process that it has not read."""
    import fcntl
    import termios

    with Path(f"/proc/{pid}/fd/0").open("rb") as pipe:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")
@pytest.mark.parametrize("dies", ["the student", pytest.param("the reader", marks=pytest.mark.slow)])
def test_a_judgement_that_a_crawl_waits_for_survives_who_judges(
    dies: str, reader: ReaderProcess, tmp_path: Path
) -> None:
    """A crawl waited ten minutes for what nobody made any more, as those that learn are killed when memory is short."""
    number, heard = opened(reader, tmp_path / "v.jsonl")
    reader.say(number, {"do": "live", "folder": str(tmp_path), "preset": "recommended", "rules": []}, again=True)
    until(lambda: running("scrapy_urinorm.live.process"))
    (student,) = running("scrapy_urinorm.live.process")
    os.kill(student, signal.SIGSTOP)
    # one that is woken for what it reads takes that before it stops
    until(lambda: state(student) == "T")
    for asked in (1, 2):
        before = waiting(student)
        reader.say(number, {"do": "judge", "sites": [], "asked": asked}, again=True)
        until(lambda before=before: waiting(student) > before)
    assert not any(said["do"] == "verdict" for said in heard.said)
    if dies == "the reader":
        reader._process.kill()
    os.kill(student, signal.SIGKILL)
    assert heard.wait_for("verdict")["asked"] == 2
    reader.close(number)
    heard.wait_for("closed")


def test_a_reader_that_cannot_be_started_again_is_let_go(
    reader: ReaderProcess, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, heard = opened(reader, tmp_path / "v.jsonl")
    heard.wait_for("opened")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no such program"))
    reader._process.kill()
    assert "could not be started again" in heard.wait_for("died")["text"]
    assert reader.send(visit(number)) is None
    reader.close(number)


@pytest.mark.thorough
def test_the_next_crawl_has_a_reader_of_its_own(tmp_path: Path) -> None:
    one = shared_reader()
    number, heard = opened(one, tmp_path / "v.jsonl")
    assert shared_reader() is one
    one.close(number)
    heard.wait_for("closed")
    assert one.forget(number)
    one.wait(280)
    other = shared_reader()
    assert other is not one
    other.forget(0)
    other.wait(280)


FEED = """
import os, signal, sys
from scrapy_urinorm.crawl.recording.reader_process import ReaderProcess
from tests.visits.test_reader_process import Heard, PAGE, SALT, visit
reader = ReaderProcess()
heard = Heard()
number = reader.open({"id": "c", "salt": SALT, "path": sys.argv[1]}, heard)
for n in range(50):
    reader.send(visit(number, f"http://a.example/{n}", read=True), PAGE)
print(reader._process.pid, flush=True)
sys.stdin.readline()
if sys.argv[2] == "group":
    os.killpg(0, signal.SIGINT)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(
    "how",
    [
        pytest.param("kill", id="SIGKILL of the crawl", marks=pytest.mark.slow),
        pytest.param("group", id="Ctrl-C for all, then SIGKILL"),
    ],
)
def test_a_killed_crawl_keeps_what_it_has_handed_over(tmp_path: Path, how: str) -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, lambda *_: None)\n"
    command = [sys.executable, "-c", ignoring + FEED, str(tmp_path / "v"), how]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, start_new_session=True, **pipes) as crawl:
        pid = int(crawl.stdout.readline())  # type: ignore[union-attr]  # a pipe
        until(lambda: (tmp_path / "v").exists() and len((tmp_path / "v").read_bytes().splitlines()) == 50)
        crawl.communicate("\n")
    until(lambda: not alive(pid))
    assert len(list(read_visits([tmp_path / "v"], format="jsonl"))) == 50


def until(true: Any) -> None:
    limit = time.monotonic() + 280
    while not true():
        assert time.monotonic() < limit
        # without a pause it would cost the CPU that the other process is in want of
        threading.Event().wait(0.01)


def state(pid: int) -> str:
    """What a process does: T where it is stopped, Z where it has ended."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def alive(pid: int) -> bool:
    try:
        return state(pid) != "Z"
    except FileNotFoundError:
        return False


# ---------------------------------------------------------------------- messages, identity


def test_a_message_survives_its_way() -> None:
    header = {"do": "visit", "url": "http://a.example/é\ud800"}
    data = b"".join(messages.packed(header, b"\0body"))
    stream = memoryview(data + b"torn")
    at = 0

    def read(count: int) -> bytes:
        nonlocal at
        at += count
        return bytes(stream[at - count : at])

    assert messages.received(read) == (header, b"\0body")
    assert messages.received(read) is None


def test_messages_are_taken_as_they_are_there() -> None:
    source, sink = os.pipe()
    with os.fdopen(sink, "wb", buffering=0) as pipe, os.fdopen(source, "rb") as other_end:
        taken = Inbox(other_end.fileno())
        for number in range(MOST + 3):
            messages.send(pipe.write, {"number": number}, b"body")
        assert [header["number"] for header, _ in taken.some()] == list(range(MOST))
        assert [header["number"] for header, _ in taken.some()] == list(range(MOST, MOST + 3))
        large = bytes(2 << 20)
        writer = threading.Thread(target=lambda: pipe.write(b"".join(3 * messages.packed({}, large))))
        writer.start()
        assert [len(some) for some in (taken.some(), taken.some(), taken.some())] == [1, 1, 1]
        writer.join()
        messages.send(pipe.write, {"number": 1}, b"body")
        # what is cut off, by a crawl that was killed, is none
        pipe.write(messages.packed({}, b"body")[0])
        pipe.close()
        assert taken.some() == [({"number": 1}, b"body")]
        assert taken.some() == []


@pytest.mark.parametrize(
    "data", [b"\xff" * 8, b"\2\0\0\0\0\0\0\0[]", b"\2\0\0\0\0\0\0\0{x"], ids=["too long", "no object", "no JSON"]
)
def test_what_is_no_message_is_refused(data: bytes) -> None:
    pieces = iter([data[:8], data[8:]])
    with pytest.raises(ValueError, match=r"not a message|Expecting property name"):
        messages.received(lambda count: next(pieces)[:count])


@pytest.mark.slow
def test_a_resumed_crawl_keeps_its_id_and_its_masks(tmp_path: Path) -> None:
    jobdir = str(tmp_path / "job")
    first = crawl_identity(jobdir)
    assert crawl_identity(jobdir) == first
    assert crawl_identity(None) != crawl_identity(None)
    assert stat.S_IMODE((tmp_path / "job" / "urinorm.crawl").stat().st_mode) == 0o600
    (tmp_path / "job" / "urinorm.crawl").write_text("torn")
    assert crawl_identity(jobdir) != first


def test_an_id_that_cannot_be_kept_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A crawl without its visits would be one without live rules, too."""
    (tmp_path / "urinorm.crawl").mkdir()
    assert crawl_identity(str(tmp_path)) != crawl_identity(str(tmp_path))
    assert caplog.text.count("the next run of this job is another crawl") == 2


@pytest.mark.parametrize("stack", [0, 1 << 46], ids=["a thread", "no room for one"])
def test_what_is_waited_for_runs_where_no_thread_is_left(stack: int) -> None:
    async def ran() -> tuple[bool, int]:
        before = threading.stack_size(stack)
        try:
            found: tuple[bool, int] = await in_thread(
                lambda: (threading.current_thread() is threading.main_thread(), 5)
            )
            return found
        finally:
            threading.stack_size(before)

    assert asyncio.run(ran()) == (stack > 0, 5)


@pytest.mark.skipif(not hasattr(os, "setpriority"), reason="there are no priorities")
@pytest.mark.parametrize(("pages", "lower"), [(EAGER - 1, 0), (EAGER, NICENESS), (3 * EAGER, NICENESS)])
def test_the_first_pages_are_read_at_the_priority_of_the_crawl(pages: int, lower: int) -> None:
    code = (
        "import os; from scrapy_urinorm.visits.courtesy import Courtesy; one = Courtesy();"
        f"[one.page() for _ in range({pages})]; print(os.getpriority(os.PRIO_PROCESS, 0))"
    )
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert int(said) == max(ours, lower)


def test_pieces_are_written_whole_whatever_a_pipe_takes_at_a_time() -> None:
    source, target = os.pipe()
    pieces = deque(bytes([n % 256]) * size for n, size in enumerate([1, 0, 300_000, 7, *[3] * 200, 100_000]))
    whole = b"".join(pieces)
    got: list[bytes] = []
    with os.fdopen(source, "rb") as pipe:
        thread = threading.Thread(target=lambda: got.append(pipe.read()))
        thread.start()
        messages.send_many(target, pieces)
        os.close(target)
        thread.join()
    assert got == [whole]
    assert not pieces


def test_pieces_that_nobody_reads_are_left() -> None:
    source, target = os.pipe()
    os.close(source)
    pieces = deque([b"a", b"b"])
    with pytest.raises(OSError, match="pipe"):
        messages.send_many(target, pieces)
    os.close(target)
    assert list(pieces) == [b"a", b"b"]


@pytest.mark.slow
def test_visits_that_wait_for_others_do_not_wait_for_long(reader: ReaderProcess, tmp_path: Path) -> None:
    number, heard = opened(reader, tmp_path / "v.jsonl")
    for _ in range(PROGRESS):
        assert reader.send(visit(number, read=True), PAGE)
    assert heard.wait_for("progress")["written"] == PROGRESS
