"""`urinorm check --platform`: whether a pack says what it does, and does on a recorded site what it says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.cli.display import say, show_table, write_json
from scrapy_urinorm.errors import ProblemsError, UrinormError
from scrapy_urinorm.wording import count

if TYPE_CHECKING:
    from scrapy_urinorm.learn.proof.pack_trial import PackTrial
    from scrapy_urinorm.rulesets.platforms import Pack
    from scrapy_urinorm.visits import Visit

#: Marks that are named where a pack is not recognized: as many as fit into a line; chosen.
_MOST_MARKS = 6
_TWO_CRAWLS = (
    "the texts of pages were compared; where a page differs on each visit, as with boxes drawn by chance, that is no"
    " proof: the visits of two crawls show which do (--visits twice)"
)


def check_pack(name: str, visits: list[str], *, as_json: bool) -> bool:
    """Check a pack and write what is found; returns whether there was something. Raises UrinormError for errors."""
    from scrapy_urinorm.lint.packs import pack_advice, pack_problems
    from scrapy_urinorm.rulesets.platforms import PackError, pack

    try:
        of = pack(name)
    except PackError as error:
        raise UrinormError(str(error)) from error
    if problems := pack_problems(of):
        raise ProblemsError(*(f"{name}: {problem}" for problem in problems))
    findings = pack_advice(of)
    tried, unrecognized = _trials(of, visits) if visits else ([], "")
    for trial in tried:
        findings += _found(trial)
    if unrecognized:
        findings.append(unrecognized)
    elif tried and not any(one.urls for trial in tried for one in trial.effect.lines):
        findings.append(f"no line acts on an address of {tried[0].place}: the paths of its lines begin there")
    if as_json:
        write_json({"platform": of.name, "lines": len(of.lines), "findings": findings, "sites": _rows(tried)})
        return bool(findings)
    for finding in findings:
        say(f"{name}: {finding}", "yellow")
    if any(one.effect.is_accused or one.lost for one in tried):
        say(f"  {_TWO_CRAWLS}")
    for trial in tried:
        _show(trial)
    examples = sum(len(line.pairs) + len(line.urls) for line in of.lines)
    told = f"{count(len(of.lines), 'line')}, {count(examples, 'example')} right, {count(len(findings), 'finding')}"
    say(f"{name}: {told}", "yellow" if findings else "green")
    return bool(findings)


def _trials(pack: Pack, files: list[str]) -> tuple[list[PackTrial], str]:
    """What a pack does wherever it is recognized in visits, or what is to be said where it is not."""
    from scrapy_urinorm.extras import require

    require("Comparing pages", "learn")
    from scrapy_urinorm.learn.proof.pack_trial import pack_trials
    from scrapy_urinorm.visits import read_visits

    visits = list(read_visits(files))
    tried = pack_trials(pack, visits)
    return tried, "" if tried else _unrecognized(pack, visits)


def _unrecognized(pack: Pack, visits: Iterable[Visit]) -> str:
    from scrapy_urinorm.rulesets.platforms import markers

    shown = [mark for mark, _ in Counter(mark for visit in visits for mark in visit.marks).most_common(_MOST_MARKS)]
    said = f"it is not recognized in the visits, whose pages have {', '.join(shown) or 'no marks'}"
    own = [mark.pattern for mark in pack.marks if mark.kind == "marker" and mark.pattern not in markers()]
    if not own:
        return said
    return (
        f"{said}; the text of a marker, as of {own[0]!r}, is looked for only while a page is recorded, and only if"
        " it is of a pack that comes along: give yours a generator, a header or a cookie beside it"
    )


def _found(trial: PackTrial) -> Iterator[str]:
    from scrapy_urinorm.rulesets.platforms import HARMLESS

    for one in trial.effect.lines:
        if one.line.kind not in HARMLESS:
            continue
        if one.counterexample:
            of = f"{count(one.against, 'address', 'addresses')} of {trial.place}"
            yield f"{one.line.id}: merges {of} with another page, as {' and '.join(one.counterexample)}"
        if one.unsteady:
            of = f"{count(one.unsteady, 'address', 'addresses')} of {trial.place}"
            yield f"{one.line.id}: these visits cannot tell of {of}, where pages differ as much from themselves"
    if trial.doubtful:
        yield f"these visits cannot tell whether a crawl of {trial.place} would find {count(trial.doubtful, 'page')}"
    if trial.lost:
        yield f"a crawl of {trial.place} would not find {count(len(trial.lost), 'page')}, as behind {trial.lost[0]}"


def _show(trial: PackTrial) -> None:
    effect = trial.effect
    lost = "links were not recorded" if trial.lost is None else f"{count(len(trial.lost), 'page')} lost"
    say(f"{trial.place}: {count(effect.urls, 'URL')} are {count(effect.after, 'request')} with all lines, {lost}")
    rows = [
        (one.line.id, one.line.proof, one.urls, one.agree, one.against, one.unsteady, one.example or "")
        for one in effect.lines
        if one.urls
    ]
    show_table(("line", "proof", "URLs", "same", "other", "unsure", "for example"), rows, fold=("for example",))


def _rows(trials: Iterable[PackTrial]) -> list[dict[str, Any]]:
    return [
        {
            "place": one.place,
            "urls": one.effect.urls,
            "requests": one.effect.after,
            "skipped": one.effect.skipped,
            "deferred": one.effect.deferred,
            "lost": one.lost,
            "doubtful": one.doubtful,
            "lines": {
                line.line.id: {
                    "urls": line.urls,
                    "agree": line.agree,
                    "against": line.against,
                    "unsteady": line.unsteady,
                }
                for line in one.effect.lines
                if line.urls
            },
        }
        for one in trials
    ]
