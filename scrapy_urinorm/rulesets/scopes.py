"""The tables of a rule file, checked and compiled: what a table says, and on which part of a site."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import MappingProxyType
from typing import Any, Protocol

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules.globs import RANGES, ascii_fold, glob_key, glob_pattern, odd_range, path_globs
from scrapy_urinorm.rules.kinds import nearest
from scrapy_urinorm.rules.patterns import PatternError, compile_pattern
from scrapy_urinorm.tuples import NamedTuple
from scrapy_urinorm.wording import brief

#: Reports (key, message, hint) for one table.
Report = Callable[[str, str, str], None]

#: Keys of a table that are not rules.
TABLE_KEYS = ("where", "platform", "examples", "distinct", "rewrite_requests")
WHERE_KEYS = ("path", "query", "examples", "distinct")
CONDITION_KEYS = ("below", "above", "matches")

# Python's own reading would take `1_0`, `nan`, `infinity` and the digits of every script
_is_number = Regex(r"[+-]?(?:[0-9]{1,300}(?:\.[0-9]*)?|\.[0-9]+)")
# the date of ISO 8601's extended form (RFC 3339 5.6), with or without a time behind it
_date = Regex(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?![0-9]).*", re.DOTALL)


class Condition(NamedTuple):
    """A condition on one query parameter, or those whose names are of a glob: `test` gets its decoded values.

    `absent` is the answer where it has none; `values` are those that pass, where they can be told: all for True,
    none for False.
    """

    name: str
    test: Callable[[str], bool]
    absent: bool
    values: frozenset[str] | bool | None = None


class Body(NamedTuple):
    """What one table says. Equal tables share one body, so that many sites of one kind cost little."""

    rules: Mapping[str, Any]
    raw: Mapping[str, Any]
    wheres: tuple[Where, ...] = ()
    rewrite_requests: tuple[str, ...] = ()


class Where(NamedTuple):
    """A `where` table: rules for the URLs of a scope that its conditions hold for."""

    body: Body
    path: Callable[[str], Any] | None = None
    conditions: tuple[Condition, ...] = ()
    raw: Mapping[str, Any] = MappingProxyType({})
    globs: tuple[str, ...] = ()

    def on_path(self, path: str) -> bool:
        """Whether the path condition holds (a path in the key spelling)."""
        return self.path is None or bool(self.path(path))

    def on_values(self, values: Mapping[str, Sequence[str]]) -> bool:
        """Whether every query condition holds, given the decoded values of each folded name."""
        for condition in self.conditions:
            found = values.get(condition.name)
            if not (any(map(condition.test, found)) if found else condition.absent):
                return False
        return True

    def describe(self) -> str:
        """The conditions in a few words."""
        parts = [f"{key} = {brief(self.raw[key])}" for key in ("path", "query") if key in self.raw]
        return ", ".join(parts) or "always"


class LineNumbers(Protocol):
    """Finds the line of (table, key) in a source; the key is empty for the table itself."""

    def get(self, place: tuple[str, str], /) -> int | None:
        """The line of a table or key, None where it is not known."""


class Layer(NamedTuple):
    """One table of one source: `label` as the file has it, `file` and `lines` where it is written."""

    label: str
    body: Body
    file: str
    lines: LineNumbers
    preset: bool = False
    learned: bool = False

    @property
    def line(self) -> int | None:
        """The line of the table, where it can be had."""
        return self.lines.get((self.label, ""))

    def place(self, key: str, where: int | None = None) -> str:
        """File and line of a key, as `file:line`; `where` is the number of a `where` table, from 0."""
        table = self.label if where is None else f"{self.label}.where[{where + 1}]"
        line = next(
            (found for at in ((table, key), (table, ""), (self.label, "")) if (found := self.lines.get(at))), None
        )
        return self.file if line is None else f"{self.file}:{line}"


def check_body(table: Mapping[str, Any], report: Report, *, scope: str) -> Body:
    """Check one table; `scope` is "everywhere", "site" or "where"."""
    rules: dict[str, Any] = {}
    allowed = WHERE_KEYS if scope == "where" else TABLE_KEYS
    for key, value in table.items():
        if key in allowed:
            continue
        rule = CATALOGUE.get(key)
        if rule is None:
            report(key, f"there is no rule {key!r}", nearest(key, (*CATALOGUE, *allowed)))
        elif scope == "where" and not rule.may_stand_in(table):
            if rule.may_stand_in(()):
                report(key, f"{key} is not allowed beside `query`", "put it under a `where` with a `path` alone")
            else:
                report(key, f"{key} is not allowed under `where`", "set it for the whole site or host")
        else:
            checked = rule.kind.check(value, lambda m, h, key=key: report(key, m, h))  # type: ignore[misc]  # mypy takes no default of a lambda
            if checked is not None:
                rules[key] = checked
    raw = {k: v for k, v in table.items() if k in CATALOGUE}
    wheres = () if scope == "where" else _wheres(table.get("where", ()), report)
    return Body(rules, raw, wheres, _rewrite_requests(table.get("rewrite_requests", ()), report))


def _rewrite_requests(value: Any, report: Report) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        report("rewrite_requests", f"{value!r} is not a list", 'write ["remove_params"]')
        return ()
    for name in value:
        if name not in CATALOGUE:
            report("rewrite_requests", f"there is no rule {name!r}", nearest(name, CATALOGUE))
    return tuple(name for name in value if name in CATALOGUE)


def _wheres(tables: Any, report: Report) -> tuple[Where, ...]:
    if not isinstance(tables, (list, tuple)):
        report("where", "`where` must be a list of tables", "write [[...where]] with double brackets")
        return ()
    return tuple(
        check_where(t, lambda k, m, h, n=n: report(f"where[{n}]{'.' if k else ''}{k}", m, h))  # type: ignore[misc]  # mypy takes no default of a lambda
        if isinstance(t, dict)
        else _no_table(t, n, report)
        for n, t in enumerate(tables, 1)
    )


def _no_table(table: Any, number: int, report: Report) -> Where:
    report(f"where[{number}]", f"{table!r} is not a table", "write [[...where]] and its keys below")
    return Where(Body({}, {}))


def check_where(table: Mapping[str, Any], report: Report) -> Where:
    """Check one `where` table."""
    body = check_body(table, report, scope="where")
    paths = table.get("path", ())
    if isinstance(paths, str):
        paths = [paths]
    if not isinstance(paths, (list, tuple)) or not all(isinstance(p, str) and p[:1] in ("/", "*") for p in paths):
        report("path", f"{table['path']!r} is not a path glob", "it begins with /, as in /forum/**")
        paths = ()
    for glob in paths:
        if written_out := _without_braces(glob):
            report("path", f"{glob!r}: braces have no meaning in a path glob", f"write path = {written_out}")
        if odd := odd_range(glob):
            report("path", f"{glob!r}: no number is in {odd!r}", RANGES)
    query = table.get("query", {})
    if not isinstance(query, dict):
        report("query", f"{query!r} is not a table", 'write { name = "value" }')
        query = {}
    for name in query:
        if "/" in name and (odd := odd_range(name)):
            report(f"query.{name}", f"no number is in {odd!r}", RANGES)
    conditions = [c for n, v in query.items() if (c := _condition(n, v, report)) is not None]
    if not table.keys() & {"path", "query"}:
        report("", "a `where` table without path and query", "put its rules into the table of the site")
    globs = tuple(map(glob_key, paths))
    return Where(body, path_globs(globs) if globs else None, tuple(conditions), table, globs)


def _without_braces(glob: str) -> str:
    """The list of globs that braces stand for in shells, as TOML; empty where there are none."""
    found = re.search(r"\{([^{}]*,[^{}]*)\}", glob)
    if not found:
        return ""
    return json.dumps([glob[: found.start()] + one + glob[found.end() :] for one in found[1].split(",")])


def _condition(name: str, value: Any, report: Report) -> Condition | None:
    key = f"query.{name}"
    if value is True or value is False:
        return Condition(ascii_fold(name), lambda _: bool(value), not value, value)
    if isinstance(value, dict):
        return _range(name, value, report)
    values = value if isinstance(value, (list, tuple)) else [value]
    absent = False
    tests: list[Callable[[str], Any]] = []
    exact: set[str] | None = set()
    for one in values:
        if one is False:
            absent = True
        elif one is True or not isinstance(one, (str, int, float)):
            report(
                key,
                f"{one!r} is not a condition",
                'a value, a list, a glob, true, false, "+" or { below, above, matches }',
            )
            return None
        elif one == "+":
            tests.append(bool)
            exact = None
        else:
            text = str(one)
            tests.append(glob_pattern(text, True))
            exact = None if exact is None or "*" in text else {*exact, text}
    told = None if exact is None else frozenset(exact)
    return Condition(ascii_fold(name), lambda text: any(t(text) for t in tests), absent, told)


def _range(name: str, value: dict[str, Any], report: Report) -> Condition | None:
    key = f"query.{name}"
    for unknown in sorted(value.keys() - set(CONDITION_KEYS), key=str):
        report(key, f"unknown condition {unknown!r}", nearest(unknown, CONDITION_KEYS))
        return None
    bounds: dict[str, float | str] = {}
    for side in ("below", "above"):
        if side in value:
            bound = _bound(value[side])
            if bound is None:
                report(key, f"{value[side]!r} is neither a number nor a date", 'write 2000 or "2024-01-31"')
                return None
            bounds[side] = bound
    if len({type(bound) for bound in bounds.values()}) > 1:
        report(key, "one bound is a number and the other a date", "")
        return None
    pattern = None
    if "matches" in value:
        try:
            pattern = compile_pattern(value["matches"])
        except PatternError as error:
            report(key, str(error), error.hint)
            return None
    if not value:
        report(key, "an empty condition", "write true for `present`")
        return None

    def test(text: str) -> bool:
        if pattern is not None and not pattern.match(text):
            return False
        return not bounds or _within(text, bounds)

    return Condition(ascii_fold(name), test, False)


def _bound(value: Any) -> float | str | None:
    """Return a bound as it is compared: a number, or the text of a date; None for anything else."""
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, str):
        try:
            date.fromisoformat(value)
            return value if _date.fullmatch(value) else None
        except ValueError:
            return None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _within(text: str, bounds: Mapping[str, float | str]) -> bool:
    """Whether a value lies between bounds, which it does not where it is of another kind; of a time its day counts."""
    below, above = bounds.get("below"), bounds.get("above")
    if isinstance(below or above, str):
        found = _date.fullmatch(text)
        if found is None:
            return False
        day = found[1]
        return (below is None or day < str(below)) and (above is None or day > str(above))
    if not _is_number.fullmatch(text):
        return False
    number = float(text)
    return (below is None or number < float(below)) and (above is None or number > float(above))
