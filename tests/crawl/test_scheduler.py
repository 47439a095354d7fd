"""The scheduler alone, without an engine: what it keeps back, and what the next run of a job finds."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

import pytest
from scrapy import Request, Spider
from scrapy.core.scheduler import Scheduler as StockScheduler
from scrapy.settings import Settings
from scrapy.utils.misc import build_from_crawler, load_object

from scrapy_urinorm import Addon, Scheduler
from scrapy_urinorm.crawl import engine_calls
from scrapy_urinorm.crawl.requests.file import RequestsFile
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.crawl.scheduler import over
from scrapy_urinorm.crawl.scheduling import places, releases
from scrapy_urinorm.crawl.scheduling.journal import Kept
from scrapy_urinorm.crawl.scheduling.kept_back import KeptBack
from scrapy_urinorm.crawl.scheduling.releases import Releases
from scrapy_urinorm.errors import UrinormError
from tests.crawl.components import crawler_with
from tests.needs import needs_rocksdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Scrapy before 2.17 leaves an empty queue's files open when it resumes; Python says so in other words from 3.14 on
LEFT_OPEN = pytest.mark.filterwarnings(
    "ignore:Exception ignored (in.|while finalizing file) <_io.FileIO name=.*requests.queue"
)
pytestmark = LEFT_OPEN
SITE = "https://shop.example/"
LATER = {"site": {"shop.example": {"where": [{"path": "/late/**", "defer": True}]}}}


class Pages(Spider):
    """Any spider."""

    name = "pages"

    def parse(self, response: Any) -> None:
        """Any callback."""


nameless: Any = lambda response: None  # noqa: E731  pickle finds no lambda


class OwnScheduler(StockScheduler):
    """As a project may have one."""


class Crawl:
    """A scheduler, opened as the engine does it."""

    def __init__(self, folder: Path, scheduler: type[StockScheduler] = Scheduler, **settings: Any):
        self.folder = folder
        given = {"SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue", "URINORM_RULES": LATER, **settings}
        given.setdefault("JOBDIR", str(folder))
        given.setdefault("DUPEFILTER_CLASS", "scrapy_urinorm.DupeFilter")
        given.setdefault("REQUEST_FINGERPRINTER_CLASS", "scrapy_urinorm.RequestFingerprinter")
        self.settings = {name: value for name, value in given.items() if value is not None}
        crawler = crawler_with(self.settings, Pages)
        self.spider = crawler.spider = crawler._create_spider()
        self.stats = crawler.stats
        self.scheduler: Any = build_from_crawler(scheduler, crawler)
        self.is_open = False
        self.scheduler.open(self.spider)
        self.is_open = True

    def add(self, *paths: str, **attributes: Any) -> None:
        for path in paths:
            self.scheduler.enqueue_request(Request(SITE + path, callback=self.spider.parse, **attributes))

    def take(self, count: int) -> list[str]:
        """So many requests, as the engine takes them; ended when the next one is asked for."""
        taken: list[str] = []
        while len(taken) < count and self.scheduler.has_pending_requests():
            # None: the gate has kept back so many that the scheduler asks for another call
            if (request := self.scheduler.next_request()) is not None:
                taken.append(request.url.removeprefix(SITE))
        return taken

    def rest(self) -> list[str]:
        return self.take(1000)

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.scheduler.close("finished")

    def kill(self) -> None:
        """Leave the files as they are now, those of Scrapy's queue torn."""
        copy = self.folder.with_name("killed")
        shutil.copytree(self.folder, copy)
        self.close()
        shutil.rmtree(self.folder)
        copy.rename(self.folder)
        for path in (self.folder / "requests.queue").rglob("*"):
            if path.is_file():
                path.write_bytes(b"torn")


@pytest.fixture
def crawl(tmp_path: Path) -> Iterator[Callable[..., Crawl]]:
    """Starts runs of one job."""
    crawls: list[Crawl] = []

    def start(*args: Any, **settings: Any) -> Crawl:
        crawls.append(Crawl(tmp_path / "job", *args, **settings))
        return crawls[-1]

    yield start
    for each in crawls:
        each.close()


ORDERS = {
    "the newest first, as is Scrapy's default": (None, ["d", "c", "b", "a"]),
    "the oldest first": ("scrapy.squeues.PickleFifoDiskQueue", ["a", "b", "c", "d"]),
}


