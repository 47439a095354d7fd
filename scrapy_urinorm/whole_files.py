"""Files that are written whole or not at all: what is made stands beside its place until it is complete."""

from __future__ import annotations

import contextlib
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give the path of a file to write, which is put into the place of `path` at the end, and removed after an error.

    Who may read a file that is there may read the new one; a link goes on pointing to it. What is no file, as a pipe or
    `/dev/stdout`, cannot be replaced, and is written as it is. Raises OSError.
    """
    if path.exists() and not path.is_file():
        yield path
        return
    place = path.resolve()
    partial = place.with_name(f"{place.name}.partial")
    try:
        # of a process that was killed; who may read it is nothing to go by
        partial.unlink(missing_ok=True)
        yield partial
        if place.exists():
            shutil.copymode(place, partial)
        partial.replace(place)
    except BaseException:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str, errors: str = "strict") -> None:
    """Write a text as UTF-8; `errors` as for `str.encode`. Raises OSError."""
    with replacing(path) as partial:
        partial.write_text(text, "utf-8", errors)
