"""The report at the end of a crawl: what `urinorm report` says of its visits, with the crawl's own stats."""

from __future__ import annotations

import json
import subprocess
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Self

from scrapy import Spider, signals
from scrapy.exceptions import NotConfigured

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.recording.output_places import filled_in
from scrapy_urinorm.crawl.recording.reader_process import in_thread
from scrapy_urinorm.crawl.rules import normalizer_of
from scrapy_urinorm.crawl.visits_extension import VisitsExtension
from scrapy_urinorm.processes import environment, python
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


def visits_beside(report: str | Path) -> str:
    """Where the visits of a crawl go that asks for a report and not for visits: beside it, with its name."""
    path = Path(report)
    return str(path.with_name(f"{path.name.removesuffix('.html')}.visits.jsonl.zst"))


def verdict(found: dict[str, Any]) -> str:
    """What the log says of a report: what is still wasted, and what looks wrong."""
    totals = found["totals"]
    wasted, lost = totals["left_over"], totals["lost"]
    said = f"{wasted:,} of {count(totals['requests'], 'request')} still wasted"
    if not found["suspicious"]:
        return f"{said}, no suspicious merges"
    merges = count(len(found["suspicious"]), "suspicious merge")
    return f"{said}; looks wrong: {merges}, at least {count(lost, 'page')} lost"


class ReportExtension:
    """Write the report when the spider closes.

    Setting: `URINORM_REPORT`, a path with the `%(name)s` and `%(time)s` of feed exports; off when empty. The report is
    made of the visits that `URINORM_VISITS` records, in a process of its own: the crawl's memory does not grow by it,
    and other crawls of the process go on. A report that fails is logged and changes nothing else. Raises
    `MissingExtraError` at the start of the crawl where the extra `report` is not installed.
    """

    def __init__(self, crawler: Crawler) -> None:
        report = crawler.settings.get("URINORM_REPORT")
        if not report:
            raise NotConfigured
        own.require_extras(crawler.settings)
        self.crawler = crawler
        self.report = str(report)
        self._said = ""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the extension, connected to the end of the spider."""
        extension = cls(crawler)
        crawler.signals.connect(extension.spider_closed, signals.spider_closed)
        return extension

    async def spider_closed(self, spider: Spider) -> None:
        """Write the report; the crawl ends when it is there."""
        paths, visits = await self._visits()
        if visits is None or not paths:
            # where they are set, the log has said before why nothing was read
            why = (visits and visits.unread) or "set URINORM_VISITS"
            own.logger.error("URINORM_REPORT: there are no visits to report on; %s", why)
            return
        target = Path(filled_in(self.report, spider, visits.begun))
        failure = await in_thread(self._write, target, paths, visits.crawl_id, self._stats())
        if failure:
            own.logger.error("URINORM_REPORT: %s", failure, extra={"spider": spider})
        else:
            own.logger.info("Report written: %s; %s", target, self._said, extra={"spider": spider})

    async def _visits(self) -> tuple[list[Path], VisitsExtension | None]:
        """The files that the extension for visits has written, when it has, and the extension."""
        visits = self.crawler.get_extension(VisitsExtension)
        if visits is None:
            return [], None
        return [path for path in await visits.finished() if path.exists()], visits

    def _stats(self) -> dict[str, Any]:
        stats = dict(own.stats_of(self.crawler).get_stats())
        start = stats.get("start_time")
        if isinstance(start, datetime) and "elapsed_time_seconds" not in stats:
            now = datetime.now(start.tzinfo) if start.tzinfo else datetime.now(UTC).replace(tzinfo=None)
            stats["elapsed_time_seconds"] = (now - start).total_seconds()
        return {name: value for name, value in stats.items() if isinstance(value, (int, float))}

    def _write(self, target: Path, visits: list[Path], crawl: str, stats: dict[str, Any]) -> str:
        """Run the command; return what went wrong, or an empty text."""
        ruleset = normalizer_of(self.crawler).ruleset
        try:
            with TemporaryDirectory(prefix="urinorm-report-") as name:
                folder = Path(name)
                (folder / "stats.json").write_text(json.dumps(stats), "utf-8")
                command = python("scrapy_urinorm", "report", "--output", str(target))
                command += ["--stats", str(folder / "stats.json"), "--preset", ruleset.preset]
                command += ["--json", str(folder / "report.json"), "--crawl", crawl or "newest"]
                for source in self._sources(ruleset.sources, folder):
                    command += ["--rules", source]
                done = subprocess.run(
                    [*command, "--", *map(str, visits)],
                    capture_output=True,
                    text=True,
                    check=False,
                    errors="replace",
                    env=environment(),
                )
                if done.returncode == 0:
                    self._said = verdict(json.loads((folder / "report.json").read_text("utf-8")))
        except (OSError, TypeError, ValueError) as error:
            return str(error)
        return "" if done.returncode == 0 else done.stderr.strip()[-1000:] or f"exit code {done.returncode}"

    @staticmethod
    def _sources(sources: tuple[Any, ...], folder: Path) -> list[str]:
        """The sources of the rules as the command line takes them: rules given as a dict become a file."""
        out = []
        for number, source in enumerate(sources):
            if not isinstance(source, dict):
                out.append(str(source))
                continue
            path = folder / str(number) / f"{getattr(source, 'name', 'rules').replace('/', ' ')}.json"
            path.parent.mkdir()
            path.write_text(json.dumps(source), "utf-8")
            out.append(str(path))
        # an empty list would let the command look for the rule file of the current folder
        if not out:
            path = folder / "none.json"
            path.write_text("{}", "utf-8")
            out.append(str(path))
        return out
