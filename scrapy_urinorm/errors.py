"""The errors that the package raises, a small tree by remedy."""

from __future__ import annotations

from collections.abc import Iterable

from scrapy_urinorm.tuples import NamedTuple


class UrinormError(Exception):
    """Base of every error that this package raises on purpose."""


class ProblemsError(UrinormError):
    """Several things at once; `lines` says one each, so that a line break in a value that is quoted begins none."""

    def __init__(self, *lines: str):
        self.lines = lines
        super().__init__("\n".join(lines))


class Problem(NamedTuple):
    """One thing wrong in a rule file.

    `file` is the name of the source (a path, or `<dict>`), `table` the TOML table as a person would write it
    (`site."example.com"`), `key` the key in it or an empty string, `line` counts from 1 and is None where it
    cannot be had, `hint` says what to do and may be empty.
    """

    file: str
    table: str
    key: str
    line: int | None
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        where = f"[{self.table}] " if self.table else ""
        key = f"{self.key}: " if self.key else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}: {where}{key}{self.message}{hint}"


class RuleFileError(UrinormError, ValueError):
    """A rule file, or a mapping given as one, is wrong; `problems` lists all that is, in the order of the lines."""

    def __init__(self, problems: Iterable[Problem], origin: str = ""):
        problems = list(problems)
        files = {name: at for at, name in enumerate(dict.fromkeys(problem.file for problem in problems))}
        problems.sort(key=lambda problem: (files[problem.file], problem.line or 0))
        self.problems: tuple[Problem, ...] = tuple(problems)
        count = len(self.problems)
        named = f" ({origin})" if origin else ""
        head = f"1 problem in the rules{named}:" if count == 1 else f"{count} problems in the rules{named}:"
        super().__init__("\n  ".join([head, *map(str, self.problems)]))
