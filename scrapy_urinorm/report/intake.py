"""Files of visits to parts on disk, through all cores; what is in memory does not grow with the input."""

from __future__ import annotations

import itertools
import secrets
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from pyarrow import compute

from scrapy_urinorm.content import Frame, is_answer
from scrapy_urinorm.processes import cores, in_order
from scrapy_urinorm.recognition import Found, Recognizer
from scrapy_urinorm.report.blocks import Block, blocks_of, rows_of
from scrapy_urinorm.report.columns import Columns, JsonLines, gathered, number_of, text_of
from scrapy_urinorm.report.content import octets
from scrapy_urinorm.suffixes import site_of
from scrapy_urinorm.url import split
from scrapy_urinorm.visits.reader import PROBLEMS_KEPT, VisitsError, read_visits
from scrapy_urinorm.visits.redaction import Redaction

if TYPE_CHECKING:
    from pathlib import Path

    from scrapy_urinorm.report.content import Words
    from scrapy_urinorm.rulesets.ruleset import RuleSet

FRAME_PAGES = 400
"""Pages of a site from which its frame is taken, and `FRAME_ROWS` of all sites together."""
# chosen: reading pages is the dear part of taking in
FRAME_ROWS = 4_000


@dataclass(slots=True)
class Intake:
    """What was read: the numbers of rows of the parts, in order, and the rows that could not be read."""

    counts: list[int] = field(default_factory=list)
    bad: int = 0
    problems: list[str] = field(default_factory=list)
    crawls: dict[str, Counter[str | None]] = field(default_factory=dict)
    """How many visits of each crawl a file has; None: of none that says which."""
    only: dict[str, str | None] = field(default_factory=dict)
    """Of which crawl the visits were taken from a file, where not from all."""
    programs: list[Found] = field(default_factory=list)
    """What is recognized by the marks of the first pages."""

    @property
    def rows(self) -> int:
        """The visits read."""
        return sum(self.counts)

    def refuse(self, bad: int, problems: list[str]) -> None:
        """Count rows that could not be read, and keep why of the first."""
        self.bad += bad
        self.problems += problems[: PROBLEMS_KEPT - len(self.problems)]


Filed = tuple[str, int, "Path | list[dict[str, Any]]"]
"""A block whose lines of JSON stand in a file of their own."""
Result = tuple[str, int, int, list[str], dict["str | None", int]]
"""What is told of a block: its file, its rows, those that could not be read and why, and the rows of each crawl."""
NEWEST, ALL = "newest", "all"


def take_in(
    paths: Iterable[str | Path],
    ruleset: RuleSet,
    folder: Path,
    *,
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    jobs: int = 0,
    crawl: str = NEWEST,
    progress: Callable[[int], None] = lambda rows: None,
) -> Intake:
    """Read visits and write the parts into a folder; `progress` is told of rows as they are done.

    `crawl` is `newest`, `all`, or the id of one: of a file that has visits of several crawls only those are read.
    `format`, `columns` and `base` are those of `read_visits`. Raises `VisitsError`.
    """
    paths = [*paths]
    work = _Work(ruleset, {}, folder, secrets.token_bytes(16))
    only: dict[str, str | None] = {}
    if crawl not in (NEWEST, ALL):
        only = dict.fromkeys(read_visits(paths, format=format).paths, crawl)
    found = _taken(paths, work, only, format, dict(columns or {}), base, jobs, progress)
    if crawl == NEWEST and (only := _newest(found.crawls)):
        # few files have more than one; which is the newest is known at their end
        found = _taken(paths, work, only, format, dict(columns or {}), base, jobs, lambda rows: None)
    if crawl not in (NEWEST, ALL) and not found.rows:
        known = sorted({name for counts in found.crawls.values() for name in counts if name is not None})
        there = ", ".join(known) or "none with an id"
        raise VisitsError(f"there are no visits of a crawl {crawl!r}; there are {there}")
    return found


def _taken(
    paths: list[str | Path],
    work: _Work,
    only: dict[str, str | None],
    kind: str,
    columns: dict[str, str],
    base: str | None,
    jobs: int,
    progress: Callable[[int], None],
) -> Intake:
    found = Intake(only=only)
    blocks = blocks_of(paths, kind, columns, base, refused=found.refuse)
    ahead: list[Block] = []
    recognizer = Recognizer()
    work.only, work.frames = only, _frames(blocks, ahead, recognizer)
    found.programs = recognizer.found()
    for path, count, bad, problems, crawls in _results(work, ahead, blocks, jobs):
        found.counts.append(count)
        found.refuse(bad, problems)
        found.crawls.setdefault(path, Counter()).update(crawls)
        progress(count)
    return found


def _newest(crawls: Mapping[str, Mapping[str | None, int]]) -> dict[str, str | None]:
    """The newest crawl of each file that has more than one; visits that bear none are older than all."""
    return {path: max(filter(None, counts)) for path, counts in crawls.items() if len(counts) > 1}


def _part(folder: Path, number: int) -> Path:
    return folder / f"{number:06}.visits"


