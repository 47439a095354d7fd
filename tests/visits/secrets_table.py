"""Sixty ways in which an address carries what admits somebody: a query, and the value that no file of ours may show."""

from __future__ import annotations

HEX, UPPER, B32, MIXED = "0123456789abcdef", "0123456789ABCDEF", "0123456789abcdefghijklmnopqrstuv", "ghXYZ4567abcDEF89"


def _value(number: int, alphabet: str, length: int) -> str:
    """A value of its own for each row, with letters and digits of the alphabet."""
    seed = number * 2654435761 % (1 << 32)
    out = ""
    for n in range(length):
        seed = (seed * 1103515245 + 12345 + n) % (1 << 31)
        out += alphabet[(seed >> 8) % len(alphabet)]
    # what the shapes ask for, whatever was drawn
    return (alphabet[1] + alphabet[-6] + out)[:length]


_NAMES = (
    "PHPSESSID", "jsessionid", "ASP.NET_SessionId", "CFTOKEN", "oscsid", "zenid", "sessionid", "session_id",
    "my_session", "user-session", "SESSID", "token", "access_token", "refresh_token", "id_token", "auth_token",
    "reset_password_token", "confirmation_token", "private_token", "csrf_token", "authenticity_token", "_token",
    "mytoken_x", "X-Amz-Signature", "X-Amz-Security-Token", "Signature", "sig", "password", "user[password]",
    "user%5Bpassword%5D", "passwd", "token[]", "token%5B%5D", "api-key", "x-api-key", "api_key", "apiKey",
    "client_secret", "secretKey", "to%6Ben", "t%256Fken", "oauth_verifier", "code_verifier", "nonce", "_wpnonce",
    "jwt", "hmac", "viewstate", "SAMLResponse", "auth", "credential", "ssotoken",
)  # fmt: skip

ROWS: list[tuple[str, str]] = [(f"{name}={{}}", _value(n, "abcdefgh", 9)) for n, name in enumerate(_NAMES)]
ROWS += [
    ("DokuWiki={}", _value(101, HEX, 32)),
    ("mysite={}", _value(102, UPPER, 32)),
    ("SiteCookie={}", "4t7" + _value(103, B32, 20) + "a9k"),
    ("x={}", "aB3" + _value(104, MIXED, 30) + "Cd5eF"),
    ("t={}", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiI3In0.xYz-_" + _value(105, HEX, 12)),
    ("sid={}", _value(106, HEX, 20)),
    ("basid={}", _value(107, HEX, 20)),
    ("next=%2Fp%3Ftoken%3D{}", _value(108, HEX, 12)),
    ("next=/p?token={}", _value(109, HEX, 12)),
    ("url=http%253A%252F%252Fb.example%252F%253FPHPSESSID%253D{}", _value(110, HEX, 12)),
    ("a=b;jsessionid={}", _value(111, HEX, 12)),
    ("q=a=token={}", _value(112, HEX, 12)),
]
