"""Workers of a fleet: schedulers over scrapy-redis' for tests, in which each warning is an error, and spiders."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import ScrapyDeprecationWarning

from scrapy_urinorm.crawl.filtering import shared_claims
from tests.crawl.spiders import Follow

EXAMPLE = str(Path(__file__).parents[2] / "example_project" / "fleet")
if EXAMPLE not in sys.path:
    sys.path.insert(0, EXAMPLE)

if TYPE_CHECKING:
    from scrapy import Request

    class _Below:
        def enqueue_request(self, request: Request) -> bool: ...
        def next_request(self) -> Request | None: ...

    class _Stock:
        """Neither has types."""

    class _Example:
        """Neither has types."""
else:
    try:
        from fleetcrawl.scheduler import Scheduler as _Example
        from scrapy_redis.scheduler import Scheduler as _Stock
    except ImportError:
        # what needs them says so
        _Stock, _Example = type("_Stock", (), {}), type("_Example", (), {})

    _Below = object


class _Quiet(_Below):
    """scrapy-redis counts in a way that the newest Scrapy warns of."""

    def enqueue_request(self, request: Request) -> bool:
        """As below."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScrapyDeprecationWarning)
            return super().enqueue_request(request)

    def next_request(self) -> Request | None:
        """As below."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ScrapyDeprecationWarning)
            return super().next_request()


class Stock(_Quiet, _Stock):
    """scrapy-redis' own."""


class Example(_Quiet, _Example):
    """That of the example project."""


class FollowAskingOften(Follow):
    """Ask Redis of twenty variants at a time, instead of hundreds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        shared_claims._BATCH = 20