class _Work:
    """The work on one block; small enough to be sent to a process, where it makes its columns once."""

    def __init__(self, ruleset: RuleSet, frames: dict[str, Words], folder: Path, salt: bytes) -> None:
        self.ruleset, self.frames, self.folder, self.salt = ruleset, frames, folder, salt
        self.only: dict[str, str | None] = {}
        self._redact = Redaction(salt)
        self._tools: tuple[Columns, JsonLines] | None = None

    def __getstate__(self) -> dict[str, Any]:
        state = {**self.__dict__, "_tools": None}
        del state["_redact"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._redact = Redaction(self.salt)

    def __call__(self, numbered: tuple[int, Filed]) -> Result:
        if self._tools is None:
            self._tools = Columns(self.ruleset, self.frames), JsonLines()
        columns, lines = self._tools
        number, (path, start, data) = numbered
        problems: list[str] = []
        bad = 0
        if isinstance(data, list):
            table = gathered(data)
        elif (found := lines.table(data)) is not None:
            table = found
        else:
            rows, bad, problems = rows_of(path, start, [data.read_bytes()])
            table = gathered(rows)
        counted = compute.value_counts(table.column("crawl")).to_pylist()
        crawls = {row["values"]: row["counts"] for row in counted}
        if path in self.only:
            wanted = table.column("crawl")
            name = self.only[path]
            table = table.filter(compute.is_null(wanted) if name is None else compute.equal(wanted, name))
        columns.write(self._without_secrets(table), number, _part(self.folder, number))
        return path, table.num_rows, bad, problems, crawls

    def _without_secrets(self, table: pa.Table) -> pa.Table:
        """Mask what is secret in the addresses that others have recorded; rows that bear a crawl are our own."""
        foreign = compute.is_null(table.column("crawl")).to_pylist()
        if not any(foreign):
            return table
        redact = self._redact
        for name in ("url", "final_url"):
            urls = table.column(name).to_pylist()
            asked = [url if other and url else "" for url, other in zip(urls, foreign, strict=True)]
            safe = redact.all(asked)
            if safe != asked:
                masked = [new or url for new, url in zip(safe, urls, strict=True)]
                table = table.set_column(table.schema.get_field_index(name), name, pa.array(masked, pa.string()))
        return table


def _results(work: _Work, ahead: list[Block], blocks: Iterator[Block], jobs: int) -> Iterator[Result]:
    following = next(blocks, None)
    alone = following is None and len(ahead) < 2
    jobs = 1 if alone else jobs or cores()
    return in_order(work, enumerate(_filed(_chained(ahead, following, blocks), work.folder, jobs)), jobs)


def _chained(ahead: list[Block], following: Block | None, blocks: Iterator[Block]) -> Iterator[Block]:
    while ahead:
        yield ahead.pop(0)
    if following is not None:
        yield following
    yield from blocks


def _filed(blocks: Iterable[Block], folder: Path, jobs: int) -> Iterator[Filed]:
    """Blocks of JSON lines as files, which DuckDB asks for; through a pipe to the process they would be copied twice.

    Two items a process are worked on at a time, so that few files are enough: one that is written over costs a seventh
    of one that is made anew.
    """
    names = itertools.cycle([folder / f"{number}.json" for number in range(2 * jobs + 2)])
    for path, start, data in blocks:
        if isinstance(data, list):
            yield path, start, data
            continue
        name = next(names)
        with name.open("r+b" if name.exists() else "wb") as file:
            file.writelines(data)
            file.truncate()
        yield path, start, name


def _frames(blocks: Iterator[Block], ahead: list[Block], recognizer: Recognizer) -> dict[str, Words]:
    """Read blocks ahead until enough pages are known, and return the slots of the frame of each site.

    The recognizer sees those pages. Empty where the first block has no lines at all.
    """
    frames: dict[str, Frame] = {}
    pages: dict[str, list[tuple[str, bytes, str | None]]] = defaultdict(list)
    looked = 0
    for block in blocks:
        ahead.append(block)
        path, start, data = block
        rows = data if isinstance(data, list) else rows_of(path, start, data)[0]
        known = _add_pages(rows, frames, pages, recognizer)
        looked += known
        if not known or looked >= FRAME_ROWS:
            break
    for site, frame in frames.items():
        frame.find_telling(pages[site])
    return {site: np.array(sorted(slots), "<u8") for site, frame in frames.items() if (slots := frame.slots())}


def _add_pages(
    rows: Sequence[Mapping[str, Any]],
    frames: dict[str, Frame],
    pages: dict[str, list[tuple[str, bytes, str | None]]],
    recognizer: Recognizer,
) -> int:
    known = 0
    for row in rows:
        lines = octets(row.get("lines"), 16)
        if not lines or not is_answer(number_of(row.get("status"))):
            continue
        known += 1
        url, marks = text_of(row.get("final_url")) or row["url"], row.get("marks")
        recognizer.see(url, map(str, marks) if isinstance(marks, (list, tuple)) else ())
        parts = split(url)
        if parts is None:
            continue
        site = site_of(parts.host)
        frame = frames.setdefault(site, Frame())
        if frame.pages < FRAME_PAGES:
            frame.add(lines, octets(row.get("line_words"), 1) or None)
            pages[site].append((row["url"], lines, text_of(row.get("crawl"))))
    return known
