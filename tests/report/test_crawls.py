"""Several crawls in one file: the report is of one of them, and says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.report.findings import findings
from scrapy_urinorm.report.headline import sentences
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits import Visit, VisitWriter, read_visits

if TYPE_CHECKING:
    from pathlib import Path

OLD, NEW = "20260101T000000Z-00000001", "20260202T000000Z-00000000"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Two pages without an id, three of a crawl, two of a newer one whose last line does not come last."""
    path = tmp_path / "v.jsonl.zst"
    with VisitWriter(path) as writer:
        for n, crawl in enumerate((None, None, OLD, OLD, NEW, NEW, OLD)):
            writer.write(Visit(url=f"http://a.example/{n}?token=secret{n}", status=200, crawl=crawl))
    return path


def said(*paths: Path, **options: Any) -> dict[str, Any]:
    return findings(paths, RuleSet.load(), learn=False, jobs=1, **options)


@pytest.mark.parametrize(
    ("crawl", "requests", "read"),
    [("newest", 2, [NEW]), ("all", 7, [OLD, NEW]), (OLD, 3, [OLD])],
    ids=["the newest", "all of them", "one by its id"],
)
def test_whose_visits_are_reported(file: Path, crawl: str, requests: int, read: list[str]) -> None:
    found = said(file, crawl=crawl)
    assert found["totals"]["requests"] == requests
    assert (found["input"]["crawls"], found["input"]["read"]) == (3, read)
    assert sentences(found)[0].startswith("Read: ")


def test_each_file_has_a_newest_crawl_of_its_own(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "w.jsonl"
    with VisitWriter(other) as writer:
        writer.write(Visit(url="http://a.example/", status=200, crawl=OLD))
    assert said(file, other)["totals"]["requests"] == 3


def test_a_crawl_that_is_not_there(file: Path) -> None:
    with pytest.raises(UrinormError, match=f"no visits of a crawl 'x'; there are {OLD}, {NEW}"):
        said(file, crawl="x")


def test_one_crawl_goes_without_saying(tmp_path: Path) -> None:
    with VisitWriter(tmp_path / "v.jsonl") as writer:
        writer.write(Visit(url="http://a.example/", status=200, crawl=OLD))
    assert not sentences(said(tmp_path / "v.jsonl"))[0].startswith("Read: ")


def test_readers_count_the_visits_of_each_crawl(file: Path) -> None:
    read = read_visits([file])
    assert len(list(read)) == 7
    assert read.crawls == {OLD: 3, NEW: 2}
    assert len(list(read_visits([file], only={str(file): NEW}))) == 2


def test_what_others_have_recorded_is_redacted_when_it_is_read(file: Path) -> None:
    urls = [visit.url for visit in read_visits([file])]
    assert [f"secret{n}" in url for n, url in enumerate(urls)] == [False, False, True, True, True, True, True]
    assert "secret0" not in str(said(file, crawl="all"))