@pytest.mark.parametrize(("queue", "expected"), ORDERS.values(), ids=ORDERS.keys())
def test_a_killed_run_is_taken_up_in_the_order_of_its_queue(
    crawl: Callable[..., Crawl], queue: str | None, expected: list[str]
) -> None:
    first = crawl(SCHEDULER_DISK_QUEUE=queue)
    first.add("a", "b", "c", "d")
    first.scheduler.journal.settle()
    first.kill()
    second = crawl(SCHEDULER_DISK_QUEUE=queue)
    assert second.stats.get_value("urinorm/recovered") == 4
    assert second.scheduler.has_pending_requests()
    # their keys are seen, whether or not they were when the kill came
    second.add("a", "b", "c", "d")
    assert second.rest() == expected
    assert not second.scheduler.has_pending_requests()


def test_what_was_under_way_is_fetched_again_and_what_had_ended_is_not(crawl: Callable[..., Crawl]) -> None:
    first = crawl()
    first.add("a", "b", "c")
    assert first.take(2) == ["c", "b"]
    # without an engine, what was handed out has ended when the scheduler looks for it
    first.scheduler.journal.settle()
    assert first.take(1) == ["a"]
    first.scheduler.journal.commit()
    first.kill()
    assert crawl().rest() == ["a"]


def test_a_key_whose_request_was_not_written_is_not_seen(crawl: Callable[..., Crawl]) -> None:
    first = crawl()
    first.add("a")
    first.scheduler.journal.settle()
    first.add("b")
    first.kill()
    second = crawl()
    second.add("a", "b")
    assert sorted(second.rest()) == ["a", "b"]


def test_a_variant_is_written_with_what_is_known_of_its_key(crawl: Callable[..., Crawl]) -> None:
    rules = {"rules": {"remove_params": ["sid"]}}
    first = crawl(URINORM_RULES=rules)
    first.add("p?sid=1")
    request = first.scheduler.next_request()
    first.scheduler.df.sent(request)
    first.scheduler.df.variants.ended(request, delivered=False)
    first.scheduler.journal.settle()
    first.add("p?sid=2")
    # writes down what is new, as live rules do at any time
    first.scheduler.release()
    first.kill()
    second = crawl(URINORM_RULES=rules)
    second.add("p?sid=2")
    assert second.rest() == ["p?sid=2"]


@pytest.mark.parametrize("seen", ["memory", pytest.param("disk", marks=needs_rocksdict)])
def test_a_folder_that_remembers_between_runs_keeps_what_was_found_and_not_fetched(
    tmp_path: Path, crawl: Callable[..., Crawl], seen: str
) -> None:
    settings = {"JOBDIR": None, "URINORM_SEEN": seen, "URINORM_SEEN_DIR": str(tmp_path)}
    first = crawl(**settings)
    first.add("a", "b", "c")
    assert first.take(1) == ["c"]
    first.close()
    second = crawl(**settings)
    second.add("a", "b", "c", "d")
    assert sorted(second.rest()) == ["a", "b", "d"]
    second.close()
    third = crawl(**settings)
    third.add("a", "b", "c", "d")
    assert third.rest() == []


def test_variants_that_waited_outlast_a_stop_also_without_a_job(tmp_path: Path, crawl: Callable[..., Crawl]) -> None:
    rules = {"rules": {"remove_params": ["sid"]}}
    settings = {"JOBDIR": None, "URINORM_SEEN_DIR": str(tmp_path), "URINORM_RULES": rules}
    first = crawl(**settings)
    first.add("p?sid=1", "p?sid=2")
    first.close()
    second = crawl(**settings)
    request = second.scheduler.next_request()
    assert request.url == SITE + "p?sid=1"
    ((_, variant, _),) = second.scheduler.df.variants._claims.failed(
        second.scheduler.df.fingerprinter.fingerprint(request), request.url, [request.url]
    )
    assert variant.url == SITE + "p?sid=2"


