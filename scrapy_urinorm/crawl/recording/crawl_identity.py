"""The id of a crawl, and the salt of its masks."""

from __future__ import annotations

import contextlib
import secrets
from pathlib import Path

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.visits.record import new_crawl_id
from scrapy_urinorm.visits.writer import private


def crawl_identity(jobdir: str | None) -> tuple[str, str]:
    """Return the id of a crawl and the salt of its masks; a crawl that is resumed keeps both in its JOBDIR.

    Where they cannot be kept there, a log line says so, and the next run is another crawl.
    """
    fresh = new_crawl_id(), secrets.token_hex(16)
    if not jobdir:
        return fresh
    path = Path(jobdir, "urinorm.crawl")
    with contextlib.suppress(OSError, ValueError, TypeError):
        crawl_id, salt = path.read_text("ascii").split()
        bytes.fromhex(salt)
        return crawl_id, salt
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "w", encoding="ascii", opener=private) as file:
            file.write(" ".join(fresh))
    except OSError as error:
        own.logger.warning(
            "%s cannot be written: to visits, the next run of this job is another crawl: %s", path, error
        )
    return fresh
