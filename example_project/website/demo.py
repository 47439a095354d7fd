"""`make demo`: crawl the website with Scrapy alone, with the add-on, with live rules, and with rules, and compare."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from scrapy_urinorm import RuleFileError, RuleSet

from .crawls import Crawl, CrawlFailedError, Result, Tally, run
from .server import PortInUseError, Website

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMIT = 1500
SCRAPY_ALONE = Crawl("Scrapy alone", {"URINORM_ENABLED": "False"})
ADDON = Crawl("with the add-on", {"URINORM_RULES": "{}"})
LIVE = Crawl("live rules alone", {"URINORM_RULES": "{}", "URINORM_LIVE": "True"})
ADDON_AND_RULES = Crawl("with urinorm.toml", {})
# live rules need the extra `learn`
CRAWLS = (SCRAPY_ALONE, ADDON, *([LIVE] if find_spec("numpy") and find_spec("selectolax") else []), ADDON_AND_RULES)

NOTES = """\
distinct pages: of {pages} that the website has.
duplicate downloads: responses that showed a page already downloaded.
others: redirects, robots.txt, months without events, combined filters.
pages lost: never scraped.
*: had not ended after {limit:,} responses and was stopped; its lost pages are those not reached."""


def main(arguments: list[str] | None = None) -> int:
    """Run the demo; the exit code is 1 when a crawl failed, 2 when the arguments cannot be used."""
    options = _parser().parse_args(arguments)
    terminal = Console(stderr=True, highlight=False)
    crawls = CRAWLS + tuple(with_rules(file) for file in options.rules)
    try:
        for file in options.rules:
            RuleSet.load(file)  # a mistake is said now, not after three crawls
        website = Website(options.port)
    except (RuleFileError, PortInUseError, PermissionError, ValueError) as error:
        return _complain(terminal, 2, getattr(error, "strerror", None) or str(error))
    try:
        with website, _directory(options.output) as directory:
            results = [_watched(crawl, website, directory, options.limit, terminal) for crawl in crawls]
    except CrawlFailedError as error:
        return _complain(terminal, 1, str(error))
    except KeyboardInterrupt:
        return _complain(terminal, 130, "stopped")
    if options.json:
        print(json.dumps([result.to_dict() for result in results], indent=1))
    else:
        output = Console(highlight=False)
        output.print(table(results))
        output.print(NOTES.format(pages=len(website.pages), limit=options.limit), style="dim", soft_wrap=True)
    return 0


def with_rules(file: Path) -> Crawl:
    """A crawl by other rules than the project's own, such as learned ones."""
    return Crawl(f"with {file.name}", {"URINORM_RULES": str(file.resolve())})


def table(results: list[Result]) -> Table:
    """The one table of the demo."""
    shown = Table(title="https://shop.test/ and http://forum.test/", box=box.SIMPLE_HEAD, collapse_padding=True)
    shown.add_column("crawl", no_wrap=True)
    for name in ("requests", "distinct\npages", "duplicate\ndownloads", "others", "pages\nlost", "seconds"):
        shown.add_column(name, justify="right")
    for result in results:
        tally = result.tally
        shown.add_row(
            result.label + ("" if result.finished else " *"),
            *(f"{count:,}" for count in (tally.requests, tally.distinct, tally.duplicates, tally.others)),
            f"{len(result.lost):,}",
            f"{result.seconds:.1f}",
        )
    return shown


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="demo.py", description=__doc__)
    parser.add_argument("--limit", type=int, default=LIMIT, help="responses that end a crawl (%(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port of the website on 127.0.0.1 (default: any free one)")
    parser.add_argument(
        "--rules",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="one more crawl, by this rule file alone, such as one that `urinorm learn` wrote; may be repeated",
    )
    parser.add_argument("--output", type=Path, metavar="DIR", help="keep each crawl's items and log here")
    parser.add_argument("--json", action="store_true", help="print the results as JSON, with the names of lost pages")
    return parser


@contextlib.contextmanager
def _directory(kept: Path | None) -> Iterator[Path]:
    if kept:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
    else:
        with tempfile.TemporaryDirectory(prefix="urinorm-demo-") as name:
            yield Path(name)


def _watched(crawl: Crawl, website: Website, directory: Path, limit: int, terminal: Console) -> Result:
    """Run a crawl with its counts moving on the terminal, or with a line at its end where there is none."""
    place = directory / crawl.label.replace(" ", "-").replace(".", "-").lower()
    place.mkdir(exist_ok=True)
    if not terminal.is_terminal:
        result = run(crawl, website, place, limit=limit)
        terminal.print(f"{crawl.label}: {_counts(result.tally)}", soft_wrap=True)
        return result
    with _bar(crawl.label, len(website.pages), terminal) as progress:
        return run(crawl, website, place, limit=limit, progress=progress)


@contextlib.contextmanager
def _bar(label: str, pages: int, terminal: Console) -> Iterator[Callable[[Tally], None]]:
    columns = (SpinnerColumn(), TextColumn("{task.description:18}"), BarColumn(12), TextColumn("{task.fields[counts]}"))
    with Progress(*columns, TimeElapsedColumn(), console=terminal) as progress:
        task = progress.add_task(label, total=pages, counts="starting")
        yield lambda tally: progress.update(task, completed=tally.distinct, counts=_counts(tally))


def _counts(tally: Tally) -> str:
    return f"{tally.requests:5,} requests {tally.distinct:4,} pages {tally.duplicates:5,} dup."


def _complain(terminal: Console, code: int, message: str) -> int:
    terminal.print(f"demo: {message}", style="red", markup=False, soft_wrap=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
