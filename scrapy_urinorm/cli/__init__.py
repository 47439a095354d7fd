"""The command line: `urinorm`, and `scrapy urinorm` inside a project; a thin module per command."""

from __future__ import annotations

from functools import cache
from typing import Annotated

import typer
from typer.main import get_command

from scrapy_urinorm.cli import (
    check,
    diff,
    evaluate,
    explain,
    groups,
    imports,
    init,
    learn,
    normalize,
    platforms,
    presets,
    report,
    rules,
    schema,
    seen,
    unique,
    validate,
    why,
)
from scrapy_urinorm.cli.failures import Commands, outputs_open, reported
from scrapy_urinorm.cli.project import read_again

app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
app.command("explain")(explain.explain)
app.command("check")(check.check)
app.command("normalize")(normalize.normalize)
app.command("diff")(diff.diff)
app.command("groups")(groups.groups)
app.command("unique")(unique.unique)
app.command("sample")(unique.sample)
app.command("init")(init.init)
app.add_typer(imports.app, name="import")
app.command("why")(why.why)
app.command("learn")(learn.learn)
app.command("validate")(validate.validate)
app.command("eval")(evaluate.evaluate)
app.command("report")(report.report)
app.add_typer(seen.app, name="seen")
app.command("rules")(rules.rules)
app.command("platforms")(platforms.platforms)
app.command("presets")(presets.presets)
app.command("schema")(schema.schema)


def _print_version(wanted: bool) -> None:
    if wanted:
        from scrapy_urinorm.cli.versions import versions

        print("\n".join(versions()))
        raise typer.Exit


@app.callback()
def urinorm(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions of what matters."),
    ] = False,
) -> None:
    """See, check and try the rules by which a crawl tells that two URLs are one page."""


#: Commands and options are read from the functions once in a process, which takes longer than most commands.
_command = cache(get_command)


def main(args: list[str] | None = None, *, prog_name: str = "urinorm", project: object = None) -> int:
    """Run the program and return its exit code: 0, 1 for findings or differences, 2 for errors, 130 for Ctrl-C.

    `project` is what `scrapy urinorm` knows of the project; None reads the rules that the options name.
    """
    read_again()
    with outputs_open(), reported() as outcome:
        try:
            _command(app)(args=args, prog_name=prog_name, obj=project)
        except SystemExit as error:
            outcome.code = error.code if isinstance(error.code, int) else 2
    return outcome.code
