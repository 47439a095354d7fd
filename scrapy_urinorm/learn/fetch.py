"""A polite fetcher for `urinorm validate`: GET only, robots.txt and delays obeyed, small bodies, few redirects."""

from __future__ import annotations

import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from protego import Protego

if TYPE_CHECKING:
    from collections.abc import Callable

USER_AGENT = "urinorm-validate"
MAX_BODY = 4 << 20
"""Octets read of a page: as many as the page reader of a crawl digests."""
TIMEOUT_S = 30.0
"""Seconds for a page; a slow one is then no evidence."""


@dataclass(frozen=True, slots=True)
class Response:
    """The final response of a GET; of headers and cookies the names."""

    url: str
    status: int
    content_type: str
    body: bytes
    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()


class _AllowedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects only to where the fetcher may go: the same origin, and allowed by its robots.txt."""

    def __init__(self, fetcher: PoliteFetcher, origin: str) -> None:
        self._fetcher = fetcher
        self._origin = origin

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
        if not self._fetcher.allows(newurl, self._origin):
            return None
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class PoliteFetcher:
    """One GET at a time: at most one per `delay` seconds and host, never what robots.txt disallows.

    A robots.txt that cannot be had allows nothing where the server fails (5xx) and everything where there is none
    (RFC 9309 2.3.1). `sleep` and `clock` are seams for tests.
    """

    def __init__(
        self,
        *,
        delay: float = 1.0,
        user_agent: str = USER_AGENT,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.delay = delay
        self.user_agent = user_agent
        self.requests = 0
        self.disallowed = 0
        self._sleep = sleep
        self._clock = clock
        self._robots: dict[str, Protego | None] = {}
        self._next: dict[str, float] = {}

    def __call__(self, url: str) -> Response | None:
        """Return the response, or None where the address may not be fetched or no answer came."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return None
        origin = f"{parts.scheme}://{parts.netloc}"
        if origin not in self._robots:
            self._robots[origin] = self._read_robots(origin)
        if not self.allows(url, origin):
            self.disallowed += 1
            return None
        robots = self._robots[origin]
        return self._get(url, origin, float((robots and robots.crawl_delay(self.user_agent)) or 0))

    def allows(self, url: str, origin: str) -> bool:
        """Whether the robots.txt of an origin that was asked for it allows an address of it."""
        if not url.startswith(origin + "/") and url != origin:
            return False
        robots = self._robots.get(origin)
        return robots is not None and bool(robots.can_fetch(url, self.user_agent))

    def _read_robots(self, origin: str) -> Protego | None:
        response = self._get(f"{origin}/robots.txt", origin, 0)
        if response is None or response.status >= 500:
            return None
        return Protego.parse(response.body.decode("utf-8", "replace") if response.status == 200 else "")

    def _get(self, url: str, origin: str, crawl_delay: float) -> Response | None:
        wait = self._next.get(origin, 0.0) - self._clock()
        if wait > 0:
            self._sleep(wait)
        self.requests += 1
        request = urllib.request.Request(url, headers={"User-Agent": self.user_agent})
        opener = urllib.request.build_opener(_AllowedRedirects(self, origin))
        try:
            with opener.open(request, timeout=TIMEOUT_S) as answer:
                said = answer.headers
                cookies = tuple(value.partition("=")[0].strip() for value in said.get_all("Set-Cookie") or ())
                body, names = answer.read(MAX_BODY), tuple(said.keys())
                return Response(answer.url, answer.status, said.get("Content-Type", ""), body, names, cookies)
        except urllib.error.HTTPError as error:
            with error:
                return Response(url, error.code, error.headers.get("Content-Type", ""), error.read(MAX_BODY))
        except (OSError, ValueError):
            return None
        finally:
            self._next[origin] = self._clock() + max(self.delay, crawl_delay)
