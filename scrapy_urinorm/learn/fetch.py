"""Pages for `urinorm validate` and `urinorm platforms`, fetched by a Scrapy spider in a process of its own.

GET only; robots.txt, delays and redirects as Scrapy and RFC 9309 have them. Nothing that a server answers raises here.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Self

from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.processes import environment, python
from scrapy_urinorm.visits import messages

USER_AGENT = "urinorm-validate"
#: Octets of a body: as much as the page reader is given by a crawl that is set up as the documentation says.
MAX_BODY = 4 << 20
#: Seconds: a server that takes longer has no page to compare.
TIMEOUT_S = 30.0
#: Seconds: with the budget of a site, longer pauses would take hours.
LONGEST_DELAY_S = 60.0
ANSWER_S = 3600.0
"""Seconds: a page and its robots.txt behind five redirects each, each tried twice and after the longest delay, take 36
minutes; a process that says nothing for longer hangs."""
_END_S = 10.0
"""Seconds that the process has to end when it is told to: it may wait for an answer that nobody wants any more."""
_MODULE = "scrapy_urinorm.crawl.fetching"


@dataclass(frozen=True, slots=True)
class Response:
    """The final response of a GET; of headers and cookies the names."""

    url: str
    status: int
    content_type: str
    body: bytes
    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()


class PoliteFetcher:
    """One GET at a time: at most one per `delay` seconds and host, never what robots.txt disallows.

    `requests` counts all that was sent, `refused` why there was no answer. A context manager; the process is started
    by the first call, and ends with this one at the latest. Raises `UrinormError` where it cannot run.
    """

    _process: subprocess.Popen[bytes] | None = None

    def __init__(self, *, delay: float = 1.0) -> None:
        self._options = {
            "delay": delay,
            "user_agent": USER_AGENT,
            "timeout": TIMEOUT_S,
            "longest_delay": LONGEST_DELAY_S,
            "most_body": MAX_BODY,
        }
        self.requests = 0
        self.refused: Counter[str] = Counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __call__(self, url: str) -> Response | None:
        """Return the response, or None where the address may not be fetched or no answer came."""
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        # killed, it has said its last word: the read ends
        too_late = threading.Timer(ANSWER_S, process.kill)
        too_late.daemon = True
        too_late.start()
        started = time.monotonic()
        try:
            messages.send(process.stdin.write, {"do": "get", "url": url})
            process.stdin.flush()
            answer = messages.received(process.stdout.read)
        except (OSError, ValueError):
            answer = None
        finally:
            too_late.cancel()
        if answer is None:
            self.close()
            how = "has ended" if time.monotonic() - started < ANSWER_S else f"has not answered for {ANSWER_S:.0f} s"
            raise UrinormError(f"the process that fetches pages {how}: run it again, or look at the machine's log")
        header, body = answer
        self.requests = header["requests"]
        if header["do"] != "got":
            self.refused[header["why"]] += 1
            return None
        names = (tuple(header["headers"]), tuple(header["cookies"]))
        return Response(header["url"], header["status"], header["content_type"], body, *names)

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            command = python(_MODULE, json.dumps(self._options))
            return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
        except OSError as error:
            raise UrinormError(f"pages cannot be fetched: {error}") from error

    def close(self) -> None:
        """End the process; may be called twice."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            try:
                process.communicate(timeout=_END_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()

    def __del__(self) -> None:
        # wherever the interpreter happens to be: nothing is waited for
        if self._process is not None:
            self._process.kill()
            self.close()
