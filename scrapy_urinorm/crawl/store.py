"""The store of fingerprints that the settings of a crawl ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.utils.job import job_dir

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.seen import make_store

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from scrapy_urinorm.seen import SeenStore


def _spider_name(crawler: Crawler) -> str:
    # the class may leave the name to its instances, and a shell may have neither
    return str(getattr(crawler.spider, "name", None) or getattr(crawler.spidercls, "name", None) or "spider")


def seen_store(crawler: Crawler) -> SeenStore:
    """The store that a crawler's settings ask for, not yet opened; raises where they make no sense."""
    settings = crawler.settings
    rules = own.normalizer_of(crawler).ruleset
    directory = own.value(settings, "URINORM_SEEN_DIR") or job_dir(settings)
    return make_store(
        own.value(settings, "URINORM_SEEN"),
        directory=Path(directory) if directory else None,
        stamp={
            "rules": rules.digest(),
            "preset": rules.preset,
            "can_ada": _version("can-ada"),
            "ada_url": _version("ada-url"),
            "scrapy_urinorm": _version("scrapy-urinorm"),
        },
        prefix=str(own.value(settings, "URINORM_SEEN_PREFIX")) % {"spider": _spider_name(crawler)},
        ttl=own.number(settings, "URINORM_SEEN_TTL"),
        on_lost=own.value(settings, "URINORM_SEEN_ON_LOST"),
    )


def shared_folder(settings: BaseSettings) -> Path | None:
    """The folder where fingerprints are kept from run to run, whatever the job; None where there is none."""
    kind, _, rest = str(own.value(settings, "URINORM_SEEN")).partition(":")
    folder = (kind == "disk" and rest) or (kind in ("memory", "disk") and own.value(settings, "URINORM_SEEN_DIR"))
    return Path(folder) if folder else None


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"
