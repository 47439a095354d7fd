"""Sites: hosts of one registrable domain, by the public suffix list; a bundled snapshot, never the network."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from tldextract import TLDExtract


@functools.cache
def _extract() -> TLDExtract:
    # imported here: it costs 170 ms, and most crawls never cut a label
    import tldextract

    return tldextract.TLDExtract(
        suffix_list_urls=(), cache_dir=None, fallback_to_snapshot=True, include_psl_private_domains=True
    )


#: RFC 1035 2.3.4, and the dot at the end: what is longer is no name, and a thousand of them would fill gigabytes.
_LONGEST = 254
# as canonical hosts are; one with `xn--` is decoded before it is looked for
_usual = re.compile(r"[a-z0-9_\-][a-z0-9_.\-]*(?<!\.)").fullmatch
_SUFFIX, _INNER, _WILD = 1, 2, 4


@functools.cache
def _tree() -> tuple[dict[str, int], frozenset[str]]:
    """What is known of each name that is a suffix or ends one; and the exceptions of wildcards."""
    known: dict[str, int] = {}
    exceptions = set()
    for suffix in _extract().tlds:
        if suffix.startswith("!"):
            exceptions.add(suffix[1:])
            continue
        if suffix.startswith("*."):
            suffix = suffix[2:]
            known[suffix] = known.get(suffix, 0) | _WILD | _INNER
        else:
            known[suffix] = known.get(suffix, 0) | _SUFFIX
        while "." in suffix:
            suffix = suffix[suffix.index(".") + 1 :]
            known[suffix] = known.get(suffix, 0) | _INNER
    return known, frozenset(exceptions)


def registrable_labels(host: str) -> int:
    """How many labels the registrable domain of `host` has, private suffixes counted as suffixes; 0 where none.

    `www.example.co.uk` has 3, `alice.github.io` 3, `github.io` and IP addresses 0. A single unknown label such as
    `localhost` has none; an unknown top-level domain counts as a suffix of one label.
    """
    if len(host) > _LONGEST:
        return 0
    if _usual(host) is None or ".." in host or "xn--" in host:
        return _registrable_labels(host)
    known, exceptions = _tree()
    # a crawl of many sites asks this of each: a few look-ups, where the package makes five objects
    at = host.rfind(".")
    if at > 0 and known.get(host[at + 1 :], 0) & (_SUFFIX | _WILD) == _SUFFIX:
        if host[host.rfind(".", 0, at) + 1 :] not in known:
            return 2
    dots = host.count(".")
    at, labels, here, found = len(host), 0, 0, 0
    while labels <= dots:
        at = host.rfind(".", 0, at)
        before, here = here, known.get(host[at + 1 :], -1)
        if here < 0:
            if before & _WILD:
                found = labels + (host[at + 1 :] not in exceptions)
            break
        labels += 1
        if here & _SUFFIX:
            found = labels
        if not here & _INNER:
            break
    if found:
        return found + 1 if found <= dots else 0
    return _unlisted(host)


@functools.lru_cache(8192)
def _registrable_labels(host: str) -> int:
    result = _extract()(host.rstrip("."))
    if not result.suffix:
        return _unlisted(host)
    return result.suffix.count(".") + 2 if result.domain else 0


def _unlisted(host: str) -> int:
    # the implicit rule `*` of publicsuffix.org
    return 0 if "." not in host or host.replace(".", "").isdigit() or "[" in host else 2


def same_site(host: str, other: str) -> bool:
    """Whether two hosts are one, or have one registrable domain."""
    host, other = host.rstrip("."), other.rstrip(".")
    if host == other:
        return True
    labels = registrable_labels(host)
    return (
        bool(labels) and registrable_labels(other) == labels and host.split(".")[-labels:] == other.split(".")[-labels:]
    )


def without_port(host: str) -> str:
    """Return the host of `host` or `host:port`; an address of IPv6 is in brackets."""
    return host if host.endswith("]") or ":" not in host else host.rpartition(":")[0]


def site_of(host: str) -> str:
    """Return the registrable domain of a host, private suffixes counted; the host itself where it has none.

    The dot at the end of a full name is no part of it: rules hold for both.
    """
    host = host.rstrip(".") or host
    labels = registrable_labels(host)
    return ".".join(host.split(".")[-labels:]) if labels else host


def site_at(url: str) -> str:
    """Return the site that a URL is on, empty where it has no host."""
    host = host_of(url)
    return site_of(host) if host else ""


def host_of(url: str) -> str | None:
    """Return the canonical host of a URL, None where it has none."""
    parts = split(url)
    return parts.host if parts is not None and parts.host else None
