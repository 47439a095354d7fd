"""`urinorm check`: everything that is wrong, or valid but not meant, in rule files."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from scrapy_urinorm.cli.display import is_terminal, say, say_pieces, write_json
from scrapy_urinorm.cli.failures import ERROR, FINDINGS, complain
from scrapy_urinorm.cli.project import ChosenRules, Json, chosen
from scrapy_urinorm.errors import Problem, RuleFileError, UrinormError
from scrapy_urinorm.wording import count


def check(
    ctx: typer.Context,
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE]...", help="Rule files; without any: those of the project.")
    ] = None,
    urls: Annotated[
        list[str] | None,
        typer.Option(
            "--urls",
            metavar="FILE",
            help="URLs or visits to try the rules on: for how many each table holds, and whether the rules settle.",
        ),
    ] = None,
    platform: Annotated[
        str | None, typer.Option("--platform", metavar="FILE", help="Check the pack of a platform, by file or name.")
    ] = None,
    visits: Annotated[
        list[str] | None,
        typer.Option(
            "--visits", metavar="FILE", help="With --platform: visits of such a site; may be given several times."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Check rule files: values, examples, and rules that never act, undo each other or do not settle.

    The exit code is 0 when all is well, 1 for findings of the lint, 2 for errors that would stop a crawl.

    Examples:
    - `urinorm check urinorm.toml`

    - `urinorm check urinorm.toml --urls visits.jsonl.zst`

    - `urinorm check --json rules/*.toml`

    - `urinorm check --platform frobware.toml --visits visits.jsonl.zst`
    """
    if platform is not None:
        if files or urls:
            raise UrinormError("--platform is for a pack by itself: give visits of such a site as --visits")
        from scrapy_urinorm.cli.check_pack import check_pack

        if check_pack(platform, visits or [], as_json=as_json):
            raise typer.Exit(FINDINGS)
        return
    if visits:
        raise UrinormError("--visits needs --platform: to try rules on visits, give them as --urls")
    tried = list(_lines(urls)) if urls else []
    choices = [ChosenRules((file,), None) for file in files] if files else [chosen(ctx, None, None)]
    reports = [_report(choice, tried) for choice in choices]
    for report in reports:
        if as_json:
            write_json(report)
        else:
            _show(report)
    if any(report["problems"] for report in reports):
        raise typer.Exit(ERROR)
    if any(report["findings"] for report in reports):
        raise typer.Exit(FINDINGS)


def _lines(names: list[str]) -> list[str]:
    from scrapy_urinorm.cli.inputs import Inputs

    return [url for block in Inputs(names).blocks() for url in block.decode("utf-8", "replace").split("\n") if url]


def _report(choice: ChosenRules, urls: list[str]) -> dict[str, Any]:
    name = ", ".join(source if isinstance(source, str) else "<dict>" for source in choice.sources) or "no rule file"
    report: dict[str, Any] = {"file": name, "problems": [], "findings": []}
    try:
        normalizer = choice.normalizer()
    except RuleFileError as error:
        report["problems"] = [_problem(problem) for problem in error.problems]
        return report
    from scrapy_urinorm.lint import lint
    from scrapy_urinorm.lint.matches import findings, matches

    ruleset = normalizer.ruleset
    report |= {
        "preset": ruleset.preset,
        "sites": len(ruleset.sites) + len(ruleset.hosts),
        "rules": ruleset.count(),
        "examples": len(ruleset.examples),
        "digest": ruleset.digest(),
    }
    found = lint(ruleset, urls)
    if urls:
        read, counted = matches(ruleset, normalizer, urls)
        found += findings(read, counted)
        report["urls"] = read
        report["matches"] = [
            {"table": match.name, "file": match.table.layer.file, "line": match.line, "urls": match.urls,
             "rules": match.rules}
            for match in counted
        ]  # fmt: skip
    report["findings"] = [{"code": finding.code, **_problem(finding.problem)} for finding in found]
    return report


def _problem(problem: Problem) -> dict[str, Any]:
    return {**problem._asdict(), "text": str(problem)}


def _show(report: dict[str, Any]) -> None:
    for problem in report["problems"]:
        complain(problem["text"])
    for finding in report["findings"]:
        _show_finding(finding)
    if report["problems"]:
        return
    told = ", ".join(
        [
            f"preset {report['preset']}",
            f"{count(report['rules'], 'rule')} for {count(report['sites'], 'site')}",
            f"{count(report['examples'], 'example')} right",
            count(len(report["findings"]), "finding"),
        ]
    )
    say(f"{report['file']}: {told}", "yellow" if report["findings"] else "green")
    if "matches" in report:
        say()
        say(f"For how many of {count(report['urls'], 'URL')} each table holds, and how many each rule changes:", "bold")
        for match in report["matches"]:
            say(f"{match['urls']:>9,}  {match['table']}{_line(match)}", None if match["urls"] else "yellow")
            for rule, number in match["rules"].items():
                say(f"{number:>9,}      {rule}", "dim" if number else "yellow")


def _line(match: dict[str, Any]) -> str:
    return f"  ({match['file']}:{match['line']})" if match["line"] else ""


def _show_finding(finding: dict[str, Any]) -> None:
    if not is_terminal():
        say(f"{finding['text']} [{finding['code']}]")
        return
    place = finding["file"] if finding["line"] is None else f"{finding['file']}:{finding['line']}"
    table = f"[{finding['table']}] " if finding["table"] else ""
    key = f"{finding['key']}: " if finding["key"] else ""
    say_pieces((place, "bold"), (f" {finding['code']}", "yellow"))
    say_pieces((f"  {table}{key}", "cyan"), (finding["message"], ""))
    if finding["hint"]:
        say(f"  {finding['hint']}", "dim")
