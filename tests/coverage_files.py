"""What the processes of a run write down of their coverage, where one may be killed in the middle of it."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from coverage.data import combinable_files


def remove_torn(data_file: str) -> None:
    """Remove what is no whole database of the files that are to be combined into a data file.

    coverage leaves most such files out, with a warning, and fails at those whose damage it finds late.
    """
    for path in map(Path, combinable_files(data_file)):
        if not _is_whole(path):
            path.unlink(missing_ok=True)


def _is_whole(path: Path) -> bool:
    with contextlib.suppress(sqlite3.Error):
        database = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
        with contextlib.closing(database):
            return bool(database.execute("pragma integrity_check").fetchall() == [("ok",)])
    return False
