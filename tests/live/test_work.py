"""A study that others run while pages are taken: it finds what one does at once, and no page is passed over."""

from __future__ import annotations

import io
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.in_memory import InMemory
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.live.folder import FolderStore
from scrapy_urinorm.live.process import Students
from scrapy_urinorm.live.reader import Live
from scrapy_urinorm.live.student import Student
from scrapy_urinorm.live.watched import FIRST_STUDY
from scrapy_urinorm.visits import messages
from scrapy_urinorm.visits.isolation import Parser
from scrapy_urinorm.visits.process import Reader
from tests.live.sites import Site, record

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from scrapy_urinorm.live.work import Work
    from scrapy_urinorm.visits.record import Visit

#: Its `ref` is idle on all pages, and on the second one tells its last articles apart.
STEADY, TURNING = Site(1, features={"sid", "ref"}, articles=40), Site(1, features={"sid", "turning"}, articles=60)


def student() -> Student:
    return Student(Options(skip=False), [], InMemory())


def told(said: Iterable[dict[str, Any]], *kinds: str) -> list[dict[str, Any]]:
    return [one for one in said if one["do"] in kinds]


@cache
def _recorded(seed: int, features: tuple[str, ...], articles: int) -> list[Visit]:
    return record(Site(seed, features=set(features), articles=articles))[0]


def visits_of(site: Site) -> list[Visit]:
    return _recorded(site.seed, tuple(sorted(site.features)), site.articles)


def test_what_comes_while_a_study_runs_is_held_against_what_it_finds() -> None:
    """Of every number of pages that come meanwhile."""
    at_once = student()
    said = [at_once.take(visit, "") for visit in visits_of(STEADY)]
    began = next(n for n, one in enumerate(said) if any(rules["rules"] for rules in told(one, "rules")))
    for late in (0, 1, 7):
        one = student()
        works: list[Work] = []
        one.starts = works.append
        heard = []
        for n, visit in enumerate(visits_of(STEADY)[: began + 1 + late]):
            heard += one.take(visit, "")
            if works and (n < began or n == began + late):
                (work,) = works
                works.clear()
                work.run()
                one.busy = False
                heard += one.ended(work)
        assert told(heard, "rules")[-1] == told(said[began], "rules")[-1]
        assert len(told(heard, "news")) == began + 1 + late
        (name,) = one._sites
        if late:
            fresh = student()
            for visit in visits_of(STEADY)[: began + 1 + late]:
                fresh.take(visit, "")
            # the pages that came meanwhile stand for their classes, and count for the rules
            assert one._sites[name].counts == fresh._sites[name].counts
            assert one._sites[name].classes.keys() == fresh._sites[name].classes.keys()


def test_a_study_whose_rules_a_page_speaks_against_meanwhile_is_done_again() -> None:
    one = student()
    works: list[Work] = []
    heard, believed, doubted = [], False, False
    for visit in visits_of(TURNING):
        # from the first rule on studies are begun and left to run until a page speaks against it
        one.starts = works.append if believed else None
        said = one.take(visit, "")
        heard += said
        believed = believed or any(rules["rules"] for rules in told(said, "rules"))
        if not works and believed and not one.busy:
            (name,) = one._sites
            one.busy = True
            works.append(one.begin(name))
        if told(said, "doubt"):
            doubted = True
            break
    assert doubted
    (work,) = works
    work.run()
    assert work.found is not None
    assert one.ended(work) == []
    one.busy = False
    one.starts = None
    (name,) = one._sites
    again = one.study(name)
    assert told(again, "rules")[0]["rules"] != told(heard, "rules")[-1]["rules"]


