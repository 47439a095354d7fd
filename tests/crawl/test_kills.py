"""Crawls killed with -9 at random moments: no page is lost, whatever holds what was seen."""

from __future__ import annotations

import signal
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.kills import Crawls, crawl_with_kills
from tests.crawl.nasty_kills import crawl_nastily
from tests.crawl.site import SiteServer, page
from tests.seen.redis_server import RedisServer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="lacks fork")
#: What a kill may have under way or written down too late: sixteen requests, and what ends in some milliseconds.
AGAIN_PER_KILL = 80

STORES: dict[str, dict[str, Any]] = {
    "memory, in the JOBDIR": {"JOBDIR": "{folder}/job"},
    "disk, in the JOBDIR": {"JOBDIR": "{folder}/job", "URINORM_SEEN": "disk"},
    "disk, from run to run": {"URINORM_SEEN": "disk:{folder}/seen"},
    "Redis": {"URINORM_SEEN": "{redis}", "URINORM_SEEN_DIR": "{folder}/requests"},
    "Scrapy's own filter": {"JOBDIR": "{folder}/job", "DUPEFILTER_CLASS": "tests.crawl.own_classes.OwnDupeFilter"},
}
FINDS = [pytest.param(True, id="pages found by links alone"), pytest.param(False, id="pages that start() offers")]


def check(folder: Path, given: dict[str, Any], *, pages: int, kills: int, linked: bool, seed: int) -> None:
    with RedisServer(folder) if "{redis}" in given.values() else nullcontext() as server:
        redis = server.url if server is not None else ""
        settings = {name: value.format(folder=folder, redis=redis) for name, value in given.items()}
        settings["ADDONS"] = {"scrapy_urinorm.Addon": 600}
        result = crawl_with_kills(folder, settings, pages=pages, kills=kills, linked=linked, seed=seed)
    assert result.lost == []
    assert result.kills == kills
    if "DUPEFILTER_CLASS" not in given:
        assert result.again <= AGAIN_PER_KILL * kills


@pytest.mark.slow
@pytest.mark.parametrize("given", STORES.values(), ids=STORES.keys())
def test_a_few_kills_lose_no_page(tmp_path: Path, given: dict[str, Any]) -> None:
    check(tmp_path, given, pages=200, kills=3, linked=True, seed=3)


@pytest.mark.soak
@pytest.mark.parametrize("linked", FINDS)
@pytest.mark.parametrize("given", STORES.values(), ids=STORES.keys())
def test_many_kills_lose_no_page(tmp_path: Path, given: dict[str, Any], linked: bool) -> None:
    check(tmp_path, given, pages=1200, kills=42, linked=linked, seed=42)


FIFO = {
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
}
NASTY: dict[str, dict[str, Any]] = {
    "memory": {},
    "disk": {"URINORM_SEEN": "disk"},
    "first in first out": FIFO,
    "room for one": {"URINORM_SECOND_CHANCE_LIMIT": 1},
    "disk, from run to run": {"URINORM_SEEN": "disk:{folder}/seen", "JOBDIR": None},
}


ONE_BY_ONE = {**FIFO, "CONCURRENT_REQUESTS": 1, "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 1}
ROOMS = [
    pytest.param({}, id="room"),
    pytest.param({"URINORM_SECOND_CHANCE_LIMIT": 1}, id="room for one", marks=pytest.mark.slow),
]


@pytest.mark.newest
@pytest.mark.parametrize("given", ROOMS)
@pytest.mark.thorough
def test_what_waits_since_a_kill_and_is_found_again_takes_no_place_of_another_spelling(
    tmp_path: Path, given: dict[str, Any]
) -> None:
    """The page is served at the third spelling; the first one waits, and a page that it stands on is fetched again."""
    routes = {
        "/": page("home", "/hub", "/p?sid=1"),
        "/hub": page("hub", "/p?sid=1", "/p?sid=2", "/p?sid=3"),
        "/p?sid=3": page("p"),
    }
    settings = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "JOBDIR": str(tmp_path / "job"), **ONE_BY_ONE, **given}
    settings["URINORM_RULES"] = {"rules": {"remove_params": ["sid"]}}
    handled, log = tmp_path / "handled", tmp_path / "log"
    with SiteServer(tmp_path) as server, Crawls() as crawls:
        start = server.site(routes, name="127.0.0.1").url()
        for dies_at, status in (("hub", signal.SIGKILL), ("", 0)):
            crawls.start(
                {"start": start, "handled": str(handled), "log": str(log), "settings": settings, "dies_at": dies_at}
            )
            crawls.ended.wait()
            assert crawls.status == status, log.read_text()
        server.shutdown()
    assert handled.read_text().split() == ["home", "hub", "p"]


def check_nastily(folder: Path, given: dict[str, Any], **how: Any) -> None:
    """What failed, and which of its spellings wait for that, outlasts a kill."""
    settings = {k: v.format(folder=folder) if isinstance(v, str) else v for k, v in given.items()}
    settings = {"ADDONS": {"scrapy_urinorm.Addon": 600}, "JOBDIR": str(folder / "job"), **settings}
    result = crawl_nastily(folder, settings, **how)
    assert result.lost == []
    assert result.asked <= 5 * result.different


@pytest.mark.slow
@pytest.mark.parametrize("given", NASTY.values(), ids=NASTY.keys())
def test_a_few_kills_lose_no_page_of_which_a_spelling_fails(tmp_path: Path, given: dict[str, Any]) -> None:
    check_nastily(tmp_path, given, seed=7, pages=60, kills=6, stops=2)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("given", NASTY.values(), ids=NASTY.keys())
def test_many_kills_lose_no_page_of_which_a_spelling_fails(tmp_path: Path, given: dict[str, Any], seed: int) -> None:
    check_nastily(tmp_path, given, seed=seed, pages=60, kills=6, stops=seed % 3)
