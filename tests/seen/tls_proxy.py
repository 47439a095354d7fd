"""TLS in front of a Redis server: the server binaries that wheels carry are built without it."""

from __future__ import annotations

import datetime as dt
import ipaddress
import socket
import ssl
import threading
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Self


def write_certificate(folder: Path) -> tuple[Path, Path]:
    """A self-signed certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


class TlsProxy:
    """Takes TLS connections on ``port`` and passes their bytes on to a plain port of loopback."""

    def __init__(self, target: int, folder: Path):
        self._target = target
        self.certificate, key = write_certificate(folder)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(self.certificate, key)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join()

    def _start(self, act: object, *args: object) -> None:
        thread = threading.Thread(target=act, args=args)  # type: ignore[arg-type]  # any callable
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                plain, _ = self._listener.accept()
            except OSError:
                return
            try:
                client = self._context.wrap_socket(plain, server_side=True)
            except OSError:
                plain.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            # TLS sockets are read and written by one thread at a time; Redis speaks in turns
            self._start(self._relay, client, server)

    @staticmethod
    def _relay(client: ssl.SSLSocket, server: socket.socket) -> None:
        with client, server:
            server.setblocking(False)
            client.setblocking(True)
            while question := _read(client):
                server.setblocking(True)
                server.sendall(question)
                client.sendall(_answer(server))


def _read(client: ssl.SSLSocket) -> bytes:
    try:
        data = client.recv(65536)
        while data and client.pending():
            data += client.recv(65536)
    except OSError:
        return b""
    return data


def _answer(server: socket.socket) -> bytes:
    data = server.recv(65536)
    server.settimeout(0.05)
    try:
        while more := server.recv(65536):
            data += more
    except TimeoutError:
        pass
    server.settimeout(None)
    return data
