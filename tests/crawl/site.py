"""Small web sites on loopback, many hosts on one port, each with its own log of what was asked.

A site is a table from a target (`/path?query`, or `www./path` for a sub-host, or `https:/path`) to a reply, or to a
function of the request that gives one. The server also is an HTTP proxy, so that a crawl can use default ports and TLS.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import html
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from pathlib import Path


class Hit(NamedTuple):
    """One request as the server saw it."""

    method: str
    target: str
    cookies: str
    body: str
    number: int  # how often this target was asked before
    site: Site


@dataclass(frozen=True)
class Reply:
    """A response. `{host}` in header values and links is the site's own authority."""

    status: int = 200
    body: str | bytes = ""
    headers: tuple[tuple[str, str], ...] = ()
    fault: str = ""  # "reset": the connection is reset; "hang": no answer until the client gives up


Route = Reply | Callable[[Hit], Reply]


def page(
    name: str,
    *links: str,
    status: int = 200,
    post: str = "",
    head: str = "",
    headers: tuple[tuple[str, str], ...] = (),
) -> Reply:
    """An HTML page called `name` with `links`, and a form posting to `post`."""
    anchors = "".join(f'<a href="{html.escape(link)}">link</a>\n' for link in links)
    form = f'<form method="post" action="{post}"><input name="user" value="ann"></form>' if post else ""
    body = f"<html><head><title>{name}</title>{head}</head><body>{anchors}{form}</body></html>"
    return Reply(status, body, (("Content-Type", "text/html; charset=utf-8"), *headers))


def moved(to: str, status: int = 301, *, cookie: str = "") -> Reply:
    """A redirect to `to`, setting `cookie`."""
    cookies = (("Set-Cookie", f"{cookie}; Path=/"),) if cookie else ()
    return Reply(status, "", (("Location", to), *cookies))


def refresh(to: str) -> Reply:
    """A page that sends the browser on to `to`."""
    return page("refresh", head=f'<meta http-equiv="refresh" content="0; url={html.escape(to)}">')


def in_turn(*replies: Reply) -> Route:
    """The replies one after the other; the last one from then on."""
    return lambda hit: replies[min(hit.number, len(replies) - 1)]


def by_cookie(name: str, yes: Reply, no: Route) -> Route:
    """`yes` to a client that sends the cookie `name`, else `no`."""

    def reply(hit: Hit) -> Reply:
        return yes if f"{name}=" in hit.cookies else no(hit) if callable(no) else no

    return reply


def by_method(**routes: Route) -> Route:
    """A route for each HTTP method."""

    def reply(hit: Hit) -> Reply:
        route = routes.get(hit.method, Reply(405))
        return route(hit) if callable(route) else route

    return reply


RESET = Reply(fault="reset")
HANG = Reply(fault="hang")
MISSING = page("missing", status=404)


@dataclass
class Site:
    """One registered domain: its routes and what was asked of it."""

    name: str
    routes: Mapping[str, Route]
    port: int
    default_ports: bool = False
    hits: list[Hit] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def host(self) -> str:
        """The authority of the site's URLs."""
        return self.name if self.default_ports else f"{self.name}:{self.port}"

    def url(self, target: str = "/") -> str:
        """The absolute URL of a target, of a template with `{host}` as well."""
        if target.startswith("/"):
            target = "http://{host}" + target
        return target.replace("{host}", self.host)

    def answer(self, scheme: str, prefix: str, method: str, target: str, cookies: str, body: str) -> Reply:
        name = prefix + target if scheme == "http" else f"{scheme}:{prefix}{target}"
        with self._lock:
            number = sum(1 for hit in self.hits if hit.target == name and hit.method == method)
            hit = Hit(method, name, cookies, body, number, self)
            self.hits.append(hit)
        if target == "/favicon.ico":
            return MISSING
        route = self.routes.get(name, MISSING)
        return route(hit) if callable(route) else route

    def fetched(self, *targets: str) -> list[str]:
        """The targets asked, in order, without `/robots.txt`; only these `targets` when some are given."""
        seen = [hit.target for hit in self.hits if not hit.target.endswith("/robots.txt")]
        return [target for target in seen if target in targets] if targets else seen


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SiteServer
    scheme = "http"

    def log_message(self, *args: object) -> None:
        """Be quiet: the sites keep the log."""

    def do_CONNECT(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.scheme = "https"
        self.connection = self.server.tls.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb", -1)
        self.wfile = self.connection.makefile("wb", 0)
        self.close_connection = False

    def finish(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            super().finish()
        if self.scheme == "https":
            self.connection.close()

    def _serve(self) -> None:
        target = self.path
        if "://" in target.split("?", 1)[0]:
            parts = urlsplit(target)
            target = parts._replace(scheme="", netloc="").geturl() or "/"
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length).decode("latin-1")
        name = self.headers.get("Host", "").partition(":")[0]
        site, prefix = self.server.find(name)
        if site is None:
            return self._send(MISSING, "")
        cookies = self.headers.get("Cookie", "")
        reply = site.answer(self.scheme, prefix, self.command, target, cookies, body)
        if reply.fault == "hang":
            self.connection.recv(1)
        if reply.fault:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.connection.close()
            return None
        return self._send(reply, site.host)

    def _send(self, reply: Reply, host: str) -> None:
        body = reply.body.replace("{host}", host).encode() if isinstance(reply.body, str) else reply.body
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value.replace("{host}", host))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_POST = do_HEAD = _serve  # noqa: N815  http.server's names


class SiteServer(ThreadingHTTPServer):
    """Serves every site made with `site()`; the host name says which."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port: int = self.server_address[1]
        self.proxy = f"http://127.0.0.1:{self.port}"
        self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.tls.load_cert_chain(_certificate(directory))
        self._sites: dict[str, Site] = {}
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def site(self, routes: Mapping[str, Route], *, default_ports: bool = False, name: str = "") -> Site:
        """A new site with a host name of its own."""
        name = name or f"site{len(self._sites)}.example.com"
        self._sites[name] = Site(name, routes, self.port, default_ports)
        return self._sites[name]

    def find(self, name: str) -> tuple[Site | None, str]:
        """The site of a host name, and what the name has before the site's own (`www.`)."""
        label, _, rest = name.partition(".")
        if name in self._sites:
            return self._sites[name], ""
        return self._sites.get(rest), f"{label}."

    def shutdown_request(self, request: Any) -> None:
        """The TLS sockets are closed by their handlers."""
        with contextlib.suppress(OSError):
            super().shutdown_request(request)

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are part of the tests."""


def _certificate(directory: Path) -> Path:
    """A self-signed certificate and its key in one PEM file."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site.test")])
    now = dt.datetime.now(dt.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now - dt.timedelta(days=1))
    certificate = builder.not_valid_after(now + dt.timedelta(days=1)).sign(key, hashes.SHA256())
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = directory / "site.pem"
    path.write_bytes(secret + certificate.public_bytes(serialization.Encoding.PEM))
    return path
