"""A chain of redirects, and what the meta of its last request says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own

if TYPE_CHECKING:
    from scrapy import Request


def chain_of(request: Request) -> list[str]:
    """The URLs of a chain of redirects, the request's own last."""
    chain = (request._meta or {}).get("redirect_urls")
    return [*texts_of(chain), request.url]


def texts_of(chain: object) -> list[str]:
    """The URLs of `redirect_urls` in the meta of a request, which may be anything."""
    return [url for url in chain if isinstance(url, str)] if isinstance(chain, (list, tuple)) else []


def claimed_by(request: Request, chain: list[str]) -> list[tuple[bytes, str]]:
    """The fingerprints and URLs that a chain has claimed; none where the meta was copied from another request."""
    rows = (request._meta or {}).get(own.CLAIMS_META, ())
    if not rows or rows[0][1] not in chain:
        return []
    return [(bytes.fromhex(fp), url) for fp, url in rows if url in chain]


def is_marked(request: Request) -> bool:
    """Whether the claim of a request is in its meta."""
    rows = (request._meta or {}).get(own.CLAIMS_META, ())
    return bool(rows) and rows[-1][1] == request.url and rows[0][1] in chain_of(request)


def mark(request: Request, fp: bytes) -> None:
    """Write the claim into the request's meta, behind those of the chain that led to it."""
    earlier = request.meta.get(own.CLAIMS_META, ())
    if earlier and earlier[0][1] not in chain_of(request)[:-1]:
        earlier = ()
    request.meta[own.CLAIMS_META] = [*earlier, [fp.hex(), request.url]]


def not_asked(request: Request, chain: list[str], cached: str) -> str:
    """Which URL of a chain a cache answered with what it has of another URL; empty where none was.

    `cached` is the URL of which the cache had the answer to the request itself, empty where it was sent.
    """
    first: str = (request._meta or {}).get(own.FOREIGN_META, "")
    if first in chain:
        return first
    return request.url if request.method == "GET" and cached not in ("", request.url) else ""


def sent_elsewhere(key: Callable[[str], str], url: str, chain: list[str]) -> bool:
    """Whether the chain that went through a URL ended at another page, by its key.

    A redirect that changes nothing but the scheme or `www` has the site's word that it is the same page.
    """
    if url == chain[-1]:
        return False
    here, there = key(url), key(chain[-1])
    return here != there and _without_origin(here) != _without_origin(there)


def is_first(key: Callable[[str], str], chain: list[str]) -> bool:
    """Whether nothing else of its key leads to the last URL of a chain."""
    last = key(chain[-1])
    return all(key(url) != last for url in chain[:-1])


def _without_origin(key: str) -> str:
    return key.partition("://")[2].removeprefix("www.")
