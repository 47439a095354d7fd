"""Web server logs to visits: the Common and the Combined Log Format, with or without the virtual host before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from urllib.parse import urljoin

from scrapy_urinorm.visits.record import Visit

_LINE = re.compile(
    r"(?:(?P<vhost>[\w.-]+(?::\d+)?) )?\S+ \S+ \S+ \[(?P<time>[^\]]+)\] "
    r'"(?P<request>(?:[^"\\]|\\.)*)" (?P<status>\d{3}) (?P<size>\d+|-)'
    r'(?: "(?P<referer>(?:[^"\\]|\\.)*)" "(?:[^"\\]|\\.)*")?'
)
_DEFAULT_BASE = "http://localhost/"


def parser(base: str | None) -> Callable[[str], Collection[Visit]]:
    """Return the function from a log line to its visits.

    Only GET answered 200, 301, 302, 307 or 308 says something about a page. Targets are resolved against the virtual
    host of the line, else against `base`, else against `http://localhost/`.
    """

    def visits(line: str) -> Collection[Visit]:
        text = line.strip()
        if not text or text.startswith("#"):
            return ()
        match = _LINE.match(text)
        if match is None:
            raise ValueError("not a line of the Common or Combined Log Format")
        method, _, rest = match["request"].partition(" ")
        target = rest.rpartition(" ")[0] or rest
        status = int(match["status"])
        if method != "GET" or status not in (200, 301, 302, 307, 308) or not target:
            return ()
        vhost = match["vhost"]
        origin = f"https://{vhost}/" if vhost and vhost.endswith(":443") else f"http://{vhost}/" if vhost else base
        url = target if "://" in target else urljoin(origin or _DEFAULT_BASE, target)
        visit = Visit(url=url, status=status, time=_iso(match["time"]))
        if match["size"] != "-":
            visit.size = int(match["size"])
        if (match["referer"] or "-") != "-":
            visit.referer = match["referer"]
        return (visit,)

    return visits


def _iso(text: str) -> str | None:
    try:
        return datetime.strptime(text, "%d/%b/%Y:%H:%M:%S %z").astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, OverflowError):
        # no such day, or one that is before year 1 or after 9999 in UTC
        return None
