"""Where what was not sent is named, by several crawls in one folder."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.cli import main
from scrapy_urinorm.crawl.live_rules.places import PARKED_FILE, write_parked

if TYPE_CHECKING:
    from pathlib import Path

ROWS = {"first": [("http://a.example/?from=1", "duplicate")], "second": [("http://b.example/2", "closed")]}


@pytest.mark.parametrize(
    ("job", "named"),
    [pytest.param(False, ["first", "second"], id="a folder"), pytest.param(True, ["second"], id="a job")],
)
def test_a_crawl_leaves_what_another_has_named(
    job: bool, named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The spiders of a project end one after the other; a job names what it keeps back now."""
    monkeypatch.chdir(tmp_path)
    for crawl, rows in ROWS.items():
        write_parked(str(tmp_path) if job else None, partial(iter, rows), crawl)
    lines = [json.loads(line) for line in (tmp_path / PARKED_FILE).read_text("utf-8").splitlines()]
    assert lines == [{"url": url, "why": why, "crawl": crawl} for crawl in named for url, why in ROWS[crawl]]


def test_what_a_full_disk_took_in_part_is_told_from_what_comes_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was added to half of a line was no line either, and then nobody could read the file."""
    monkeypatch.chdir(tmp_path)
    parked = tmp_path / PARKED_FILE
    write_parked(None, partial(iter, ROWS["first"]), "first")
    with parked.open("a", encoding="utf-8") as file:
        file.write('{"url": "http://c.example/')
    write_parked(None, partial(iter, ROWS["second"]), "second")
    assert json.loads(parked.read_text("utf-8").splitlines()[-1])["url"] == ROWS["second"][0][0]
    visits = tmp_path / "visits.jsonl"
    visits.write_text('{"url": "http://a.example/", "status": 200}\n')
    assert not main(["why", ROWS["second"][0][0], "--visits", str(visits)])
    assert "closed" in capsys.readouterr().out
