"""The same crawls without a Twisted reactor."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
import scrapy

from tests.crawl.cases import Case, failing_variants, redirects
from tests.crawl.casework import Crawl, asked, crawl_cases, each_third

if TYPE_CHECKING:
    from tests.crawl.site import SiteServer

SCRAPY = tuple(int(part) for part in scrapy.__version__.split(".")[:2])
HANDLERS = {
    "aiohttp": "scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler",
    "httpx": "scrapy.core.downloader.handlers._httpx.HttpxDownloadHandler",
}
HANDLER = next(
    (path for name, path in HANDLERS.items() if find_spec(name) and find_spec(path.rpartition(".")[0])), None
)
# The handlers without Twisted verify certificates through a proxy otherwise.
CASES = [case for case in [*redirects(), *failing_variants()] if not case.default_ports]

pytestmark = [
    pytest.mark.skipif(SCRAPY < (2, 15), reason="TWISTED_REACTOR_ENABLED came with Scrapy 2.15"),
    pytest.mark.skipif(HANDLER is None, reason="needs aiohttp or httpx"),
]

Crawls = dict[tuple[str, str], Crawl]


@pytest.fixture(scope="module")
def crawls(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    settings = {
        "TWISTED_REACTOR_ENABLED": False,
        "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER, "ftp": None},
    }
    directory = tmp_path_factory.mktemp("reactorless")
    cases = asked(request, "case", CASES)
    return crawl_cases(cases, server, directory, modes=["links, cache cold"], process_settings=settings)


@pytest.mark.parametrize("case", each_third(CASES), ids=lambda case: case.name)
def test_every_page_is_scraped(case: Case, crawls: Crawls) -> None:
    crawl = crawls[case.name, "links, cache cold"]
    assert not crawl.lost, crawl.story()
    assert crawl.outcome.reason == "finished"
    assert len(crawl.fetched) <= case.most, crawl.story()
