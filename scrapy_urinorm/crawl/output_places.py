"""Where a crawl puts its visits and its report: placeholders as in feed exports, and feed storages."""

from __future__ import annotations

import logging
import shutil
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

    from scrapy import Spider

logger = logging.getLogger(__name__)


def filled_in(text: str, spider: Spider, begun: datetime) -> str:
    """A path or URI with its `%(name)s`, `%(time)s` and what else feed exports know in its place.

    The time is that of the crawl's start, as of feeds: what a crawl leaves has one.
    """
    if "%(" not in text:
        return text
    now = begun.replace(microsecond=0).isoformat().replace(":", "-")
    return text % {"name": spider.name, "time": now, "batch_id": 1, "batch_time": now}


async def stored(storage: Any, spool: Path, spider: Spider, uri: str) -> bool:
    """Hand a file to a feed storage; return whether it was taken. `uri`, for the log, has no credentials."""
    try:
        file = storage.open(spider)
        with spool.open("rb") as source:
            shutil.copyfileobj(source, file)
        done = storage.store(file)
        if isinstance(done, Deferred):
            done = maybe_deferred_to_future(done)
        if isawaitable(done):
            await done
    except Exception:
        logger.exception("URINORM_VISITS: not stored to %s; the visits are kept in %s", uri, spool)
        return False
    return True
