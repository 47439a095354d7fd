"""A certificate for names that exist on this machine only."""

from __future__ import annotations

import datetime as dt
import ssl
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

if TYPE_CHECKING:
    from collections.abc import Iterable


def server_context(names: Iterable[str]) -> ssl.SSLContext:
    """A TLS context with a fresh self-signed certificate for `names`, valid for a week."""
    names = list(names)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=7))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name) for name in names]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM) + key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    # The ssl module reads certificates from files alone; the key is gone again before the first connection.
    with tempfile.TemporaryDirectory(prefix="website-") as directory:
        file = Path(directory, "certificate.pem")
        file.touch(mode=0o600)
        file.write_bytes(pem)
        context.load_cert_chain(file)
    return context
