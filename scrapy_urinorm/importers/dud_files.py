"""The rule files of duplicate-url-discarder, as they are."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from scrapy_urinorm.errors import UrinormError

PROCESSORS = ("queryRemoval", "queryRemovalExcept", "subpathRemoval", "normalizer")


class ImportedFileError(UrinormError, ValueError):
    """A file to import is not what its format says."""


class DudRule(NamedTuple):
    """One rule of the peer; `place` is its file and number."""

    place: str
    processor: str
    args: tuple[Any, ...]
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    order: int

    @property
    def universal(self) -> bool:
        """Whether it has no pattern, and so matches every URL."""
        return not any(self.include)


def read(text: str, name: str) -> list[DudRule]:
    """The rules of a file; raises ImportedFileError, naming the entry."""
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ImportedFileError(f"{name}: does not parse: {error}") from None
    if not isinstance(rows, list):
        raise ImportedFileError(f"{name}: is not a list of rules")
    return [_read_one(row, f"{name}, rule {number}") for number, row in enumerate(rows, 1)]


def _read_one(row: Any, place: str) -> DudRule:
    pattern = row.get("urlPattern") if isinstance(row, dict) else None
    if not isinstance(row, dict) or not isinstance(pattern, dict):
        raise ImportedFileError(f"{place}: has no urlPattern")
    processor = row.get("processor")
    if processor not in PROCESSORS:
        raise ImportedFileError(f"{place}: there is no processor {processor!r}; there are {', '.join(PROCESSORS)}")
    args = row.get("args") or []
    wanted = int if processor == "subpathRemoval" else str
    if not isinstance(args, list) or not all(isinstance(a, wanted) and not isinstance(a, bool) for a in args):
        raise ImportedFileError(f"{place}: args {args!r} are not a list of {wanted.__name__}")
    lists = [pattern.get(key) or [] for key in ("include", "exclude")]
    if not all(isinstance(one, list) and all(isinstance(p, str) for p in one) for one in lists):
        raise ImportedFileError(f"{place}: include and exclude are not lists of text")
    order = row.get("order", 0)
    return DudRule(
        place, processor, tuple(args), tuple(lists[0]), tuple(lists[1]), order if isinstance(order, int) else 0
    )
