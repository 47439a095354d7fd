"""How a program is started on loopback, in a folder and on a free port, and what its content is made of.

Nothing is installed here (`make test-platforms` does, as root); what is not there is left out.
"""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

WORDS = """
ada babbage compiler daemon emacs foo grep hacker inode jargon kernel lisp modem newline octal parser quine recursion
shell tape unix vector wizard xor yacc zork
""".split()
#: The environment that `make test-platforms` makes for programs from PyPI.
PYTHON = Path(__file__).resolve().parents[2] / ".venv" / "platforms" / "bin" / "python"
#: Seconds that a program is given to answer: a Rails application takes 20 on a busy machine.
PATIENCE = 120
#: The author and the dates of all content: the same pages, with the same hashes, at each start.
WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@a.example", "TZ": "UTC", "LC_ALL": "C.UTF-8"}


@dataclass
class Installation:
    """A program: the Debian `packages` it is from, which `pack` is meant for it in which `path`, and how it starts.

    `start(folder, port)` fills the folder and gives the command to run. `most` is how many requests a crawl under the
    pack may take, `first` where it begins. A `python` program is one of requirements.txt.
    """

    packages: tuple[str, ...]
    pack: str | None
    path: str
    start: Callable[[Path, int], Sequence[str]]
    most: int
    first: str = "/"
    python: bool = False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(one: Installation, folder: Path) -> Iterator[str]:
    """Start a program; gives the URL at which a crawl of it begins."""
    lacking = [name for name in one.packages if not Path("/var/lib/dpkg/info", f"{name}.list").exists()]
    if one.python and not PYTHON.exists():
        lacking = [str(PYTHON)]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)} (make test-platforms, as root)")
    port = free_port()
    command = one.start(folder, port)
    environment = {**os.environ, "HOME": str(folder), **WHO}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    url = f"http://127.0.0.1:{port}{one.first}"
    try:
        wait_for(url, process, folder)
        yield url
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, 15)
        process.wait(30)


def wait_for(url: str, process: subprocess.Popen[bytes], folder: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(url, timeout=60) as answer:
            if answer.status == 200:
                return
        time.sleep(0.2)
    raise AssertionError(f"{url} did not answer: {(folder / 'log').read_text('utf-8', 'replace')[-2000:]}")


def done(*command: str | Path, cwd: Path, **environment: str) -> None:
    subprocess.run(
        list(map(str, command)), cwd=cwd, env={**os.environ, **WHO, **environment}, check=True, capture_output=True
    )


def text(n: int, length: int = 60) -> str:
    """Words that differ from one number to the next."""
    return " ".join(f"{WORDS[(n * 7 + k * (n % 5 + 1)) % len(WORDS)]}{n * k % 11}" for k in range(length))
