"""Runs crawls in a subprocess and reads what they did."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.crawl import forked
from tests.effort import limit

if TYPE_CHECKING:
    from collections.abc import Iterable

HERE = Path(__file__).parent


@dataclass
class Job:
    """One crawl: the settings of the project and of the spider, and the spider's attributes."""

    id: str
    start_urls: list[str]
    settings: dict[str, Any] = field(default_factory=dict)
    spider_settings: dict[str, Any] = field(default_factory=dict)
    spider: str = "tests.crawl.spiders.Follow"
    attributes: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        attributes = {"start_urls": self.start_urls, **self.attributes}
        return {**self.__dict__, "attributes": attributes}


@dataclass
class Outcome:
    """What a crawl did."""

    items: list[dict[str, Any]]
    stats: dict[str, Any]
    reason: str
    dropped: list[str]
    log: list[str]
    error: str = ""

    @property
    def pages(self) -> set[str]:
        """The names of the pages that reached a callback."""
        return {item["page"] for item in self.items}

    def lines(self, *words: str) -> list[str]:
        """The log lines that have all these words."""
        return [line for line in self.log if all(word in line for word in words)]


def crawl_all(
    jobs: Iterable[Job],
    directory: Path,
    *,
    process_settings: dict[str, Any] | None = None,
    timeout: float | None = None,
) -> dict[str, Outcome]:
    """Run all jobs at the same time in one process; the outcome of each by its id."""
    directory.mkdir(parents=True, exist_ok=True)
    source, target = directory / "jobs.json", directory / "results.json"
    given = {"jobs": [job.as_dict() for job in jobs], "process_settings": process_settings or {}}
    source.write_text(json.dumps(given))
    target.unlink(missing_ok=True)
    done = forked.run(
        "tests.crawl.runner",
        [str(source), str(target)],
        cwd=directory,
        env=environment(),
        timeout=timeout or limit(),
    )
    assert target.exists(), (
        f"the crawling process died ({done.returncode}):\n{done.stdout[-3000:]}\n{done.stderr[-9000:]}"
    )
    found = json.loads(target.read_text())
    outcomes = {}
    for name, result in found["results"].items():
        log = [f"[{logger}] {level}: {text}" for job, logger, level, text in found["log"] if job in ("", name)]
        outcomes[name] = Outcome(log=log, **result)
    return outcomes


def crawl(job: Job, directory: Path, *, process_settings: dict[str, Any] | None = None) -> Outcome:
    """Run one job in a process of its own."""
    return crawl_all([job], directory, process_settings=process_settings)[job.id]


def environment() -> dict[str, str]:
    """The environment of a crawling process: this package's checkout first, no proxy."""
    keep = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and not k.startswith("SCRAPY_")}
    paths = [str(HERE.parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**keep, "PYTHONPATH": os.pathsep.join(paths)}
