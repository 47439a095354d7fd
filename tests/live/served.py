"""A site made by lot, behind a server on loopback that counts what it serves."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from tests.live.sites import Site


class Served:
    """A context manager; ``targets`` are the paths with queries that were asked for, in order.

    ``broken`` are targets that fail the first time.
    """

    def __init__(self, site: Site, broken: frozenset[str] = frozenset()) -> None:
        self.site = site
        self.targets: list[str] = []
        self.broken = set(broken)
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.served = self  # type: ignore[attr-defined]
        self.start = f"http://{site.host}:{self._server.server_address[1]}/"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def identities(self, urls: list[str]) -> set[str]:
        """The pages behind some addresses."""
        found = (self.site.answer(url[len(self.start) - 1 :]).identity for url in urls)
        return {identity for identity in found if identity is not None}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        served: Served = self.server.served  # type: ignore[attr-defined]
        served.targets.append(self.path)
        answer = served.site.answer(self.path)
        body = answer.html().encode()
        status = answer.status
        if self.path in served.broken:
            served.broken.discard(self.path)
            status, body = 500, b"broken"
        self.send_response(status)
        if answer.location:
            self.send_header("Location", answer.location)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
        pass
