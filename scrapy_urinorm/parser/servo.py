"""The parser of Servo (the Rust crate `url`), made to say what the newest URL Standard says.

In two things it is older: it leaves a `^` in a path, and refuses a host of ASCII with a label of broken Punycode
(`xn--a`), which the URL Standard takes as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

from url import URL, URLError

PACKAGES: tuple[str, ...] = ("url-py",)
_REFUSED = (URLError, ValueError)
_DROPPED = dict.fromkeys(map(ord, "\t\n\r"))
_C0_AND_SPACE = "".join(map(chr, range(0x21)))
"""What the URL Standard drops before it reads: anywhere in a text, and at both ends."""
_has_ascii_host = re.compile(
    r"([A-Za-z][A-Za-z0-9+.\-]*+:[/\\]*+(?:[^/?#\\@]*+@)*+)"  # up to the host
    r"([^\x00- /:?#@\\%\x7f-\U0010ffff]*+)"
    r"((?:[:/?#\\].*)?)",
    re.DOTALL,
).fullmatch
_punycode = re.compile(r"(?:\A|(?<=\.))xn--", re.IGNORECASE)
_MASK = "zz--"
"""What stands for the beginning of Punycode, and is none."""
_slashes = re.compile(r"[/\\]{3,}")


def _refuse(text: str) -> NoReturn:
    raise ValueError(text)


parse: Callable[[str], Any] = _refuse
"""Takes no text: `href` reads it at no more than what a question for each part would take."""


def is_plain(text: str, host: str) -> bool:
    """Whether `parse` can be trusted with the host that it found: it finds none."""
    return False


def href(text: str) -> str | None:
    """The text of an absolute URL as the newest URL Standard writes it; None where it refuses it."""
    try:
        return _newest(*_parsed(text))
    except _REFUSED:
        return None


def join(reference: str, base: str) -> str | None:
    """A reference resolved against a base as the URL Standard does; None where it refuses one of them."""
    try:
        parsed, host = _parsed(base)
    except _REFUSED:
        return None
    try:
        # a third slash before a host says nothing, and this parser refuses it here
        return _newest(parsed.join(_slashes.sub("//", reference, 1) if _slashes.match(reference) else reference), host)
    except _REFUSED:
        return href(reference)


def _parsed(text: str) -> tuple[URL, str]:
    """A URL, and its host where what was parsed has a mask in it."""
    try:
        return URL.parse(text), ""
    except _REFUSED:
        found = _has_ascii_host(text.translate(_DROPPED).strip(_C0_AND_SPACE))
        if found is None or not _punycode.search(found[2]):
            raise
        head, host, rest = found.groups()
        return URL.parse(head + _punycode.sub(_MASK, host) + rest), host.lower()


def _newest(url: URL, host: str) -> str:
    text = str(url)
    scheme, _, rest = text.partition("://")
    if rest == "" or ("^" not in rest and not host):
        return text
    end = min((at for mark in "/?#" if (at := rest.find(mark)) >= 0), default=len(rest))
    authority, rest = rest[:end], rest[end:]
    if host:
        userinfo, mark, hostport = authority.rpartition("@")
        authority = userinfo + mark + hostport.replace(_punycode.sub(_MASK, host), host, 1)
    end = min((at for mark in "?#" if (at := rest.find(mark)) >= 0), default=len(rest))
    return f"{scheme}://{authority}{rest[:end].replace('^', '%5E')}{rest[end:]}"
