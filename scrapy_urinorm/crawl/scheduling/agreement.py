"""What was seen and what waits are two files: after a power failure, or in a copy, one may be older than the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.seen.journal import FILE_NAME, HEADER_BYTES
from scrapy_urinorm.seen.protocol import KeepsOrder

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.crawl.requests.file import RequestsFile
    from scrapy_urinorm.crawl.scheduling.places import PlaceOfRequests


def open_alone(place: PlaceOfRequests, file: RequestsFile, *, in_force: bool) -> None:
    """Open the file of one process.

    Where the folder of a job knows what was seen, and nothing of what waited, `finished` would be a lie: a log line
    tells of a file that is gone; Scrapy's queue, if it has an index, is what is left then. Raises RequestsFileError,
    also where the file has lost all that it had. Where no journal is `in_force` it has what is kept back alone, and a
    full disk may have left it empty.
    """
    if not in_force or not place.is_job or place.folder is None or not _has_seen(place.folder):
        file.open()
        return
    path = place.folder / place.name
    begun = path.exists()
    file.open(begun=begun)
    if begun:
        return
    torn = not (place.folder / "requests.queue" / "active.json").exists()
    file.unclean = torn
    if torn or (place.folder / "urinorm.live").exists():
        own.logger.error(
            "There was no %s, and %s knows what earlier runs of this job saw: what waited then is not fetched; "
            "remove the folder of the job to begin anew",
            path, FILE_NAME,
        )  # fmt: skip


def _has_seen(folder: Path) -> bool:
    try:
        return (folder / FILE_NAME).stat().st_size > HEADER_BYTES
    except OSError:
        return False


def forget_later(place: PlaceOfRequests, file: RequestsFile, store: object) -> None:
    """Have the seen store forget what came after the last that the file of a run that was cut off knows of.

    What that run had found by then waits in the file, and leads to the rest once more. Raises SeenStoreError.
    """
    ordered = _of_job(place, store)
    if not file.unclean or ordered is None or not (said := file.mark("seen")):
        return
    later = ordered.written - int(said)
    if later > 0:
        ordered.cut(int(said))
        own.logger.warning(
            "%s is older than %s, as after a power failure: %d fingerprints are forgotten, and what they stand for is "
            "fetched again where a page leads to it", file.name, FILE_NAME, later,
        )  # fmt: skip


def count_seen(place: PlaceOfRequests, file: RequestsFile, store: object) -> None:
    """From now on the file says with all that it writes how much the store has."""
    ordered = _of_job(place, store)
    if ordered is not None:
        file.seen = lambda: ordered.written


def _of_job(place: PlaceOfRequests, store: object) -> KeepsOrder | None:
    """The store, if nobody else writes into it: in a folder of several spiders others may have gone on."""
    return store if isinstance(store, KeepsOrder) and place.is_job and store.folder == place.folder else None
