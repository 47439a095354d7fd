"""What a table or a feed says whatever its order: the same rows sorted otherwise are the same content."""

from __future__ import annotations

import hashlib
import re

_TABLES = ("text/csv", "text/tab-separated-values")
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/xml", "text/xml")
_begin = re.compile(r"<(item|entry)[\s>]")
_root = re.compile(r"<(rss|feed|rdf:RDF)[\s>]")
_HEAD = 2_000
"""Characters in which the root of a feed stands: after declarations and a comment."""
_MASK = (1 << 128) - 1
"""A sum is cut to the width of the hashes that are added up (BLAKE2b of 16 octets)."""


def rows_digest(text: str, kind: str) -> str | None:
    """Return the digest of the rows of a table, or of the entries of a feed, in any order; `kind` is the media type.

    What stands around the entries of a feed names the feed and the time at which it was made, and is left out. None
    where the text is neither. That of no row, or no entry, is 0: nothing is known of what it will hold.
    """
    rows = text.splitlines() if kind in _TABLES else _entries(text) if kind in _FEEDS else None
    if rows is None:
        return None
    total = 0
    for row in rows:
        if tokens := row.split():
            line = " ".join(tokens).encode("utf-8", "surrogatepass")
            total += int.from_bytes(hashlib.blake2b(line, digest_size=16).digest(), "big")
    # a sum, which is the same in any order and counts rows that come again
    return f"{total & _MASK:032x}"


def _entries(text: str) -> list[str] | None:
    """Return the entries of a feed as they stand there; None where it is no feed, or an entry does not end."""
    if not _root.search(text, 0, _HEAD):
        return None
    entries = []
    at = 0
    while begin := _begin.search(text, at):
        end = text.find(f"</{begin[1]}>", begin.end())
        if end < 0:
            return None
        entries.append(text[begin.start() : end])
        at = end
    return entries
