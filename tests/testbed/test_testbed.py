"""Crawls of five real applications: how many requests our rules save, and that no page is lost.

The applications come from the testbed, whose README says how to start them; the measure is the same crawl by Scrapy
alone. `URINORM_TESTBED` names the testbed's folder, `../shared/testbed` beside the checkout by default.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[1]
TESTBED = Path(os.environ.get("URINORM_TESTBED", PROJECT.parent / "shared" / "testbed"))
PORTS = {
    "dokuwiki": 8102, "wordpress": 8103, "gitweb": 8104, "autoindex": 8105, "roundup": 8106, "spirit": 8107,
    "trac": 8108,
}  # fmt: skip
HOSTS = {
    "dokuwiki": "doku.test", "wordpress": "blog.test", "gitweb": "git.test", "autoindex": "files.test",
    "roundup": "tracker.test", "trac": "trac.test",
}  # fmt: skip
#: What makes Scrapy crawl depth first, its own order; the testbed's runner sets the other.
DEPTH_FIRST = {
    "DEPTH_PRIORITY": 0,
    "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleLifoDiskQueue",
    "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.LifoMemoryQueue",
}

pytestmark = pytest.mark.system("the running applications of the testbed")


@dataclass(frozen=True)
class Crawl:
    """One crawl, as the testbed's runner recorded it."""

    rows: list[dict[str, Any]]
    finished: bool

    @property
    def requests(self) -> int:
        return len(self.rows)

    def pages(self, *, core: bool = False) -> set[str]:
        """The identities of the pages that were downloaded."""
        return {
            row["identity"]
            for row in self.rows
            if row["status"] == 200 and "identity" in row and (row.get("core") or not core)
        }


def read(folder: Path, site: str, label: str) -> Crawl:
    summary = json.loads((folder / f"{site}.{label}.summary.json").read_text(encoding="utf-8"))
    with gzip.open(folder / f"{site}.{label}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return Crawl([json.loads(line) for line in lines], summary["finish_reason"] == "finished")


def crawl(site: str, folder: Path, settings: dict[str, Any]) -> Crawl:
    """Crawl a running application with the testbed's own runner."""
    path = folder / "crawl.json"
    path.write_text(json.dumps({"_pythonpath": [str(PROJECT)]} | settings))
    command = [sys.executable, str(TESTBED / "crawl.py"), site, "--settings", str(path), "--out", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, cwd=folder)
    assert done.returncode == 0, done.stderr[-2000:]
    return read(folder, site, "crawl")


@functools.cache
def by_scrapy_alone(site: str) -> Crawl:
    """The measure: the same crawl without us, made here, since the packages that fill a site change with time."""
    if not (TESTBED / "crawl.py").is_file():
        pytest.skip(f"the testbed is not at {TESTBED} (set URINORM_TESTBED)")
    with socket.socket() as probe:
        probe.settimeout(2)
        if probe.connect_ex(("127.0.0.1", PORTS[site])):
            pytest.skip(f"{site} is not running on port {PORTS[site]}: {TESTBED}/sites/{site}/up starts it")
    with tempfile.TemporaryDirectory() as folder:
        return crawl(site, Path(folder), {})


def with_us(site: str, folder: Path, settings: dict[str, Any] | None = None) -> Crawl:
    return crawl(site, folder, {"ADDONS": {"scrapy_urinorm.Addon": 600}} | (settings or {}))


@pytest.mark.parametrize("site", ["wordpress", "dokuwiki", "autoindex", "roundup"])
def test_the_add_on_alone_costs_no_request_and_loses_no_page(site: str, tmp_path: Path) -> None:
    alone = by_scrapy_alone(site)
    ours = with_us(site, tmp_path)
    assert ours.finished
    assert ours.requests <= alone.requests
    assert not alone.pages() - ours.pages()


def test_the_add_on_alone_folds_the_tracking_links_of_a_blog(tmp_path: Path) -> None:
    by_scrapy_alone("wordpress")
    assert with_us("wordpress", tmp_path).requests <= 956


def test_the_add_on_alone_loses_no_page_of_an_endless_site(tmp_path: Path) -> None:
    alone = by_scrapy_alone("spirit")
    ours = with_us("spirit", tmp_path)
    assert not alone.finished
    assert not alone.pages() - ours.pages()


@pytest.mark.parametrize(
    ("site", "limit"),
    [("wordpress", 512), ("dokuwiki", 518), ("spirit", 363), ("autoindex", 2600), ("roundup", 540)],
)
def test_ten_lines_of_rules_reach_every_page(site: str, limit: int, tmp_path: Path) -> None:
    alone = by_scrapy_alone(site)
    ours = with_us(site, tmp_path, {"URINORM_RULES": str(HERE / f"{site}.toml")})
    assert ours.finished
    assert ours.requests <= limit
    assert not alone.pages() - ours.pages()


@pytest.mark.parametrize("order", [{}, DEPTH_FIRST], ids=["breadth", "depth"])
@pytest.mark.parametrize(
    ("site", "limit"),
    [("wordpress", 520), ("dokuwiki", 540), ("trac", 1300), ("gitweb", 2883), ("roundup", 545), ("autoindex", 2602)],
)
def test_the_name_of_the_program_alone(site: str, limit: int, order: dict[str, Any], tmp_path: Path) -> None:
    """`platform = "..."`, and no other rule: what the pack has proved loses no article, file or ticket."""
    alone = by_scrapy_alone(site)
    rules = {"host": {f"{HOSTS[site]}:{PORTS[site]}": {"platform": site}}}
    ours = with_us(site, tmp_path, {"URINORM_RULES": rules, **order})
    assert ours.finished
    assert ours.requests <= limit
    assert not alone.pages(core=True) - ours.pages(core=True)
