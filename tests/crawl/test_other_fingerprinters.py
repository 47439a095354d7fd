"""No page is lost either where another package's fingerprinter stands behind ours or in front of it."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.cases import Case, failing_variants, redirects
from tests.crawl.casework import Crawl, asked, crawl_cases, each_third, with_addon
from tests.crawl.own_classes import Wrapped

if TYPE_CHECKING:
    from tests.crawl.site import Site, SiteServer

CASES = [*redirects(), *failing_variants()]
MODE = "links, cache cold"
OURS = "scrapy_urinorm.Addon"
OTHERS: dict[str, dict[str, Any]] = {
    "a fallback": {"URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS": f"{Wrapped.__module__}.{Wrapped.__qualname__}"},
    "scrapy_poet": {"ADDONS": {"scrapy_poet.Addon": 300, OURS: 600}},
    "scrapy_zyte_api": {
        "ADDONS": {"scrapy_zyte_api.Addon": 300, OURS: 600},
        "ZYTE_API_KEY": "none",
        "ZYTE_API_TRANSPARENT_MODE": False,
    },
}

Crawls = dict[tuple[str, str], Crawl]


@pytest.fixture(
    scope="module", params=[pytest.param(name, marks=[pytest.mark.slow] * (name != "scrapy_poet")) for name in OTHERS]
)
def crawls(request: pytest.FixtureRequest, server: SiteServer, tmp_path_factory: pytest.TempPathFactory) -> Crawls:
    name = request.param
    if name.startswith("scrapy_") and not find_spec(name):
        pytest.skip(f"{name.replace('_', '-')} is not installed")

    def settings(case: Case, site: Site) -> dict[str, Any]:
        return {**with_addon(case, site), **OTHERS[name]}

    cases = asked(request, "case", CASES)
    return crawl_cases(cases, server, tmp_path_factory.mktemp("others"), modes=[MODE], settings=settings)


@pytest.mark.parametrize("case", each_third(CASES), ids=lambda case: case.name)
def test_every_page_is_scraped(case: Case, crawls: Crawls) -> None:
    crawl = crawls[case.name, MODE]
    assert not crawl.lost, crawl.story()
    assert len(crawl.fetched) <= case.most, crawl.story()
    assert crawl.outcome.reason == "finished"
