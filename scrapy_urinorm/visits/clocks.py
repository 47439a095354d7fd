"""Clocks of pages: "Nov 27, 2026, 05:29 PM" above each page of a forum is another text a minute later.

In place of such a clock stands one word. It is the whole text between two tags, a date with its year and a time, and
says the minute that the response has in its header `Date`, in Universal Time, which many servers run on. With other
time zones allowed a post of today would be taken for a clock again and again; so it is one at most that was written in
the minute in which it was fetched, and two pages are one by it only if each was fetched in the minute that it names.

So does the second in the address of a picture, so that a browser fetches it again (`<img src="/a.png?t=1796063250">`).
In the address of a page it stays: it is the one that a crawl asks for.
"""

from __future__ import annotations

import re
from calendar import timegm
from email.utils import parsedate_to_datetime
from functools import lru_cache

LONGEST = 60
"""Octets of a date with its time: as `visits.ages` has it."""
WORD = b"now"
"""What stands in place of a clock: a word has the page there without it, too, and no two differ by it."""
AGO = 10
"""Seconds that a server may take from the first octet that it makes of a page to the header; chosen."""
_PLACES = 2
"""Digits of the seconds of a time of ten digits that change within `AGO`, save at the end of a hundred seconds."""
_LONGEST_TAG = 2_000
"""Octets before such a time in which its tag begins: as long as addresses may be for most servers."""
_stamp = re.compile(rb"[?&;](?:[\w.-]{1,40}=)?([0-9]{10})(?:[.]?[0-9]{1,6})?(?![\w.-])")
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


def without_clocks(body: bytes, date: str) -> bytes:
    """Return a page of HTML without the clocks that say when it was sent; `date` is the header of that name."""
    moment = _moment(date[:LONGEST])
    if moment is None:
        return body
    minute, kept, at, after = f":{moment[4]:02}".encode(), [], 0, -1
    while (after := body.find(minute, after + 1)) >= 0:
        start = body.rfind(b">", max(at, after - LONGEST), after)
        if start >= 0 and (found := _clock(moment[:5]).match(body, start)) is not None:
            kept.append(body[at : found.end(1)])
            at = found.end()
    return _without_seconds(WORD.join((*kept, body[at:])) if kept else body, timegm(moment))


def _without_seconds(body: bytes, sent: int) -> bytes:
    """Return a page without the times in the queries of its pictures that say when it was made."""
    moments = range(sent - AGO, sent + 2)
    if not any(b"%d" % begun in body for begun in {moments[0] // 10**_PLACES, moments[-1] // 10**_PLACES}):
        return body

    def shown(found: re.Match[bytes]) -> bytes:
        start = found.start()
        if int(found[1]) not in moments:
            return found[0]
        tag = body.rfind(b"<", max(0, start - _LONGEST_TAG), start)
        is_picture = tag >= 0 and body[tag + 1 : tag + 4].lower() == b"img"
        return body[start : found.start(1)] + WORD if is_picture else found[0]

    return _stamp.sub(shown, body)


@lru_cache(maxsize=64)
def _moment(date: str) -> tuple[int, ...] | None:
    """Return year, month, day, hour, minute and second of a header, None where it says none."""
    try:
        return parsedate_to_datetime(date).utctimetuple()[:6]
    except (ValueError, OverflowError, TypeError, IndexError):
        return None


@lru_cache(maxsize=8)
def _clock(moment: tuple[int, ...]) -> re.Pattern[bytes]:
    """Return what a clock of a minute is, from the end of the tag before it."""
    year, month, day, hour, minute = moment
    name = f"{MONTHS[month - 1]}[a-z]*+[.]?"
    dates = (
        *(f"{year}{sign}{month:02}{sign}{day:02}" for sign in "-/"),
        f"0?{day}[.]0?{month}[.]{year}",
        *(f"0?{day}{sign}0?{month}{sign}{year}" for sign in "-/"),
        f"0?{month}/0?{day}/{year}",
        f"{name} 0?{day}(?:st|nd|rd|th)?,? {year}",
        f"0?{day}(?:st|nd|rd|th)?[ -]{name}[, -] ?{year}",
    )
    seconds, half = "(?::[0-9]{2})?", "[Aa]" if hour < 12 else "[Pp]"
    times = f"{hour:02}:{minute:02}{seconds}", f"0?{hour % 12 or 12}:{minute:02}{seconds} ?{half}[.]?[Mm][.]?"
    space = r"[ \t\r\n]*+"
    clock = (
        f"(>{space})(?:[A-Z][a-z]++,? )?(?:{'|'.join(dates)})(?:T|,? (?:at |- )?)(?:{'|'.join(times)})"
        f"(?:Z| ?(?:GMT|UTC)| ?[+]00:?00)?(?={space}<)"
    )
    return re.compile(clock.encode())
