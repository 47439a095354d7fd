"""`urinorm eval`: how good learned rules are on pages that they were not learned from."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from scrapy_urinorm.cli.amounts import whole
from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.cli.failures import complain
from scrapy_urinorm.cli.learn import Base, Columns, Ground, Kind, Risk, Strict, Visits, column_pairs, options_of
from scrapy_urinorm.cli.progress import Progress
from scrapy_urinorm.cli.project import Json  # noqa: TC001  read at run time
from scrapy_urinorm.cli.workers import Jobs  # noqa: TC001  read at run time
from scrapy_urinorm.errors import UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.learn.evaluation import Scores
    from scrapy_urinorm.normalizer import Normalizer


def evaluate(
    visits: Visits,
    preset: Ground = "recommended",
    strict: Strict = False,
    risk: Risk = None,
    seeds: Annotated[int, whole("--seeds", least=1, help="In how many ways to split the pages.")] = 5,
    rules: Annotated[
        list[str] | None, typer.Option("--rules", "-r", metavar="FILE", help="Score these rules, too.")
    ] = None,
    kind: Kind = "auto",
    columns: Columns = None,
    base: Base = None,
    jobs: Jobs = 0,
    as_json: Json = False,
) -> None:
    """Learn from half of the pages of each site, and judge the rules on the addresses of the other half.

    A crawl fetches the first address of every key. *cut*: the share that it need not fetch; *recall*: the share of the
    redundant ones that it saves; *lost*: the share of pages that it never sees. For comparison: w3lib's canonical URL,
    the preset alone, URLs without any parameters, and URLs without parameters that look like a session.

    Examples:
    - `urinorm eval visits.jsonl.zst`

    - `urinorm eval visits.jsonl.zst --rules urinorm.toml --strict --json`
    """
    from scrapy_urinorm.extras import require

    require("Learning", "learn")
    from scrapy_urinorm.learn.evaluation import evaluate as score
    from scrapy_urinorm.normalizer import Normalizer
    from scrapy_urinorm.visits import read_visits

    baselines: dict[str, Any] = {"w3lib": _canonical}
    if rules:
        Normalizer(list(rules))  # a wrong rule file is reported before anything is read
        baselines["rules"] = partial(_by_rules, tuple(rules))
    with Progress("visits", streams=False) as progress:
        pairs = column_pairs(columns)
        reader = read_visits(visits, format=kind, columns=pairs, base=base, progress=progress.add)
        found = score(
            reader, options_of(preset, strict, risk), seeds=range(1, seeds + 1), baselines=baselines, jobs=jobs
        )
    for problem in reader.problems:
        complain(problem)
    if not any(one.urls for scores in found.values() for one in scores.values()):
        raise UrinormError("no site has enough pages of known content: visits need body_digest, text_digest or lines")
    if as_json:
        write_json({site: {name: _figures(one) for name, one in scores.items()} for site, scores in found.items()})
        return
    _show(found)


def _canonical(url: str) -> tuple[str, bool]:
    from w3lib.url import canonicalize_url

    try:
        return canonicalize_url(url), False
    except ValueError:
        # half of a surrogate pair, among others: what a record holds need not be a URL
        return url, False


def _by_rules(files: tuple[str, ...], url: str) -> tuple[str, bool]:
    decision = _normalizer(files).decide(url)
    return decision.key, decision.skip


@cache
def _normalizer(files: tuple[str, ...]) -> Normalizer:
    """The rules of files, read once by each process."""
    from scrapy_urinorm.normalizer import Normalizer

    return Normalizer(list(files))


def _figures(scores: Scores) -> dict[str, Any]:
    shares = {name: getattr(scores, name) for name in ("cut", "recall", "loss", "precision")}
    return {**asdict(scores), **{name: round(value, 5) for name, value in shares.items()}}


def _show(found: dict[str, dict[str, Scores]]) -> None:
    from scrapy_urinorm.learn.evaluation import Scores, macro

    names = list(next(iter(found.values())))
    head = ("site", "rules", "URLs", "cut", "recall", "lost", "precision")
    rows = [_row(site, name, scores[name]) for site, scores in sorted(found.items()) for name in names]
    for name in names:
        total = Scores()
        for scores in found.values():
            total.add(scores[name])
        rows.append(_row("all URLs", name, total))
    show_table(head, rows)
    means = {name: macro(scores[name] for scores in found.values()) for name in names}
    told = [(name, *(f"{mean[part]:.2%}" for part in ("cut", "recall", "loss"))) for name, mean in means.items()]
    soft = {name: [scores[name] for scores in found.values()] for name in names}
    urls = sum(one.soft_urls for one in soft[names[0]])
    if urls:
        say()
        say(f"{count(urls, 'held-out URL')} of log-in forms and errors served as pages", "bold")
        counted = [
            (name, sum(one.soft_keys for one in scores), sum(one.soft_mixed for one in scores))
            for name, scores in soft.items()
        ]
        show_table(("rules", "requests", "mixed with pages"), counted)
    say()
    say(f"mean of {count(len(found), 'site')}", "bold")
    show_table(("rules", "cut", "recall", "lost"), told)


def _row(site: str, name: str, one: Scores) -> tuple[Any, ...]:
    return site, name, one.urls, f"{one.cut:.2%}", f"{one.recall:.2%}", f"{one.loss:.3%}", f"{one.precision:.2%}"
