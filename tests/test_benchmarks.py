"""The benchmarks run and write their page; how fast anything is, is theirs to say."""

from __future__ import annotations

import gc
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from benchmarks import instructions, machine, peers, report
from benchmarks.__main__ import PARTS, QUICK, Bench
from benchmarks.inputs import read_urls
from benchmarks.measure import Contestant, Timing, compare
from benchmarks.measured import Figure, number
from benchmarks.processes import python
from benchmarks.tables import on_sites

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[1]
FEW = read_urls(None, 20)[0]
#: What each part hands over with Scrapy, w3lib and can_ada alone; other peers add rows.
ROWS = {
    "rules": [
        "fingerprint, a table of ten lines",
        "fingerprint, cold",
        "request_seen of a known URL",
        "log of a duplicate",
    ],
    "fingerprints": ["Scrapy's fingerprint of a fresh request, all URLs, to ours", "the same request again"],
    "texts": ["normalize(url), all URLs, to the bare parse of can_ada", "URLs with a query, to the bare parse"],
    "tables": [
        "a URL under 100 site tables",
        "URLs of 20 different tables",
        "loading 100 tables from TOML",
        "from JSON",
        "from a dict",
    ],
    "hosts": ["a URL on a host never seen before", "memory that 1,000 hosts add"],
    "imports": ["import of the core", "import of the components, over `import scrapy`"],
    "crawl": ["a link-heavy crawl", "with a table of ten lines"],
    "journal": ["the journal of requests, added to each"],
    "recording": ["recording visits, CPU it adds", "the process that reads the pages"],
    "seen": ["a known fingerprint", "a new fingerprint", "memory of a fingerprint"],
    "lists": ["lines a CPU second", "to a loop over can_ada's parse"],
    "command": ["`urinorm normalize -j 1`", "`urinorm normalize -j 2`", "memory of `-j 2`", "-j 2` in pure Python"],
}


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("valgrind") is None, reason="lacks valgrind")
def test_what_recording_adds_is_counted() -> None:
    figures = list(PARTS["recording"](Bench(FEW, QUICK)))
    (counted,) = [one for one in figures if one.what.startswith("in instructions: recording visits")]
    assert math.isfinite(counted.value)


