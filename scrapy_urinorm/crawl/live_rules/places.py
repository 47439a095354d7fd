"""Where live rules put what they need for a run, and where they name what they have not sent."""

from __future__ import annotations

import json
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext, suppress
from pathlib import Path

from scrapy_urinorm.crawl import settings as own
from scrapy_urinorm.temporary import make_temporary, remove_temporary
from scrapy_urinorm.visits.redaction import Redaction
from scrapy_urinorm.visits.writer import private
from scrapy_urinorm.whole_files import replacing

_FOLDER = "urinorm.live"
PARKED_FILE = "urinorm.parked.jsonl"


def folder_for(jobdir: str | None, crawl: object) -> tuple[str, Callable[[], object], str]:
    """Return the folder of the process that learns, what removes it if it is for this run, and why nothing may wait."""
    if jobdir:
        return str(Path(jobdir, _FOLDER)), lambda: None, ""
    try:
        folder, remove = temporary_folder(crawl)
    except OSError as error:
        return "", lambda: None, f"there is no room for what they learn ({error}); set a JOBDIR, or TMPDIR"
    return folder, remove, _why_not_named()


def temporary_folder(crawl: object) -> tuple[str, Callable[[], object]]:
    """Return a folder for the process that learns, and what removes it; at the end at the latest: shells close nothing.

    It lies in another one: a process that comes to make it when that is gone makes nothing.
    """
    outer = make_temporary("live")
    return str(Path(outer, _FOLDER)), weakref.finalize(crawl, remove_temporary, outer)


def _why_not_named() -> str:
    """Return why what is kept back could not be named when the crawl ends; empty where it can be.

    It is tried: a file system that is mounted to be read alone has all rights.
    """
    path = Path(PARKED_FILE).absolute()
    try:
        # that of another crawl is there, or comes meanwhile: it is left alone
        if path.exists():
            with path.open("ab"):
                pass
        else:
            with tempfile.TemporaryFile(dir=path.parent):
                pass
    except OSError as error:
        return f"{path}, where what they keep back is named, cannot be written ({error.strerror}); set a JOBDIR"
    return ""


def write_parked(
    jobdir: str | None, rows: Callable[[], Iterable[tuple[str, str]]], crawl: str, *, waits: bool = False
) -> None:
    """Name what was not sent, each address with why: in a file, or in a temporary folder, or else in the log.

    The folder could be written when the crawl began. A disk may be full by now, and nothing else knows the addresses.
    Of a job, or of what `waits` elsewhere, it names what does now; other crawls add to what was named before them.
    A file has the addresses as they are, to be fetched, and is for its owner alone, as the requests of a job are; in
    the log secrets are masked.
    """

    def lines(shown: Callable[[str], str] = str) -> Iterator[str]:
        for url, why in rows():
            yield json.dumps({"url": shown(url), "why": why, "crawl": crawl}, ensure_ascii=False)

    if next(lines(), None) is None:
        if jobdir:
            # that of a run before names what was fetched since
            Path(jobdir, PARKED_FILE).unlink(missing_ok=True)
        return
    for path in (Path(jobdir or ".", PARKED_FILE), Path(tempfile.gettempdir(), f"{crawl}.{PARKED_FILE}")):
        try:
            _write(path, lines(), whole=bool(jobdir or waits))
        except OSError as error:
            own.logger.error("Live rules: what was kept back cannot be written to %s: %s", path, error.strerror)
        else:
            own.logger.info("Live rules: what was not sent is named in %s", path)
            return
    for line in lines(Redaction()):
        own.logger.error("Live rules: not sent: %s", line)


def _write(path: Path, lines: Iterable[str], *, whole: bool) -> None:
    """Write lines in place of a file, or behind what others have written there."""
    # two workers of a fleet may have judged the end, and each names all of it
    with replacing(path) if whole else nullcontext(path) as place:
        if place != path and not path.exists():
            place.chmod(0o600)
        torn = not whole and _is_torn(path)
        # a line at a time, as another process may add to it in the same moment
        with open(place, "a", buffering=1, encoding="utf-8", errors="surrogatepass", opener=private) as file:
            file.write("\n" * torn)
            file.writelines(f"{line}\n" for line in lines)


def _is_torn(path: Path) -> bool:
    """Whether a file ends within a line, as where the disk was full: what is added would be a part of that."""
    with suppress(OSError), path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
    return False
