"""Indexes of web archives to visits: CDX, CDXJ and the crawl.log of Heritrix."""

from __future__ import annotations

import json
from collections.abc import Collection

from scrapy_urinorm.visits.record import Visit

_DEFAULT_LEGEND = {9: "N b a m s k r V g", 10: "N b a m s k r M V g", 11: "N b a m s k r M S V g"}
"""The usual letters by the number of fields (IIPC CDX file format reference)."""


class CdxParser:
    """A line of a CDX file to its visit; the legend line names the fields, else their number does."""

    def __init__(self) -> None:
        self._letters: list[str] | None = None

    def __call__(self, line: str) -> Collection[Visit]:
        """Return the visit of one line; none for the legend and for what is no page."""
        text = line.strip()
        if not text:
            return ()
        if text.startswith("CDX "):
            self._letters = text.split()[1:]
            return ()
        values = text.split(" ")
        letters = self._letters
        if letters is None:
            legend = _DEFAULT_LEGEND.get(len(values))
            if legend is None:
                raise ValueError(f"{len(values)} fields and no CDX legend")
            letters = legend.split()
        if len(values) < len(letters):
            raise ValueError(f"{len(values)} fields instead of {len(letters)}")
        row = {letter: value for letter, value in zip(letters, values, strict=False) if value != "-"}
        url = row.get("a")
        if url is None:
            raise ValueError("no original URL (field a)")
        return _archived(url, row.get("b"), row.get("m"), row.get("s"), row.get("k"), row.get("r"))


def cdxj_visits(line: str) -> Collection[Visit]:
    """Return the visit of a line `key timestamp {json}`."""
    text = line.strip()
    if not text or text.startswith("!"):
        return ()
    _key, time, block = text.split(" ", 2)
    row = json.loads(block)
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    mime, digest = row.get("mime"), row.get("digest")
    if not isinstance(mime, str):
        mime = None
    return _archived(row["url"], time, mime, str(row.get("status", "")), digest, row.get("redirect"))


def _archived(
    url: str, time: str | None, mime: str | None, status: str | None, digest: str | None, redirect: str | None
) -> Collection[Visit]:
    if "://" not in url or url.startswith(("dns:", "filedesc:", "warcinfo:")):
        return ()
    visit = Visit(url=url, time=_iso(time), body_digest=_sha1(digest))
    # a revisit record repeats the digest of an earlier capture, which is what its equality means
    visit.content_type = None if mime == "warc/revisit" else mime
    visit.status = int(status) if status and status.isdigit() else None
    if redirect and "://" in redirect and redirect != url:
        visit.final_url = redirect
        visit.redirects = ((visit.status or 302, url),)
    return (visit,)


def _iso(time: str | None) -> str | None:
    if not time or len(time) < 14 or not time[:14].isdigit():
        return None
    return f"{time[:4]}-{time[4:6]}-{time[6:8]}T{time[8:10]}:{time[10:12]}:{time[12:14]}Z"


def _sha1(digest: str | None) -> str | None:
    if not digest or digest == "-":
        return None
    return digest if ":" in digest else f"sha1:{digest}"


def crawl_log_visits(line: str) -> Collection[Visit]:
    """Return the visits of a line of a Heritrix crawl.log: the response, and the redirect that led to it.

    Columns: time, status, size, URL, discovery path, via, type, thread, fetch time, digest, seed, notes. A path that
    ends in `R` says that `via` was redirected here. Statuses of the crawler itself (below 100) say nothing.
    """
    fields = line.split()
    if not fields:
        return ()
    if len(fields) < 5:
        raise ValueError(f"{len(fields)} columns instead of 5 or more")
    time, code, size, url = fields[:4]
    status = int(code)
    if status < 100 or "://" not in url:
        return ()
    visit = Visit(url=url, status=status, time=time)
    visit.size = int(size) if size.isdigit() else None
    if len(fields) > 6:
        visit.content_type = fields[6]
    if len(fields) > 9 and ":" in fields[9]:
        visit.body_digest = fields[9]
    path = fields[4]
    via = fields[5] if len(fields) > 5 and "://" in fields[5] else None
    visit.depth = len(path) if path != "-" else 0
    if via is None:
        return (visit,)
    visit.referer = via
    if not path.endswith("R"):
        return (visit,)
    return (visit, Visit(url=via, final_url=url, redirects=((302, via),), status=302, time=time))
