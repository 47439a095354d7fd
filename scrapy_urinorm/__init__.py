"""One page, one download: URL normalization for Scrapy, by rules that fit the site."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scrapy_urinorm.crawl.addon import Addon as Addon
    from scrapy_urinorm.crawl.dupefilter import DupeFilter as DupeFilter
    from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter as RequestFingerprinter
    from scrapy_urinorm.crawl.links import Links as Links
    from scrapy_urinorm.crawl.rewrite import RewriteMiddleware as RewriteMiddleware
    from scrapy_urinorm.crawl.scheduler import Scheduler as Scheduler
    from scrapy_urinorm.crawl.second_chance import SecondChanceMiddleware as SecondChanceMiddleware
    from scrapy_urinorm.errors import RuleFileError as RuleFileError
    from scrapy_urinorm.errors import UrinormError as UrinormError
    from scrapy_urinorm.normalizer import Normalizer as Normalizer
    from scrapy_urinorm.rulesets.ruleset import RuleSet as RuleSet

__version__ = "0.1.0"

# looked up on first use: the core must not import Scrapy, and importing a name must cost only that name
_HOMES = {
    "Addon": "crawl.addon",
    "DupeFilter": "crawl.dupefilter",
    "Links": "crawl.links",
    "Normalizer": "normalizer",
    "RequestFingerprinter": "crawl.fingerprinter",
    "RewriteMiddleware": "crawl.rewrite",
    "RuleFileError": "errors",
    "RuleSet": "rulesets.ruleset",
    "Scheduler": "crawl.scheduler",
    "SecondChanceMiddleware": "crawl.second_chance",
    "UrinormError": "errors",
}
__all__ = [
    "Addon",
    "DupeFilter",
    "Links",
    "Normalizer",
    "RequestFingerprinter",
    "RewriteMiddleware",
    "RuleFileError",
    "RuleSet",
    "Scheduler",
    "SecondChanceMiddleware",
    "UrinormError",
    "__version__",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(importlib.import_module(f"scrapy_urinorm.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
