"""What the file of requests of a job says, asked between two runs."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from scrapy_urinorm.crawl.requests.database import RequestsFileError
from scrapy_urinorm.crawl.requests.file import FILE_NAME


def states_of(folder: str, fingerprints: list[bytes]) -> dict[bytes, list[str]] | None:
    """The states of the rows with some fingerprints in the file of a job; None where there is no file.

    Nothing is changed, so that a job can be asked between two runs. Raises RequestsFileError while a crawl has it open.
    """
    path = Path(folder, FILE_NAME)
    if not path.is_file():
        return None
    found: dict[bytes, list[str]] = {}
    try:
        with contextlib.closing(
            sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=1)
        ) as database:
            for fingerprint in fingerprints:
                rows = database.execute("select state from requests where fingerprint = ? order by id", [fingerprint])
                found[fingerprint] = [state for (state,) in rows]
    except sqlite3.Error as error:
        raise RequestsFileError(f"{path}: cannot be read while a crawl is using it: {error}") from error
    return found
