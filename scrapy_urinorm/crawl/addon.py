"""The add-on: one line of settings that puts the components where they belong, and replaces only stock classes."""

from __future__ import annotations

import logging
from pathlib import Path

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings
from scrapy.utils.misc import load_object

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.settings_check import checked

logger = logging.getLogger(__name__)

FINGERPRINTER = "scrapy_urinorm.RequestFingerprinter"
DUPEFILTER = "scrapy_urinorm.DupeFilter"
SCHEDULER = "scrapy_urinorm.Scheduler"
_ADDON = SETTINGS_PRIORITIES["addon"]
_COMMAND_LINE = SETTINGS_PRIORITIES["cmdline"]
_NOT_OURS = "rules apply only as far as it asks our fingerprinter, and the pages behind redirects are not guarded"
_POET_BASE = "SCRAPY_POET_REQUEST_FINGERPRINTER_BASE_CLASS"


class Addon:
    """Install all components: `ADDONS = {"scrapy_urinorm.Addon": 600}`.

    Our scheduler is put over a project's own. A project's own fingerprinter or dupefilter stays, and the log says so in
    one line. The fingerprinter of another add-on becomes the fallback of ours; scrapy-poet's keeps its place and gets
    ours as its base, in either order.
    """

    def update_settings(self, settings: BaseSettings) -> None:
        """Write the component settings at add-on priority; Scrapy calls this before anything is built."""
        if not checked(settings):
            return
        if jobdir := settings.get("JOBDIR"):
            # where a spider changes the working directory a job would be in two folders, with a part of it in each
            settings.set("JOBDIR", str(Path(jobdir).absolute()), settings.getpriority("JOBDIR") or _ADDON)
        self._fingerprinter(settings)
        self._dupefilter(settings)
        self._scheduler(settings)
        components = [
            ("DOWNLOADER_MIDDLEWARES", "second_chance.SecondChanceMiddleware", 10),
            ("SPIDER_MIDDLEWARES", "rewrite.RewriteMiddleware", 950),
            ("EXTENSIONS", "summary.Summary", 0),
        ]
        if settings.getbool("HTTPCACHE_ENABLED"):
            components.append(("DOWNLOADER_MIDDLEWARES", "foreign_cache.ForeignCacheMiddleware", 890))
            components.append(("DOWNLOADER_MIDDLEWARES", "foreign_cache.ForeignRefreshMiddleware", 585))
        # what follows is imported only where it is asked for: it brings an HTML parser and more
        visits, report = own.text(settings, "URINORM_VISITS"), own.text(settings, "URINORM_REPORT")
        if report:
            from scrapy_urinorm.crawl.report_extension import visits_beside

            if not visits:
                settings.set("URINORM_VISITS", visits_beside(report), "addon")
            components.append(("EXTENSIONS", "report_extension.ReportExtension", 900))
        live = own.switch(settings, "URINORM_LIVE") and not _is_shell(settings)
        if visits or report or live:
            components.append(("EXTENSIONS", "visits_extension.VisitsExtension", 0))
            components.append(("SPIDER_MIDDLEWARES", "recording.taken_errors.TakenErrors", 2))
        if live:
            fleet = getattr(load_object(settings["SCHEDULER"]), "of_fleet", False)
            components.append(("EXTENSIONS", "fleet_rules.FleetRules" if fleet else "live.LiveRules", 1))
            components.append(("SPIDER_MIDDLEWARES", "output.OutputMiddleware", 1))
        for name, component, place in components:
            path = f"scrapy_urinorm.crawl.{component}"
            settings.setdefault_in_component_priority_dict(name, load_object(path), place)

    @staticmethod
    def _fingerprinter(settings: BaseSettings) -> None:
        from scrapy.utils.request import RequestFingerprinter as Stock

        from scrapy_urinorm.crawl.fingerprinter import RequestFingerprinter

        name = "REQUEST_FINGERPRINTER_CLASS"
        current = load_object(settings[name])
        if isinstance(current, type) and issubclass(current, RequestFingerprinter):
            return
        if getattr(current, "__module__", "").startswith("scrapy_poet."):
            # its fingerprint is a function of its base's: nothing to wrap
            if (settings.getpriority(_POET_BASE) or 0) <= _ADDON:
                settings.set(_POET_BASE, FINGERPRINTER, "addon")
            return
        priority = settings.getpriority(name) or 0
        if priority > _ADDON and (current is not Stock or priority >= _COMMAND_LINE):
            _kept_out(name, settings, _NOT_OURS)
            return
        if current is not Stock and not settings.get("URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS"):
            settings.set("URINORM_FALLBACK_REQUEST_FINGERPRINTER_CLASS", settings[name], "addon")
        # a project may name the stock class without meaning anything by it
        settings.set(name, FINGERPRINTER, max(priority, _ADDON))
        if not settings.get(_POET_BASE):
            # for a scrapy-poet add-on that comes after us and overwrites
            settings.set(_POET_BASE, FINGERPRINTER, "addon")

    @staticmethod
    def _dupefilter(settings: BaseSettings) -> None:
        from scrapy.dupefilters import RFPDupeFilter as Stock

        from scrapy_urinorm.crawl.dupefilter import DupeFilter

        name = "DUPEFILTER_CLASS"
        current = load_object(settings[name])
        if isinstance(current, type) and issubclass(current, DupeFilter):
            return
        priority = settings.getpriority(name) or 0
        if current is Stock and priority < _COMMAND_LINE:
            settings.set(name, DUPEFILTER, max(priority, _ADDON))
        elif priority > _ADDON:
            # below: `scrapy shell` sets BaseDupeFilter at command priority, and that is nobody's wish to hear of
            _kept_out(name, settings, "skip, defer, second chance and the compact store are not in force")

    @staticmethod
    def _scheduler(settings: BaseSettings) -> None:
        from scrapy.core.scheduler import Scheduler as Stock

        from scrapy_urinorm.crawl.scheduler import Scheduler, over

        name = "SCHEDULER"
        current = load_object(settings[name])
        priority = settings.getpriority(name) or 0
        # `issubclass` takes whatever has the methods for a scheduler of Scrapy's
        bases = getattr(current, "__mro__", ())
        if any(base.__module__ == "scrapy_redis.scheduler" for base in bases) and str(
            settings.get("URINORM_SEEN")
        ).startswith(("redis", "unix:")):
            from scrapy_urinorm.crawl.fleet import over_fleet

            settings.set(name, over_fleet(current), max(priority, _ADDON))
        elif Stock not in bases:
            logger.info(
                "%s is %s, not derived from Scrapy's: there is no journal of requests, and defer works by priority",
                name,
                current,
            )
        elif Scheduler not in bases and (current is not Stock or priority < _COMMAND_LINE):
            settings.set(name, SCHEDULER if current is Stock else over(current), max(priority, _ADDON))


def _is_shell(settings: BaseSettings) -> bool:
    """Whether `scrapy shell` is run, which alone sets this filter.

    It waits for each page that it is asked for, and closes no crawl.
    """
    from scrapy.dupefilters import BaseDupeFilter

    name = "DUPEFILTER_CLASS"
    commanded = settings.getpriority(name) == SETTINGS_PRIORITIES["command"]
    return commanded and load_object(settings[name]) is BaseDupeFilter


def _kept_out(name: str, settings: BaseSettings, loss: str) -> None:
    logger.warning("%s is %s, set by the project and kept: %s", name, settings[name], loss)
