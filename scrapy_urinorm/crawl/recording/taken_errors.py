"""Whether a spider makes items of errors: of what a page shows, "not found", it then says something all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy.spidermiddlewares.base import BaseSpiderMiddleware

from scrapy_urinorm.content import is_error
from scrapy_urinorm.crawl.recording.messages import told_by

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

_taking: WeakSet[Crawler] = WeakSet()


class TakenErrors(BaseSpiderMiddleware):
    """Note the first item that a callback, or an errback, makes of an error; items go on as they are.

    By what is made, and not by the signal of an item: pipelines may be seconds late, or drop it.
    """

    def get_processed_item(self, item: Any, response: Response | None) -> Any:
        """The item; `response` is what it is made of."""
        if response is not None and is_error(response.status):
            _taking.add(self.crawler)
        return item


def told_of(crawler: Crawler, response: Response, request: Request) -> dict[str, Any]:
    """Say what `messages.told_by` says, and where an error may be an item of its own.

    From the first such item of a crawl on each error is told as an answer to a request of its own, which teaches
    nothing: a spider that looks for dead links wants each of them again, and a rule that skips what is gone would hide
    them. Errors that came before are told as those of any crawl: a form of addresses of which some are known to be
    gone, and of others nothing, is not skipped.
    """
    said = told_by(response, request)
    if is_error(response.status) and crawler in _taking:
        said["given"] = ""
    return said
