"""The visits of a crawl in a folder, two files a site, so that a student that is started again knows what it knew."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from scrapy_urinorm.recipe import hash_of
from scrapy_urinorm.visits.record import Visit, visit_from_row
from scrapy_urinorm.visits.writer import cut_torn, private
from scrapy_urinorm.whole_files import write_whole

_STRUCK = "struck.json"
_MET = ".met"


class FolderStore:
    """A `Store` in a folder that only its owner reads. It is made in one that is there: else its crawl has ended."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True, mode=0o700)
        for path in (*self.folder.glob("*.jsonl"), *self.folder.glob(f"*{_MET}")):
            with suppress(OSError):
                cut_torn(path)

    def _path(self, site: str) -> Path:
        return self.folder / f"{hash_of(site).hex()}.jsonl"

    def add(self, site: str, visit: Visit) -> None:
        """Keep a visit, as long as there is a folder: it goes with the crawl, which may end before we are done."""
        path = self._path(site)
        if not self.folder.exists():
            return
        with suppress(FileNotFoundError), open(path, "ab", opener=private) as file:
            if file.tell() == 0:
                file.write(json.dumps(site).encode() + b"\n")
            file.write(visit.to_json().encode("utf-8", "surrogatepass") + b"\n")

    def visits(self, site: str, first: int = 0) -> Iterator[Visit]:
        """Return those of a site, without the `first` ones."""
        path = self._path(site)
        return self._read(path, first) if path.exists() else iter(())

    @staticmethod
    def _read(path: Path, first: int = 0) -> Iterator[Visit]:
        with path.open("rb") as file:
            for line in islice(file, 1 + first, None):
                # a line may have been cut off by a full disk
                with suppress(ValueError):
                    yield visit_from_row(json.loads(line))

    def all(self) -> Iterator[tuple[str, Visit]]:
        """Return the visits of a run before, with their sites."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with suppress(ValueError, OSError):
                with path.open("rb") as file:
                    site = json.loads(next(file, b"null"))
                if isinstance(site, str):
                    yield from ((site, visit) for visit in self._read(path))

    def note(self, site: str, urls: Iterable[str]) -> None:
        """Keep addresses that pages of a site have named: without them the links of its visits lead nowhere."""
        lines = b"".join(json.dumps(url).encode() + b"\n" for url in urls)
        if self.folder.exists():
            with suppress(FileNotFoundError), open(self._path(site).with_suffix(_MET), "ab", opener=private) as file:
                file.write(lines)

    def noted(self) -> Iterator[str]:
        """Return the addresses that were kept in a run before."""
        for path in sorted(self.folder.glob(f"*{_MET}")):
            with suppress(OSError), path.open("rb") as file:
                for line in file:
                    with suppress(ValueError):
                        url = json.loads(line)
                        if isinstance(url, str):
                            yield url

    def forget(self, site: str) -> None:
        """Remove what there is of a site."""
        for path in (self._path(site), self._path(site).with_suffix(_MET)):
            path.unlink(missing_ok=True)

    def keep(self, struck: dict[str, Any]) -> None:
        """Keep what a student's `state` says."""
        with suppress(FileNotFoundError):
            write_whole(self.folder / _STRUCK, json.dumps(struck))

    def kept(self) -> dict[str, Any]:
        """Return what was kept; nothing where there is nothing."""
        with suppress(OSError, ValueError):
            found = json.loads((self.folder / _STRUCK).read_text("utf-8"))
            return found if isinstance(found, dict) else {}
        return {}
