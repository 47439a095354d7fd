"""`urinorm seen`: look into the store of fingerprints of a crawl, move it, shrink it, clear it, check it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.failures import FINDINGS
from scrapy_urinorm.cli.project import Json, Preset, Rules, chosen, crawl_of
from scrapy_urinorm.wording import count as counted

app = typer.Typer(no_args_is_help=True, rich_markup_mode="markdown")

Place = Annotated[
    str,
    typer.Argument(
        metavar="PLACE", help="A job's folder, a store's file or folder, `requests.seen`, or a redis:// URL."
    ),
]
Prefix = Annotated[str, typer.Option("--prefix", metavar="TEXT", help="What the keys in Redis begin with.")]


@app.callback()
def seen() -> None:
    """Work with the fingerprints that a crawl has seen: count, look up, move, shrink, clear and check them."""


@app.command("count")
def count(place: Place, prefix: Prefix = "urinorm", as_json: Json = False) -> None:
    """Count the fingerprints of a store; `--json` adds its bytes in memory and on disk.

    Example: `urinorm seen count jobs/shop`
    """
    from scrapy_urinorm.seen import maintenance

    number = maintenance.count(place, prefix=prefix)
    if as_json:
        kind = maintenance.kind_of(place)
        sizes = {} if kind == "requests.seen" else maintenance.sizes(place, prefix=prefix)
        write_json({"place": place, "kind": kind, **sizes, "count": number})
    else:
        print(number)


@app.command("contains")
def contains(
    ctx: typer.Context,
    place: Place,
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="URLs, looked up as GET requests.")],
    rules: Rules = None,
    preset: Preset = None,
    prefix: Prefix = "urinorm",
    as_json: Json = False,
) -> None:
    """Say which URLs a crawl has seen, under the rules of the options or the project; exits with 1 if one is missing.

    Example: `scrapy urinorm seen contains jobs/shop "https://shop.example/p/7?utm_source=x"`
    """
    from scrapy_urinorm.seen import maintenance

    normalizer = chosen(ctx, rules, preset).normalizer()
    crawl = crawl_of(ctx)
    prints = [crawl.fingerprint(crawl.request_url(url), normalizer) for url in urls]
    found = maintenance.contains(place, [bytes.fromhex(one) for one in prints], prefix=prefix)
    if as_json:
        for url, fingerprint, there in zip(urls, prints, found, strict=True):
            write_json({"url": url, "fingerprint": fingerprint, "seen": there})
    else:
        rows = [("seen" if there else "new", url) for url, there in zip(urls, found, strict=True)]
        show_table(("", "URL"), rows, fold=("URL",))
    if not all(found):
        raise typer.Exit(FINDINGS)


@app.command("export")
def export(
    place: Place,
    target: Annotated[str, typer.Argument(metavar="FILE", help="A file that does not exist yet.")],
    scrapy: Annotated[
        bool, typer.Option("--scrapy", help="In the form of requests.seen of Scrapy 2.19 and later.")
    ] = False,
    prefix: Prefix = "urinorm",
) -> None:
    """Write all fingerprints to a file, each as a line of hexadecimal digits, or in Scrapy's own form.

    Example: `urinorm seen export jobs/shop fingerprints.txt`
    """
    from scrapy_urinorm.seen import maintenance

    number = maintenance.export(place, Path(target), "scrapy" if scrapy else "text", prefix=prefix)
    say(f"{target}: {counted(number, 'fingerprint')}")


@app.command("import")
def import_(
    source: Annotated[
        str, typer.Argument(metavar="SOURCE", help="A place as below, or a file that `seen export` wrote.")
    ],
    place: Place,
    prefix: Prefix = "urinorm",
) -> None:
    """Add the fingerprints of one place to another, which may be empty: a folder that exists, or a Redis.

    Example: `urinorm seen import old-job/requests.seen redis://localhost/0`
    """
    from scrapy_urinorm.seen import maintenance

    maintenance.kind_of(source)
    with maintenance.opened(place, prefix=prefix, create=True) as store:
        new = maintenance.import_(source, store, prefix=prefix)
    say(f"{place}: {counted(new, 'fingerprint')} added")


@app.command("compact")
def compact(place: Place, prefix: Prefix = "urinorm") -> None:
    """Rewrite a store in its smallest form, and drop what has expired.

    Example: `urinorm seen compact jobs/shop`
    """
    from scrapy_urinorm.seen import maintenance

    before, after = maintenance.compact(place, prefix=prefix)
    say(f"{place}: {before:,} bytes before, {after:,} after")


@app.command("clear")
def clear(
    place: Place,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask first.")] = False,
    prefix: Prefix = "urinorm",
) -> None:
    """Forget every fingerprint of a store, so that the next crawl starts from scratch; asks first.

    Example: `urinorm seen clear redis://localhost/0 --prefix urinorm:shop --yes`
    """
    from scrapy_urinorm.seen import maintenance

    if not yes:
        number = maintenance.count(place, prefix=prefix)
        typer.confirm(f"Forget {counted(number, 'fingerprint')} of {place}?", abort=True, err=True)
    say(f"{place}: {counted(maintenance.clear(place, prefix=prefix), 'fingerprint')} forgotten")


@app.command("verify")
def verify(place: Place, prefix: Prefix = "urinorm", as_json: Json = False) -> None:
    """Read a whole store and compare it with its checksums; exits with 1 if something is wrong.

    Example: `urinorm seen verify jobs/shop`
    """
    from scrapy_urinorm.seen import maintenance

    verdict = maintenance.verify(place, prefix=prefix)
    if as_json:
        write_json(verdict._asdict())
    else:
        colour = "red" if verdict.problems else "green"
        state = counted(len(verdict.problems), "problem") if verdict.problems else "sound"
        say(f"{place}: {verdict.kind}, {counted(verdict.fingerprints, 'fingerprint')}, {state}", colour)
        for problem in verdict.problems:
            say(f"  {problem}")
        for stamp in verdict.stamps:
            say(f"  made under {', '.join(f'{name} {value}' for name, value in stamp.items())}", "dim")
    if verdict.problems:
        raise typer.Exit(FINDINGS)
