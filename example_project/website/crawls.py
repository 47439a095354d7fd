"""Runs `scrapy crawl pages` in its own process and measures it by what the website served."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from .server import Served, Website

PROJECT = Path(__file__).resolve().parents[1]
ERROR = re.compile(r"^\d{4}-\S+ \S+ \S+ (?:ERROR|CRITICAL):.*(?:\n(?!\d{4}-).*)*", re.MULTILINE)
CLOSED = re.compile(r"Spider closed \((\w+)\)")
POLL_SECONDS = 0.1

# What the demo lifts of the project's settings, since the website is its own.
UNTHROTTLED = {"DOWNLOAD_DELAY": "0", "CONCURRENT_REQUESTS_PER_DOMAIN": "8", "ROBOTSTXT_OBEY": "True"}


class Crawl(NamedTuple):
    """One row of the table: the project's crawl under settings laid over its own, as `-s NAME=VALUE` does."""

    label: str
    settings: Mapping[str, str]


class Tally(NamedTuple):
    """What the website's log says so far: `requests` is the sum of the three figures after it."""

    requests: int
    distinct: int
    duplicates: int
    others: int

    @classmethod
    def of(cls, log: list[Served], pages: frozenset[str]) -> Tally:
        """Count a log. Others are redirects, robots.txt, errors, and views that are not among `pages`."""
        shown = [line.page for line in log if line.status == 200 and line.page is not None]
        views = set(shown)
        distinct, duplicates = len(views & pages), len(shown) - len(views)
        return cls(len(log), distinct, duplicates, len(log) - distinct - duplicates)


class Result(NamedTuple):
    """A crawl's measured outcome. `lost` are the pages of which the spider yielded no item."""

    label: str
    tally: Tally
    lost: tuple[str, ...]
    seconds: float
    finish_reason: str

    @property
    def finished(self) -> bool:
        """Whether the crawl ended by itself, not by a limit."""
        return self.finish_reason == "finished"

    def to_dict(self) -> dict[str, Any]:
        return {
            "crawl": self.label,
            **self.tally._asdict(),
            "lost": len(self.lost),
            "lost_pages": list(self.lost),
            "seconds": round(self.seconds, 1),
            "finish_reason": self.finish_reason,
        }


class CrawlFailedError(RuntimeError):
    """A crawl that did not run. The message carries the part of its log that says why."""


def run(
    crawl: Crawl,
    website: Website,
    directory: Path,
    *,
    limit: int | None = None,
    progress: Callable[[Tally], None] = lambda _: None,
) -> Result:
    """Crawl a started website from its start pages; items and log are left in `directory`.

    `limit` is the number of responses after which the crawl is closed. Raises CrawlFailedError when Scrapy did not
    start, stopped on an error, or yielded nothing.
    """
    website.log.clear()
    items, log = directory / "pages.jsonl", directory / "crawl.log"
    log.unlink(missing_ok=True)  # Scrapy appends to a log
    items.unlink(missing_ok=True)
    settings = {**UNTHROTTLED, **crawl.settings}
    if limit is not None:
        settings["CLOSESPIDER_PAGECOUNT"] = str(limit)
    command = [sys.executable, "-m", "scrapy", "crawl", "pages", "-O", str(items), "--logfile", str(log)]
    for name, value in settings.items():
        command += ["-s", f"{name}={value}"]
    environment = {**os.environ, **website.environment, "SCRAPY_SETTINGS_MODULE": "pagecrawl.settings"}
    started = time.monotonic()
    with _process(command, environment) as process:
        while process.poll() is None:
            progress(Tally.of(website.log, website.pages))
            time.sleep(POLL_SECONDS)
        errors = process.stderr.read() if process.stderr else ""
    seconds = time.monotonic() - started
    report = log.read_text("utf-8") if log.exists() else ""
    closed = CLOSED.findall(report)
    scraped = scraped_pages(items, website) if items.exists() else set()
    if process.returncode or not closed or not scraped:
        raise CrawlFailedError(_failure(crawl.label, errors or report, log))
    tally = Tally.of(website.log, website.pages)
    progress(tally)
    return Result(crawl.label, tally, tuple(sorted(website.pages - scraped)), seconds, closed[-1])


def scraped_pages(items: Path, website: Website) -> set[str]:
    """The identities of the pages in a file of items: what the website shows under each item's URL."""
    with items.open(encoding="utf-8") as lines:
        return {page for line in lines if (page := website.answer(json.loads(line)["url"]).page)}


@contextmanager
def _process(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A child that does not outlive the block, also when that ends by Ctrl-C."""
    with subprocess.Popen(command, env=environment, cwd=PROJECT, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def _failure(label: str, text: str, log: Path) -> str:
    # The first error is the cause; without one, the end is the best guess.
    found = ERROR.search(text)
    lines = (found[0] if found else text).strip().splitlines()
    tail = "\n".join(f"  {line}" for line in lines[-12:])
    return f"the crawl {label!r} failed; what it wrote to {log}:\n{tail}"
