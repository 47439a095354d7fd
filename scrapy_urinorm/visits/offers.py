"""What a page offers besides its text and its links: magnets, files on other servers, and where its button leads.

Pages that all say "press the button" differ in this alone. It is read of the page as it was sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, islice
from urllib.parse import urlsplit

from scrapy_urinorm.content.titles import SHELL_WORDS
from scrapy_urinorm.url import resolve
from scrapy_urinorm.visits.texts import hash_of_all

OFFERS_SLOT = 8
"""The place of the line that sums up the offers."""
MOST_OFFERS = 1_000
"""Offers of a page that are read; chosen."""
LONGEST_SEGMENT = 32
"""Octets of a segment of an action; longer ones are tokens, or the address of the page in another spelling; chosen.
What names a file is longer, too, but has a length or an extension of its own."""
_is_name = re.compile(
    r"[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[^=%]+\.[a-z][a-z0-9]{1,4}",
    re.IGNORECASE,
).fullmatch
"""SHA-1, SHA-256 and SHA-512 (FIPS 180-4), UUID (RFC 9562), and a name with an extension; MD5 is no
longer than other segments."""
_is_thing = re.compile(
    r"(?!next|back|from|ref|ret|redir|goto)[^=]+="
    r"(?:(?!1[5-9][0-9]{8}(?:[0-9]{3})?$)[0-9]{1,20}|[^/=%]+\.(?!html?$|php$|aspx?$|jsp$)[a-z][a-z0-9]{1,4})",
    re.IGNORECASE,
).fullmatch
"""An item of an action's query that names a thing, by its number or as a file, and not where to go back to. Seconds and
milliseconds since 1970 begin so from 2017 to 2033; words may be sessions, or addresses."""
_OFFERED = re.compile(rb"href=[\"']?((?:magnet|ed2k|s?ftps?|ipfs|rtsp|rtmp|mms|geo|data):[^\"'\s<>]{1,4096}+)")
"""Links of schemes that name a thing; others share the page (`whatsapp:`, `mailto:`) and have its address in them, or
are programs. What is sought begins with letters, in small ones as nearly all write it: that is ten times as fast."""
_SCHEMES = (b"magnet:", b"ed2k:", b"ftp:", b"ftps:", b"ipfs:", b"rtsp:", b"rtmp:", b"mms:", b"geo:")
_OFFERED_OTHERWISE = re.compile(
    rb"(?<![\w-])(?:href|data-[\w-]{1,40}+)\s*+=\s*+[\"']?((?:magnet|ed2k|s?ftps?|ipfs|rtsp|rtmp|mms|geo):[^\"'\s<>]{1,4096}+)",
    re.IGNORECASE,
)
"""The same in large letters, with spaces, or for a script to copy; sought on pages of a few words, as the forms are,
that have a scheme anywhere: of a made-up page without any that takes a third of the time."""
_SAVED = re.compile(rb"download=(?<![\w-]download=)[\"']([^\"'<>]{1,300}+)[\"']")
"""Names of files to be saved."""
_LED = re.compile(
    rb"(?<![\w-])data-(?:url|href|link)\s*+=\s*+[\"']?([^\"'\s<>]{1,2000}+)"
    rb"|onclick\s*+=\s*+\"(?:(?!location)[^\"<>]){0,200}+location(?:\.href)?\s*+=\s*+'([^'\"<>]{1,2000}+)'",
    re.IGNORECASE,
)
"""Where a button leads that is no link: by a script, which reads it of an attribute or has it there."""
_FORM = re.compile(rb"<form\b([^<>]{1,2000}+)", re.IGNORECASE)
_action = re.compile(rb"(?<![\w-])action\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s\"'>]+))", re.IGNORECASE).search
_spelled = re.compile(rb"&amp;").sub


def offer_lines(markup: bytes, url: str, words: int) -> list[tuple[int, int]]:
    """Return the place and the hash of what a page with so many words offers, whatever its order; none: no line."""
    found = chain(_OFFERED.finditer(markup), _SAVED.finditer(markup))
    offers = {one[1] for one in islice(found, MOST_OFFERS)}
    # a longer text tells a page by itself, and a shop may write the address of the page into its forms
    if words <= SHELL_WORDS:
        small = markup.lower()
        if any(scheme in small for scheme in _SCHEMES):
            offers.update(one[1] for one in islice(_OFFERED_OTHERWISE.finditer(markup), MOST_OFFERS))
        offers.update(_asked(markup, url))
    if not offers:
        return []
    return [(OFFERS_SLOT, hash_of_all(offers))]


def _asked(markup: bytes, url: str) -> Iterator[bytes]:
    """Yield what forms and buttons ask for."""
    forms = (_action(form[1]) for form in islice(_FORM.finditer(markup), MOST_OFFERS))
    for found in chain(forms, islice(_LED.finditer(markup), MOST_OFFERS)):
        if found is not None and (aim := _aim(next(filter(None, found.groups()), b""), url)):
            yield b"form:" + aim


def _aim(action: bytes, url: str) -> bytes:
    """Return an action without what may be another each time, empty where its path is that of the page itself."""
    text = _spelled(b"&", action).decode("utf-8", "replace").strip()
    try:
        parts = urlsplit(text)
        if not parts.path or (url and urlsplit(resolve(text, url)).path == urlsplit(url).path):
            return b""
    except ValueError:
        return b""
    segments = (segment.partition(";")[0] for segment in parts.path.split("/"))
    kept = "/".join(one for one in segments if _names(one))
    return "?".join((kept, *filter(_is_thing, parts.query.split("&")))).encode()


def _names(segment: str) -> bool:
    return (len(segment) <= LONGEST_SEGMENT or _is_name(segment) is not None) and segment[:1] != "("
