"""All settings of ours, read before anything is built: what is wrong is told at once, and no crawl ends by it later."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.fallback import fallback_class
from scrapy_urinorm.crawl.filtering.store import prefix_of
from scrapy_urinorm.crawl.rules import make_normalizer
from scrapy_urinorm.crawl.start_errors import WrongSettingsError, collected, said_readably
from scrapy_urinorm.seen import make_store

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from scrapy_urinorm.errors import UrinormError


def _place(settings: BaseSettings, name: str) -> None:
    if text := own.text(settings, name):
        # it brings the masks of visits
        from scrapy_urinorm.crawl.recording.output_places import check_place

        check_place(name, text, settings.getwithbase("FEED_STORAGES") if name == "URINORM_VISITS" else ())


def _store(settings: BaseSettings, name: str) -> None:
    ttl = None
    with suppress(ValueError):
        # told as a setting of its own
        ttl = own.number(settings, "URINORM_SEEN_TTL")
    make_store(own.text(settings, name), ttl=ttl, on_lost=own.value(settings, "URINORM_SEEN_ON_LOST"))


def _prefix(settings: BaseSettings, name: str) -> None:
    prefix_of(settings, "spider")


def _fallback(settings: BaseSettings, name: str) -> None:
    fallback_class(settings)


def _elsewhere(settings: BaseSettings, name: str) -> None:
    """Read with the rules, which a spider may add to, or with another setting."""


#: What reads each setting, and raises where it makes no sense, whether or not what it belongs to is on.
READ: dict[str, Callable[[BaseSettings, str], Any]] = {
    "URINORM_ENABLED": own.switch,
    "URINORM_RULES": _elsewhere,
    "URINORM_PRESET": own.text,
    "URINORM_SEEN": _store,
    "URINORM_SEEN_TTL": own.number,
    "URINORM_SEEN_DIR": own.text,
    "URINORM_SEEN_PREFIX": _prefix,
    "URINORM_SEEN_ON_LOST": _elsewhere,
    "URINORM_JOURNAL": own.switch,
    "URINORM_SECOND_CHANCE": own.switch,
    "URINORM_SECOND_CHANCE_LIMIT": own.number,
    "URINORM_RECORD_START": own.switch,
    "URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS": _fallback,
    "URINORM_VISITS": _place,
    "URINORM_VISITS_ROTATE": own.number,
    "URINORM_VISITS_CPU": own.number,
    "URINORM_LIVE": own.switch,
    "URINORM_LIVE_CLOSE": own.number,
    "URINORM_LIVE_TEST": own.switch,
    "URINORM_LIVE_OUTPUT": _place,
    "URINORM_REPORT": _place,
}


def checked(settings: BaseSettings) -> bool:
    """Whether the add-on is on; where it is, raises an error with everything that is wrong with our settings.

    Rules are loaded once a crawl, with those of its spider: here only where the crawl does not start anyway.
    """
    errors: list[UrinormError | ValueError] = []
    on = True
    with collected(errors):
        on = own.switch(settings, "URINORM_ENABLED")
    if not on:
        return False
    for name, read in READ.items():
        with collected(errors):
            read(settings, name)
    if errors:
        with collected(errors):
            make_normalizer(settings, object)
    with collected(errors):
        own.require_extras(settings)
    told = {str(error): error for error in errors}
    with said_readably():
        if len(told) > 1:
            lines = "\n".join(told).replace("\n", "\n  ")
            raise WrongSettingsError(f"{len(told)} settings are wrong:\n  {lines}")
        for error in told.values():
            raise error
    return True
