"""What a server counts while it sends a page: how long that took, and how often the page was seen.

"Created this page in 0.08 seconds", "Processed in 0.013163 second(s), 18 queries", "Viewed 92 times": on the next visit
of the same page it is another number, so that none is equal to itself. In place of such a number stands `0`. No two
pages become one by it that a reader tells apart: what else they say is compared as ever.

- The time of making: a fraction of seconds, or milliseconds, within the last part of a page,
  beside words for making a page ("page", "generated", "parse time", "queries"). Not what a job, a test or a race took.
- How often it was seen: a number alone beside its word ("Views: 12", "117 Views"), or in "viewed 92 times". Not
  downloads, votes or replies, which say what a page is about, nor hits, which a search may have found.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

TAIL = 6_000
"""Octets at the end of a page within which it says how long it took, chosen: footers and the scripts behind them."""
AROUND = 160
"""Octets before and behind a word or a number that are read with it, chosen: "Powered by ... Created this page in"."""
MOST = 1_000
"""Places of a page that are looked at, of each kind; a list has some hundred rows."""
NUMBER = b"0"

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

_count = rb"(?P<n>[0-9](?:[0-9]|[.,'][0-9]{3})*+)"
_seen_words = (b"iews", b"\xe6\x9f\xa5\xe7\x9c\x8b", b"\xe6\xb5\x8f\xe8\xa7\x88")
_word = rb"(?:page[ -]?views|views|\xe6\x9f\xa5\xe7\x9c\x8b|\xe6\xb5\x8f\xe8\xa7\x88)"
_one_tag = rb"<[^<>]{1,80}>" + _space
_seen = re.compile(
    rb"(?i)[>|]" + _space + _word + _space + rb"(?::|\xef\xbc\x9a)?" + _space + rb"(?:" + _one_tag + rb"){0,2}"
    + _count + _space + rb"[<|]"
    + rb"|[>|]" + _space + _count.replace(b"<n>", b"<m>") + _space + rb"(?:" + _one_tag + rb")?" + _word + _space
    + rb"[<|]"
)  # fmt: skip
# of schema.org, as Joomla says it beside "Hits: 12" in whatever language; hits alone may be what a search has found
_VISITS = b"UserPageVisits:"
_visits = re.compile(_VISITS + rb"(?P<m>[0-9]{1,12})[^0-9<>]*+>[^0-9<>]*+(?P<n>[0-9]{1,12})[^0-9<>]*+<")
_times = re.compile(
    rb"(?i)(?:\bviewed|[>(|,]" + _space + rb"(?:read|seen|visited|displayed))[ \t]++" + _count + rb"[ \t]++times?\b"
)


def without_counts(body: bytes) -> bytes:
    """Return a page of HTML with `0` in place of what a server counts."""
    spans = sorted({*islice(_time_of_making(body), MOST), *islice(_times_seen(body), MOST)})
    if not spans:
        return body
    kept, at = [], 0
    for start, end in spans:
        if start >= at:
            kept.append(body[at:start])
            at = end
    return NUMBER.join((*kept, body[at:]))


def _time_of_making(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a page says how long it took, and how many queries."""
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


def _times_seen(body: bytes) -> Iterator[tuple[int, int]]:
    """Yield where a page says how often it was seen."""
    for word in _seen_words if b"\xe6" in body else _seen_words[:1]:
        for at in islice(_places(body, word), MOST):
            found = _seen.search(body, max(0, at - AROUND), at + AROUND)
            if found is not None:
                yield found.span("n" if found["n"] is not None else "m")
    for at in islice(_places(body, _VISITS), MOST):
        found = _visits.match(body, at, at + AROUND)
        if found is not None and found["n"] == found["m"]:
            yield found.span("n")
            yield found.span("m")
    for at in islice(_places(body, b" time"), MOST):
        found = _times.search(body, max(0, at - 40), at + 6)
        if found is not None:
            yield found.span("n")


def _places(body: bytes, word: bytes) -> Iterator[int]:
    at = -1
    while (at := body.find(word, at + 1)) >= 0:
        yield at
