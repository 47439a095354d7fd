"""`urinorm init`: a rule file to begin with."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.display import next_step, say
from scrapy_urinorm.cli.inputs import Column, Format, Inputs, lines_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.rulesets.sources import RULE_FILE
from scrapy_urinorm.whole_files import write_whole
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.recognition import Found

#: The formats of files that visits with marks are in.
_MARKED = ("jsonl", "parquet")


def init(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[FILE]...", help="URLs or visits of a crawl, as for `normalize`; `-`: stdin; none: start empty."
        ),
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; `-`: stdout.")
    ] = RULE_FILE,
    sites: Annotated[int, whole("--sites", least=1, help="How many sites to write, largest first.")] = 20,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
    column: Column = None,
    kind: Format = None,
) -> None:
    """Write a rule file with comments: the sites of a list of URLs, their parameters, and what may be worth a rule.

    Nothing in it changes a key until you remove a `#`, except `platform`, where visits show the program behind a site.

    Examples:
    - `urinorm init urls.txt`

    - `urinorm init visits.jsonl.zst --output -`
    """
    from scrapy_urinorm.importers.survey import SurveyedSite, starter, survey

    if output != "-" and Path(output).exists() and not force:
        raise UrinormError(f"{output} exists already: --force overwrites it")
    found: dict[str, SurveyedSite] = {}
    if files:
        inputs = Inputs(files, kind, column)
        with Progress(streams=False) as progress:
            for block in inputs.blocks():
                urls = lines_of(block)
                survey(urls, found)
                progress.add(len(urls), inputs.share)
    text = starter(found, sites, _programs(files or [], kind))
    if output == "-":
        print(text, end="")
        return
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    write_whole(Path(output), text)
    say(f"{output}: {count(len(found), 'site')}")
    next_step(f"remove the # from the lines that are right, then `urinorm check {output} --urls URLS`")


def _programs(files: list[str], kind: str | None) -> list[Found]:
    """The programs that visits show; files that hold no marks are not read again."""
    from scrapy_urinorm.inputs import expanded, kind_of, opened
    from scrapy_urinorm.visits import read_visits
    from scrapy_urinorm.visits.programs import programs
    from scrapy_urinorm.visits.table import URL_HEADERS

    if kind not in (None, *_MARKED):
        return []
    marked = []
    for name in expanded([file for file in files if file != "-"]):
        with opened(name, strict=False) as source:
            if kind_of(source, URL_HEADERS) in _MARKED:
                marked.append(name)
    return programs(read_visits(marked)) if marked else []
