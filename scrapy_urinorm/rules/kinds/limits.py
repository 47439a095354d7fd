"""How many parameters of some names a URL may have at once."""

from __future__ import annotations

from typing import Any

from scrapy_urinorm.rules.globs import glob_pattern
from scrapy_urinorm.rules.kinds.base import Kind, Report
from scrapy_urinorm.tuples import NamedTuple

_KEYS = ("of", "at_most", "defer", "why")


class Limit(NamedTuple):
    """At most so many parameters of these names, which are globs; more: the URL is deferred, or else skipped."""

    of: tuple[str, ...]
    at_most: int
    defer: bool = False

    def speaks_of(self, name: str) -> bool:
        """Whether a decoded name is one of those that are counted."""
        return any(glob_pattern(glob)(name) for glob in self.of)


class Limits(Kind):
    """A table of names or globs (`of`), a number (`at_most`) and perhaps `defer = true`."""

    def check(self, value: Any, report: Report) -> Limit | None:
        hint = 'write { of = ["brand", "colour"], at_most = 1 }'
        if not isinstance(value, dict) or not value.keys() <= set(_KEYS) or not {"of", "at_most"} <= value.keys():
            report(f"{value!r} is not a limit", hint)
            return None
        names, most, defer = value["of"], value["at_most"], value.get("defer", False)
        if not isinstance(names, list) or not names or not all(isinstance(name, str) and name for name in names):
            report(f"of: {names!r} is not a list of names", hint)
        elif isinstance(most, bool) or not isinstance(most, int) or most < 0:
            report(f"at_most: {most!r} is not a whole number", hint)
        elif not isinstance(defer, bool):
            report(f"defer: {defer!r} is neither true nor false", hint)
        else:
            return Limit(tuple(names), most, defer)
        return None

    def samples(self, value: Limit) -> list[tuple[str, list[str]]]:
        return [(name, ["1", ""]) for name in value.of]

    def schema(self) -> dict[str, Any]:
        return {
            "type": "object",
            "required": ["of", "at_most"],
            "additionalProperties": False,
            "properties": {
                "of": {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
                "at_most": {"type": "integer", "minimum": 0},
                "defer": {"type": "boolean"},
                "why": {"type": "string"},
            },
        }

    def describe(self) -> str:
        return "{ of = [names or globs], at_most = number, defer = true | false }"
