"""What a page hands to its scripts: of a page that they draw in the browser it may be all that tells it from the next.

Only texts count, of two words and more: numbers, addresses, keys and sessions are often another on each request.
"""

from __future__ import annotations

import hashlib
import re

DATA_CAP = 128 << 10
"""Octets of data that are read of a page, 4 ms: what is longer is told by its beginning."""
LONGEST_QUOTING = 400
"""Octets of the longest text with quotes in it; a longer one is JSON, of which each text counts."""
_TYPE = re.compile(rb"\btype\s*=\s*[\"']?application/(?:[\w.+-]*\+)?json\b", re.IGNORECASE)
_ASSIGNED = re.compile(
    rb"\s*+(?:(?:<!--|/\*.{1,40}?\*/|//[^\n]{1,40}\n)\s*+)?+"
    rb"(?:\(\s*+)?+(?:(?:window|self|globalThis)\s*(?:\.\s*\w+|\[\s*[\"']\w+[\"']\s*\])|(?:var|let|const)\s+[\w$]{1,100})"
    rb"\s*+(?:\.push\(|=\s*(?:[{\[]|JSON\.parse\(|\(function))"
)
"""`window.__INITIAL_STATE__ = {...}`, `self.__next_f.push([...])` and the like, as the frameworks write them, and
`var markers = [...]`, as people do; other scripts are programs."""
_TEXT = re.compile(rb'"((?:[^"\\]++|\\.)*+)(?:"|\\?\Z)', re.DOTALL)
"""A text, or all that follows where it does not end: so no octet is looked at twice."""
_WORDS = re.compile(rb"[A-Za-z\x80-\xff][^A-Za-z\x80-\xff\s]*+\s[^A-Za-z\x80-\xff]*+[A-Za-z\x80-\xff]")
_DATE = re.compile(
    rb"(?:\d{1,2}\.? )?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}"
    rb"\.?,? [A-Za-z]{0,9}\.?,? ?\d.{0,40}",
    re.DOTALL,
)
"""When the page was made: `Wed, 25 Nov 2026 22:13`."""


def data_hash(markup: bytes) -> int:
    """Return a 64-bit hash of the texts in the data of a page (UTF-8), whatever their order; 0 where it has none."""
    texts: set[bytes] = set()
    for block in _blocks(markup):
        found = _TEXT.findall(block)
        if b'\\"' in block:
            # JSON in a text
            found += _TEXT.findall(block.replace(b'\\"', b'"'))
        for text in found:
            if b'\\"' in text and len(text) > LONGEST_QUOTING:
                continue
            if b" " in text and _WORDS.search(text) is not None and _DATE.fullmatch(text) is None:
                texts.add(text)
    if not texts:
        return 0
    return int.from_bytes(hashlib.blake2b(b"\0".join(sorted(texts)), digest_size=8).digest(), "little")


def _blocks(markup: bytes) -> list[bytes]:
    """The data in the scripts of a page."""
    found: list[bytes] = []
    room = DATA_CAP
    at = markup.find(b"<script")
    while at >= 0 and room > 0:
        begin = markup.find(b">", at)
        end = markup.find(b"</script", begin)
        if begin < 0 or end < 0:
            break
        head = markup[at : min(begin, at + 1024)]
        if _TYPE.search(head) is not None or _ASSIGNED.match(markup, begin + 1, end) is not None:
            found.append(markup[begin + 1 : min(end, begin + 1 + room)])
            room -= len(found[-1])
        at = markup.find(b"<script", end)
    return found
