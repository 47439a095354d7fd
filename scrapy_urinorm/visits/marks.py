"""What recognizes the program behind a page: its generator, names of headers and cookies, and few telling texts."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterable, Sequence
from itertools import compress

from scrapy_urinorm.engine import native
from scrapy_urinorm.rulesets.platforms import markers

#: Octets at the start of a page, where it names its style sheets and scripts, and at its end, where servers sign: what
#: is searched for the packs' texts.
SEARCHED, SEARCHED_AT_END = 16 << 10, 1 << 10
#: Marks of a page, and characters of one: what a site can make a visit grow by.
MOST, LONGEST = 40, 100

#: Headers that every server may send (RFC 9110, RFC 9111, and what is common to all): they tell nothing.
_USUAL = frozenset(
    """
    accept-ranges age allow alt-svc cache-control connection content-disposition content-encoding content-language
    content-length content-location content-security-policy content-type date etag expires keep-alive last-modified
    link location permissions-policy pragma referrer-policy retry-after server set-cookie strict-transport-security
    transfer-encoding upgrade vary via x-content-type-options x-frame-options x-xss-protection
    """.split()
)
_COLUMN = b'"marks":['
_decode = json.JSONDecoder().raw_decode
_drawn_by_lot = re.compile(r"(?=[0-9a-z]*\d)[0-9a-z]{12,}", re.IGNORECASE)


def marks(generator: str | None, headers: Iterable[str], cookies: Iterable[str], body: bytes) -> tuple[str, ...]:
    """Return the marks of a response, `kind:name`, sorted, each once.

    A part of a name that looks drawn by lot (`wordpress_logged_in_d41d8cd98f00b204...`) becomes `*`.
    """
    found = {f"header:{name.lower()}" for name in headers if name.lower() not in _USUAL}
    found |= {f"cookie:{name}" for name in cookies if name}
    found = {_drawn_by_lot.sub("*", mark)[:LONGEST] for mark in found}
    searched = body[:SEARCHED]
    if len(body) > SEARCHED:
        searched += body[max(SEARCHED, len(body) - SEARCHED_AT_END) :]
    names, texts = _markers()
    found |= {f"marker:{name}" for name in compress(names, texts_in(searched, texts))}
    kept = sorted(found)[:MOST]
    generator = " ".join(generator.split())[:LONGEST] if generator else ""
    return (f"generator:{generator}", *kept) if generator else tuple(kept)


def be_ready() -> None:
    """Read the packs that say what is looked for, which takes as long as two hundred small pages."""
    _markers()


@functools.cache
def _markers() -> tuple[tuple[str, ...], tuple[bytes, ...]]:
    return tuple(markers()), tuple(markers().values())


def texts_in(octets: bytes, texts: tuple[bytes, ...]) -> Sequence[int]:
    """Say of each text, in small letters, whether it is in some octets, whatever the case of these."""
    if native.module is not None:
        found: bytes = native.module.found(octets, texts)
        return found
    return plain_texts_in(octets, texts)


def plain_texts_in(octets: bytes, texts: tuple[bytes, ...]) -> Sequence[int]:
    """The same in Python: what the module in C must equal."""
    searched = octets.lower()
    return bytes(text in searched for text in texts)


def marks_of_line(line: bytes) -> list[str]:
    """The marks in a line of JSON of ours, found without decoding the rest, which is long."""
    at = line.rfind(_COLUMN)
    if at < 0:
        return []
    found: list[str] = _decode(line[at + len(_COLUMN) - 1 :].decode("utf-8", "surrogatepass"))[0]
    return found
