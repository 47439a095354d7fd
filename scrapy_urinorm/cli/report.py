"""`urinorm report`: one page on what a crawl did and what its rules did to it."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  read at run time
from typing import Annotated

import typer

from scrapy_urinorm.cli.display import next_step, say, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.learn import Base, Columns, Crawl, Kind, Visits, column_pairs
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import Preset, Rules, chosen
from scrapy_urinorm.cli.workers import Jobs  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count


def report(
    ctx: typer.Context,
    visits: Visits,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The HTML page to write.")
    ] = None,
    rules: Rules = None,
    preset: Preset = None,
    json_output: Annotated[
        str | None,
        typer.Option(
            "--json", "--json-output", metavar="FILE", help="Write the same as data, for programs; `-`: stdout."
        ),
    ] = None,
    stats: Annotated[
        Path | None,
        typer.Option("--stats", metavar="FILE", help="The stats of the crawl as JSON: they say what was avoided."),
    ] = None,
    learn: Annotated[
        bool, typer.Option("--learn/--no-learn", help="Propose rules for the duplicates that are left.")
    ] = True,
    kind: Kind = "auto",
    columns: Columns = None,
    base: Base = None,
    jobs: Jobs = 0,
    crawl: Crawl = "newest",
) -> None:
    """Write one HTML page on a crawl: what was fetched twice, what the rules merge, and which merges look wrong.

    The page opens from disk and loads nothing from a network.

    Examples:
    - `urinorm report visits.jsonl.zst --output report.html`

    - `urinorm report visits.jsonl.zst --rules urinorm.toml --output report.html --json report.json`
    """
    from scrapy_urinorm.report import write_report
    from scrapy_urinorm.report.headline import sentences

    if output is None and json_output is None:
        raise UrinormError("nothing to write: give --output report.html or --json report.json")
    twin = None if json_output == "-" else json_output
    ruleset = chosen(ctx, rules, preset).ruleset()
    with Progress("visits", streams=False) as progress:
        found = write_report(
            visits,
            output,
            ruleset,
            json_output=twin,
            format=kind,
            columns=column_pairs(columns),
            base=base,
            stats=_stats(stats) if stats else None,
            learn=learn,
            jobs=jobs,
            crawl=crawl,
            progress=progress.add,
        )
    for problem in found["input"]["problems"]:
        complain(str(problem))
    if found["input"]["bad"]:
        complain(f"{count(found['input']['bad'], 'row')} could not be read")
    if json_output == "-":
        write_json(found)
        return
    for sentence in sentences(found):
        say(sentence)
    for name in (output, json_output):
        if name is not None:
            say(f"written: {name}", "green")
    if output is not None:
        next_step("open the page; rules to copy are under Traps and Proposals, `urinorm check --urls` tries them")


def _stats(path: Path) -> dict[str, object]:
    import json

    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise UrinormError(f"{path}: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UrinormError(f"{path}: not a JSON object of stats")
    return found
