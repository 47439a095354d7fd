"""Nothing of ours raises into the engine, whatever a project's objects do; there it would cost other pages."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl.recording.reader_process import ReaderProcess
from tests.crawl.components import ADDON
from tests.crawl.crawling import Job, crawl_all
from tests.crawl.odd_requests import ODD
from tests.crawl.site import SiteServer, page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawl.crawling import Outcome

WANTED = {"home", "last", "more", *(f"p{number}" for number in range(len(ODD)))}
RULES: dict[str, Any] = {**ADDON, "URINORM_RULES": {"rules": {"remove_params": ["sid"]}}}
WAYS: dict[str, dict[str, Any]] = {
    "Scrapy alone": {},
    "in memory": {**RULES, "DUPEFILTER_DEBUG": True},
    "no room": {**RULES, "URINORM_SECOND_CHANCE_LIMIT": 1},
    "job": {**RULES, "JOBDIR": "{folder}/job"},
    "visits": {**RULES, "URINORM_VISITS": "{folder}/visits.jsonl"},
    "rewriting": {**ADDON, "URINORM_RULES": {"rules": {"remove_params": ["x"], "rewrite_requests": ["remove_params"]}}},
}


@pytest.fixture(scope="module")
def outcomes(server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Outcome]:
    folder = tmp_path_factory.mktemp("odd")
    good = {f"/p{n}?sid={sid}": page(f"p{n}") for n in range(len(ODD)) for sid in (2, 3)}
    jobs = []
    for way, given in WAYS.items():
        site = server.site({"/": page("home"), "/last": page("last"), "/more": page("more"), **good})
        settings = {k: v.format(folder=folder) if isinstance(v, str) else v for k, v in given.items()}
        jobs.append(Job(way, [site.url()], settings, spider="tests.crawl.odd_requests.Odd"))
    return crawl_all(jobs, folder)


@pytest.mark.parametrize("way", WAYS)
def test_odd_requests_cost_no_page(way: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[way]
    assert outcome.reason == "finished"
    assert WANTED - outcome.pages == set()
    assert not outcome.lines("Traceback", "scrapy.core"), "raised into the engine"


def test_a_message_that_cannot_be_sent_is_not_the_last(tmp_path: Path) -> None:
    """The thread that feeds the reader serves all crawls of the process."""
    heard: list[dict[str, Any]] = []
    closed = threading.Event()

    def hear(said: dict[str, Any], _body: bytes) -> None:
        heard.append(said)
        if said["do"] == "closed":
            closed.set()

    reader = ReaderProcess()
    number = reader.open({"id": "a", "salt": "00", "path": str(tmp_path / "visits.jsonl"), "rotate": None}, hear)
    for url in ("http://a.example/1", object(), "http://a.example/2"):
        reader.send({"do": "visit", "crawl": number, "url": url, "status": 200, "time": 0, "depth": 0})
    reader.close(number)
    assert closed.wait(280)
    reader.forget(number)
    reader.wait(280)
    assert heard[-1]["written"] == 2
