"""A Scrapy project on disk, and the `scrapy` command run in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.crawl import forked
from tests.crawl.crawling import environment
from tests.crawl.runner import RESOLVER

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

SETTINGS = f"""\
BOT_NAME = "small"
SPIDER_MODULES = ["small.spiders"]
ADDONS = {{"scrapy_urinorm.Addon": 600}}
{RESOLVER} = "tests.crawl.loopback.LoopbackResolver"
TELNETCONSOLE_ENABLED = False
REMOTE_CONTROL_ENABLED = False
LOG_LEVEL = "DEBUG"
"""

SPIDER = """\
from tests.crawl.spiders import Follow


class Pages(Follow):
    name = "pages"
    start_urls = ["{url}"]
"""


@dataclass
class Project:
    """A project with one spider, `pages`, that follows every link from `url`."""

    path: Path
    url: str

    def __post_init__(self) -> None:
        spiders = self.path / "small" / "spiders"
        spiders.mkdir(parents=True)
        (self.path / "scrapy.cfg").write_text("[settings]\ndefault = small.settings\n")
        (self.path / "small" / "__init__.py").touch()
        (self.path / "small" / "settings.py").write_text(SETTINGS)
        (spiders / "__init__.py").touch()
        (spiders / "pages.py").write_text(SPIDER.format(url=self.url))

    def set(self, text: str) -> None:
        """Add lines to the settings."""
        settings = self.path / "small" / "settings.py"
        settings.write_text(settings.read_text() + text + "\n")

    def scrapy(
        self, *arguments: str, timeout: float = 280, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run the `scrapy` command; it has ended, or the test has failed."""
        return forked.run("scrapy", arguments, cwd=cwd or self.path, env=environment(), timeout=timeout)
