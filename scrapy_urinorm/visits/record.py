"""The record of one response: what a crawl remembers of it, and its one line of JSON."""

from __future__ import annotations

import json
import secrets
from base64 import b64decode
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from struct import pack
from typing import Any

_BYTES = ("lines", "line_words", "minhash", "id", "link_keys")
_INTEGERS = ("status", "words", "size", "depth", "links_count", "ended")
_TEXTS = (
    "final_url", "canonical", "body_digest", "text_digest", "main_digest", "key", "rules", "referer",
    "no_vary_search", "time", "content_type", "crawl", "failure", "given",
)  # fmt: skip
_LISTS = ("clean_param", "marks")
_UNITS = {"lines": 16, "minhash": 128, "links": 8, "id": 8, "link_keys": 8}
"""Octets of the columns of packed numbers; of those in `_WHOLE` exactly so many."""
_WHOLE = ("minhash", "id")
END = "urinorm:finished"
"""What stands for an address where a line tells of the end of a crawl; no page has one without a host."""
GIVEN_OWN = "own"
"""What a callback is given that cannot be compared: as if no other request had that."""


@dataclass(slots=True, kw_only=True)
class Visit:
    """One response of a crawl; everything but `url` may be unknown (docs/visits.md has the columns).

    `url` is what was requested, `final_url` what answered after `redirects`, pairs of (status, url) in order, the
    requested URL first. A visit whose status is a redirect stands for that hop alone: `final_url` is its target.
    `lines` and `minhash` are packed as `PageFeatures` says. `size` counts
    bytes; `time` is ISO 8601 in UTC; `clean_param` holds the values of that directive where the response is a
    robots.txt; `no_vary_search` is the header (RFC 9842 successor draft, structured field). `id` and each eight octets
    of `links` are hashes as `links` makes them; `links_count` is how many there are where
    `links` is capped. `link_keys` has for each of `links` the hash of its key under the rules of the crawl, where one
    of them has another than without. `marks` are texts `kind:name`: `generator`, `header`, `cookie`, `marker`.
    `failure` is the exception of a request that came to no response: such a line tells of no page, and is read where it
    is asked for. `ended` is how many visits a crawl has recorded that came to its end by itself, in a line of its own.
    `given` stands for what the callback was given beside the page, `GIVEN_OWN` where that cannot be compared.
    """

    url: str
    final_url: str | None = None
    redirects: tuple[tuple[int, str], ...] = ()
    status: int | None = None
    canonical: str | None = None
    content_type: str | None = None
    size: int | None = None
    body_digest: str | None = None
    text_digest: str | None = None
    main_digest: str | None = None
    lines: bytes | None = None
    line_words: bytes | None = None
    minhash: bytes | None = None
    words: int | None = None
    key: str | None = None
    rules: str | None = None
    depth: int | None = None
    referer: str | None = None
    no_vary_search: str | None = None
    clean_param: tuple[str, ...] = ()
    time: str | None = None
    id: bytes | None = None
    links: bytes | None = None
    links_count: int | None = None
    link_keys: bytes | None = None
    marks: tuple[str, ...] = ()
    crawl: str | None = None
    failure: str | None = None
    ended: int | None = None
    given: str | None = None

    def to_json(self) -> str:
        """Return the record as one line of JSON without the newline; unknown columns are left out."""
        parts = ['{"url":', _quoted(self.url)]
        for name, key in _KEYS:
            value = getattr(self, name)
            if value is None or value == ():
                continue
            if type(value) is bytes:
                # most of a line, and nothing that JSON escapes
                parts += key, '"', b2a_base64(value, newline=False).decode("ascii"), '"'
            elif type(value) is str:
                parts += key, _quoted(value)
            else:
                parts += key, str(value) if type(value) is int else _encoded(value)
        parts.append("}")
        return "".join(parts)


def end_of(crawl: str, visits: int, time: str) -> Visit:
    """Return the last line of a crawl that came to its end by itself.

    No reader may take it for a page: those that know `failure` leave it out, to learn it has no host, and a report of
    an earlier version counts a redirect.
    """
    return Visit(url=END, status=300, time=time, crawl=crawl, failure="finished", ended=visits)


def new_crawl_id() -> str:
    """Return a name for a crawl that begins now; later crawls have greater names."""
    return f"{datetime.now(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"


COLUMNS = tuple(field.name for field in fields(Visit))
_KEYS = tuple((name, f',"{name}":') for name in COLUMNS[1:])
_quoted = json.encoder.encode_basestring
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def visit_from_row(row: Mapping[str, Any]) -> Visit:
    """Return the visit of a decoded JSON object or table row; unknown columns are ignored.

    `lines` may also be a list of [slot, text] pairs of integers or hexadecimal texts, `minhash` a list of integers,
    `links` a list of URLs, each as it stands in the page or resolved. Raises `ValueError` saying which column is wrong.
    """
    url = row.get("url")
    if not isinstance(url, str) or not url:
        raise ValueError("url: missing or not a text")
    visit = Visit(url=url)
    for name, value in row.items():
        if value is not None and (type(value) is not str or value) and (read := _READERS.get(name)) is not None:
            setattr(visit, name, read(name, value))
    links = row.get("links")
    if isinstance(links, (str, bytes)):
        visit.links = _octets("links", links) or None
    elif links is not None:
        visit.links, visit.links_count = _listed_links(links, visit)
    for name, unit in _UNITS.items():
        octets = getattr(visit, name) if name in row else None
        if octets is not None and (len(octets) % unit or (name in _WHOLE and len(octets) != unit)):
            raise ValueError(f"{name}: {len(octets)} bytes, not {'' if name in _WHOLE else 'a multiple of '}{unit}")
    if (redirects := row.get("redirects")) is not None:
        visit.redirects = _redirects(redirects)
    return visit


def _listed_links(value: Any, visit: Visit) -> tuple[bytes, int]:
    from scrapy_urinorm.visits.links import link_hashes, page_links

    if not isinstance(value, Iterable) or not all(isinstance(url, str) for url in value):
        raise ValueError("links: not base64 or a list of URLs")
    return link_hashes(page_links(value, visit.final_url or visit.url))


def _text(_name: str, value: object) -> str:
    return value if isinstance(value, str) else str(value)


def _list(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise ValueError(f"{name}: {value!r} is not a list")
    return tuple(map(str, value))


def _integer(name: str, value: Any) -> int | None:
    if isinstance(value, float) and value != value:
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError(f"{name}: {value!r} is not a whole number") from None


def _octets(name: str, value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    try:
        if isinstance(value, str):
            return b64decode(value, validate=True)
        if not isinstance(value, Iterable):
            raise TypeError("neither base64 nor a list")
        if name == "lines":
            return b"".join(pack("<QQ", _hash(pair[0]), _hash(pair[1])) for pair in value)
        if name == "minhash":
            return pack("<32I", *value)
        return bytes(min(255, int(n)) for n in value)
    except Exception as error:  # noqa: BLE001  whatever a foreign row holds there
        raise ValueError(f"{name}: {error}") from None


def _hash(value: int | str) -> int:
    return (int(value, 16) if isinstance(value, str) else int(value)) & 0xFFFF_FFFF_FFFF_FFFF


def _redirects(value: Any) -> tuple[tuple[int, str], ...]:
    try:
        return tuple((int(status), str(url)) for status, url in value)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("redirects: not a list of [status, url]") from None


_READERS: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(_TEXTS, _text),
    **dict.fromkeys(_INTEGERS, _integer),
    **dict.fromkeys(_BYTES, _octets),
    **dict.fromkeys(_LISTS, _list),
}
