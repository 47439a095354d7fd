"""A crawl of pages made to do harm, visits on: the reactor is free, memory is bounded, beside Scrapy alone."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.visits import read_visits
from tests.crawl.crawling import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="lacks Linux: sizes of processes in kilobytes")
MOST_MB = 400
MOST_BLOCKED = 0.2


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    command = [sys.executable, "-m", "tests.crawl.hostile_site"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), text=True)
    assert process.stdout is not None
    yield f"http://127.0.0.1:{process.stdout.readline().strip()}/0"
    process.communicate()


def crawl(site: str, pages: int, settings: dict[str, Any]) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.crawl.hostile_crawl", site, str(pages), json.dumps(settings)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    assert "Traceback" not in done.stderr, done.stderr
    found: dict[str, float] = json.loads(done.stdout)
    return found


def check(site: str, folder: Path, pages: int) -> None:
    stock = crawl(site, pages, {})
    visits = folder / "v.jsonl"
    ours = crawl(site, pages, {"ADDONS": {"scrapy_urinorm.Addon": 600}, "URINORM_VISITS": str(visits)})
    print(f"{pages} pages; Scrapy alone {stock}; with visits {ours}")
    assert ours["pages"] >= pages
    assert sum(1 for _ in read_visits([visits])) >= pages
    # of this thread's processor, which no other process takes away
    assert ours["blocked_cpu"] <= stock["blocked_cpu"] + MOST_BLOCKED
    # the peak of a forked process begins at that of the one that it was forked from
    assert ours["rss"] < max(MOST_MB, stock["rss"] + MOST_MB // 4)
    assert ours["reader_rss"] < MOST_MB


@pytest.mark.slow
def test_a_crawl_of_300_hostile_pages(site: str, tmp_path: Path) -> None:
    # some ten of each of the 31 kinds; what grows with the number of pages shows in ten thousand
    check(site, tmp_path, 300)


@pytest.mark.soak
def test_a_crawl_of_10_000_hostile_pages(site: str, tmp_path: Path) -> None:
    check(site, tmp_path, 10_000)
