"""What is wrong with a pack of a platform, or unwise, before it meets a site."""

from __future__ import annotations

from collections.abc import Iterator

from scrapy_urinorm.errors import RuleFileError
from scrapy_urinorm.lint import patterns
from scrapy_urinorm.lint.tables import tables
from scrapy_urinorm.normalizer import Normalizer
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets import platforms
from scrapy_urinorm.rulesets.platforms import Line, Pack, Use

SITE = "http://a.example"
#: Characters that a text in a page has at least: `<ds-app`, the shortest that tells a program.
SHORTEST_MARKER = 7
#: Letters of names that many programs have: `sid`, `view`, `order`, `filter`.
LONGEST_COMMON = 7


def pack_problems(pack: Pack) -> list[str]:
    """Return what is wrong with a pack: rules that do not check, examples that do not hold, here or in a directory."""
    problems: list[str] = []
    for path in ("/", "/sub/x.y/"):
        use = Use(pack, path, all=True, tried=True)
        for one in platforms.line_tables(use):
            try:
                Normalizer({"site": {"a.example": one.table}}, preset="safe")
            except RuleFileError as error:
                problems += [f"{one.line.id}: {problem.message}" for problem in error.problems]
        if problems:
            return problems
        if len(platforms.line_tables(use)) < len(use.lines()):
            continue  # a line that can be said for a whole site only is not there below a path
        n = Normalizer({"site": {"a.example": platforms.bound(use)[0]}}, preset="safe")
        found = platforms.wrong(use, n.key, lambda url, n=n: any(n.verdict(url)), SITE)  # type: ignore[misc]  # mypy takes no default of a lambda
        problems += [f"{text} in the directory {path}" if path != "/" else text for text in found]
    return problems


def pack_advice(pack: Pack) -> list[str]:
    """Return what a pack had better say otherwise.

    How it is known, what a wrong recognition of it could harm, and which of its patterns are not run on long addresses.
    """
    return [*_marks(pack), *(text for line in pack.lines for text in _line(line)), *_patterns(pack)]


def _marks(pack: Pack) -> Iterator[str]:
    if not pack.marks:
        yield "it has no mark: nothing recognizes it"
        return
    if all(mark.kind == "url" for mark in pack.marks):
        yield "every mark is a shape of an address, which others have too: name a generator, cookie, header or text"
    for mark in pack.marks:
        if mark.kind == "url" and mark.strong:
            yield f"{mark.pattern}: the shape of an address is not a strong mark"
        if mark.kind == "marker" and len(mark.text) < SHORTEST_MARKER:
            yield f"{mark.pattern}: the text {mark.text!r} is so short that other pages have it, too"
    if any(line.proof == "proven" for line in pack.lines) and not pack.tested:
        yield "lines are proven, but `tested` does not say on what"


def _line(line: Line) -> Iterator[str]:
    if line.table.keys() & {"path", "query"}:
        return
    lists = [value for rule, value in line.table.items() if isinstance(value, list) and CATALOGUE[rule].part == "query"]
    for entry in (entry for entries in lists for entry in entries):
        if isinstance(entry, str) and entry.isalnum() and len(entry) <= LONGEST_COMMON:
            yield (
                f"{line.id}: {entry!r} means other things elsewhere, and is removed everywhere: give the line a path"
                " or a query, or the name a value"
            )
    if not line.folds:
        yield f"{line.id}: it holds for every address: give it a path or a query"


def _patterns(pack: Pack) -> Iterator[str]:
    for one in platforms.line_tables(Use(pack, all=True, tried=True)):
        ruleset = Normalizer({"site": {"a.example": one.table}}, preset="safe").ruleset
        for finding in (found for table in tables(ruleset) for found in patterns.findings(table)):
            yield f"{one.line.id}: {finding.problem.message}; {finding.problem.hint}"
