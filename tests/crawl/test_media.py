"""Files that a pipeline downloads are told apart as Scrapy does it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.components import ADDON
from tests.crawl.crawling import Job, Outcome, crawl
from tests.crawl.site import Reply, Site, SiteServer, page

if TYPE_CHECKING:
    from pathlib import Path

TARGETS = [
    "/f?sid=1",
    "/f?sid=2",
    "/f?utm_source=a",
    "/f/",
    "/f",
    "/s?id=1&X-Amz-Signature=aa&sid=1",
    "/s?id=1&X-Amz-Signature=bb&sid=1",
]
RULES = {"rules": {"remove_params": ["sid", "X-Amz-*"], "trailing_slash": "remove"}}


@pytest.mark.parametrize("cache", [False, True], ids=["no cache", "cache"])
def test_every_file_is_downloaded(server: SiteServer, tmp_path: Path, cache: bool) -> None:
    site, outcome = crawl_files(server, tmp_path, cache)
    (item,) = [item for item in outcome.items if item["page"] == "home"]
    assert [file["url"] for file in item["files"]] == [site.url(target) for target in TARGETS]
    assert len({file["checksum"] for file in item["files"]}) == len(TARGETS)
    assert sorted(target for target in site.fetched() if target in TARGETS) == sorted(TARGETS)


def test_a_file_that_is_named_twice_is_downloaded_once(server: SiteServer, tmp_path: Path) -> None:
    site, outcome = crawl_files(server, tmp_path, False, TARGETS + TARGETS)
    (item,) = [item for item in outcome.items if item["page"] == "home"]
    assert len(item["files"]) == 2 * len(TARGETS)
    assert sorted(target for target in site.fetched() if target in TARGETS) == sorted(TARGETS)


def test_a_page_at_the_address_of_a_file_is_still_folded(server: SiteServer, tmp_path: Path) -> None:
    _, outcome = crawl_files(server, tmp_path, False)
    assert outcome.stats["dupefilter/filtered"] == 1
    assert "p" in outcome.pages


def crawl_files(server: SiteServer, directory: Path, cache: bool, targets: list[str] = TARGETS) -> tuple[Site, Outcome]:
    files = {target: Reply(200, target, (("Content-Type", "text/plain"),)) for target in TARGETS}
    site = server.site({"/": page("home", "/p?sid=1", "/p?sid=2"), "/p?sid=1": page("p"), **files})
    settings: dict[str, Any] = {
        **ADDON,
        "URINORM_RULES": RULES,
        "ITEM_PIPELINES": {"scrapy.pipelines.files.FilesPipeline": 1},
        "FILES_STORE": str(directory / "files"),
        "HTTPCACHE_ENABLED": cache,
        "HTTPCACHE_DIR": str(directory / "cache"),
    }
    job = Job("job", [site.url()], settings, spider="tests.crawl.spiders.WithFiles")
    job.attributes = {"file_urls": [site.url(target) for target in targets]}
    return site, crawl(job, directory)
