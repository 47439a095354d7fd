"""Files of visits in, a rule file out: what `urinorm learn` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.errors import ProblemsError, UrinormError
from scrapy_urinorm.inputs import several
from scrapy_urinorm.learn.earlier import Earlier, besides, by_hand, candidates_of
from scrapy_urinorm.learn.evidence.candidate import ACTIVE, SPLIT, Candidate, signature
from scrapy_urinorm.learn.learner import LearnResult, learn
from scrapy_urinorm.learn.options import Options
from scrapy_urinorm.learn.output import to_toml
from scrapy_urinorm.learn.spark import learn_on_spark, session
from scrapy_urinorm.rulesets.ruleset import RuleSet
from scrapy_urinorm.visits.reader import ReadCounts, read_visits
from scrapy_urinorm.whole_files import write_whole

if TYPE_CHECKING:
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
    progress: Callable[[int], None] | None = None,
) -> LearnResult:
    """Test the proposals of a learned rule file by fetching, and write the file with what came of it.

    `urls` are files of visits or URLs to draw pairs from, beside the examples in the file. `budget` is in requests per
    site, `delay` in seconds per host. With `again`, active rules are tested too. `progress` is told of
    requests as they are made. Raises `RuleFileError` and `OSError`, and `UrinormError` where a person has written rules
    into `output`.
    """
    from scrapy_urinorm.learn.fetch import PoliteFetcher
    from scrapy_urinorm.learn.validate import Proposal, Validation, decided, pairs_of

    ruleset = RuleSet.load(str(rules))
    if Path(output).is_file() and (said := by_hand(RuleSet.load(str(output)))):
        raise UrinormError(f"{output}: {said}")
    wanted = {*statuses, ACTIVE} if again else set(statuses)
    candidates = candidates_of(ruleset.evidence)
    chosen = sorted((c for c in candidates if c.status in wanted), key=lambda c: -c.saved)
    known = [visit.url for visit in read_visits(urls)] if urls else []
    trials = [Proposal(c, pairs_of(c, known, ruleset.preset, limit=budget)) for c in chosen]
    result = LearnResult(Options(preset=ruleset.preset))
    with PoliteFetcher(delay=delay) as polite:
        for trial in Validation(fetch or polite, budget=budget, progress=progress).run(trials):
            decided(trial)
        result.refused = dict(polite.refused)
    for candidate in candidates:
        (result.active if candidate.status == ACTIVE else result.others).append(candidate)
    raw = ruleset.to_dict()
    hosts = raw.get("host", {})
    result.base = {"host": {host: {SPLIT: table[SPLIT]} for host, table in hosts.items() if SPLIT in table}}
    write_whole(Path(output), to_toml(result))
    return result


def learn_file(
    visits: str | Path | Iterable[str | Path],
    output: str | Path | None = None,
    options: Options | None = None,
    *,
    rules: Sequence[Any] = (),
    format: str = "auto",  # noqa: A002  the option's name
    columns: Mapping[str, str] | None = None,
    base: str | None = None,
    force: bool = False,
    only: Mapping[str, str | None] | None = None,
    progress: Callable[[int], None] | None = None,
    engine: str = "auto",
) -> tuple[LearnResult, ReadCounts]:
    """Learn from files of visits and write the rule file; return the result and what was read.

    What `output` and other files written by `learn` among `visits` (`.toml`) hold stays a rule unless the visits
    contradict. A file is not written, and `UrinormError` raised, where rules of it would be gone, where a person has
    written rules into it, or where there is not one visit, unless `force`.

    With the `engine` `spark`, Spark reads the files and learns; paths are its own, and `only` names one crawl for all.

    `visits` is a path, glob or `-`, or several of them; `format`, `columns`, `base`, `only` and `progress` are those of
    `read_visits`. `rules` are rule sources that hold already: their pairs of URLs hold under what is learned, too, and
    what they include of `output` and such files is learned again. The file is written as a whole or not at all.
    Raises `VisitsError`, `RuleFileError`, `MissingExtraError` and `OSError`.
    """
    files = several(visits)
    sources = [path for path in files if str(path).endswith(".toml")]
    given = [path for path in files if path not in sources]
    options = options or Options()
    # a pipe has no earlier rules, and who reads one waits for them
    if output is not None and Path(output).is_file() and output not in sources:
        sources.append(output)
    known = [one for source in sources if (one := _earlier(Path(source), force)) is not None]
    earlier = _united([candidate for one in known for candidate in one.active])
    rules = [besides(source, sources) for source in rules]
    if engine == "spark":
        crawl = next(iter(only.values()), None) if only else None
        result, reader = learn_on_spark(
            session(), given, options, rules, earlier, format=format, columns=columns, base=base, crawl=crawl
        )
    else:
        reader = read_visits(given, format=format, columns=columns, base=base, only=only, progress=progress)
        result = learn(reader, options, rules, earlier)
    if only and not reader.rows:
        raise UrinormError(f"there are no visits of the crawl {', '.join(map(str, {*only.values()}))}")
    if output is not None:
        if known and given and not result.visits and not force:
            raise UrinormError(f"{output}: stays as it is, since there was no visit to learn from")
        if result.withdrawn and not force:
            raise ProblemsError(
                f"{output}: stays as it is, since {len(result.withdrawn)} of its rules would go (--force writes it):",
                *(f"  {one.scope}: {one.rule} = {one.value}: {one.why}" for one in result.withdrawn),
            )
        write_whole(Path(output), to_toml(result))
    return result, reader


def _earlier(path: Path, force: bool) -> Earlier | None:
    try:
        return Earlier(path)
    except UrinormError:
        if force:
            return None
        raise


def _united(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The rules of several files, each once, with the most evidence that one of them has."""
    found: dict[str, Candidate] = {}
    for candidate in candidates:
        mark = signature(candidate)
        other = found.get(mark)
        if other is None or other.shown < candidate.shown:
            found[mark] = candidate
    return list(found.values())
