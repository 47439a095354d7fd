"""Serves the sites on loopback, as a forward proxy: with the names and ports of the open web, and no way out to it."""

from __future__ import annotations

import errno
import socket
import threading
import time
from functools import cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import quote

from .certificate import server_context
from .forum import Forum
from .page import NOT_FOUND, Address, Answer
from .shop import Shop

if TYPE_CHECKING:
    import ssl
    from types import TracebackType

LOOPBACK = "127.0.0.1"


class PortInUseError(OSError):
    """The port asked for belongs to another program."""

    def __init__(self, port: int) -> None:
        super().__init__(
            errno.EADDRINUSE,
            f"port {port} of {LOOPBACK} is in use by another program: choose another with --port, or leave it out "
            f"and a free one is taken",
        )


class Served(NamedTuple):
    """One line of the server's log. `page` is the identity of what was shown, None for redirects and errors."""

    url: str
    status: int
    page: str | None
    seconds: float


class Website:
    """The shop and the forum behind one loopback port; a context manager.

    Give `environment` to a crawler's process, or `proxy` to a request's `meta["proxy"]`. The log is the ground truth
    of a crawl: `pages` is what there is to find, `log` what was fetched. Raises PortInUseError when `port` is taken;
    port 0 is any free one.
    """

    def __init__(self, port: int = 0) -> None:
        self.sites = {site.host: site for site in (Shop(), Forum())}
        self.log: list[Served] = []
        names = [name for host in self.sites for name in (host, f"www.{host}")]
        try:
            self._server = _ProxyServer((LOOPBACK, port), _Handler)
        except OverflowError:
            raise ValueError(f"{port} is no port: give one from 1 to 65535") from None
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise PortInUseError(port) from None
        self._server.website = self
        self._server.tls = server_context(names)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), name="website", daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def proxy(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which Scrapy, curl and most clients find a proxy."""
        return {"http_proxy": self.proxy, "https_proxy": self.proxy, "no_proxy": ""}

    @cached_property
    def pages(self) -> frozenset[str]:
        """The identity of every page that a crawl of both sites is to find."""
        return frozenset().union(*(site.pages for site in self.sites.values()))

    def answer(self, url: str) -> Answer:
        """What a GET of `url` gives: a function of the URL alone, also while nothing is served."""
        try:
            address = Address.of(url)
        except ValueError:
            return NOT_FOUND
        site = self.sites.get(address.host.removeprefix("www."))
        return site.answer(address) if site else Answer(502, body="This proxy knows its own two sites only.")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _ProxyServer(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    website: Website
    tls: ssl.SSLContext

    def __init__(self, *args: Any) -> None:
        self._open: set[socket.socket] = set()
        super().__init__(*args)

    def connected(self, connection: socket.socket) -> None:
        self._open.add(connection)

    def disconnected(self, connection: socket.socket) -> None:
        self._open.discard(connection)

    def server_close(self) -> None:
        """Close the clients' idle connections too, so that their threads end and no socket is left open."""
        for connection in list(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue
        super().server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is no error of the site's."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _ProxyServer
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 60
    origin = ""

    def setup(self) -> None:
        super().setup()
        self.server.connected(self.connection)

    def finish(self) -> None:
        self.server.disconnected(self.connection)
        super().finish()
        self.connection.close()

    def do_CONNECT(self) -> None:
        """Open a tunnel to one of our own hosts: from here on this connection speaks TLS."""
        self.origin = f"https://{self.path.removesuffix(':443')}"
        self.send_response_only(200, "Connection established")
        self.end_headers()
        self.wfile.flush()
        self.server.disconnected(self.connection)
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.server.connected(self.connection)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb")
        # A tunnel lives on, also one that an HTTP/1.0 line opened, as urllib does it.
        self.close_connection = False

    def do_GET(self) -> None:
        url = self.origin + self.path
        answer = self.server.website.answer(url)
        self.server.website.log.append(Served(url, answer.status, answer.page, time.monotonic()))
        body = answer.body.encode()
        self.send_response_only(answer.status)
        if answer.location:
            self.send_header("Location", answer.location)
        if answer.page:
            self.send_header("X-Page-Id", quote(answer.page))
        self.send_header("Content-Type", answer.content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815  (named by http.server)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the parent's name
        """Stay quiet: a connection that is closed as nothing came for a minute is no news among the demo's lines."""
