"""Live jobs that are killed with -9 at any moment, and resumed: no page, no waiting request and no rule is lost."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from tests.crawl.crawling import Job, environment
from tests.effort import limit
from tests.live.served import Served
from tests.live.sites import Site
from tests.live.test_crawl import ADDON, PACE, all_pages, pages

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")]


def run(served: Served, folder: Path, kill_after: int | None) -> bool:
    """Run the job; kill it when so many more requests were served. Whether it has ended by itself."""
    settings = {"ADDONS": ADDON, "URINORM_LIVE": True, "JOBDIR": str(folder / "job"), **PACE}
    job = Job("live", [served.start], settings, spider="tests.live.spiders.Follow")
    (folder / "jobs.json").write_text(json.dumps({"jobs": [job.as_dict()], "process_settings": {}}))
    command = [sys.executable, "-m", "tests.crawl.runner", str(folder / "jobs.json"), str(folder / "results.json")]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    ended = threading.Event()
    if kill_after is not None:
        threading.Thread(target=_kill, args=(process, served, len(served.asked) + kill_after, ended)).start()
    _, errors = process.communicate(timeout=limit())
    ended.set()
    assert process.returncode in (0, -signal.SIGKILL), errors[-3000:]
    return process.returncode == 0


def _kill(process: subprocess.Popen[bytes], served: Served, at: int, ended: threading.Event) -> None:
    while not ended.wait(0.01):
        if len(served.asked) >= at:
            os.kill(process.pid, signal.SIGKILL)
            return


@pytest.mark.parametrize("kills", [4, pytest.param(100, marks=pytest.mark.soak)])
def test_nothing_is_lost(tmp_path: Path, kills: int) -> None:
    site = Site(1, features={"sid", "ref", "turning"}, articles=40)
    lot = random.Random(kills)
    with Served(site) as served:
        for _ in range(kills):
            # so soon that the job is not done before
            if run(served, tmp_path, lot.randrange(1, 2 + 320 // kills)):
                break
        while not run(served, tmp_path, None):
            pass
        assert served.identities(pages(tmp_path)) == all_pages(site)
