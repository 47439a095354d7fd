"""Names of parameters and the like: with globs, patterns and guards on values."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from scrapy_urinorm.rules.globs import ascii_fold, glob_pattern
from scrapy_urinorm.rules.kinds.base import ByName, Kind, Report, checked_pattern, nearest
from scrapy_urinorm.rules.kinds.name_tables import JoinedNames, Name, NameList, NameTable
from scrapy_urinorm.rules.kinds.samples import pattern_sample

_GUARD_KEYS = ("name", "pattern", "value", "case_sensitive", "why")


class Names(Kind):
    """A list of names or globs; with `guards`, an entry may be `{ name, value, case_sensitive, why }`.

    Such an entry may have `pattern` for `name`, which matches the name in full. Lists of the scopes add up, unless
    `replace`.
    """

    def __init__(self, *, guards: bool = False, replace: bool = False, keep: bool = False):
        self.guards = guards
        self.replace = replace
        self.keep = keep

    def check(self, value: Any, report: Report) -> tuple[Name, ...] | None:
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            report(f"{value!r} is not a list", f"write [{value!r}]" if isinstance(value, str) else "write [...]")
            return None
        return NameList(name for entry in value if (name := self._entry(entry, report)))

    def _entry(self, entry: Any, report: Report) -> Name | None:
        if isinstance(entry, str) and entry:
            return Name(entry, glob_pattern(entry), keep=self.keep)
        if not self.guards or not isinstance(entry, dict):
            report(f"{entry!r} is not a name", "a name is text that is not empty, `*` in it stands for anything")
            return None
        for unknown in sorted(entry.keys() - set(_GUARD_KEYS), key=str):
            report(f"unknown key {unknown!r} in {entry!r}", nearest(unknown, _GUARD_KEYS))
        given = [key for key in ("name", "pattern") if key in entry]
        name = entry[given[0]] if given else None
        if not isinstance(name, str) or not name:
            report(f"{entry!r} has no name", 'write { name = "...", value = "..." }')
            return None
        if len(given) > 1:
            report(f"{entry!r} has a name and a pattern", "leave out one of the two")
            return None
        for key, kind in (("case_sensitive", bool), ("why", str)):
            if not isinstance(entry.get(key, kind()), kind):
                report(f"{key} of {name!r} is not {'true or false' if kind is bool else 'text'}", "")
        value = None
        if "value" in entry and (value := checked_pattern(entry["value"], report)) is None:
            return None
        sensitive = bool(entry.get("case_sensitive"))
        why = str(entry.get("why", ""))
        if given == ["name"]:
            return Name(name, glob_pattern(name, sensitive), value, self.keep, why)
        pattern = checked_pattern(name, report, flags=0 if sensitive else re.IGNORECASE | re.ASCII)
        return None if pattern is None else Name("*", pattern.match, value, self.keep, why)

    def merge(self, wide: Sequence[Name], narrow: Sequence[Name]) -> Sequence[Name]:
        return narrow if self.replace else JoinedNames(wide, narrow)

    def bind(self, value: Sequence[Name]) -> NameTable:
        return NameTable(value)

    def speaks(self, bound: NameTable) -> Callable[[str], Any]:
        return bound.__getitem__

    def certain(self, bound: NameTable, name: str) -> bool | None:
        found = bound[name]
        if not found:
            return False
        return None if found[0].value is not None else not found[0].keep

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(entry.name, [pattern_sample(entry.value.text)] if entry.value else []) for entry in value]

    def schema(self) -> dict[str, Any]:
        text = {"type": "string", "minLength": 1}
        if not self.guards:
            return {"type": "array", "items": text}
        entry = {
            "type": "object",
            "properties": {
                "name": text,
                "pattern": {**text, "format": "regex"},
                "value": {"type": "string", "format": "regex"},
                "case_sensitive": {"type": "boolean"},
                "why": {"type": "string"},
            },
            "oneOf": [{"required": ["name"]}, {"required": ["pattern"]}],
            "additionalProperties": False,
        }
        return {"type": "array", "items": {"anyOf": [text, entry]}}

    def describe(self) -> str:
        return "list of names or globs" + (", or { name | pattern, value, case_sensitive, why }" if self.guards else "")


class Texts(ByName):
    """A map from a name to one text, or a list of texts where `many`; `sample` makes a value of interest of one."""

    def __init__(self, what: str, *, many: bool = False, sample: str = "{}"):
        self.what = what
        self.many = many
        self.sample = sample

    def check(self, value: Any, report: Report) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
        if not isinstance(value, dict):
            report(f"{value!r} is not a table", f"write {{ name = {self.what} }}")
            return None
        out = []
        for name, given in value.items():
            texts = given if self.many and isinstance(given, (list, tuple)) else [given]
            for text in texts:
                if isinstance(text, bool) or not isinstance(text, (str, int, float)):
                    report(f"{name} = {given!r} is not {self.what}", "write text in quotes")
                    break
            else:
                out.append((name, tuple(str(t) for t in texts)))
        return tuple(out)

    def bind(self, value: Any) -> dict[str, Any]:
        return super().bind((name, texts if self.many else texts[0]) for name, texts in value)

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(name, [self.sample.replace("{}", text) for text in texts]) for name, texts in value]

    def schema(self) -> dict[str, Any]:
        text = {"type": ["string", "number"]}
        one = {"anyOf": [text, {"type": "array", "items": text}]} if self.many else text
        return {"type": "object", "additionalProperties": one}

    def describe(self) -> str:
        return f"{{ name = {self.what} }}" + (" or a list of these" if self.many else "")


class Renames(Texts):
    """A map from a name to the name that shall remain; chains are followed, cycles are an error."""

    def __init__(self) -> None:
        super().__init__("name")

    def check(self, value: Any, report: Report) -> tuple[tuple[str, tuple[str, ...]], ...] | None:
        checked = super().check(value, report)
        if checked is None:
            return None
        names = {ascii_fold(name): texts[0] for name, texts in checked}
        for start in names:
            at, seen = start, set()
            while at in names and at not in seen:
                seen.add(at)
                at = ascii_fold(names[at])
            if at in seen:
                report(f"{start!r} is renamed in a circle", "give all of them the name that is to remain")
                return ()
        return tuple((name, (_last(names, name),)) for name in names)

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(name, []) for name, _ in value]


def _last(names: dict[str, str], name: str) -> str:
    target = names[name]
    while ascii_fold(target) in names:
        target = names[ascii_fold(target)]
    return target
