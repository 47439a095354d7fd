"""What live rules do inside of a crawl may fail, and never into the engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.errors import UrinormError


class Failing(Protocol):
    """Who goes on without what has failed."""

    def lost(self, error: UrinormError) -> None:
        """The file of requests can no longer be read or written."""

    def off(self, why: str) -> None:
        """Go on without live rules; raises nothing."""


_T = TypeVar("_T", bound=Failing)
_P = ParamSpec("_P")
_R = TypeVar("_R")


def guarded(handler: Callable[Concatenate[_T, _P], _R]) -> Callable[Concatenate[_T, _P], _R | None]:
    """Have a handler return None, which always lets a request go, where it fails; live rules are then off.

    Not for what is connected to a signal: Scrapy reads from a handler's arguments what it wants to be told.
    """

    @wraps(handler)
    def never_raising(self: _T, /, *args: _P.args, **kwargs: _P.kwargs) -> _R | None:
        try:
            return handler(self, *args, **kwargs)
        except UrinormError as error:
            self.lost(error)
        except Exception:  # noqa: BLE001  nothing of ours may stop a crawl
            own.logger.exception("Live rules: %s has failed", handler.__name__)
            self.off("see above")
        return None

    return never_raising
