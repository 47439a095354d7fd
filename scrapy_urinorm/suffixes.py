"""The public suffix list, asked only where a label would be cut off a host; bundled snapshot, never the network."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

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


def registrable_labels(host: str) -> int:
    """How many labels the registrable domain of `host` has, private suffixes counted as suffixes; 0 where none.

    `www.example.co.uk` has 3, `alice.github.io` 3, `github.io` and IP addresses 0. A single unknown label such as
    `localhost` has none; an unknown top-level domain counts as a suffix of one label.
    """
    return _registrable_labels(host) if len(host) <= _LONGEST else 0


@functools.lru_cache(8192)
def _registrable_labels(host: str) -> int:
    result = _extract()(host.rstrip("."))
    if not result.suffix:
        # not on the list at all: the implicit rule `*` of publicsuffix.org
        if host.replace(".", "").isdigit() or "[" in host or host.count(".") == 0:
            return 0
        return 2
    return result.suffix.count(".") + 2 if result.domain else 0


def same_site(host: str, other: str) -> bool:
    """Whether two hosts are one, or have one registrable domain."""
    if host == other:
        return True
    labels = registrable_labels(host)
    return (
        bool(labels) and registrable_labels(other) == labels and host.split(".")[-labels:] == other.split(".")[-labels:]
    )
