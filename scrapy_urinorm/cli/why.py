"""`urinorm why`: what became of a URL in a crawl."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.display import say, write_json
from scrapy_urinorm.cli.explain import need_schemes
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.learn import Crawl  # noqa: TC001  read at run time
from scrapy_urinorm.cli.project import CrawlView, Json, Preset, Rules, chosen, crawl_of
from scrapy_urinorm.errors import UrinormError

if TYPE_CHECKING:
    from scrapy_urinorm.normalizer import Normalizer

PARKED = "urinorm.parked.jsonl"
_STATES = {
    "queued": "it waits for its turn",
    "flying": "it was under way when the crawl stopped, or is now",
    "released": "it was kept back, and waits for its turn",
    "later": "it waits until nothing else does",
    "parked": "it is kept back as a likely duplicate, until that is decided",
    "unreadable": "an earlier version of the spider queued it, and this one cannot read it",
}


def why(
    ctx: typer.Context,
    urls: Annotated[list[str], typer.Argument(metavar="URL...", help="Absolute URLs.")],
    visits: Annotated[
        list[str] | None,
        typer.Option("--visits", "-v", metavar="FILE", help="Visits of the crawl; may be given several times."),
    ] = None,
    job: Annotated[
        str | None,
        typer.Option("--job", metavar="JOBDIR", help="The folder of the job, for what waits and what was seen."),
    ] = None,
    parked: Annotated[
        str | None,
        typer.Option(
            "--parked",
            metavar="FILE",
            help="What live rules kept back; without it, urinorm.parked.jsonl beside the visits.",
        ),
    ] = None,
    rules: Rules = None,
    preset: Preset = None,
    crawl: Crawl = "newest",
    as_json: Json = False,
) -> None:
    """Say why a URL was crawled, or why not: it was fetched, is a duplicate, was skipped by a rule, or never linked.

    Examples:
    - `scrapy urinorm why "https://shop.example/p/7?ref=mail" --visits visits.jsonl.zst`

    - `scrapy urinorm why "https://shop.example/p/7" --job jobs/shop`
    """
    if not visits and job is None:
        raise UrinormError("which crawl? give --visits FILE or --job JOBDIR")
    need_schemes(urls)
    normalizer = chosen(ctx, rules, preset).normalizer()
    project = crawl_of(ctx)
    urls = [project.request_url(url) for url in urls]
    told: list[dict[str, Any]] = [{"url": url} for url in urls]
    if visits:
        from scrapy_urinorm.visits.reader import crawl_ids, read_visits
        from scrapy_urinorm.visits.why import answers

        reader = read_visits(visits, only=crawl_ids(visits, crawl), failures=True)
        kept_back = _kept_back(parked, [*visits, *([f"{job}/{PARKED}"] if job else [])])
        for one, answer in zip(told, answers(urls, reader, normalizer, kept_back), strict=True):
            one |= answer.to_dict()
        for problem in reader.problems:
            complain(problem)
        if reader.only and not reader.rows:
            raise UrinormError(f"there are no visits of the crawl {crawl}")
    if job is not None:
        for one, state in zip(told, _in_job(job, urls, normalizer, project), strict=True):
            one["job"] = state
    for number, one in enumerate(told):
        if as_json:
            write_json(one)
        else:
            if number:
                say()
            _show(one)


def _kept_back(named: str | None, beside: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of the file that is named, which must be there, or of those beside others."""
    from scrapy_urinorm.inputs import ROW_ERRORS
    from scrapy_urinorm.visits.reader import json_object

    files = [named] if named else {Path(path).parent / PARKED: None for path in beside}
    for path in files:
        if not named and not Path(path).is_file():
            continue
        read = 0
        with Path(path).open(encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                try:
                    row = json_object(line)
                    if row is not None and not isinstance(row.get("url"), str):
                        raise ValueError("no column url")
                except ROW_ERRORS as error:
                    if read:
                        continue  # a full disk took a part of it
                    raise UrinormError(f"{path}: is not a file of what live rules kept back: {error}") from error
                if row is not None:
                    read += 1
                    yield row


def _show(one: dict[str, Any]) -> None:
    say(one["url"], "bold")
    if "verdict" in one:
        say(
            one["why"] if one["why"].startswith(one["verdict"]) else f"{one['verdict']}: {one['why']}",
            "yellow" if one["verdict"] in ("failed", "unknown", "linked", "closed") else "green",
        )
        say(f"key: {one['key']}", "dim")
        for note in one["notes"]:
            say(f"note: {note}", "dim")
    if "job" in one:
        say(f"job: {one['job']}")


def _in_job(job: str, urls: list[str], normalizer: Normalizer, project: CrawlView) -> list[str]:
    """What the folder of a job says of the fingerprints of URLs."""
    from scrapy_urinorm.crawl.requests.asked import states_of
    from scrapy_urinorm.seen import SeenStoreError, maintenance

    prints = [bytes.fromhex(project.fingerprint(url, normalizer)) for url in urls]
    waiting = states_of(job, prints)
    try:
        seen = maintenance.contains(job, prints)
    except SeenStoreError:
        if waiting is None:
            raise
        seen = [False] * len(urls)
    out = []
    for number, fingerprint in enumerate(prints):
        states = (waiting or {}).get(fingerprint, ())
        said = [_STATES[state] for state in states]
        if seen[number]:
            said.insert(0, "its key was requested" if not states else "its key was met")
        out.append("; ".join(said) or "its key was never requested")
    return out