@pytest.mark.parametrize(
    "site", [pytest.param(STEADY, id="steady"), pytest.param(TURNING, id="turning", marks=pytest.mark.slow)]
)
def test_the_process_answers_every_page_and_the_judgement_last(site: Site, tmp_path: Path) -> None:
    """Whenever the studies in its threads end; of a steady site it has learned what one student learns at once."""
    output = io.BytesIO()
    process = Students(output)
    process.take({"do": "open", "crawl": 3, "preset": "recommended", "rules": [], "folder": str(tmp_path)}, b"")
    visits = visits_of(site)
    for visit in visits:
        process.take({"do": "visit", "crawl": 3, "pattern": "x"}, visit.to_json().encode())
    process.take({"do": "judge", "crawl": 3, "sites": [site.host.partition(".")[2]], "asked": 1}, b"")
    output.seek(0)
    said = []
    while (message := messages.received(output.read)) is not None:
        said.append(message[0])
    assert len(told(said, "news")) == len(visits)
    assert said[-1] == {"do": "verdict", "asked": 1, "crawl": 3}
    store = FolderStore(str(tmp_path))
    assert [one.url for _, one in store.all()] == [one.url for one in visits]
    if site is STEADY:
        known = Student(Options(skip=False), [], store)
        known.restore(store.kept(), store.all())
        (name,) = known._sites
        at_once, last = (told(one, "rules")[-1] for one in (known.judge(name), said))
        assert {one["id"] for one in last["rules"]} >= {one["id"] for one in at_once["rules"]} != set()


def test_the_first_visits_of_a_site_may_be_left_out(tmp_path: Path) -> None:
    folder, memory = FolderStore(str(tmp_path)), InMemory()
    visits = visits_of(STEADY)[:7]
    for visit in visits:
        folder.add("a", visit)
        memory.add("a", visit)
    for first in (0, 3, 7, 9):
        expected = [one.url for one in visits[first:]]
        assert [one.url for one in folder.visits("a", first)] == expected
        assert [one.url for one in memory.visits("a", first)] == expected


def test_a_study_that_cannot_be_begun_is_begun_with_a_later_page() -> None:
    """As where the system has no more threads."""
    one = student()
    works: list[Work] = []

    def refuse(_: Work) -> None:
        raise RuntimeError("can't start new thread")

    one.starts = refuse
    *before, due, after = visits_of(STEADY)[: FIRST_STUDY + 1]
    for visit in before:
        one.take(visit, "")
    with pytest.raises(RuntimeError):
        one.take(due, "")
    assert not one.busy
    # due again with what was seen meanwhile
    one.starts = works.append
    (name,) = one._sites
    one._sites[name].due = 0
    one.take(after, "")
    assert len(works) == 1


def test_pages_that_speak_against_old_rules_do_not_keep_a_study_from_ending() -> None:
    """A rule that was taken back is held against pages until the study ends that is without it, and more may differ."""
    one = student()
    for visit in visits_of(STEADY):
        one.take(visit, "")
    (name,) = one._sites
    site = one._sites[name]
    assert site.found is not None
    work = one.begin(name)
    work.run()
    site.doubts += 1
    site.since["another"] = "http://site.example.com/"
    one.ended(work)
    assert site.found is work.found


@pytest.mark.parametrize("left", [0, 1, 40, 500])
def test_a_line_that_a_kill_has_cut_off_is_no_visit(left: int, tmp_path: Path) -> None:
    """What was seen is counted by lines: one that is none would have a page held against the rules twice."""
    store = FolderStore(str(tmp_path))
    visits = visits_of(STEADY)[:6]
    for visit in visits[:3]:
        store.add("a", visit)
    (path,) = tmp_path.glob("*.jsonl")
    whole = path.read_bytes()
    torn = visits[3].to_json().encode()[:left]
    path.write_bytes(whole + torn)
    again = FolderStore(str(tmp_path))
    assert path.read_bytes() == whole
    for visit in visits[4:]:
        again.add("a", visit)
    assert [one.url for one in again.visits("a", 3)] == [one.url for one in visits[4:]]
    path.write_bytes(b"no line" * 20_000)
    FolderStore(str(tmp_path))
    assert path.read_bytes() == b""


