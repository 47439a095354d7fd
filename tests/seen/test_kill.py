"""Real processes, killed with -9 at random moments, resumed each time: nothing that was answered is lost."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from scrapy_urinorm.seen import make_store
from tests.seen.crawler_process import fingerprint

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.seen.redis_server import RedisServer

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
KILLS = int(os.environ.get("URINORM_KILLS", "12"))
"""How often each store is killed; docs/seen.md says what 200 gave."""
PAGES = 20_000 * KILLS


def crawl_until_killed(spec: str, folder: Path, first: int, answers: int, prefix: str = "kill") -> list[str]:
    """Start a crawl at a page, kill it after some answers; returns all that it said in whole lines."""
    command = [sys.executable, "-m", "tests.seen.crawler_process", spec, str(folder), prefix, str(first), str(PAGES)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT) as process:
        assert process.stdout is not None
        said = [process.stdout.readline() for _ in range(answers)]
        process.kill()
        said += process.stdout.readlines()
    return [line.decode().rstrip("\n") for line in said if line.endswith(b"\n")]


def check_kills(spec: str, folder: Path, seed: int) -> None:
    """Kill and resume; every resume walks a part of the known pages again, as a crawl does, then new ones."""
    source = random.Random(seed)
    answered = 0
    in_flight = 0
    for _ in range(KILLS):
        first = max(0, answered - 200)
        opened, *answers = crawl_until_killed(spec, folder, first, source.randrange(1, 2500))
        count = int(opened.removeprefix("open "))
        assert answered <= count <= answered + in_flight
        for page, answer in enumerate(answers, first):
            kind = "old" if page < answered else "new"
            # the last page of the killed run may have been recorded without its answer coming through
            assert answer == f"{kind} {page}" or (answered <= page < answered + in_flight and answer == f"old {page}")
        answered = max(answered, first + len(answers))
        in_flight = 1
    store = make_store(spec, directory=folder, prefix="kill")
    store.open()
    assert [page for page in range(answered) if fingerprint(page) not in store] == []
    assert len(store) <= answered + in_flight
    store.close()
    assert answered > KILLS


@pytest.mark.parametrize("spec", ["memory", "disk"])
def test_killed_crawls_lose_no_answer(tmp_path: Path, spec: str) -> None:
    check_kills(spec, tmp_path, seed=6)


def test_killed_workers_lose_no_answer_in_redis(tmp_path: Path, new_redis_server: Callable[..., RedisServer]) -> None:
    check_kills(new_redis_server().url, tmp_path, seed=7)


def test_a_killed_redis_that_logs_every_write_loses_no_answer(
    tmp_path: Path, new_redis_server: Callable[..., RedisServer]
) -> None:
    server = new_redis_server("--appendonly", "yes", "--appendfsync", "always")
    command = [sys.executable, "-m", "tests.seen.crawler_process", server.url, str(tmp_path), "kill", "0", "6000"]
    source = random.Random(8)
    # a small pipe: it is not at its end before the kills, however late we read
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "pipesize": 4096}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline()]
        for _ in range(4):
            lines += [process.stdout.readline() for _ in range(source.randrange(100, 1200))]
            server.kill()
            server.start()
        lines += process.stdout.readlines()
        assert process.stderr is not None
        warned = process.stderr.read().decode()
    # every page exactly once, although the worker asked again whenever an answer did not come
    assert [line.decode().strip() for line in lines] == ["open 0", *(f"new {page}" for page in range(6000)), "done"]
    assert "the crawl waits for it" in warned
