"""How long a server took for a page, as the page says: another number on the next visit, so that none equals itself.

"Created this page in 0.08 seconds", "Processed in 0.013163 second(s), 18 queries": in place of such numbers stands `0`.
It is a fraction of seconds, or milliseconds, at the end of a page, beside words for making a page ("page", "generated",
"parse time", "queries"): not what a job, a test or a race took. How often a page was seen stays, for that may be all
that a page is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

TAIL = 6_000
"""Octets at the end of a page within which it says how long it took, chosen: footers and the scripts behind them."""
AROUND = 160
"""Octets before and behind a number that are read with it, chosen: "Powered by ... Created this page in"."""
MOST = 1_000
"""Numbers of a page that are replaced; one line has three."""
_ZERO = b"0"

_space = rb"(?:[ \t\r\n]|&nbsp;)*+"
_tag = re.compile(rb"<[^<>]*+>?")
# what begins in the middle of a number is told by its beginning: a look behind each octet takes six times as long
_fraction = re.compile(rb"[0-9][.,][0-9]{1,16}|[0-9] ?ms\b")
_one_digit = frozenset(bytes((one,)) for one in b"0123456789")
_one_sign = frozenset((*_one_digit, *(bytes((one,)) for one in b".,:/-")))
_unit = rb"(?:s|secs?|seconds?|second\(s\)|ms|msec|milliseconds?|sekunden|segundos|secondes|secondi)(?![a-z])"
_made = (
    rb"(?:generated|rendered|generiert|erstellt|erzeugt|g\xc3\xa9n\xc3\xa9r\xc3\xa9e?|generad[ao]|gerad[ao]|"
    rb"generat[ao])"
)
_kind = rb"(?:page(?: [a-z]{4,10})?|parse|script execution|query)"
_quer = rb"quer(?:y|ies)"
_made_in = re.compile(
    rb"(?i)\bpage\b[^\0]{0,60}\b(?:in|took|generation)\b[^\0]{0,12}\0" + _space + _unit
    + rb"|\b" + _made + rb"\b[^\0]{0,20}\0" + _space + _unit
    + rb"|\b" + _kind + rb" time" + _space + rb":?" + _space + rb"\0"
    + rb"|\b" + _quer + rb"\b[^\0]{0,30}\0" + _space + _unit
    + rb"|\0" + _space + _unit + rb"[^\0]{0,40}\b" + _quer + rb"\b"
)  # fmt: skip
_queries = re.compile(rb"(?i)\b[0-9]++(?=[ \t]++(?:[a-z]++[ \t]++)?" + _quer + rb"\b)|(?<=queries:[ ])[0-9]++")


def without_times(body: bytes) -> bytes:
    """Return a page of HTML with `0` in place of how long the server took for it, and how many queries."""
    spans = sorted({*islice(_times(body), MOST)})
    if not spans:
        return body
    kept, at = [], 0
    for start, end in spans:
        if start >= at:
            kept.append(body[at:start])
            at = end
    return _ZERO.join((*kept, body[at:]))


def _times(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield where these numbers stand."""
    for found in _fraction.finditer(body, max(0, len(body) - TAIL)):
        first, last = found.start(), found.end()
        if found[0][-1:] == b"s":
            last = first + 1
        while body[first - 1 : first] in _one_digit and found.start() - first < 3:
            first -= 1
        if body[first - 1 : first] in _one_sign or body[last : last + 1] in _one_sign:
            continue
        start, end = max(0, first - AROUND), last + AROUND
        around = _tag.sub(b" ", body[start:first]) + b"\0" + _tag.sub(b" ", body[last:end])
        if _made_in.search(around) is not None:
            yield first, last
            yield from (one.span() for one in _queries.finditer(body, start, end))