def test_links_that_nobody_has_taken_yet_wait_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page may name as many octets as a visit has, and the student may be busy with a judgement."""
    monkeypatch.setattr("scrapy_urinorm.live.reader.WAITING", 10_000)
    parser = Parser()
    live = Live(Reader(io.BytesIO(), parser))
    for _ in range(50):
        live._named(1, ["http://a.example/" + "x" * 983])
    parser.close()
    assert live._queue.qsize() == 11


def test_nothing_is_held_of_a_crawl_that_is_closed(tmp_path: Path) -> None:
    """Others of its process may go on for days; a process that is started again opens it no more."""
    output, parser = io.BytesIO(), Parser()
    live, process = Live(Reader(output, parser)), Students(output)
    said = {"do": "open", "crawl": 3, "preset": "recommended", "rules": [], "folder": str(tmp_path)}
    live._opened[3] = said
    process.take(said, b"")
    live.reader.handlers["close"](3, {"do": "close", "crawl": 3}, b"")
    parser.close()
    message, body, _ = live._queue.get_nowait() or ({}, b"", 0)
    for visit in visits_of(STEADY)[:60]:
        process.take({"do": "visit", "crawl": 3, "pattern": "x"}, visit.to_json().encode())
    process.take(message, body)
    process.take({"do": "visit", "crawl": 3, "pattern": "x"}, visits_of(STEADY)[60].to_json().encode())
    assert (live._opened, process._of, process._studies) == ({}, {}, {})
    assert len([*FolderStore(str(tmp_path)).all()]) == 60


def test_a_student_that_is_started_again_knows_what_was_named(tmp_path: Path) -> None:
    """Else the links of the pages before lead nowhere, and a rule that is right seems to cut off what lies behind."""
    visits = visits_of(STEADY)
    host, name = STEADY.host, STEADY.host.partition(".")[2]
    said = {"do": "open", "crawl": 3, "preset": "recommended", "rules": [], "folder": str(tmp_path)}
    process = Students(io.BytesIO())
    process.take(said, b"")
    odd = [f'http://{host}/\u00e9?a="b', "http://other.example/"]
    process.take({"do": "met", "crawl": 3, "urls": [*(visit.url for visit in visits[:60]), *odd]}, b"")
    for visit in visits[:20]:
        process.take({"do": "visit", "crawl": 3, "pattern": "x"}, visit.to_json().encode())
    process.take({"do": "met", "crawl": 3, "urls": [visit.url for visit in visits[30:80]]}, b"")
    for path in tmp_path.glob("*.met"):
        # a kill may cut a line off
        with path.open("ab") as file:
            file.write(b'"http://si')
    again = Students(io.BytesIO())
    again.take(said, b"")
    (before, _), (after, store) = process._of[3], again._of[3]
    assert sorted(after._sites) == sorted(before._sites)
    for site in before._sites:
        # without those that were fetched since
        assert after._sites[site].waiting == before._sites[site].waiting
    assert after._waiting == before._waiting > 0
    assert sum(len(site.waiting) for site in after._sites.values()) == 62
    again.take({"do": "met", "crawl": 3, "urls": [f"http://{host}/late"]}, b"")
    assert f"http://{host}/late" in set(store.noted())
    assert len([*store.noted()]) == len({*store.noted()}) == 83
    store.forget(name)
    assert [*store.noted()] == ["http://other.example/"]


def test_a_student_that_cannot_be_started_is_said_and_a_later_crawl_tries_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No memory, no process left: a crawl that waits for it would have no end."""
    output, parser = io.BytesIO(), Parser()
    live = Live(Reader(output, parser))
    header = {"do": "live", "preset": "recommended", "rules": [], "folder": str(tmp_path)}
    with monkeypatch.context() as patch:
        patch.setattr("sys.executable", str(tmp_path / "python"))
        live.reader.handlers["live"](3, {**header, "crawl": 3}, b"")
    parser.close()
    output.seek(0)
    (said, _) = messages.received(output.read) or ({}, b"")
    assert said | {"why": ""} == {"do": "live_died", "crawl": 3, "why": ""}
    assert said["why"].startswith("the process that learns cannot be started: ")
    assert live._opened == {}
    live.reader.handlers["live"](4, {**header, "crawl": 4}, b"")
    process = live._process
    assert process is not None
    assert (process.poll(), list(live._opened)) == (None, [4])
    # no second one can be started when that one has ended: as bad as if it had died twice
    monkeypatch.setattr("sys.executable", str(tmp_path / "python"))
    process.kill()
    while not live._dead:
        process.wait()
        live._queue.put(({"do": "", "crawl": 0}, b"", 0))
    live.reader.handlers["live"](5, {**header, "crawl": 5}, b"")
    output.seek(0)
    heard = []
    while (message := messages.received(output.read)) is not None:
        heard.append(message[0])
    assert [(one["do"], one["crawl"]) for one in heard] == [("live_died", number) for number in (3, 4, 5)]
    assert heard[1]["why"].startswith("the process that learns cannot be started again: ")
