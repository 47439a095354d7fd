"""Real crawls of a site on loopback with live rules, beside what the same crawl without them gets."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from scrapy import Request

from scrapy_urinorm import Normalizer
from scrapy_urinorm.crawl.requests.file import RequestsFile
from scrapy_urinorm.crawl.requests.rows import Row, State
from scrapy_urinorm.crawl.requests.serialized import dumped
from scrapy_urinorm.visits import read_visits
from scrapy_urinorm.visits.why import answers
from tests.crawl.crawling import Job, Outcome, crawl
from tests.live.served import Served
from tests.live.sites import Answer, Answering, Site, identities_of, prose, record
from tests.live.test_few_words import PEOPLE, Register

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pages are read in a forked process")

ADDON = {"scrapy_urinorm.Addon": 600}
# so slow that the process that learns, which has the lowest priority, keeps up on a busy machine
PACE = {"DOWNLOAD_DELAY": 0.01, "CONCURRENT_REQUESTS": 8, "CONCURRENT_REQUESTS_PER_DOMAIN": 8}
# who is faster, the crawl or the process that learns, makes no difference then
UNTIL_NEWS, UNTIL_RULES = (
    {"SPIDER_MIDDLEWARES": {f"tests.live.waiting.{name}": 0}} for name in ("UntilNews", "UntilRules")
)
FIFO = {
    "DEPTH_PRIORITY": 1,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}


def live(
    served: Served, folder: Path, spider: str = "Follow", attributes: dict[str, Any] | None = None, **settings: Any
) -> Outcome:
    """Crawl the site with live rules and nothing else."""
    job = Job(
        "live",
        [served.start],
        {"ADDONS": ADDON, "URINORM_LIVE": True, "LOG_LEVEL": "INFO", **PACE, **settings},
        spider=f"tests.live.spiders.{spider}",
        attributes=attributes or {},
    )
    return crawl(job, folder)


def pages(folder: Path) -> list[str]:
    return (folder / "pages.txt").read_text("utf-8").split()


def all_pages(site: Answering) -> set[str]:
    visits, identities = record(site)
    return identities_of([visit.url for visit in visits], identities)


def counts(outcome: Outcome) -> dict[str, int]:
    prefix = "urinorm/live/"
    return {name[len(prefix) :]: n for name, n in outcome.stats.items() if name.startswith(prefix)}


ORDERS = [
    pytest.param({}, id="depth first"),
    pytest.param(FIFO, id="breadth first", marks=pytest.mark.slow),
]


# the oldest Scrapy has its live crawls by what is kept back, below; this one takes the most pages of all
@pytest.mark.newest
@pytest.mark.parametrize("order", ORDERS)
def test_the_first_crawl_saves_and_loses_nothing(tmp_path: Path, order: dict[str, Any]) -> None:
    site = Site(1, features={"sid", "ref"}, articles=45)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, **order, **UNTIL_RULES)
        assert outcome.reason == "finished"
        assert not outcome.lines("ERROR")
        assert served.identities(pages(tmp_path)) == all_pages(site)
    found = counts(outcome)
    assert found["parked"] > 0
    assert found["canaries"] >= 3
    # whatever was met was fetched, or is named
    kept = [json.loads(line)["why"] for line in (tmp_path / "urinorm.parked.jsonl").read_text("utf-8").splitlines()]
    assert len(kept) == found["given_up"] + found.get("not_fetched", 0)
    assert len(set(served.asked)) + len(kept) == outcome.stats["scheduler/enqueued"]
    assert outcome.lines("Live rules: after", "remove_params")


@pytest.mark.slow
@pytest.mark.parametrize("spider", ["WithMeta", "Crawling", "Downloading", "Stumbling", "Awkward"])
def test_spiders_of_all_kinds_lose_nothing(tmp_path: Path, spider: str) -> None:
    site = Site(2, features={"sid", "ref", "elsewhere", "errors"}, articles=25)
    with Served(site) as served:
        outcome = live(served, tmp_path / "live", spider)
        assert outcome.reason == "finished"
        assert not outcome.lines("Visit not recorded")
        met = all_pages(site)
        if spider == "Stumbling":
            # what its failures hide from it without live rules, too
            live(served, tmp_path / "stock", spider, URINORM_LIVE=False)
            met = served.identities(pages(tmp_path / "stock"))
        assert served.identities(pages(tmp_path / "live")) >= met


@dataclass
class Related:
    """Items in lists, each with a file; a link from a related one says where it stands, and is one level deeper."""

    host: str = "127.0.0.1"
    start: str = "http://127.0.0.1/"
    items: int = 150

    def answer(self, target: str) -> Answer:
        path = urlsplit(target).path
        kind, _, number = path.strip("/").rpartition("/")
        if kind == "list":
            links = [f"/item/{n}" for n in range(10 * int(number), 10 * int(number) + 10)]
        elif kind == "item":
            links = [f"/item/{(int(number) + n) % self.items}?ref=item{number}" for n in (1, 7, 31)]
            links.append(f"/file/{number}")
        else:
            links = [] if kind else [f"/list/{n}" for n in range(self.items // 10)]
        return Answer(200, prose(path), tuple(links), identity=path)


@pytest.mark.slow
def test_a_spider_that_counts_levels_in_its_meta_loses_nothing(tmp_path: Path) -> None:
    site = Related()
    with Served(site) as served:
        outcome = live(served, tmp_path, "Leveled", None, **UNTIL_RULES)
        assert outcome.reason == "finished"
        assert served.identities(pages(tmp_path)) >= {f"/file/{n}" for n in range(site.items)}
    assert counts(outcome)["parked"] > 0


@pytest.mark.slow
def test_a_rule_that_was_right_at_first_loses_nothing(tmp_path: Path) -> None:
    site = Site(5, features={"turning", "sid"}, articles=60)
    site.turn = 35
    with Served(site) as served:
        live(served, tmp_path, "Follow", None, **FIFO)
        assert served.identities(pages(tmp_path)) == all_pages(site)


@pytest.mark.slow
def test_what_was_put_off_goes_when_it_has_waited(tmp_path: Path) -> None:
    """Rows of a database, whose exports have no end, and which the table has shown.

    That they wait for as long as they are told to is asserted of simulated crawls, in `test_few_words`.
    """
    with Served(Register(shown=True, exports=True)) as served:
        outcome = live(served, tmp_path, "Impatient", None, CLOSESPIDER_PAGECOUNT=700, **FIFO, **UNTIL_NEWS)
        assert outcome.reason == "closespider_pagecount"
        people = {name for name in served.identities(pages(tmp_path)) if name.startswith("person")}
    assert len(people) == PEOPLE
    assert counts(outcome)["released"] > 0


@pytest.mark.slow
def test_a_resumed_crawl_goes_on_with_its_rules(tmp_path: Path) -> None:
    # more articles than the first run may fetch, or rules that come early let it end
    site = Site(1, features={"sid", "ref"}, articles=160)
    job = str(tmp_path / "job")
    with Served(site) as served:
        first = live(served, tmp_path, JOBDIR=job, CLOSESPIDER_PAGECOUNT=150)
        assert first.reason == "closespider_pagecount"
        assert not first.lines("were put off, and the crawl was stopped")
        second = live(served, tmp_path, JOBDIR=job)
        assert second.reason == "finished"
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert (tmp_path / "job" / "learned.toml").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("at", [(80,), (60, 110)], ids=["once", "twice"])
def test_a_process_that_learns_and_dies_costs_no_page(tmp_path: Path, at: tuple[int, ...]) -> None:
    site = Site(1, features={"sid", "ref"}, articles=40)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Murderous", attributes={"at": at})
        assert outcome.reason == "finished"
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert bool(outcome.lines("Live rules are off")) is (len(at) == 2)


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        pytest.param({"DEPTH_LIMIT": 30}, "DEPTH_LIMIT is set", marks=pytest.mark.newest),
        pytest.param({"SCHEDULER": "tests.live.strange.Strange"}, "the scheduler is", marks=pytest.mark.slow),
        pytest.param({"ADDONS": {**ADDON, "tests.live.strange.Frozen": 1}}, "is no Python that could run"),
    ],
)
def test_it_only_observes_where_it_could_lose(tmp_path: Path, settings: dict[str, Any], why: str) -> None:
    site = Site(1, features={"ref"}, articles=8)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, **settings)
        assert outcome.lines("Live rules only observe", why)
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert "parked" not in counts(outcome)


# `test_simulated` shows it in memory, as does the next
@pytest.mark.newest
@pytest.mark.slow
def test_an_endless_site_ends_and_names_what_it_left(tmp_path: Path) -> None:
    site = Site(2, features={"calendar"}, articles=30)
    with Served(site) as served:
        visits_file = str(tmp_path / "visits.jsonl")
        outcome = live(
            served, tmp_path, "Follow", None, **UNTIL_NEWS, URINORM_LIVE_CLOSE=30, URINORM_VISITS=visits_file
        )
        assert outcome.reason == "finished"
        assert {f"article {n}" for n in range(30)} <= served.identities(pages(tmp_path))
    # on a busy machine the process that learns is behind; without it the crawl would not end at all
    assert len(served.asked) < 3_000
    rows = [json.loads(line) for line in (tmp_path / "urinorm.parked.jsonl").read_text("utf-8").splitlines()]
    assert {row["why"] for row in rows} == {"closed"}
    assert outcome.lines("times that something new came", "URINORM_LIVE_CLOSE")
    visits = [*read_visits([tmp_path / "visits.jsonl"])]
    assert {row["crawl"] for row in rows} == {visit.crawl for visit in visits}
    told = answers([row["url"] for row in rows], visits, Normalizer(), rows)
    assert {answer.verdict for answer in told} == {"closed"}


@pytest.mark.newest
@pytest.mark.slow
def test_links_that_lead_back_to_what_is_known_are_closed(tmp_path: Path) -> None:
    site = Site(1, features={"languages"}, articles=80)
    with Served(site) as served:
        outcome = live(served, tmp_path, "Follow", None, **FIFO, **UNTIL_NEWS, URINORM_LIVE_CLOSE=20)
        assert outcome.reason == "finished"
        assert served.identities(pages(tmp_path)) == all_pages(site)
        # twenty in their turn, twenty later, those under way, and samples
        sent = [url for url in served.asked if "/language/de" in url]
    assert 40 <= len(sent) < 70
    kept = [json.loads(line) for line in (tmp_path / "urinorm.parked.jsonl").read_text("utf-8").splitlines()]
    whys = [row["why"] for row in kept if "/language/de" in row["url"]]
    assert len(whys) == 80 - len(sent)
    # a crawl that is slow beside its student may learn that they are what they lead to, before their shape is closed
    assert set(whys) <= {"closed", "duplicate"}
    closed = outcome.lines("Live rules: ", "/language/de?next=*", "times that something new came")
    assert bool(closed) == ("closed" in whys)


@pytest.mark.newest
@pytest.mark.slow
def test_a_crawl_that_is_stopped_names_what_was_to_come_later(tmp_path: Path) -> None:
    site = Site(2, features={"calendar"}, articles=30)
    with Served(site) as served:
        settings = {"CLOSESPIDER_PAGECOUNT": 150, "CONCURRENT_REQUESTS": 1, **FIFO, **UNTIL_NEWS}
        outcome = live(served, tmp_path, "Follow", None, **settings)
        assert outcome.reason == "closespider_pagecount"
    rows = [json.loads(line) for line in (tmp_path / "urinorm.parked.jsonl").read_text("utf-8").splitlines()]
    later = {row["url"] for row in rows if row["why"] == "later"}
    assert later
    assert outcome.lines("were put off, and the crawl was stopped")
    assert {"/" + url.split("/", 3)[3] for url in later}.isdisjoint(served.asked)
    assert {answer.verdict for answer in answers([*later][:5], [], Normalizer(), rows)} == {"linked"}


def left_parked(folder: Path, urls: list[str], piece: tuple[bytes, str] | None) -> None:
    """Make the folder of a job in which a run before has kept requests back."""
    file = RequestsFile(folder)
    file.open()
    for url in urls:
        data = dumped(Request(url), None)
        assert data is not None
        file.put(Row(file.new_id(), State.PARKED, 0, "", data, None, b"a class", 1))
    if piece is not None:
        file.piece(*piece)
    file.commit()
    file.close()


@pytest.mark.parametrize(
    ("piece", "settings", "said"),
    [
        pytest.param((b"site a", "[1, {"), {}, "Live rules are off", id="cut off", marks=pytest.mark.newest),
        pytest.param((b"site a", "{}"), {}, "Live rules are off", id="of another version", marks=pytest.mark.slow),
        pytest.param((b"generations ", "3"), {}, "", id="of rules before the last", marks=pytest.mark.slow),
        pytest.param(None, {"DEPTH_LIMIT": 30}, "Live rules only observe", id="observing", marks=pytest.mark.slow),
        pytest.param(None, {"URINORM_LIVE": False}, "", id="off", marks=pytest.mark.slow),
        # as `-s URINORM_LIVE=0` gives it
        pytest.param(None, {"URINORM_LIVE": "0"}, "3 requests that live rules kept back", id="off as text"),
    ],
)  # fmt: skip
def test_what_the_run_before_kept_back_is_fetched(
    tmp_path: Path, piece: tuple[bytes, str] | None, settings: dict[str, Any], said: str
) -> None:
    site = Site(1, features={"sid"}, articles=5)
    with Served(site) as served:
        left = [f"{served.start}article/{n}?nobody=links" for n in range(3)]
        left_parked(tmp_path / "job", left, piece)
        outcome = live(served, tmp_path, JOBDIR=str(tmp_path / "job"), **settings)
        assert outcome.reason == "finished"
        assert len(outcome.lines(said)) > 0
        assert bool(outcome.lines("are sent now: URINORM_LIVE is off")) is ("URINORM_LIVE" in settings)
        if "URINORM_LIVE" in settings:
            assert counts(outcome)["released"] == 3
        assert set(left) <= set(pages(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("size", [20_000, pytest.param(40_000, marks=pytest.mark.soak), 80_000, 160_000])
def test_a_full_disk_ends_it_and_costs_no_page(tmp_path: Path, size: int) -> None:
    site = Site(1, features={"sid", "ref"}, articles=60)
    job = str(tmp_path / "job")
    with Served(site) as served:
        disk: dict[str, Any] = {"EXTENSIONS": {"tests.crawl.spiders.SmallDisk": 0}, "TEST_FILE_BYTES": size}
        full = live(served, tmp_path, JOBDIR=job, **disk)
        assert full.reason.startswith("urinorm_"), full.log[-30:]
        again = live(served, tmp_path, JOBDIR=job)
        assert again.reason == "finished"
        assert served.identities(pages(tmp_path)) == all_pages(site)
