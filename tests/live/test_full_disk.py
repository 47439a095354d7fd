"""Live rules without a job where nothing can be written: what was kept back goes, or is named."""

from __future__ import annotations

import json
import logging
import sys
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.crawl.live_rules.places import PARKED_FILE, write_parked
from scrapy_urinorm.crawl.requests.file import RequestsFile
from scrapy_urinorm.crawl.requests.rows import Row, State
from scrapy_urinorm.crawl.scheduling.stranded import Stranded
from tests.live.served import Served
from tests.live.sites import Site
from tests.live.test_crawl import all_pages, counts, live, pages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits of POSIX, and /dev/full")


@pytest.mark.parametrize(
    ("articles", "size"),
    [
        (12, 50_000),
        pytest.param(30, 80_000, marks=pytest.mark.slow),
        pytest.param(60, 110_000, marks=pytest.mark.soak),
        pytest.param(60, 160_000, marks=pytest.mark.slow),
    ],
)
@pytest.mark.thorough
def test_a_full_temporary_folder_switches_it_off(tmp_path: Path, articles: int, size: int) -> None:
    """There is no next run that would go on: the crawl has to."""
    site = Site(1, features={"sid", "ref"}, articles=articles)
    with Served(site) as served:
        disk: dict[str, Any] = {"EXTENSIONS": {"tests.crawl.spiders.SmallDisk": 0}, "TEST_FILE_BYTES": size}
        outcome = live(served, tmp_path, **disk)
        assert outcome.reason == "finished"
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert len(outcome.lines("Live rules are off", "what they kept back is fetched")) == 1
    assert not outcome.lines("Traceback")
    assert not outcome.lines("ERROR")
    assert not (tmp_path / PARKED_FILE).exists()
    assert counts(outcome).get("released", 0) == counts(outcome).get("parked", 0) + counts(outcome).get("closed", 0)


@pytest.mark.thorough
def test_where_nothing_could_be_named_it_only_observes(tmp_path: Path) -> None:
    """As where a folder is there to be read alone; root may write to any other, so here a folder is in the way."""
    (tmp_path / PARKED_FILE).mkdir()
    site = Site(1, features={"sid", "ref"}, articles=8)
    with Served(site) as served:
        outcome = live(served, tmp_path)
        assert outcome.lines("WARNING", "Live rules only observe", PARKED_FILE, "set a JOBDIR")
        assert served.identities(pages(tmp_path)) == all_pages(site)
    assert "parked" not in counts(outcome)


@pytest.mark.thorough
def test_a_look_leaves_no_file(tmp_path: Path) -> None:
    site = Site(1, features={"sid"}, articles=3)
    with Served(site) as served:
        assert not live(served, tmp_path).lines("only observe")
    assert not (tmp_path / PARKED_FILE).exists()


ROWS = [("http://a.example/?token=k3", "duplicate"), ("http://a.example/2", "closed")]


def test_what_the_disk_does_not_take_in_the_end_is_named_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    (tmp_path / PARKED_FILE).symlink_to("/dev/full")
    (tmp_path / "other").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "other"))
    write_parked(str(tmp_path), lambda: iter(ROWS), "now")
    (file,) = (tmp_path / "other").iterdir()
    assert [json.loads(line)["why"] for line in file.read_text("utf-8").splitlines()] == ["duplicate", "closed"]
    assert [str(file) in record.getMessage() for record in caplog.records] == [False, True]
    # nor there
    file.unlink()
    file.symlink_to("/dev/full")
    caplog.clear()
    write_parked(str(tmp_path), lambda: iter(ROWS), "now")
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 4
    assert [why in line for line, why in zip(said[2:], ("duplicate", "closed"), strict=True)] == [True, True]
    # others read a log
    assert "k3" not in said[2]


@pytest.mark.parametrize(
    ("job", "waits", "named"),
    [(False, False, ["one", "one", "two", "two"]), (True, False, ["two", "two"]), (False, True, ["two", "two"])],
)
def test_what_another_crawl_has_named_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, job: bool, waits: bool, named: list[str]
) -> None:
    """Nothing else knows those addresses; in a job, or in Redis, they wait, and are named again."""
    monkeypatch.chdir(tmp_path)
    for crawl in ("one", "two"):
        write_parked(str(tmp_path) if job else None, lambda: iter(ROWS), crawl, waits=waits)
    assert [json.loads(line)["crawl"] for line in (tmp_path / PARKED_FILE).read_text("utf-8").splitlines()] == named


def row(number: int, state: State) -> Row:
    return Row(number, state, 0, "", b"%d" % number)


def test_all_that_waits_is_served_once(tmp_path: Path) -> None:
    """What was written, what was not yet, without what has ended or is under way, and what was read already."""
    file = RequestsFile(tmp_path)
    file.open()
    states = [State.PARKED, State.LATER, State.RELEASED, State.QUEUED, State.FLYING]
    written = [row(file.new_id(), states[n % 5]) for n in range(1_000)]
    for one in written:
        file.put(one)
    file.commit()
    # since then
    file.end(1)
    file.put(row(2, State.FLYING))
    new = row(file.new_id(), State.PARKED)
    file.put(new)
    stranded = Stranded([row(-1, State.LATER)], file, None)
    expected = [-1, new.id, *(one.id for one in written if one.state not in states[3:] and one.id > 2)]
    assert [one.id for one in stranded.rest()] == expected
    served = []
    while stranded:
        assert stranded.pop(State.LATER) is None
        popped = stranded.pop(State.RELEASED)
        assert popped is not None
        served.append(popped.id)
        if len(served) == 300:
            assert [one.id for one in stranded.rest()] == expected[300:]
    assert served == expected
    file.close()


def test_what_cannot_be_read_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = RequestsFile(tmp_path)
    file.open()
    file.put(row(file.new_id(), State.PARKED))
    file.commit()
    with file.in_hand()[2].explained("damage") as database:
        database.execute("drop table requests")
    assert not Stranded([], file, None)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "The rest of the requests that were kept back is lost to this crawl"
    ]
    file.close()
