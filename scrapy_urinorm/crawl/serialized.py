"""Requests as bytes, in the way of Scrapy's own disk queues."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from scrapy.utils.request import request_from_dict

if TYPE_CHECKING:
    from scrapy import Request, Spider

#: The protocol of Scrapy's queues, so that an older Python resumes the job as well.
_PROTOCOL = 4


def dumped(request: Request, spider: Spider | None) -> bytes | None:
    """The bytes of a request; None where it has none: a callback that is no method of the spider, an open file.

    Pickle, as Scrapy's queues: meta and keyword arguments are the spider's own objects. Such a file belongs to whom the
    crawl belongs to, and must not come from elsewhere.
    """
    try:
        return pickle.dumps(request.to_dict(spider=spider), protocol=_PROTOCOL)
    except Exception:  # noqa: BLE001  whatever the objects of a spider raise when they are pickled
        return None


def loaded(data: bytes, spider: Spider | None) -> Request | None:
    """The request of ``dumped``; None where this version of the spider cannot read it."""
    try:
        return request_from_dict(pickle.loads(data), spider=spider)
    except Exception:  # noqa: BLE001  a callback or a class that is no longer there
        return None
