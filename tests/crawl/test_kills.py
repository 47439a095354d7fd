"""Crawls killed with -9 at random moments: no page is lost, whatever holds what was seen."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.crawl.kills import crawl_with_kills

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="lacks fork")
#: What a kill may have under way or written down too late: sixteen requests, and what ends in some milliseconds.
AGAIN_PER_KILL = 80

STORES: dict[str, dict[str, Any]] = {
    "memory, in the JOBDIR": {"JOBDIR": "{folder}/job"},
    "disk, in the JOBDIR": {"JOBDIR": "{folder}/job", "URINORM_SEEN": "disk"},
    "disk, from run to run": {"URINORM_SEEN": "disk:{folder}/seen"},
    "Scrapy's own filter": {"JOBDIR": "{folder}/job", "DUPEFILTER_CLASS": "tests.crawl.own_classes.OwnDupeFilter"},
}
FINDS = [pytest.param(True, id="pages found by links alone"), pytest.param(False, id="pages that start() offers")]


def check(folder: Path, given: dict[str, Any], *, pages: int, kills: int, linked: bool, seed: int) -> None:
    settings = {name: value.format(folder=folder) for name, value in given.items()}
    settings["ADDONS"] = {"scrapy_urinorm.Addon": 600}
    result = crawl_with_kills(folder, settings, pages=pages, kills=kills, linked=linked, seed=seed)
    assert result.lost == []
    assert result.kills == kills
    if "DUPEFILTER_CLASS" not in given:
        assert result.again <= AGAIN_PER_KILL * kills


@pytest.mark.slow
@pytest.mark.parametrize("given", STORES.values(), ids=STORES.keys())
def test_a_few_kills_lose_no_page(tmp_path: Path, given: dict[str, Any]) -> None:
    check(tmp_path, given, pages=200, kills=3, linked=True, seed=3)


@pytest.mark.soak
@pytest.mark.parametrize("linked", FINDS)
@pytest.mark.parametrize("given", STORES.values(), ids=STORES.keys())
def test_many_kills_lose_no_page(tmp_path: Path, given: dict[str, Any], linked: bool) -> None:
    check(tmp_path, given, pages=1200, kills=42, linked=linked, seed=42)
