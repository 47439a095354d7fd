"""Runs crawls in a process of their own: `python -m tests.crawl.runner jobs.json results.json`.

All jobs run at the same time in one process. The results are written when all have ended.
"""

from __future__ import annotations

import json
import logging
import sys
import warnings
from pathlib import Path
from typing import Any

from scrapy import crawler as scrapy_crawler
from scrapy import signals
from scrapy.exceptions import ScrapyDeprecationWarning
from scrapy.settings import Settings, default_settings
from scrapy.utils.misc import load_object

from tests.crawl import spiders
from tests.crawl.loopback import LoopbackResolver, read_the_bundled_suffixes, resolve_all_to_loopback

# Scrapy 2.19 renamed the first, 2.18 made the second a setting.
RESOLVER = "TWISTED_DNS_RESOLVER" if hasattr(default_settings, "TWISTED_DNS_RESOLVER") else "DNS_RESOLVER"
ROOT_HANDLER = "LOG_INSTALL_ROOT_HANDLER"

COMMON = {
    RESOLVER: LoopbackResolver,
    ROOT_HANDLER: False,
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
    # of what each crawl counts, which sees the lines of all; those that are kept are of every level
    "LOG_LEVEL": "WARNING",
    "LOGSTATS_INTERVAL": 0,
    "RETRY_TIMES": 1,
    # hundreds of crawls share a process and a busy machine: what is to time out says so itself
    "DOWNLOAD_TIMEOUT": 240,
    "DOWNLOADER_MIDDLEWARES": {spiders.ClientMiddleware: 740},
}


class Lines(logging.Handler):
    """Collects log lines as (crawl or "", logger, level, message)."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[tuple[str, str, str, str]] = []

    def emit(self, record: logging.LogRecord) -> None:
        spider = getattr(record, "spider", None)
        text = record.getMessage()
        if record.exc_info:
            text += "\n" + logging.Formatter().formatException(record.exc_info)
        self.lines.append((getattr(spider, "job", ""), record.name, record.levelname, text))


def run(jobs: list[dict[str, Any]], process_settings: dict[str, Any]) -> dict[str, Any]:
    warnings.filterwarnings("error", category=ScrapyDeprecationWarning)
    logging.getLogger().addHandler(lines := Lines())
    # the root's level is not Scrapy's here
    logging.getLogger("scrapy_urinorm").setLevel(logging.INFO)
    settings = Settings()
    settings.setdict({**COMMON, **process_settings}, priority="command")
    resolve_all_to_loopback()
    read_the_bundled_suffixes()
    kind = getattr(scrapy_crawler, "AsyncCrawlerProcess", scrapy_crawler.CrawlerProcess)
    process = kind(settings) if hasattr(default_settings, ROOT_HANDLER) else kind(settings, install_root_handler=False)
    results: dict[str, dict[str, Any]] = {}
    for job in jobs:
        start(process, job, results)
    process.start()
    return {"results": results, "log": lines.lines}


def start(process: Any, job: dict[str, Any], results: dict[str, dict[str, Any]]) -> None:
    name = job["id"]
    spider = load_object(job.get("spider") or spiders.Follow)
    # A class per job: settings, rules and attributes of one crawl must not be seen by another.
    attributes = {
        "proxy": "",
        "impatient": "",
        **job.get("attributes", {}),
        "job": name,
        "custom_settings": job.get("spider_settings") or {},
    }
    crawler = process.create_crawler(type(spider.__name__, (spider,), attributes))
    crawler.settings.setdict(job.get("settings", {}), priority="project")
    result = results[name] = {"items": [], "stats": {}, "reason": "", "dropped": []}

    def closed(reason: str) -> None:
        result["reason"] = reason
        # the collector's own dict: what extensions count while closing is seen as well
        result["stats"] = crawler.stats.get_stats()

    def scraped(item: Any) -> None:
        result["items"].append(dict(item))

    def dropped(request: Any) -> None:
        result["dropped"].append(request.url)

    result["handlers"] = [closed, scraped, dropped]  # signals keep weak references
    crawler.signals.connect(closed, signals.spider_closed)
    crawler.signals.connect(scraped, signals.item_scraped)
    crawler.signals.connect(dropped, signals.request_dropped)

    def failed(error: BaseException) -> None:
        result["error"] = f"{type(error).__name__}: {error}"

    run = process.crawl(crawler)
    if hasattr(run, "addErrback"):
        run.addErrback(lambda failure: failed(failure.value))
    else:
        run.add_done_callback(lambda task: failed(task.exception()) if task.exception() else None)


def main(source: str, target: str) -> None:
    given = json.loads(Path(source).read_text())
    outcome = run(given["jobs"], given["process_settings"])
    for result in outcome["results"].values():
        del result["handlers"]
    Path(target).write_text(json.dumps(outcome, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])
