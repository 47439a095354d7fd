"""`urinorm learn`: rules from what a crawl has seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.amounts import number
from scrapy_urinorm.cli.display import completing, next_step, say, show_table, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.cli.workers import Jobs  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.learn import LearnResult, Options
    from scrapy_urinorm.visits.reader import ReadCounts


def _engines() -> tuple[str, ...]:
    from scrapy_urinorm.learn.options import ENGINES

    return tuple(ENGINES)


def _family_names() -> tuple[str, ...]:
    from scrapy_urinorm.learn.options import FAMILIES

    return tuple(FAMILIES)


Visits = Annotated[
    list[str],
    typer.Argument(metavar="VISITS...", help="Visits, CDX, crawl.log, access logs, CSV, Parquet, URLs; `-`: stdin."),
]
Kind = Annotated[
    str, typer.Option("--format", "-f", metavar="KIND", help="The format of the files; else it is recognized.")
]
Columns = Annotated[
    list[str] | None, typer.Option("--columns", metavar="OURS=THEIRS", help="Which column of a table is which of ours.")
]
Base = Annotated[
    str | None, typer.Option("--base", metavar="URL", help="The site of an access log, which has paths only.")
]
Ground = Annotated[
    str, typer.Option("--preset", "-p", metavar="NAME", help="The preset that learned rules are added to.")
]
Strict = Annotated[bool, typer.Option("--strict", help="Allow no exception to a rule.")]
Risk = Annotated[
    float | None, number("--risk", most=1, metavar="P", help="Highest share of wrong merges of a rule, 0 to 1.")
]
Crawl = Annotated[
    str,
    typer.Option(
        "--crawl",
        metavar="ID",
        help="Which crawl of a file with several: the `newest`, `all`, or the one with this id.",
    ),
]


def learn(
    visits: Visits,
    output: Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="The rule file to write; `-`: stdout.")],
    rules: Annotated[
        list[str] | None, typer.Option("--rules", "-r", metavar="FILE", help="Rules that are in force already.")
    ] = None,
    preset: Ground = "recommended",
    strict: Strict = False,
    risk: Risk = None,
    skip: Annotated[bool, typer.Option("--skip/--no-skip", help="Learn which URLs need not be requested.")] = True,
    families: Annotated[
        list[str] | None,
        typer.Option(
            "--families",
            metavar="NAME",
            help="Learn only rules of these families.",
            autocompletion=completing(_family_names),
        ),
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            "--engine",
            metavar="NAME",
            help="`spark`: Spark reads the visits, from any path that it knows, and learns.",
            autocompletion=completing(_engines),
        ),
    ] = "auto",
    force: Annotated[bool, typer.Option("--force", help="Write even if rules of the file are lost.")] = False,
    anonymize: Annotated[bool, typer.Option("--anonymize", help="Hash paths and values in the evidence.")] = False,
    jobs: Jobs = 0,
    kind: Kind = "auto",
    columns: Columns = None,
    base: Base = None,
    crawl: Crawl = "all",
    as_json: Json = False,
) -> None:
    """Learn from visits which URLs of a site show the same page, and write rules with their evidence.

    The file is used where a rule file names it in `include`, or where URINORM_RULES does. Rules that it holds already
    stay unless the visits contradict them; files that `learn` wrote may be given along with the visits.

    Examples:
    - `urinorm learn visits.jsonl.zst --output learned.toml`

    - `urinorm learn access.log --base https://shop.example --output proposals.toml`

    - `urinorm learn big.parquet --families parameters --jobs 8 --output learned.toml`

    - `urinorm learn --engine spark s3a://crawls/2026/ --output learned.toml`
    """
    from scrapy_urinorm.extras import require

    engine = _engine(engine)
    require("Learning", "learn", *["spark"] * (engine == "spark"))
    from scrapy_urinorm.learn import learn_file, to_toml
    from scrapy_urinorm.learn.output import facets_toml, told

    chosen = _families(families)
    options = options_of(preset, strict, risk, skip=skip, anonymize=anonymize, jobs=jobs, families=chosen)
    target = None if output == "-" else output
    pairs = column_pairs(columns)
    only = _crawls(engine, [path for path in visits if not path.endswith(".toml")], crawl, kind)
    with Progress("visits", streams=False) as progress:
        result, reader = learn_file(
            visits, target, options, rules=rules or (), format=kind, columns=pairs, base=base, force=force,
            only=only, progress=progress.add, engine=engine,
        )  # fmt: skip
    _say_what_was_read(result, reader)
    if output == "-":
        print(to_toml(result), end="")
        return
    figures = {
        "output": output,
        "visits": result.visits,
        "sites": result.sites,
        "urls": result.urls,
        "keys": result.keys,
        "rules": len(result.active),
        "considered": len(told(result.others)),
        "bad_rows": reader.bad,
    }
    if as_json:
        write_json(figures)
        return
    say(f"{output}: {count(len(result.active), 'rule')} {_read(result)}", "green" if result.active else "yellow")
    if result.active:
        rows = [(one.scope, one.rule, str(one.value), one.saved or one.evidence.saved) for one in result.active[:30]]
        show_table(("site", "rule", "value", "saves"), rows, fold=("value",))
    if proposed := facets_toml(result.others):
        say("filters multiply; if you do not want lists under several at once, put this into urinorm.toml:")
        for line in proposed.splitlines():
            say(line, "dim")
    if result.active:
        next_step(f'include = ["{output}"] in urinorm.toml, then `urinorm check` and crawl again')
    else:
        next_step(f"`urinorm report {visits[0]} --output report.html` shows what was fetched twice")


def options_of(preset: str, strict: bool, risk: float | None, **more: Any) -> Options:
    """How a command learns; what `--risk` says holds though it is strict."""
    from scrapy_urinorm.learn.options import Options

    options = Options(preset=preset, **more)
    options = options.strict() if strict else options
    return options if risk is None else replace(options, risk=risk)


def _say_what_was_read(result: LearnResult, reader: ReadCounts) -> None:
    for problem in reader.problems:
        complain(problem)
    if reader.bad:
        complain(f"{reader.bad:,} of {reader.bad + reader.rows:,} rows could not be read")
    if len(reader.crawls) > 1:
        complain(
            f"the visits are from {len(reader.crawls)} crawls, and all are read (--crawl newest, or an id, reads one)"
        )
    if result.blocked:
        complain(
            f"{result.blocked:,} of {result.urls:,} addresses, such as {result.blocked_like}, showed one and the same"
            " page from some point of the crawl on, as a server does that refuses to go on, or an endless calendar;"
            " nothing is learned from them"
        )
    if result.drawn:
        complain(
            f"{result.drawn:,} of {result.urls:,} addresses, such as {result.drawn_like}, showed data for scripts and"
            " hardly any words, or a title of their own over a text that others show, too: they are pages of a few"
            " words, or drawn by a script in the browser, and visits of a crawl that renders them say more; nothing is"
            " learned from what they show"
        )
    if result.given:
        complain(
            f"{count(result.given, 'visit')}, such as of {result.given_like}, came of requests with something"
            " (`cb_kwargs`, `meta`) that goes with no other address, as with an item that is being filled: whether the"
            " item would be finished at another address is not known, and nothing is learned from what they show; where"
            " the callback can take it from the page, crawl without it to learn of them"
        )
    if result.given_errors:
        complain(
            f"{count(result.given_errors, 'error')}, of which the spider made items, or which it asked for with"
            " something that goes with no other address: none is a reason to skip others, as it may want them again"
        )
    for name, rows in sorted(result.sampled.items()):
        complain(f"{name}: {rows:,} visits, of which a sample of {result.options.max_urls:,} was learned from")


def _read(result: LearnResult) -> str:
    if not result.visits and result.active:
        return "of earlier files, and no visits"
    return (
        f"from {count(result.visits, 'visit')} of {count(result.sites, 'site')}; {count(result.urls, 'URL')}"
        f" {'becomes' if result.urls == 1 else 'become'} {count(result.keys, 'page')}"
    )


def _families(given: list[str] | None) -> tuple[str, ...]:
    from scrapy_urinorm.learn.options import FAMILIES

    chosen = tuple(name for names in given or FAMILIES for name in names.split(","))
    if unknown := [name for name in chosen if name not in FAMILIES]:
        raise UrinormError(f"there is no family {unknown[0]!r}: {', '.join(FAMILIES)}")
    return chosen


def _crawls(engine: str, given: list[str], crawl: str, kind: str) -> dict[str, str | None]:
    from scrapy_urinorm.visits.reader import crawl_ids

    if engine != "spark":
        return crawl_ids(given, crawl, format=kind)
    if crawl == "newest":
        raise UrinormError(
            "--crawl newest: with Spark give an id, since all visits would have to be read to find the newest crawl"
        )
    return {} if crawl == "all" else dict.fromkeys(given, crawl)


def _engine(name: str) -> str:
    from scrapy_urinorm.learn.options import ENGINES, FORMER_ENGINES

    if name in FORMER_ENGINES:
        complain(f"--engine {name} is an option of earlier versions and changes nothing")
        return "auto"
    if name not in ENGINES:
        raise UrinormError(f"there is no engine {name!r}: {', '.join(ENGINES)}")
    return name


def column_pairs(columns: list[str] | None) -> dict[str, str]:
    """What `--columns` says: our name to theirs."""
    out = {}
    for given in columns or ():
        ours, equals, theirs = given.partition("=")
        if not equals or not ours or not theirs:
            raise UrinormError(f"--columns {given!r}: write OURS=THEIRS, as in url=Address")
        out[ours] = theirs
    return out
