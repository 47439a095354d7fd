"""Whether a spider makes items of errors: of what a page shows, "not found", it then says something all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy import signals

from scrapy_urinorm.crawl.recording.messages import told_by

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_ERROR = 400
"""The first status of an error (RFC 9110 15.5)."""


class TakenErrors:
    """What is told of the responses of one crawl; made before its first request.

    From the first item of an error on each error is told as an answer to a request of its own, which teaches nothing:
    a spider that looks for dead links wants each of them again, and a rule that skips what is gone would hide them.
    Errors that came before are told as those of any crawl: a form of addresses of which some are known to be gone, and
    of others nothing, is not skipped.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._are_taken = False
        crawler.signals.connect(self._scraped, signals.item_scraped)

    def _scraped(self, item: Any, response: Response | None) -> None:
        self._are_taken = self._are_taken or getattr(response, "status", 0) >= _ERROR

    def told_by(self, response: Response, request: Request) -> dict[str, Any]:
        """Say what `messages.told_by` says, and where an error may be an item of its own."""
        said = told_by(response, request)
        if self._are_taken and response.status >= _ERROR:
            said["given"] = ""
        return said
