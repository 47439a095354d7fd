"""What stops a crawl before its first request, said once and readably."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from scrapy.utils.log import LogCounterHandler

from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy import Spider

logger = logging.getLogger("scrapy_urinorm")

#: Who tells of an exception that nobody waits for, as Scrapy's `crawl` command leaves that of a crawler to them; and of
#: those that follow from it, when Scrapy closes what it has not opened.
_TELLERS = ("asyncio", "twisted", "scrapy.core.engine", "scrapy.utils.signal")
_SAID = "_urinorm_said"
_collecting: ContextVar[bool] = ContextVar("urinorm_collecting", default=False)
_unopened: WeakSet[Spider] = WeakSet()


class WrongSettingsError(UrinormError, ValueError):
    """Several settings are wrong; the message has all of them."""


class _SaidBefore(logging.Filter):
    """Drops the traceback of an error that was said as such, or that came while such a one was dealt with.

    So it does with what Scrapy's extensions assert when a spider is closed that was never opened: that a time or a
    state is there, which they get when it is.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, AssertionError) and getattr(record, "spider", None) in _unopened:
            return False
        while error is not None:
            if _SAID in error.__dict__:
                return False
            error = error.__context__
        return True


_filter = _SaidBefore()


def _is_unheard() -> bool:
    """Whether the log is off, as of `scrapy check`, which would say "OK" and nothing else."""
    handlers = [*logger.handlers, *logging.root.handlers]
    return bool(handlers) and all(isinstance(one, (logging.NullHandler, LogCounterHandler)) for one in handlers)


@contextlib.contextmanager
def said_readably() -> Iterator[None]:
    """Log an error of settings or rules as its message alone, and raise it: where it was raised helps nobody.

    (Before Scrapy 2.14, Twisted prints a traceback behind it that no log shows.)
    """
    try:
        yield
    except (UrinormError, ValueError) as error:
        if _SAID not in error.__dict__ and not _collecting.get():
            error.__dict__[_SAID] = True
            logger.error("The crawl does not start: %s", error)
            if _is_unheard():
                sys.stderr.write(f"The crawl does not start: {error}\n")
            for name in _TELLERS:
                logging.getLogger(name).addFilter(_filter)
        raise


@contextlib.contextmanager
def collected(errors: list[UrinormError | ValueError]) -> Iterator[None]:
    """Put an error of settings or rules among others, unsaid: whoever mends one wants to know of them all."""
    token = _collecting.set(True)
    try:
        yield
    except (UrinormError, ValueError) as error:
        errors.append(error)
    finally:
        _collecting.reset(token)


def never_opened(spider: Spider) -> None:
    """The scheduler could not be opened: Scrapy closes the spider all the same."""
    _unopened.add(spider)


def amount(name: str, given: Any) -> float:
    """The number of 0 or more that a setting holds; raises ValueError that names it."""
    with said_readably():
        try:
            found = float(given)
        except (TypeError, ValueError):
            found = math.nan
        if not math.isfinite(found):
            raise ValueError(f"{name}: {given!r} is not a number")
        if found < 0:
            raise ValueError(f"{name}: {given!r} is below 0")
        return found


def worded(name: str, given: Any) -> str:
    """The text or path that a setting holds; raises ValueError that names it."""
    with said_readably():
        if not isinstance(given, (str, os.PathLike)):
            raise ValueError(f"{name}: {given!r} is not a text")
        return os.fsdecode(given)
