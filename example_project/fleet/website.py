"""A website on loopback whose links carry session ids, so that every page has thousands of URLs."""

from __future__ import annotations

import random
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

LINKS = 20
MENU = 5
WORDS = ("harbour", "lantern", "meadow", "copper", "thistle", "velvet", "granite", "willow", "ember", "falcon")


class Served(NamedTuple):
    """One answer: the page's number and the worker that asked."""

    page: int
    worker: str


class Website:
    """``pages`` pages at /page/N; ``log`` says who was given what. A context manager.

    An ``unknown`` site has what no rule is written for: links that say where they stand, and a calendar without end.
    """

    def __init__(self, pages: int, seconds: float = 0.0, *, unknown: bool = False) -> None:
        self.pages = pages
        self.unknown = unknown
        self.seconds = seconds
        self.log: list[Served] = []
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.website = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/page/0"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def links(self, page: int) -> list[int]:
        """A menu, the pages below, as in a tree, and some from anywhere, so that most links are repeats."""
        below = [page * 3 + n for n in (1, 2, 3)]
        anywhere = random.Random(page).sample(range(self.pages), LINKS - MENU - 3)
        return [link for link in [*range(MENU), *below, *anywhere] if link < self.pages]


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    website: Website

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a killed worker hangs up in the middle of an answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        website = self.server.website
        path = urlsplit(self.path).path
        if website.unknown and path.startswith("/calendar/"):
            month = int(path.removeprefix("/calendar/"))
            website.log.append(Served(-1 - month, self.headers.get("User-Agent", "")))
            links = "".join(f'<a href="/calendar/{month + n}">{month + n}</a>' for n in (1, 12))
            self._answer(200, f"<html><title>Calendar</title><p>Nothing is on in this month.</p>{links}</html>")
            return
        if not path.startswith("/page/"):
            self._answer(404, "nothing here")
            return
        page = int(path.removeprefix("/page/"))
        website.log.append(Served(page, self.headers.get("User-Agent", "")))
        threading.Event().wait(website.seconds)
        links = "".join(
            f'<a href="{self._address(link, page, unknown=website.unknown)}">{link}</a>\n'
            for link in website.links(page)
        )
        if website.unknown and page == 0:
            links += '<a href="/calendar/1">Calendar</a>'
        words = random.Random(page).choices(WORDS, k=40)
        self._answer(200, f"<html><title>page {page}</title><p>{page} {' '.join(words)}</p>{links}</html>")

    @staticmethod
    def _address(link: int, page: int, *, unknown: bool) -> str:
        if unknown:
            return f"/page/{link}?from={page}"
        return f"/page/{link}?PHPSESSID={random.getrandbits(128):032x}"

    def _answer(self, status: int, text: str) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the parent's name
        """Stay quiet."""
