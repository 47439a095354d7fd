"""The example fleet, for real: a Redis server, a website, workers as processes under scrapy-redis' scheduler."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.effort import limit
from tests.seen.redis_server import executable

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FLEET = ROOT / "example_project" / "fleet"
# what a worker has in hand: 16 requests, and responses that wait for their callback, of which the demo has 50 kB wait,
# with 1.6 kB each
IN_HAND = 64

pytest.importorskip("scrapy_redis", reason="lacks scrapy-redis: pip install scrapy-redis")


def crawl(folder: Path, *options: str, seconds: float | None = None) -> dict[str, Any]:
    """Run the demo; what it counted, and ``asked`` and ``offered`` of all workers that ended."""
    executable()
    command = [sys.executable, "demo.py", "--pages", "700", "--json", "--logs", str(folder), *options]
    done = subprocess.run(command, cwd=FLEET, capture_output=True, text=True, timeout=seconds or limit(), check=True)
    result: dict[str, Any] = json.loads(done.stdout)
    logs = "".join(path.read_text() for path in folder.glob("*.log"))
    result["asked"] = _sum(logs, "'urinorm/seen/round_trips': ")
    result["offered"] = _sum(logs, "'dupefilter/filtered': ") + _sum(logs, "'scheduler/enqueued/redis': ")
    result["trouble"] = [line for line in logs.splitlines() if " ERROR: " in line or "Traceback" in line]
    return result


def _sum(logs: str, name: str) -> int:
    return sum(
        int(rest.split(",")[0].rstrip("}\n "))
        for line in logs.splitlines()
        if name in line
        for rest in [line.split(name)[1]]
    )


@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.soak), 4])
def test_every_page_is_fetched_once_by_the_whole_fleet(tmp_path: Path, workers: int) -> None:
    result = crawl(tmp_path, "--workers", str(workers))
    assert result["trouble"] == []
    assert result["lost"] == []
    assert result["fetched_again"] == []
    assert result["served"] == result["pages"]
    # more than nine of ten requests are repeats, and those cost no round trip
    assert result["offered"] > 10 * result["pages"]
    assert result["asked"] <= 0.15 * result["offered"]


@pytest.mark.parametrize("workers", [2, pytest.param(4, marks=pytest.mark.soak)])
def test_a_killed_worker_loses_nothing(tmp_path: Path, workers: int) -> None:
    result = crawl(tmp_path, "--workers", str(workers), "--kill")
    assert result["trouble"] == []
    assert result["killed_at"] < result["served"]
    assert result["lost"] == []
    assert 0 < len(result["fetched_again"]) <= IN_HAND


@pytest.mark.slow
def test_a_restart_of_redis_loses_nothing_and_ends_no_worker(tmp_path: Path) -> None:
    result = crawl(tmp_path, "--workers", "2", "--restart", "2")
    assert result["trouble"] == []
    assert result["lost"] == []


@pytest.mark.soak
def test_redis_killed_and_started_again_ten_times_loses_nothing(tmp_path: Path) -> None:
    result = crawl(tmp_path, "--workers", "2", "--restart", "10", "--pages", "2000", seconds=3600)
    assert result["trouble"] == []
    assert result["lost"] == []


@pytest.mark.soak
def test_a_fleet_of_two_killed_33_times_loses_nothing(tmp_path: Path) -> None:
    result = crawl(tmp_path, "--workers", "2", "--kill", "33", "--pages", "2000", seconds=3600)
    assert result["lost"] == []
    assert len(result["fetched_again"]) <= 33 * IN_HAND
