"""What the page reader is told of a crawl, and of a request and its response."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.given import digest_of_given
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.visits.ruled import are_few

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response


LONGEST_FAILURE = 200
"""Characters of what an exception says: a line on a screen."""


def said_of(exception: Exception) -> str:
    """What an exception says, with its name."""
    why = str(exception).strip()
    return f"{type(exception).__name__}{': ' if why else ''}{why}"[:LONGEST_FAILURE]


def rules_of(crawler: Crawler) -> dict[str, Any]:
    """The rules under which a crawl runs: nothing where they are none of ours, or many and it does not learn."""
    normalizer = getattr(crawler.request_fingerprinter, "normalizer", None)
    if not isinstance(normalizer, Normalizer):
        return {}
    ruleset = normalizer.ruleset
    # their evidence changes no link, and of learned rules it is most of the file
    rules = [{table: value for table, value in ruleset.to_dict().items() if table != "evidence"}]
    if are_few(rules) or own.switch(crawler.settings, "URINORM_LIVE"):
        return {"rules": rules, "preset": ruleset.preset}
    return {}


def asked_by(request: Request) -> dict[str, Any]:
    """What a request says: the address at which its chain began, when, from where, how deep, and what goes with it."""
    meta = request.meta
    hops = meta.get("redirect_urls")
    said = {"url": hops[0] if hops else request.url, "time": int(time.time()), "depth": meta.get("depth", 0)}
    # the Referer of a redirected request is not that of the link
    if hops is None and (referer := request.headers.get("Referer")):
        said["referer"] = referer.decode("latin-1")
    if (given := digest_of_given(request)) is not None:
        said["given"] = given
    return said


def told_by(response: Response, request: Request) -> dict[str, Any]:
    """What a response says beside its body: the way to it, its size, and the headers that tell something of a page."""
    meta, said = request.meta, dict[str, Any]()
    hops = meta.get("redirect_urls")
    if hops:
        reasons = meta.get("redirect_reasons") or ()
        said["hops"] = [[r if isinstance(r, int) else 0, hop] for r, hop in zip(reasons, hops, strict=False)]
    if hops or response.url != request.url:
        said["final"] = response.url
    headers = response.headers
    said["size"] = len(response.body)
    said["type"] = (headers.get("Content-Type") or b"").decode("latin-1")
    said["headers"] = names = [name.decode("latin-1") for name in headers]
    # to ask Scrapy for one that is not there costs more than to look
    if "Link" in names:
        said["link"] = [value.decode("latin-1") for value in headers.getlist("Link")]
    if "Set-Cookie" in names:
        cookies = headers.getlist("Set-Cookie")
        said["cookies"] = [value.decode("latin-1").partition("=")[0].strip() for value in cookies]
    if "Date" in names:
        said["date"] = (headers.get("Date") or b"").decode("latin-1")
    if "No-Vary-Search" in names:
        said["no_vary_search"] = b", ".join(headers.getlist("No-Vary-Search")).decode("latin-1")
    return said
