"""Where a crawl puts its visits and its report: placeholders as in feed exports, and feed storages."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Collection
from inspect import isawaitable
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.utils.defer import maybe_deferred_to_future
from twisted.internet.defer import Deferred
from w3lib.url import file_uri_to_path

from scrapy_urinorm.compression import SUFFIXES, WRITTEN
from scrapy_urinorm.engine.texts import without_userinfo

if TYPE_CHECKING:
    from datetime import datetime

    from scrapy import Spider

logger = logging.getLogger(__name__)


def filled_in(text: str, spider: Spider, begun: datetime) -> str:
    """A path or URI with its `%(name)s`, `%(time)s` and what else feed exports know in its place.

    The time is that of the crawl's start, as of feeds: what a crawl leaves has one.
    """
    return _filled(text, spider.name, begun.replace(microsecond=0).isoformat().replace(":", "-"))


def _filled(text: str, name: str, time: str) -> str:
    if "%(" not in text:
        return text
    return text % {"name": name, "time": time, "batch_id": 1, "batch_time": time}


def check_place(setting: str, text: str, storages: Collection[str] = ()) -> None:
    """Raise ValueError that names the setting where nothing can be written to what it holds, whatever the spider.

    `storages` are the schemes of URIs that it may hold; without any it holds a path. A crawl of a night that ends with
    "is a directory" was for nothing.
    """
    try:
        uri = _filled(text, "name", "time")
    except (KeyError, TypeError, ValueError):
        known = "%(name)s, %(time)s, %(batch_id)d, %(batch_time)s and %%"
        raise ValueError(f"{setting}: {without_userinfo(text)!r}: after a %, only {known} may stand") from None
    scheme = urlsplit(uri).scheme
    if not storages and "://" in uri:
        raise ValueError(f"{setting}: {without_userinfo(uri)}: a path is expected, not a URI")
    if storages and len(scheme) > 1 and scheme not in storages:
        known = ", ".join(sorted(filter(None, storages)))
        raise ValueError(f"{setting}: {without_userinfo(uri)}: there is no feed storage for {scheme}: (only {known})")
    # one letter is the drive of a Windows path
    path = file_uri_to_path(uri) if scheme == "file" else uri if len(scheme) < 2 else ""
    if path and (path.endswith(("/", os.sep)) or Path(path).is_dir()):
        raise ValueError(f"{setting}: {path} is a folder: name a file in it")
    if storages and SUFFIXES.get(Path(uri).suffix, WRITTEN[0]) not in WRITTEN:
        kinds = " or ".join(f".{kind}" for kind in WRITTEN)
        raise ValueError(f"{setting}: {without_userinfo(uri)}: nothing is written as {Path(uri).suffix}: use {kinds}")
    if path:
        _check_folder(setting, Path(path).absolute().parent)


def _check_folder(setting: str, folder: Path) -> None:
    """Raise ValueError where a folder, which is made with those above it, cannot be made or written to."""
    there = next(one for one in (folder, *folder.parents) if os.path.lexists(one) or one == one.parent)
    if not there.is_dir():
        raise ValueError(f"{setting}: {there} is no folder: nothing can be written below it")
    if not os.access(there, os.W_OK | os.X_OK):
        raise ValueError(f"{setting}: {there} cannot be written to: name another folder")


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
        logger.exception("URINORM_VISITS: not stored in %s; the visits are kept in %s", uri, spool)
        return False
    return True
