"""What stops a crawl before its first request, said once and readably."""

from __future__ import annotations

import contextlib
import logging
from typing import TYPE_CHECKING

from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from collections.abc import Iterator

logger = logging.getLogger("scrapy_urinorm")

#: Who tells of an exception that nobody waits for: Scrapy's `crawl` command leaves that of a crawler to them.
_TELLERS = ("asyncio", "twisted")
_SAID = "_urinorm_said"


class _SaidBefore(logging.Filter):
    """Drops the traceback of an error that was said as such."""

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        return _SAID not in getattr(error, "__dict__", ())


_filter = _SaidBefore()


@contextlib.contextmanager
def said_readably() -> Iterator[None]:
    """Log an error of settings or rules as its message alone, and raise it: where it was raised helps nobody.

    (Before Scrapy 2.14, Twisted prints a traceback behind it that no log shows.)
    """
    try:
        yield
    except (UrinormError, ValueError) as error:
        if _SAID not in error.__dict__:
            error.__dict__[_SAID] = True
            logger.error("The crawl does not start: %s", error)
            for name in _TELLERS:
                logging.getLogger(name).addFilter(_filter)
        raise
