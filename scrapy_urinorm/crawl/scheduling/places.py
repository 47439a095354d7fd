"""Where the file of a crawl's requests is: in the job's folder, with what is remembered between runs, or temporary."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy.exceptions import NotConfigured
from scrapy.utils.job import job_dir
from scrapy.utils.project import data_path

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.crawl.filtering.store import only_looks, prefix_of, shared_folder
from scrapy_urinorm.crawl.requests.database import RequestsFileError, RequestsFileInUseError
from scrapy_urinorm.crawl.requests.file import COMMIT_CHANGES, FILE_NAME, RequestsFile
from scrapy_urinorm.crawl.requests.rows import State
from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.seen.redis_address import RedisAddress, is_redis
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.settings import BaseSettings

#: Processes of one spider on one machine: more than any has cores for. A disk that lends no locks has all files in use.
_MOST = 200


class PlaceOfRequests(NamedTuple):
    """The folder of the file, None for a temporary one, and its name there."""

    folder: Path | None
    name: str
    is_job: bool = False
    """Whether it is the folder of a job, where a crawl that ends well leaves its queue and its variants to others."""
    for_many: bool = False
    """Whether several processes may be at work, as their fingerprints are in Redis: each has a file of its own."""


def place_of_requests(spider: Spider, *, lasting: bool) -> PlaceOfRequests:
    """Where the requests of a spider are written down. Raises ValueError for an address of Redis that cannot be.

    `lasting`: whether fingerprints may be kept from run to run elsewhere than in the folder of a job: what was found
    and not fetched has to be kept then as well. Redis has the fingerprints alone: the requests are in the project's
    data folder, or in `URINORM_SEEN_DIR`.
    """
    settings: BaseSettings = spider.crawler.settings
    if jobdir := job_dir(settings):
        return PlaceOfRequests(Path(jobdir), FILE_NAME, is_job=True)
    lasting = lasting and not only_looks(spider.crawler)
    name = FILE_NAME + "-" + re.sub(r"[^\w.-]", "_", spider.name)
    if lasting and (folder := shared_folder(settings)):
        # several spiders may remember in one folder
        return PlaceOfRequests(folder, name)
    if lasting and is_redis(url := own.text(settings, "URINORM_SEEN")):
        place = RedisAddress(url, prefix_of(settings, spider.name)).place
        mark = hash_of(place, 4).hex()
        given = Path(own.value(settings, "URINORM_SEEN_DIR") or _data_folder())
        # without a journal each process has what it keeps back for itself, but what runs with one have left is served
        if own.switch(settings, "URINORM_JOURNAL") or (given / f"{name}-{mark}").exists():
            return PlaceOfRequests(given, f"{name}-{mark}", for_many=True)
    return PlaceOfRequests(None, FILE_NAME)


def _data_folder() -> Path:
    """The project's folder for data. A deployed one may have no `scrapy.cfg`, or be where nothing can be written."""
    try:
        return Path(data_path("urinorm"))
    except (NotConfigured, OSError):
        return Path(".scrapy", "urinorm")


def opened_for_many(place: PlaceOfRequests) -> tuple[PlaceOfRequests, RequestsFile]:
    """Open a file of a place for many, and return it; where none can be had, a temporary place, and a warning says so.

    It is the first that no running process has, and gets what ended processes have left in others. Raises
    RequestsFileError where one is damaged.
    """
    folder = place.folder
    for number in range(1, _MOST + 1):
        file = RequestsFile(folder, place.name if number == 1 else f"{place.name}.{number}")
        try:
            file.open()
            break
        except RequestsFileError as error:
            in_use = isinstance(error, RequestsFileInUseError)
            if in_use and number < _MOST:
                continue
            if not in_use and not isinstance(error.__cause__, OSError | sqlite3.OperationalError):
                raise
            # nobody asked for this folder; a crawl that needs Redis alone goes on without
            own.logger.warning(
                "URINORM_SEEN_DIR: if this crawl stops early, pages that still wait count as seen in Redis: %s", error
            )
            return PlaceOfRequests(None, FILE_NAME), RequestsFile(None)
    assert folder is not None
    try:
        for path in sorted(folder.glob(f"{place.name}*")):
            if re.fullmatch(r"(?:\.[0-9]+)?", path.name.removeprefix(place.name)) and path.name != file.name:
                _take_over(RequestsFile(folder, path.name), file)
    except BaseException:
        file.close()
        raise
    return place, file


def _take_over(left: RequestsFile, file: RequestsFile) -> None:
    """Move all requests, and what is known of their keys; a kill in between leaves them in both.

    The file itself stays: who opens it at this moment has it, and not one that was removed.
    """
    try:
        left.open()
    except RequestsFileInUseError:
        return
    try:
        known = {key for key, _ in file.notes()}
        for key, text in left.notes():
            if key not in known:
                file.note(key, text)
        for state in State:
            # nothing is known here of what a request is parked for
            kept = State.QUEUED if state is State.PARKED else state
            for row in left.rows(state):
                file.put(row._replace(id=file.new_id(), state=kept, class_key=None, generation=0))
                if file.changes >= COMMIT_CHANGES:
                    file.commit()
        file.commit()
        left.delete(*State)
        left.forget_notes()
        left.set_marks(running="")
    finally:
        left.close()
