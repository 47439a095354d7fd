"""`urinorm import`: rules of others, and what sites say themselves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.whole_files import write_whole
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.importers.document import Document

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")

Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; `-`: stdout.")]


@app.callback()
def imports() -> None:
    """Make rule files from other rules: `dud` (duplicate-url-discarder), `robots` (Clean-param of robots.txt)."""


@app.command("dud")
def dud(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="JSON rule files.")],
    output: Output = "-",
    compose: Annotated[
        bool,
        typer.Option(
            "--compose",
            help="Let its universal rules act on sites with rules of their own, too, which that package does not do.",
        ),
    ] = False,
) -> None:
    """Carry over rule files of duplicate-url-discarder, and report what has no counterpart.

    Example: `urinorm import dud rules/*.json -o dud.toml`
    """
    from scrapy_urinorm.importers import dud as importer

    texts = {name: _read(name) for name in files}
    result = importer.converted(texts, compose=compose)
    _write(result.document, output)
    _report(result.carried, "rule", result.left)


@app.command("robots")
def robots(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="robots.txt files; `SITE=FILE` says which site a file is from."),
    ],
    site: Annotated[
        str | None, typer.Option("--site", metavar="SITE", help="The site of the files: example.com, or a URL of it.")
    ] = None,
    output: Output = "-",
) -> None:
    """Make rules from the Clean-param lines of robots.txt files: parameters that do not change the page.

    Example: `urinorm import robots shop.example.com=robots.txt -o clean.toml`
    """
    from scrapy_urinorm.importers import robots as importer

    rows = []
    for given in files:
        name, equals, file = given.partition("=")
        if equals and not Path(given).exists():
            rows.append((file, name, _read(file)))
        elif site is not None:
            rows.append((given, site, _read(given)))
        else:
            raise UrinormError(
                f"{given}: which site is this robots.txt from? write example.com={given}, or --site example.com"
            )
    try:
        result = importer.converted(rows)
    except ValueError as error:
        raise UrinormError(str(error)) from error
    _write(result.document, output)
    _report(result.carried, "Clean-param line", result.left)


def _read(name: str) -> str:
    try:
        return Path(name).read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UrinormError(f"{name}: is not UTF-8 text") from error


def _write(document: Document, output: str) -> None:
    text = document.to_toml()
    if output == "-":
        print(text, end="")
    else:
        write_whole(Path(output), text)


def _report(carried: int, noun: str, left: tuple[str, ...]) -> None:
    complain(f"{count(carried, noun)} carried over, {count(len(left), 'thing')} left out")
    for line in left:
        complain(f"left out: {line}")
