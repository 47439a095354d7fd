"""The report as files: the page, and its JSON twin."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.extras import MissingExtraError
from scrapy_urinorm.whole_files import write_whole

if TYPE_CHECKING:
    from scrapy_urinorm.rulesets.ruleset import RuleSet


def write_report(
    visits: Iterable[str | Path],
    output: str | Path | None,
    ruleset: RuleSet,
    *,
    json_output: str | Path | None = None,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    stats: Mapping[str, Any] | None = None,
    learn: bool = True,
    jobs: int = 0,
    crawl: str = "newest",
    progress: Callable[[int], None] = lambda rows: None,
) -> dict[str, Any]:
    """Write the report on files of visits under a set of rules; return what it says.

    `output` is the HTML page, `json_output` its twin for machines; either may be None. The other arguments are those
    of `findings`. A file is written as a whole or not at all. Raises
    `VisitsError`, `OSError`, and `MissingExtraError` where the extra `report` is not installed.
    """
    try:
        from scrapy_urinorm.report.findings import findings
        from scrapy_urinorm.report.page import page
    except ImportError as error:
        raise MissingExtraError("The report", "report") from error
    for place in (output, json_output):
        if place is not None:
            make_place(Path(place))
    visits = list(visits)
    found = findings(
        visits, ruleset, format=format, columns=columns, base=base, stats=stats, learn=learn, jobs=jobs,
        crawl=crawl, progress=progress,
    )  # fmt: skip
    found["input"]["files"] = [Path(path).name for path in visits][:20]
    if output is not None:
        # the names of files may have octets that are not UTF-8
        write_whole(Path(output), page(found), "backslashreplace")
    if json_output is not None:
        write_whole(Path(json_output), json.dumps(found, indent=1) + "\n")
    return found


def make_place(path: Path) -> None:
    """Make the folder of a file that is to be written, before the work for it is done. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
