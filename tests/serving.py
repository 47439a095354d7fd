"""A server on loopback, whose answers are what a function says."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

#: Status, headers (Content-Type is HTML in UTF-8 unless they say otherwise) and body; or the very bytes on the wire,
#: after which the connection is closed.
Answer = tuple[int, Mapping[str, str], str | bytes] | bytes


class Serving(ThreadingHTTPServer):
    """A context manager; `answer` is given what was asked for (path and query), which `asked` keeps in order."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.asked: list[str] = []
        self.origin = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a crawl that is killed, or has enough, hangs up in the middle of an answer."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Serving

    def do_GET(self) -> None:
        self.server.asked.append(self.path)
        answer = self.server.answer(self.path)
        if isinstance(answer, bytes):
            self.wfile.write(answer)
            self.close_connection = True
            return
        status, headers, body = answer
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        usual = {"Content-Type": "text/html; charset=utf-8", "Content-Length": str(len(data))}
        for name, value in {**usual, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_HEAD = do_GET  # noqa: N815  the name that http.server calls

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the parent's name
        """Stay quiet."""
