"""Crawls that are killed with -9 at random moments and started again, until they end by themselves.

The website counts what it serves; the spider writes down each page whose callback it has run.
"""

from __future__ import annotations

import collections
import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from tests.crawl.crawling import environment
from tests.serving import Answer, Serving

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
#: Links of a page: three below it, as in a tree, and others from anywhere.
BELOW, ANYWHERE = 3, 7
#: Answers beyond those after which a crawl is killed, as many as Scrapy asks for at once: who kills it may be late on a
#: busy machine, and must not find that it has ended.
BEYOND = 16


def links(page: int, pages: int) -> list[int]:
    """The links of a page; page 0 leads to all by the tree alone."""
    below = [page * BELOW + n for n in range(1, BELOW + 1)]
    anywhere = random.Random(page).sample(range(pages), min(ANYWHERE, pages))
    return [link for link in [*below, *anywhere] if link < pages]


class Website(Serving):
    """``pages`` pages at /page/N; ``served`` tells the page of every answer, in order. A context manager.

    ``linked`` False: pages without links, which only a list leads to.
    """

    def __init__(self, pages: int, *, linked: bool) -> None:
        super().__init__(self._page)
        self.pages = pages
        self.linked = linked
        self.served: list[int] = []
        self.changed = threading.Condition()
        self._most, self._run = math.inf, 0
        self.url = f"{self.origin}/page/"

    def wait_for(self, count: int, ended: threading.Event) -> bool:
        """Wait until so many answers were given; False where the crawl has ended before."""
        with self.changed:
            while len(self.served) < count:
                self.changed.wait(0.02)
                if ended.is_set():
                    return False
        return True

    def begin(self, most: float) -> None:
        """A run begins, to which no more answers are given than so many in all."""
        with self.changed:
            self._most, self._run = most, self._run + 1
            self.changed.notify_all()

    def _page(self, target: str) -> Answer:
        page = int(target.rpartition("/")[2])
        with self.changed:
            run = self._run
            self.changed.wait_for(lambda: len(self.served) < self._most or run != self._run)
            if run != self._run:
                # who asked was killed
                return b""
            self.served.append(page)
            self.changed.notify_all()
        found = links(page, self.pages) if self.linked else []
        return 200, {}, "".join(f'<a href="/page/{link}">{link}</a>\n' for link in found)


class Killed(NamedTuple):
    """What a crawl with all its kills came to."""

    kills: int
    runs: int
    lost: list[int]
    """Pages whose callback never ran."""
    served: int
    again: int
    """Answers beyond the first of a page."""


class Crawls:
    """A process that forks a crawl at a time. A context manager."""

    def __enter__(self) -> Self:
        command = [sys.executable, "-m", "tests.crawl.killed_crawl"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, env=environment(), text=True
        )
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()

    def start(self, given: Mapping[str, Any]) -> None:
        """Start a crawl; ``pid`` is its process, ``ended`` is set when that is no more, ``status`` how it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(given), file=self._process.stdin, flush=True)
        self.pid = int(self._process.stdout.readline())
        self.status = -1
        self.ended = threading.Event()
        threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        assert self._process.stdout is not None
        self.status = int(self._process.stdout.readline())
        self.ended.set()


def crawl_with_kills(
    folder: Path, settings: Mapping[str, Any], *, pages: int, kills: int, linked: bool, seed: int
) -> Killed:
    """Crawl a website, killed so often, until a run ends by itself."""
    source = random.Random(seed)
    handled = folder / "handled"
    runs = done = 0
    with Website(pages, linked=linked) as website, Crawls() as crawls:
        while True:
            runs += 1
            log = folder / f"run{runs}.log"
            given = {"url": website.url, "pages": pages, "linked": linked, "handled": str(handled), "log": str(log)}
            target = len(website.served) + source.randrange(1, max(2, 2 * pages // (kills + 1)))
            website.begin(target + BEYOND if done < kills else math.inf)
            crawls.start({**given, "settings": settings})
            if done < kills and website.wait_for(target, crawls.ended):
                # some milliseconds of work, so that a kill meets every step of it
                threading.Event().wait(source.random() * 0.03)
                os.kill(crawls.pid, signal.SIGKILL)
                done += 1
                crawls.ended.wait()
                continue
            crawls.ended.wait()
            assert crawls.status == 0, log.read_text()
            break
        served = collections.Counter(website.served)
    seen = {int(line) for line in handled.read_text().split()}
    return Killed(done, runs, sorted(set(range(pages)) - seen), served.total(), served.total() - len(served))
