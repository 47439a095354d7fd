"""`scrapy urinorm`: the command line with the rules of the project, and of a spider.

Every `scrapy` command imports this module, so nothing of ours is imported before ours is the one that runs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from scrapy.commands import ScrapyCommand
from scrapy.exceptions import UsageError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from scrapy_urinorm.normalizer import Normalizer


class Command(ScrapyCommand):
    """Hands its arguments to the program `urinorm`, together with what the project says."""

    requires_project = False
    requires_crawler_process = False
    default_settings: ClassVar[dict[str, Any]] = {"LOG_ENABLED": False}

    def syntax(self) -> str:
        """What `scrapy urinorm -h` shows after the name."""
        return "[options] COMMAND [ARGS]..."

    def short_desc(self) -> str:
        """The line in the list of `scrapy`."""
        return "See, check and try the rules that tell which URLs are one page"

    def long_desc(self) -> str:
        """The description of `scrapy urinorm -h`."""
        return f"{self.short_desc()}. `scrapy urinorm --help` lists the commands, `... COMMAND --help` explains one."

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Scrapy's options stand before the command; all after it is its own."""
        super().add_options(parser)
        parser.add_argument("--spider", metavar="NAME", help="use this spider's settings and rules, too")
        parser.add_argument("-h", "--help", action="store_true", dest="asks_help", help="list the commands")
        parser.add_argument("--version", action="store_true", dest="asks_version", help="print the version")
        parser.add_argument("rest", nargs=argparse.REMAINDER, metavar="COMMAND", help=argparse.SUPPRESS)

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        """Run the program; its exit code becomes Scrapy's."""
        from scrapy_urinorm.cli import main

        asked = ["--help"] * opts.asks_help + ["--version"] * opts.asks_version
        rest = [*asked, *opts.rest, *args]
        self.exitcode = main(
            rest or ["--help"], prog_name="scrapy urinorm", project=_Project(self.settings, opts.spider)
        )


class _Project:
    """A Scrapy project as the command line asks for it; nothing is loaded before it is asked for."""

    def __init__(self, settings: Any, spider: str | None):
        self._settings = settings
        self._spider = spider
        self._crawler: Crawler | None = None

    def rules(self) -> tuple[Sequence[Any], str | None]:
        """The sources of the project's rules, and its preset."""
        from scrapy_urinorm.crawl import settings as own
        from scrapy_urinorm.crawl.rules import rule_sources

        crawler = self._made()
        return rule_sources(crawler.settings, crawler.spidercls), own.value(crawler.settings, "URINORM_PRESET")

    def request_url(self, url: str) -> str:
        """The URL of a request; what Scrapy refuses stays as it is."""
        from scrapy import Request

        try:
            return Request(url).url
        except ValueError:
            return url

    def fingerprint(self, url: str, normalizer: Normalizer) -> str:
        """The fingerprint of a GET request under the rules of `normalizer`; empty where Scrapy refuses the URL."""
        from scrapy import Request

        from scrapy_urinorm.crawl.fallback import fallback_of
        from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter

        try:
            request = Request(url)
        except ValueError:
            return ""
        # ours, with what the project's settings and add-ons give it
        fallback = fallback_of(self._made(), RequestFingerprinter)
        return RequestFingerprinter(normalizer, fallback=fallback).fingerprint(request).hex()

    def _made(self) -> Crawler:
        """A crawler of the project or of the spider, never run: its settings are those that a crawl would have."""
        if self._crawler is None:
            from scrapy import Spider
            from scrapy.crawler import Crawler
            from scrapy.utils.misc import load_object

            spidercls: type[Spider] = Spider
            if self._spider is not None:
                try:
                    loader = load_object(self._settings["SPIDER_LOADER_CLASS"])
                    spidercls = loader.from_settings(self._settings.frozencopy()).load(self._spider)
                except KeyError as error:
                    raise UsageError(f"there is no spider {self._spider!r}", print_help=False) from error
            self._crawler = Crawler(spidercls, self._settings)
        return self._crawler
