"""Further programs than the testbed's, installed from Debian: recognized where they are, crawled, and nothing lost.

Of each: the requests of a crawl without rules, of one with the pack (all lines, and no other rule), and the fewest that
could do (one for each content that was met). What a pack leaves out on purpose is not lost: differences, forms, feeds.
`URINORM_PLATFORM_TABLE` names a file of figures that the rows are written to: `docs/figures.json`, for the pages.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from scrapy_urinorm import Normalizer
from scrapy_urinorm.content import NEAR, compare
from scrapy_urinorm.learn.sites.site import Site
from scrapy_urinorm.visits import Visit, read_visits
from scrapy_urinorm.visits.programs import programs
from tests.platforms.installations import INSTALLATIONS
from tests.platforms.starting import running

if TYPE_CHECKING:
    from scrapy_urinorm.learn.pages.page import Page

pytestmark = pytest.mark.system("programs from Debian: make test-platforms, as root")

PROJECT = Path(__file__).resolve().parents[2]
#: Requests of a crawl without rules at the most: some of the programs have no end.
MOST = 1_200


class Crawl(NamedTuple):
    requests: int
    finished: bool
    visits: list[Visit]


def crawl(url: str, folder: Path, name: str, rules: dict[str, Any]) -> Crawl:
    visits = folder / f"{name}.jsonl"
    command = [sys.executable, "-m", "tests.platforms.crawl", url, str(visits), json.dumps(rules), str(MOST)]
    environment = {**os.environ, "PYTHONPATH": str(PROJECT)}
    ended = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, timeout=900)
    assert ended.returncode == 0, ended.stderr[-2000:]
    said = json.loads(ended.stdout.splitlines()[-1])
    return Crawl(said["downloader/request_count"], said["finish_reason"] == "finished", list(read_visits([visits])))


def pages(*crawls: Crawl) -> list[dict[str, Page]]:
    """Of each crawl: the pages it met whose content is known, by address; content is numbered across the crawls."""
    site = Site("all")
    for one in crawls:
        for visit in one.visits:
            site.add(visit, "")
    site.build("safe")
    key = Normalizer(preset="safe").key
    by_url = [{visit.url: site.by_key[key(visit.url)] for visit in one.visits} for one in crawls]
    return [{url: page for url, page in met.items() if page.label >= 0} for met in by_url]


def lost(before: dict[str, Page], after: dict[str, Page], n: Normalizer) -> list[str]:
    """Addresses of contents that the crawl under the pack did not meet: neither them nor, at their key, a version of
    them (the time at which a page was made is a part of it); what it leaves out or puts last on purpose is not lost.
    """
    met = {page.label for page in after.values()}
    stand_ins: dict[str, list[Page]] = {}
    for url, page in after.items():
        stand_ins.setdefault(n.key(url), []).append(page)
    found: dict[int, str] = {}
    left_out = set()
    for url, page in before.items():
        if any(n.verdict(url)):
            left_out.add(page.label)
        elif page.label not in met and all(compare(page, one) < NEAR for one in stand_ins.get(n.key(url), ())):
            found[page.label] = url
    return sorted(url for label, url in found.items() if label not in left_out)


@pytest.mark.parametrize("name", INSTALLATIONS)
def test_recognized_and_nothing_lost(name: str, tmp_path: Path) -> None:
    one = INSTALLATIONS[name]
    with running(one, tmp_path) as url:
        host = url.split("/")[2]
        alone = crawl(url, tmp_path, "alone", {"preset": "safe"})
        found = programs(alone.visits)
        platform = {"name": one.pack, "path": one.path, "all": True}
        rules = {"preset": "safe", "host": {host: {"platform": platform}}} if one.pack else {"preset": "safe"}
        ours = crawl(url, tmp_path, "pack", rules)
    before, after = pages(alone, ours)
    gone = lost(before, after, Normalizer(rules))
    oracle = len({page.label for page in before.values()})
    if table := os.environ.get("URINORM_PLATFORM_TABLE"):
        row = {
            "alone": alone.requests, "ended": alone.finished, "pack": ours.requests, "pack_ended": ours.finished,
            "contents": oracle, "lost": len(gone), "recognized": [[f.platform, f.path, f.pages] for f in found],
        }  # fmt: skip
        figures = json.loads(Path(table).read_text("utf-8"))
        figures.setdefault("platforms", {}).setdefault("installations", {})[name] = row
        Path(table).write_text(json.dumps(figures, indent=2, sort_keys=True) + "\n", "utf-8")
    assert [(f.platform, f.path) for f in found] == ([(one.pack, one.path)] if one.pack else [])
    assert gone == []
    assert ours.finished or not alone.finished
    assert ours.requests <= one.most
