"""Where what was not sent is named, by several crawls in one folder."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from typing import TYPE_CHECKING

import pytest

from scrapy_urinorm.cli import main
from scrapy_urinorm.crawl.live_rules.places import PARKED_FILE, folder_for, write_parked
from scrapy_urinorm.live.folder import FolderStore
from scrapy_urinorm.visits.record import Visit

if TYPE_CHECKING:
    from collections.abc import Iterator
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


SECRET = "http://a.example/file?aid=MTIzfDRhYmNkZWZ8MTc2NDQ5NjAwMHwwfDE1&token=k3"


@pytest.mark.parametrize("job", [False, True])
def test_an_address_is_named_as_it_is_for_its_owner_alone(
    job: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With its secrets masked it is no address: nobody could fetch what nothing else knows without a job."""
    monkeypatch.chdir(tmp_path)
    write_parked(str(tmp_path) if job else None, partial(iter, [(SECRET, "closed")]), "first")
    assert json.loads((tmp_path / PARKED_FILE).read_text("utf-8"))["url"] == SECRET
    assert (tmp_path / PARKED_FILE).stat().st_mode & 0o777 == 0o600


def test_a_job_that_keeps_nothing_back_any_more_names_nothing(tmp_path: Path) -> None:
    write_parked(str(tmp_path), partial(iter, ROWS["first"]), "first")
    write_parked(str(tmp_path), partial(iter, ROWS["first"][:0]), "second")
    assert not (tmp_path / PARKED_FILE).exists()


def test_of_two_workers_that_name_all_of_it_at_once_the_file_of_one_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both may have judged the end of a fleet's crawl: in one file each row stood twice, or within another."""
    monkeypatch.chdir(tmp_path)
    rows = [*ROWS["first"], *ROWS["second"]]
    begun: list[str] = []

    def while_another_writes() -> Iterator[tuple[str, str]]:
        begun.append("again")
        for n, row in enumerate(rows):
            if n == 1 and len(begun) == 2:
                write_parked(None, partial(iter, rows), "other", waits=True)
            yield row

    write_parked(None, while_another_writes, "one", waits=True)
    assert len(begun) == 2
    lines = (tmp_path / PARKED_FILE).read_text("utf-8").splitlines()
    assert [json.loads(line)["url"] for line in lines] == [url for url, _ in rows]
    assert (tmp_path / PARKED_FILE).stat().st_mode & 0o777 == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [PARKED_FILE]


def test_a_crawl_that_is_over_gets_no_folder_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is shorter than the start of the process that learns: what its pages say stayed in TMPDIR."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder, remove, _ = folder_for(None, main)
    store = FolderStore(folder)
    remove()
    store.add("a.example", Visit(url="http://a.example/"))
    with pytest.raises(FileNotFoundError):
        FolderStore(folder)
    assert not [*tmp_path.iterdir()]


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