@pytest.mark.parametrize("part", ROWS)
def test_every_part_hands_over_its_figures(part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if part == "recording":
        # no valgrind: four crawls under it take a minute
        monkeypatch.setenv("PATH", str(tmp_path))
    bench = Bench(FEW, QUICK)
    figures = list(PARTS[part](bench))
    for row in ROWS[part]:
        assert any(row in one.what for one in figures), row
    assert all(math.isfinite(one.value) for one in figures)
    for timings in bench.comparisons.values():
        assert any(name.startswith("urinorm") for name in timings)
        assert all(0 < one.low <= one.median <= one.high for one in timings.values())


def test_a_part_that_is_measured_again_takes_the_place_of_its_rows(tmp_path: Path) -> None:
    was = {"a": [Figure("one", 1, "us", 2), Figure("two", 1, "us")], "b": [Figure("three", 3, "us", 2)]}
    report.write(tmp_path, ["a machine"], "some URLs", {}, was)
    page = tmp_path / "performance.md"
    before = page.read_text("utf-8").splitlines()
    report.write_again(tmp_path, "another machine", {"b": [Figure("three", 1, "us", 2, note="of ten")]})
    changed = [row for row in page.read_text("utf-8").splitlines() if row not in before]
    assert len(changed) == 1
    assert changed[0].startswith("| three | 1.00 us | at most 2.00 us | reached; of ten; measured again on ")
    assert changed[0].endswith(": another machine |")
    with pytest.raises(LookupError):
        report.write_again(tmp_path, "another machine", {"b": [Figure("four", 1, "us")]})


def test_the_parts_are_those_that_are_tested_and_the_slow_one() -> None:
    assert PARTS.keys() - ROWS.keys() == {"instructions"}


def test_a_run_writes_page_and_plot(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "texts", "hosts", "--docs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].startswith("written: ")
    page = (tmp_path / "performance.md").read_text("utf-8")
    assert "| normalize(url), all URLs, to the bare parse of can_ada | " in page
    assert "| a URL on a host never seen before | " in page
    assert "| **urinorm normalize** | " in page
    assert "| w3lib | " in page
    plot = ET.parse(tmp_path / "_static" / "performance.svg").getroot()
    bars = [bar.get("class") for bar in plot.iter("{http://www.w3.org/2000/svg}rect")]
    assert bars.count("ours") == 3
    assert "peer" in bars


def test_a_part_of_the_parts_leaves_the_page_alone(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "benchmarks", "--quick", "--only", "hosts"]
    before = (ROOT / "docs" / "performance.md").read_text("utf-8")
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "written" not in done.stdout
    assert (ROOT / "docs" / "performance.md").read_text("utf-8") == before


def test_what_reaches_its_goal_and_what_does_not_is_said(tmp_path: Path) -> None:
    figures = [
        Figure("slow", 3.0, "us", 2.0),
        Figure("quick", 12.34, "x", 5.0, least=True, note="of one run"),
        Figure("for information", 1234.5, "MB"),
    ]
    parts = {"hosts": figures[:2], "rules": figures[2:]}
    assert report.write(tmp_path, ["a machine"], "some URLs", {}, parts) == [tmp_path / "performance.md"]
    page = (tmp_path / "performance.md").read_text("utf-8")
    assert "| slow | 3.00 us | at most 2.00 us | **not reached** |" in page
    assert "| quick | 12.3 x | at least 5.00 x | reached; of one run |" in page
    assert "| for information | 1,234 MB |  |  |" in page
    assert "- a machine\n" in page
    assert page.index("## On hosts that have rules") < page.index("for information") < page.index("| slow |")


def test_contestants_take_turns_on_the_same_input() -> None:
    seen: dict[str, list[str]] = {"one": [], "other": []}
    order: list[str] = []

    def make(name: str) -> Contestant:
        def inputs(urls: Sequence[str]) -> Sequence[str]:
            order.append(name)
            return urls

        return Contestant(name, lambda: seen[name].append, inputs)

    timings = compare([make("one"), make("other")], ["a", "b"], rounds=2)
    assert seen == {"one": ["a", "b"] * 3, "other": ["a", "b"] * 3}
    assert order == ["one", "other", "one", "other", "other", "one"]  # the first of each is no round
    assert timings.keys() == seen.keys()


def test_what_the_caller_has_frozen_is_not_collected_in_each_round() -> None:
    # as tests.conftest does with all that pytest has imported and collected
    gc.freeze()
    before = gc.get_freeze_count()
    compare([Contestant("one", lambda: len)], ["a"], rounds=1)
    assert gc.get_freeze_count() >= before


def test_spread_is_half_the_distance_of_the_quartiles() -> None:
    assert Timing(2.0, 1.5, 2.5).spread == 0.25


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.123, "us", "0.12 us"), (12.34, "x", "12.3 x"), (1_234_567.8, "", "1,234,568"), (-0.5, "MB", "-0.50 MB")],
)
def test_numbers_have_three_digits(value: float, unit: str, text: str) -> None:
    assert number(value, unit) == text


def test_the_tables_of_all_counts_get_hosts_of_their_own() -> None:
    for count in (10, 1000):
        urls = on_sites(["http://a.example/x?y"] * 500, count)
        hosts = [url.split("/")[2] for url in urls]
        assert len(set(hosts)) == 500
        assert len({host.split(".", 1)[1] for host in hosts}) == min(count, 500)
        assert all(url.endswith("/x?y") for url in urls)


def test_a_missing_peer_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "PACKAGES", ("scrapy", "no-such-package-of-urls"))
    found, missing = peers.installed()
    assert (list(found), missing) == (["scrapy"], ["no-such-package-of-urls"])
    assert "not installed, so not compared: no-such-package-of-urls" in machine.describe()


def test_without_valgrind_nothing_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list(instructions.instructions()) == []
    assert "valgrind is not installed" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["scrapy", "urinorm", "normalize", "can_ada"])
def test_what_valgrind_counts_runs(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks.instructions", name, "5", "1"]
    subprocess.run(command, cwd=ROOT, check=True)


def test_the_peak_of_a_process_is_its_own() -> None:
    ballast = bytearray(200_000_000)
    small, large = python("pass"), python("bytearray(100_000_000)")
    assert small.peak < 100 < large.peak < len(ballast) / 1e6
