"""What a page offers besides its text and its links: magnets, files on other servers, and where its button leads.

Pages that all say "press the button" differ in this alone. It is read of the page as it was sent.
"""

from __future__ import annotations

import re
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
"""Octets of a segment of an action; longer ones are tokens, or the address of the page in another spelling; chosen."""
_OFFERED = re.compile(rb"href=[\"']?((?:magnet|ed2k|s?ftps?|ipfs|rtsp|rtmp|mms|geo|data):[^\"'\s<>]{1,4096}+)")
"""Links of schemes that name a thing; others share the page (`whatsapp:`, `mailto:`) and have its address in them, or
are programs. What is sought begins with letters, in small ones as nearly all write it: that is ten times as fast."""
_SAVED = re.compile(rb"download=(?<![\w-]download=)[\"']([^\"'<>]{1,300}+)[\"']")
"""Names of files to be saved."""
_FORM = re.compile(rb"<form\b([^<>]{1,2000}+)", re.IGNORECASE)
_action = re.compile(rb"(?<![\w-])action\s*=\s*(?:\"([^\"]*)|'([^']*)|([^\s\"'>]+))", re.IGNORECASE).search
_spelled = re.compile(rb"&amp;").sub


def offer_lines(markup: bytes, url: str, words: int) -> list[tuple[int, int]]:
    """Return the place and the hash of what a page with so many words offers, whatever its order; none: no line."""
    found = chain(_OFFERED.finditer(markup), _SAVED.finditer(markup))
    offers = {one[1] for one in islice(found, MOST_OFFERS)}
    # a longer text tells a page by itself, and a shop may write the address of the page into its forms
    if words <= SHELL_WORDS:
        for form in islice(_FORM.finditer(markup), MOST_OFFERS):
            if (action := _action(form[1])) is not None:
                offers.add(b"form:" + _path(next(filter(None, action.groups()), b""), url))
    offers.discard(b"form:")
    if not offers:
        return []
    return [(OFFERS_SLOT, hash_of_all(offers))]


def _path(action: bytes, url: str) -> bytes:
    """Return the path of an action without what may be another each time, empty where it is that of the page itself."""
    text = _spelled(b"&", action).decode("utf-8", "replace").strip()
    try:
        path = urlsplit(text).path
        if not path or (url and urlsplit(resolve(text, url)).path == urlsplit(url).path):
            return b""
    except ValueError:
        return b""
    segments = (segment.partition(";")[0] for segment in path.split("/"))
    return "/".join(one for one in segments if len(one) <= LONGEST_SEGMENT and one[:1] != "(").encode()
