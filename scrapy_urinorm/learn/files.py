"""Files of visits in, a rule file out: what `urinorm learn` does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.learn.candidate import ACTIVE
from scrapy_urinorm.learn.learner import LearnResult, learn
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.output import to_toml
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits.reader import VisitReader, read_visits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from scrapy_urinorm.learn.fetch import Response


def validate_file(
    rules: str | Path,
    output: str | Path,
    urls: Sequence[str | Path] = (),
    *,
    fetch: Callable[[str], Response | None] | None = None,
    budget: int = 200,
    delay: float = 1.0,
    statuses: Sequence[str] = ("unverified", "proposed"),
    again: bool = False,
) -> LearnResult:
    """Test the proposals of a learned rule file by fetching, and write the file with what came of it.

    `urls` are files of visits or URLs to draw pairs from, beside the examples in the file. `budget` is in requests per
    site, `delay` in seconds per host. With `again`, active rules are tested too. Raises `RuleFileError` and `OSError`.
    """
    from scrapy_urinorm.learn.fetch import PoliteFetcher
    from scrapy_urinorm.learn.validate import Trial, Validation, candidates_of, decided, pairs_of

    ruleset = RuleSet.load(str(rules))
    wanted = {*statuses, ACTIVE} if again else set(statuses)
    candidates = candidates_of(ruleset.evidence)
    chosen = sorted((c for c in candidates if c.status in wanted), key=lambda c: -c.saved)
    known = [visit.url for visit in read_visits(urls)] if urls else []
    trials = [Trial(c, pairs_of(c, known, ruleset.preset, limit=budget)) for c in chosen]
    for trial in Validation(fetch or PoliteFetcher(delay=delay), budget=budget).run(trials):
        decided(trial)
    result = LearnResult(Options(preset=ruleset.preset))
    for candidate in candidates:
        (result.active if candidate.status == ACTIVE else result.others).append(candidate)
    raw = ruleset.to_dict()
    hosts = raw.get("host", {})
    result.base = {"host": {h: t for h, t in hosts.items() if t.keys() == {"semicolon_separators"}}}
    _write(Path(output), to_toml(result))
    return result


def _write(path: Path, text: str) -> None:
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, "utf-8")
    partial.replace(path)


def learn_file(
    visits: Iterable[str | Path],
    output: str | Path | None = None,
    options: Options | None = None,
    *,
    rules: Sequence[Any] = (),
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
) -> tuple[LearnResult, VisitReader]:
    """Learn from files of visits and write the rule file; return the result and the reader with its counts.

    `visits` are paths, globs or `-`; `format`, `columns` and `base` are those of
    :func:`~scrapy_urinorm.visits.read_visits`. `rules` are rule sources that hold already. The file is written as a
    whole or not at all. Raises `VisitsError`, `RuleFileError`, `MissingExtraError` and `OSError`.
    """
    reader = read_visits(visits, format=format, columns=columns, base=base)
    result = learn(reader, options or Options(), rules)
    if output is not None:
        _write(Path(output), to_toml(result))
    return result, reader