class TestRedisWithoutAJob:
    """Fingerprints are in Redis, what waits in the project's data folder: a file for each process."""

    @pytest.fixture
    def seen(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
        pytest.importorskip("redis")
        from tests.seen.redis_server import RedisServer

        (tmp_path / "redis").mkdir()
        # where no project is, its data folder is below the current one
        monkeypatch.chdir(tmp_path)
        with RedisServer(tmp_path / "redis") as server:
            yield {"URINORM_SEEN": server.url, "JOBDIR": None}

    def test_a_deployed_project_without_a_file_of_its_own_crawls(
        self, seen: dict[str, Any], crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # as scrapyd runs an egg: Scrapy knows the settings, and no folder of the project
        monkeypatch.setenv("SCRAPY_SETTINGS_MODULE", "scrapy.settings.default_settings")
        first = crawl(**seen)
        first.add("a", "b")
        first.close()
        assert sorted(crawl(**seen).rest()) == ["a", "b"]

    def test_a_project_whose_data_folder_cannot_be_made_crawls_and_says_so(
        self, seen: dict[str, Any], crawl: Callable[..., Crawl], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / "scrapy.cfg").write_text("[settings]\n")
        (tmp_path / ".scrapy").symlink_to("/proc/nowhere/at/all")
        run = crawl(**seen)
        run.add("a", "b")
        assert sorted(run.rest()) == ["a", "b"]
        assert "URINORM_SEEN_DIR: if this crawl stops early" in caplog.text

    @pytest.mark.parametrize("killed", [False, True], ids=["stopped", "killed"])
    def test_what_waits_is_fetched_by_the_next_run(
        self, crawl: Callable[..., Crawl], seen: dict[str, Any], tmp_path: Path, killed: bool
    ) -> None:
        first = crawl(**seen)
        first.folder = tmp_path / ".scrapy"
        first.add("a", "b", "c")
        assert first.take(1) == ["c"]
        first.scheduler.journal.settle()
        if killed:
            first.kill()
        else:
            first.close()
        second = crawl(**seen)
        second.add("a", "b", "c", "d")
        assert sorted(second.rest()) == ["a", "b", "d"]

    def test_what_is_known_here_is_not_written(self, crawl: Callable[..., Crawl], seen: dict[str, Any]) -> None:
        run = crawl(**seen)
        run.add("a")
        number = run.scheduler.journal.file.new_id()
        run.add("a", "a")
        assert run.scheduler.journal.file.new_id() == number + 1
        assert run.rest() == ["a"]

    def test_what_another_worker_has_is_not_kept(self, crawl: Callable[..., Crawl], seen: dict[str, Any]) -> None:
        first, second = crawl(**seen), crawl(**seen)
        first.add("a")
        second.add("a", "b")
        first.close()
        second.close()
        # one takes over what both have left
        third = crawl(**seen)
        assert sorted(third.rest()) == ["a", "b"]

    def test_a_file_that_is_in_use_stays_with_who_has_it(
        self, crawl: Callable[..., Crawl], seen: dict[str, Any]
    ) -> None:
        first, second = crawl(**seen), crawl(**seen)
        first.add("a")
        second.add("b")
        second.close()
        third = crawl(**seen)
        assert third.rest() == ["b"]
        assert first.rest() == ["a"]

    def test_without_a_journal_what_others_have_left_is_served(
        self, crawl: Callable[..., Crawl], seen: dict[str, Any], tmp_path: Path
    ) -> None:
        off = {**seen, "URINORM_JOURNAL": False}
        first, second = crawl(**off), crawl(**off)
        for run, path in ((first, "late/a"), (second, "late/b")):
            run.add(path)
            assert run.rest() == [path]
        assert not [*tmp_path.rglob("urinorm.requests*")]
        third = crawl(**seen)
        third.add("c")
        third.close()
        assert crawl(**off).rest() == ["c"]

    def test_each_store_has_its_own(self, crawl: Callable[..., Crawl], seen: dict[str, Any]) -> None:
        first = crawl(**seen)
        first.add("a")
        first.close()
        assert crawl(**seen, URINORM_SEEN_PREFIX="another").rest() == []
        assert crawl(**seen).rest() == ["a"]

    def test_where_all_files_are_in_use_it_goes_on_without(
        self,
        crawl: Callable[..., Crawl],
        seen: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
    ) -> None:
        """As on a disk that lends no locks: it would look for a free one for ever."""
        monkeypatch.setattr(places, "_MOST", 2)
        runs = [crawl(**seen) for _ in range(3)]
        assert caplog.text.count("count as seen in Redis") == 1
        for run, path in zip(runs, "abc", strict=True):
            run.add(path)
        assert [run.rest() for run in runs] == [["a"], ["b"], ["c"]]

    def test_a_file_that_is_damaged_stops_the_start(
        self, crawl: Callable[..., Crawl], seen: dict[str, Any], tmp_path: Path
    ) -> None:
        crawl(**seen).close()
        (file,) = (path for path in tmp_path.rglob("urinorm.requests-*") if path.suffix != ".pid")
        file.write_bytes(b"no database" * 1000)
        with pytest.raises(UrinormError, match=r"urinorm\.requests-pages-.* damaged"):
            crawl(**seen)

    def test_a_folder_that_cannot_be_made_is_said(
        self, crawl: Callable[..., Crawl], seen: dict[str, Any], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        (tmp_path / ".scrapy").write_text("a file")
        first = crawl(**seen)
        first.add("a", "b")
        assert first.take(1) == ["b"]
        (line,) = [one.getMessage() for one in caplog.records if "count as seen in Redis" in one.getMessage()]
        assert ".scrapy" in line


class TestAFileThatIsLost:
    """Fingerprints say that a page was seen, and nothing says that it waits: the next run would end at once."""

    @pytest.fixture
    def killed(self, crawl: Callable[..., Crawl]) -> Crawl:
        first = crawl()
        first.add("a", "b")
        assert first.take(1) == ["b"]
        first.scheduler.journal.settle()
        first.kill()
        return first

    @staticmethod
    def files(run: Crawl) -> list[Path]:
        return sorted(run.folder.glob("urinorm.requests*"))

    def test_one_that_is_empty_stops_the_start(self, crawl: Callable[..., Crawl], killed: Crawl) -> None:
        for path in self.files(killed):
            path.write_bytes(b"")
        with pytest.raises(UrinormError, match=r"urinorm\.requests is empty: what waited in it is lost"):
            crawl()

    def test_one_whose_changes_are_lost_stops_the_start(self, crawl: Callable[..., Crawl], killed: Crawl) -> None:
        """As a backup leaves it that knows one file alone."""
        (killed.folder / "urinorm.requests-wal").unlink()
        with pytest.raises(UrinormError, match=r"urinorm\.requests is empty: what waited in it is lost"):
            crawl()

    def test_one_that_is_gone_is_told_of(
        self, crawl: Callable[..., Crawl], killed: Crawl, caplog: pytest.LogCaptureFixture
    ) -> None:
        for path in self.files(killed):
            path.unlink()
        second = crawl()
        second.add("a", "c")
        assert second.rest() == ["c"]
        assert "what waited then is not fetched; remove the folder of the job to begin anew" in caplog.text

    @pytest.mark.parametrize("how", ["cut off", "damaged"])
    def test_what_was_seen_later_is_forgotten(
        self, crawl: Callable[..., Crawl], caplog: pytest.LogCaptureFixture, how: str
    ) -> None:
        """A power failure may cost the last changes of one file and not of the other."""
        first = crawl()
        first.add("start")
        assert first.take(1) == ["start"]
        first.scheduler.journal.commit()
        changes = first.folder / "urinorm.requests-wal"
        written = changes.stat().st_size
        # what it leads to, and that it has ended
        first.add("a", "b")
        assert first.take(1) == ["b"]
        first.scheduler.journal.settle()
        first.kill()
        lost = changes.read_bytes()[written:]
        assert lost
        changes.write_bytes(changes.read_bytes()[:written] + (b"\xff" * len(lost) if how == "damaged" else b""))
        second = crawl()
        assert "2 fingerprints are forgotten" in caplog.text
        assert second.take(1) == ["start"]
        second.add("a", "b", "start")
        assert second.rest() == ["b", "a"]

    def test_a_kill_alone_forgets_nothing(self, crawl: Callable[..., Crawl], caplog: pytest.LogCaptureFixture) -> None:
        first = crawl()
        first.add("a", "b", "c")
        assert first.take(2) == ["c", "b"]
        # what was seen without waiting
        first.scheduler.df.store.add(b"s" * 20)
        first.scheduler.journal.settle()
        first.kill()
        second = crawl()
        assert b"s" * 20 in second.scheduler.df.store
        assert "forgotten" not in caplog.text
        second.kill()
        third = crawl()
        assert len(third.scheduler.df.store) == 4
        assert "forgotten" not in caplog.text

    def test_the_count_outlives_the_store(self, crawl: Callable[..., Crawl]) -> None:
        """Of a job that is killed while it ends nothing is forgotten."""
        first = crawl()
        first.add("a", "b")
        assert first.rest() == ["b", "a"]
        first.close()
        second = crawl()
        assert second.scheduler.journal.file.mark("seen") == "2"
        second.close()
        file = RequestsFile(first.folder)
        file.open()
        assert file.mark("seen") == "2"
        file.close()

    def test_what_others_have_seen_in_one_folder_stays(
        self, crawl: Callable[..., Crawl], tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        settings = {"URINORM_SEEN_DIR": str(tmp_path / "seen")}
        first = crawl(**settings)
        first.add("a")
        first.scheduler.journal.settle()
        first.kill()
        other = crawl(**settings, JOBDIR=str(tmp_path / "other"))
        other.add("b")
        other.close()
        second = crawl(**settings)
        second.add("b")
        assert second.rest() == ["a"]
        assert "forgotten" not in caplog.text

    def test_what_has_seen_nothing_has_lost_nothing(
        self, crawl: Callable[..., Crawl], caplog: pytest.LogCaptureFixture
    ) -> None:
        first = crawl()
        first.kill()
        for path in self.files(first):
            path.write_bytes(b"")
        second = crawl()
        second.add("a")
        assert second.rest() == ["a"]
        assert not caplog.text

    def test_without_a_journal_an_empty_one_had_nothing(self, crawl: Callable[..., Crawl]) -> None:
        first = crawl(URINORM_JOURNAL=False)
        first.add("a", "b")
        first.close()
        (first.folder / "urinorm.requests").touch()
        assert crawl(URINORM_JOURNAL=False).rest() == ["b", "a"]

    def test_a_job_that_had_no_journal_and_ended_well_has_lost_nothing(
        self, crawl: Callable[..., Crawl], caplog: pytest.LogCaptureFixture
    ) -> None:
        first = crawl(URINORM_JOURNAL=False)
        first.add("a", "b")
        first.close()
        assert not self.files(first)
        assert crawl().rest() == ["b", "a"]
        assert "is not fetched" not in caplog.text


def test_a_clean_stop_leaves_the_queue_to_scrapy(crawl: Callable[..., Crawl]) -> None:
    first = crawl()
    first.add("a", "b", "c")
    first.close()
    second = crawl()
    assert len(second.scheduler.dqs) == 3
    assert second.stats.get_value("urinorm/recovered") is None
    assert second.rest() == ["c", "b", "a"]


@pytest.mark.parametrize("again", [False, True], ids=["begun by Scrapy alone", "used by Scrapy alone in between"])
def test_a_queue_that_scrapy_alone_has_filled_is_taken_over(crawl: Callable[..., Crawl], again: bool) -> None:
    if again:
        before = crawl()
        before.add("x", "y")
        before.close()
    stock = crawl(StockScheduler)
    stock.add("a", "b", "c")
    if again:
        assert stock.take(1) == ["c"]
    stock.close()
    first = crawl()
    first.scheduler.journal.settle()
    first.kill()
    assert crawl().rest() == (["b", "a", "y", "x"] if again else ["c", "b", "a"])


def test_a_kill_in_the_middle_of_taking_over_costs_nothing(
    tmp_path: Path, crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    stock = crawl(StockScheduler)
    stock.add(*"abcdef")
    stock.close()
    pop, left = Scheduler._dqpop, [3]
    killed: list[Any] = []

    def killed_after_three(self: Scheduler) -> Request | None:
        if not left[0]:
            self.journal.file.commit()
            killed.append(self.dqs)
            raise KeyboardInterrupt
        left[0] -= 1
        return pop(self)

    monkeypatch.setattr(Scheduler, "_dqpop", killed_after_three)
    with pytest.raises(KeyboardInterrupt):
        crawl()
    monkeypatch.undo()
    assert crawl(DUPEFILTER_CLASS="scrapy.dupefilters.BaseDupeFilter").rest() == [*"fedcba"]
    assert not (tmp_path / "job" / "requests.queue.before").exists()
    # what only the end of a process closes
    killed[0].close()


def test_a_request_that_scrapys_queue_cannot_take_survives_a_stop(crawl: Callable[..., Crawl]) -> None:
    # what marshal refuses, pickle takes
    first = crawl(SCHEDULER_DISK_QUEUE="scrapy.squeues.MarshalLifoDiskQueue")
    first.add("a", meta={"odd": {1, 2}.union})
    first.add("b", meta={"odd": Path()})
    first.close()
    assert sorted(crawl().rest()) == ["a", "b"]


def test_a_request_that_cannot_be_written_is_served_all_the_same(tmp_path: Path, crawl: Callable[..., Crawl]) -> None:
    run = crawl(JOBDIR=None, URINORM_SEEN="memory", URINORM_SEEN_DIR=str(tmp_path))
    run.scheduler.enqueue_request(Request(f"{SITE}late/x", callback=nameless))
    run.scheduler.enqueue_request(Request(SITE, callback=nameless))
    run.add("a")
    assert run.rest() == ["a", "", "late/x"]


def test_a_request_that_the_spider_cannot_read_any_more_is_kept_and_said(
    crawl: Callable[..., Crawl], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def parse_item(self: Spider, response: Any) -> None:
        """A callback of some versions of the spider."""

    monkeypatch.setattr(Pages, "parse_item", parse_item, raising=False)
    first = crawl()
    first.scheduler.enqueue_request(Request(f"{SITE}item", callback=getattr(first.spider, "parse_item")))  # noqa: B009  mypy knows no such method
    first.add("a")
    first.scheduler.journal.settle()
    first.kill()
    monkeypatch.delattr(Pages, "parse_item")
    second = crawl()
    assert second.rest() == ["a"]
    assert "cannot be read by this spider" in caplog.text
    second.close()
    monkeypatch.setattr(Pages, "parse_item", parse_item, raising=False)
    assert crawl().rest() == ["item"]


# ---------------------------------------------------------------------- later, parked, released


@pytest.mark.parametrize("jobdir", [True, False], ids=["with a JOBDIR", "without"])
def test_deferred_requests_come_when_nothing_else_waits(crawl: Callable[..., Crawl], jobdir: bool) -> None:
    run = crawl(**({} if jobdir else {"JOBDIR": None}))
    run.add("late/1", "a", "late/2", priority=5)
    run.add("b", priority=-2_000_000)
    assert run.take(2) == ["a", "b"]
    assert run.scheduler.has_pending_requests()
    # found meanwhile
    assert run.take(1) == ["late/2"]
    run.add("c")
    assert run.rest() == ["c", "late/1"]
    assert run.stats.get_value("urinorm/deferred") == 2


def test_deferred_requests_stay_behind_the_others_in_the_next_run(crawl: Callable[..., Crawl]) -> None:
    first = crawl()
    first.add("late/1", "a", "b")
    first.close()
    second = crawl()
    second.add("c")
    assert second.rest() == ["c", "b", "a", "late/1"]


class Parking:
    """A gate that parks every path that starts with one of these."""

    def __init__(self, at_enqueue: str = "-", at_dequeue: str = "-"):
        self.enqueue = f"{SITE}{at_enqueue}"
        self.dequeue = f"{SITE}{at_dequeue}"

    def orders(self, request: Request) -> bool:
        return False

    def at_enqueue(self, request: Request) -> Kept | None:
        return self._kept(request) if request.url.startswith(self.enqueue) else None

    def at_dequeue(self, request: Request) -> Kept | None:
        return self._kept(request) if request.url.startswith(self.dequeue) else None

    def refused(self, request: Request) -> None:
        pass

    def handed_out(self, request: Request) -> None:
        pass

    def later_may_go(self) -> bool:
        return True

    def tick(self) -> None:
        pass

    def at_close(self) -> None:
        pass

    @staticmethod
    def _kept(request: Request) -> Kept:
        return Kept(State.PARKED, request.url[-1].encode(), 3)


@pytest.mark.parametrize("gate", [Parking(at_enqueue="p"), Parking(at_dequeue="p")], ids=["at enqueue", "at dequeue"])
@pytest.mark.parametrize("jobdir", [True, False], ids=["with a JOBDIR", "without"])
def test_a_parked_request_is_served_once_when_it_is_released(
    crawl: Callable[..., Crawl], gate: Parking, jobdir: bool
) -> None:
    run = crawl(**({} if jobdir else {"JOBDIR": None}))
    run.scheduler.gate = gate
    run.add("p1", "p2", "a", "p2")
    assert run.rest() == ["a"]
    assert not run.scheduler.has_pending_requests()
    run.add("p1")
    assert run.rest() == []
    assert run.scheduler.release(class_key=b"1") == 1
    assert run.scheduler.has_pending_requests()
    # the gate would park it again
    assert run.rest() == ["p1"]
    assert run.scheduler.release(generation=3) == 1
    assert run.rest() == ["p2"]
    assert run.scheduler.release() == 0


@pytest.mark.parametrize("clean", [True, False], ids=["stopped", "killed"])
def test_parked_requests_wait_for_the_next_run(crawl: Callable[..., Crawl], clean: bool) -> None:
    first = crawl()
    first.scheduler.gate = Parking(at_enqueue="p")
    first.add("p1", "p2", "a")
    first.scheduler.journal.settle()
    if clean:
        first.close()
    else:
        first.kill()
    second = crawl(URINORM_LIVE=True)
    second.add("p1")
    assert second.rest() == ["a"]
    assert second.scheduler.release() == 2
    assert sorted(second.rest()) == ["p1", "p2"]


def test_what_a_killed_run_had_in_its_queue_is_asked_about_again(crawl: Callable[..., Crawl]) -> None:
    """A rule may have been learned since; what the gate had let go stays free."""
    first = crawl(URINORM_LIVE=True)
    first.scheduler.gate = Parking(at_enqueue="p")
    first.add("p1", "a", "q2")
    assert first.scheduler.release() == 1
    first.scheduler.journal.settle()
    first.kill()
    second = crawl(URINORM_LIVE=True)
    second.scheduler.gate = Parking()
    second.scheduler.gate.dequeue = SITE
    assert second.rest() == ["p1"]
    assert second.scheduler.release() == 2
    assert sorted(second.rest()) == ["a", "q2"]


def test_without_live_rules_what_they_kept_back_goes(crawl: Callable[..., Crawl]) -> None:
    first = crawl()
    first.scheduler.gate = Parking(at_enqueue="p")
    first.add("p1", "p2", "a")
    first.close()
    assert sorted(crawl().rest()) == ["a", "p1", "p2"]


def test_released_requests_take_turns_with_the_queue(crawl: Callable[..., Crawl]) -> None:
    run = crawl()
    run.scheduler.gate = Parking(at_enqueue="p")
    run.add("p1", "p2", "p3", "a", "b", "c")
    run.scheduler.release()
    served = run.rest()
    assert sorted(served) == ["a", "b", "c", "p1", "p2", "p3"]
    assert {url[0] for url in served[:2]} != {"p"}
    assert "p" in {url[0] for url in served[:2]}


def many_parked(crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch, queue: str | None = None) -> Crawl:
    """A crawl that has kept ten requests back, and lets three go in a turn."""
    monkeypatch.setattr(releases, "MOST", 3)
    run = crawl(SCHEDULER_DISK_QUEUE=queue, URINORM_LIVE=True)
    run.scheduler.gate = Parking(at_enqueue="p")
    for n in range(10):
        run.add(f"p{n}", priority=n % 2)
    run.scheduler.journal.settle()
    # a turn that is over
    assert run.scheduler.next_request() is None
    return run


@pytest.mark.parametrize("queue", [None, "scrapy.squeues.PickleFifoDiskQueue"])
def test_many_are_let_go_in_turns_and_served_in_their_order(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch, queue: str | None
) -> None:
    run = many_parked(crawl, monkeypatch, queue)
    told: list[int] = []
    run.add("a", "b", "c")
    assert run.scheduler.release(tell=told.append) == 3
    file, taken = run.scheduler.journal.file, []
    for left in (4, 1, 0):
        assert run.scheduler.has_pending_requests()
        taken += run.take(1)
        assert file.count(State.PARKED) == left
    # the queue is served meanwhile
    taken += run.take(1)
    assert {"p"}.isdisjoint(url[0] for url in taken[:2])
    order = [9, 7, 5, 3, 1, 8, 6, 4, 2, 0] if queue is None else [1, 3, 5, 7, 9, 0, 2, 4, 6, 8]
    assert [url for url in [*taken, *run.rest()] if url[0] == "p"] == [f"p{n}" for n in order]
    assert told == [3, 3, 1]


def test_what_comes_later_waits_for_what_is_let_go_in_turns(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(releases, "MOST", 3)
    run = crawl(URINORM_RULES=LATER, URINORM_LIVE=True)
    run.scheduler.gate = Parking(at_enqueue="p")
    run.add("late/a", *(f"p{n}" for n in range(10)))
    run.scheduler.release()
    served = run.rest()
    while len(served) < 11:
        served += run.rest()
    assert served[-1] == "late/a"


class _Reactor:
    """Calls back when its turn is over."""

    calls: ClassVar[list[Callable[[], None]]] = []

    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def schedule(self) -> None:
        if self._call not in self.calls:
            self.calls.append(self._call)

    @classmethod
    def turn(cls) -> None:
        calls = cls.calls[:]
        cls.calls.clear()
        for call in calls:
            call()


def many_releases(crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch) -> tuple[Releases, Any]:
    """What lets go of ten parked requests, some a turn, and their file."""
    file = many_parked(crawl, monkeypatch).scheduler.journal.file
    monkeypatch.setattr(engine_calls, "CallLaterOnce", _Reactor)
    journal: Any = SimpleNamespace(file=file, engine=SimpleNamespace(_slot=SimpleNamespace()), fail=pytest.fail)
    return Releases(journal, KeptBack(file, {}, newest_first=True), lambda: None), file


def test_the_engine_asks_often_in_a_turn_of_the_reactor_and_some_are_let_go_once(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    several, file = many_releases(crawl, monkeypatch)
    assert several.begin(State.PARKED, State.LATER) == 3
    assert several.begin(State.LATER, State.RELEASED) == 0
    left = []
    for _ in range(3):
        for _ in range(16):
            several.turn()
        left.append((file.count(State.PARKED), file.count(State.RELEASED)))
        _Reactor.turn()
    assert left == [(7, 0), (4, 0), (1, 0)]
    several.finish()
    assert file.count(State.RELEASED) == 10
    _Reactor.turn()
    assert not _Reactor.calls


def test_what_is_let_go_goes_while_the_engine_asks_for_nothing(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its downloader is full, of a slow site for minutes: some went with each answer."""
    several, file = many_releases(crawl, monkeypatch)
    left = [10 - several.begin(State.PARKED, State.LATER)]
    while _Reactor.calls:
        _Reactor.turn()
        left.append(file.count(State.PARKED))
    assert left == [7, 4, 1, 0, 0]
    assert not several


def test_a_disk_that_fails_ends_what_is_let_go(crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch) -> None:
    run = many_parked(crawl, monkeypatch)
    run.scheduler.release()
    failed: list[Exception] = []
    monkeypatch.setattr(run.scheduler.journal, "fail", failed.append)

    def full(*_: object, **__: object) -> int:
        raise UrinormError("full")

    with monkeypatch.context() as patched:
        patched.setattr(run.scheduler.journal.file, "release", full)
        # those that have gone are served
        assert run.scheduler.next_request() is not None
    assert len(failed) == 1
    assert len(run.rest()) == 2


def test_a_crawl_ends_with_nothing_that_is_still_to_go(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = many_parked(crawl, monkeypatch)
    assert run.scheduler.release(to=State.LATER) == 3
    # a further one waits for the first, and for its turn
    assert run.scheduler.release(State.LATER) == 0
    run.close()
    file = crawl(URINORM_LIVE=True).scheduler.journal.file
    assert (file.count(State.PARKED), file.count(State.RELEASED)) == (0, 10)


def test_what_a_kill_left_of_a_release_is_let_go_by_the_next_run(
    crawl: Callable[..., Crawl], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = many_parked(crawl, monkeypatch)
    run.scheduler.release()
    assert run.scheduler.next_request() is None
    run.kill()
    second = crawl(URINORM_LIVE=True)
    assert second.scheduler.journal.file.count(State.PARKED) == 4
    second.scheduler.release()
    assert sorted(second.rest()) == [f"p{n}" for n in range(10)]


# ---------------------------------------------------------------------- whose scheduler, whose filter


def test_a_filter_that_is_not_ours_is_asked_after_the_request_is_written(crawl: Callable[..., Crawl]) -> None:
    own = {"DUPEFILTER_CLASS": "scrapy.dupefilters.RFPDupeFilter"}
    first = crawl(**own)
    first.add("a", "a", "b")
    first.kill()
    second = crawl(**own)
    second.add("a", "b")
    assert second.rest() == ["b", "a"]


def installed(**settings: Any) -> Any:
    given = Settings(settings)
    Addon().update_settings(given)
    return load_object(given["SCHEDULER"])


def test_the_add_on_puts_it_over_whatever_the_project_has() -> None:
    assert installed() is Scheduler
    mixed = installed(SCHEDULER=OwnScheduler)
    assert mixed.__mro__[1:4] == (Scheduler, OwnScheduler, StockScheduler)
    assert installed(SCHEDULER=mixed) is mixed
    assert installed(SCHEDULER="scrapy_urinorm.Scheduler") is Scheduler


def test_under_scrapy_redis_it_is_not_in_force_and_one_line_says_so(caplog: pytest.LogCaptureFixture) -> None:
    pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")
    with caplog.at_level("INFO"):
        scheduler = installed(SCHEDULER="scrapy_redis.scheduler.Scheduler")
    assert scheduler.__module__ == "scrapy_redis.scheduler"
    assert [record.getMessage() for record in caplog.records if "no journal of requests" in record.getMessage()]


def test_over_a_projects_scheduler_everything_holds(crawl: Callable[..., Crawl]) -> None:
    first = crawl(over(OwnScheduler))
    first.add("a", "late/1", "b")
    first.scheduler.journal.settle()
    first.kill()
    assert crawl(over(OwnScheduler)).rest() == ["b", "a", "late/1"]


def test_it_can_be_turned_off(tmp_path: Path, crawl: Callable[..., Crawl]) -> None:
    run = crawl(URINORM_JOURNAL=False)
    run.add("a", "b")
    assert run.rest() == ["b", "a"]
    assert not (tmp_path / "job" / "urinorm.requests").exists()
