"""Names of parameters and the like: with globs, patterns and guards on values."""

from __future__ import annotations

import functools
import itertools
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from scrapy_urinorm.rules.globs import ascii_fold, glob_pattern
from scrapy_urinorm.rules.kinds.base import Kind, checked_pattern, nearest
from scrapy_urinorm.rules.kinds.samples import pattern_sample
from scrapy_urinorm.url import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy_urinorm.rules.kinds.base import Report
    from scrapy_urinorm.rules.patterns import Pattern


class Name(NamedTuple):
    """A parameter, segment or file name with the guards that a rule file gave it.

    `name` is a glob that takes every name which `match` takes: `*` for an entry by pattern. `keep` marks an
    entry of `except_params`. `why` is the provenance, shown by `explain`.
    """

    name: str
    match: Callable[[str], Any]
    value: Pattern | None = None
    keep: bool = False
    why: str = ""


class NameList(tuple[Name, ...]):  # noqa: SLOT001  what is computed once needs a place
    """The entries of a list, or of several joined.

    What finds them by name is made once for each list, however many sites add names of their own to those of a preset.
    """

    @classmethod
    def joined(cls, *lists: tuple[Name, ...]) -> NameList:
        """The entries of several lists in order."""
        made = cls(itertools.chain(*lists))
        made.__dict__["parts"] = tuple(part for one in lists for part in _parts(one))
        return made

    @functools.cached_property
    def parts(self) -> tuple[NameList, ...]:
        """The lists that were joined; the list itself where it is none."""
        return (self,)

    @functools.cached_property
    def by_name(self) -> tuple[dict[str, list[tuple[int, Name]]], list[tuple[int, Name]]]:
        """Places and entries: of exact names by lower-case name, and those of globs."""
        exact: dict[str, list[tuple[int, Name]]] = {}
        globs = []
        for place, entry in enumerate(self):
            if "*" in entry.name:
                globs.append((place, entry))
            else:
                exact.setdefault(entry.name.lower(), []).append((place, entry))
        return exact, globs

    @functools.cached_property
    def speaking(self) -> _Speaking:
        """Which entries speak of a decoded name, the last one first: a memo that all tables with this list share."""
        return _Speaking(self)


class _Memo(dict[str, tuple[Name, ...]]):
    __slots__ = ()
    _LIMIT = 20_000

    def kept(self, name: str, found: tuple[Name, ...]) -> tuple[Name, ...]:
        if len(name) < 200:
            if len(self) >= self._LIMIT:
                self.clear()
            self[name] = found
        return found


class _Speaking(_Memo):
    __slots__ = ("_exact", "_globs")

    def __init__(self, names: NameList):
        super().__init__()
        self._exact, self._globs = names.by_name

    def __missing__(self, name: str) -> tuple[Name, ...]:
        rows = [*self._exact.get(name.lower(), ()), *self._globs]
        found = tuple([entry for _, entry in sorted(rows, key=_place, reverse=True) if entry.match(name)])
        return self.kept(name, found)


def _parts(names: tuple[Name, ...]) -> tuple[NameList, ...]:
    return names.parts if isinstance(names, NameList) else (NameList(names),)


class NameTable(_Memo):
    """Which entries of a list speak of a decoded name, the last one first; a memo, so that a known name is one look-up.

    Exact names are found in a dict, so that a list of hundreds costs what a list of one does.
    """

    __slots__ = ("_parts", "names")

    def __init__(self, names: tuple[Name, ...]):
        super().__init__()
        self.names = names
        self._parts = _parts(names)[::-1]

    def __missing__(self, name: str) -> tuple[Name, ...]:
        found: tuple[Name, ...] = ()
        for part in self._parts:
            if said := part.speaking[name]:
                found += said
        return self.kept(name, found)

    def removes(self, name: str, value: str, decode: Callable[[str], str] = decoded) -> bool:
        """Whether the last entry that speaks of a name (decoded) and value (encoded) says to remove it.

        An exception says no. The value is decoded only where an entry asks for its shape.
        """
        for entry in self[name]:
            if entry.value is None or entry.value.match(decode(value)):
                return not entry.keep
        return False


def _place(row: tuple[int, Name]) -> int:
    return row[0]


_GUARD_KEYS = ("name", "pattern", "value", "case_sensitive", "why")


class Names(Kind):
    """A list of names or globs; with `guards`, an entry may be `{ name, value, case_sensitive, why }`.

    Such an entry may have `pattern` for `name`, which matches the name in full. Lists of the scopes add up, unless
    `replace`.
    """

    def __init__(
        self, *, guards: bool = False, replace: bool = False, keep: bool = False, case_sensitive: bool = False
    ):
        self.guards = guards
        self.replace = replace
        self.keep = keep
        self.case_sensitive = case_sensitive

    def check(self, value: Any, report: Report) -> tuple[Name, ...] | None:
        if isinstance(value, str) or not isinstance(value, (list, tuple)):
            report(f"{value!r} is not a list", f"write [{value!r}]" if isinstance(value, str) else "write [...]")
            return None
        return NameList(name for entry in value if (name := self._entry(entry, report)))

    def _entry(self, entry: Any, report: Report) -> Name | None:
        if isinstance(entry, str) and entry:
            return Name(entry, glob_pattern(entry, self.case_sensitive), keep=self.keep)
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
        sensitive = bool(entry.get("case_sensitive", self.case_sensitive))
        why = str(entry.get("why", ""))
        if given == ["name"]:
            return Name(name, glob_pattern(name, sensitive), value, self.keep, why)
        pattern = checked_pattern(name, report, flags=0 if sensitive else re.IGNORECASE | re.ASCII)
        return None if pattern is None else Name("*", pattern.match, value, self.keep, why)

    def merge(self, wide: tuple[Name, ...], narrow: tuple[Name, ...]) -> tuple[Name, ...]:
        return narrow if self.replace else NameList.joined(wide, narrow)

    def bind(self, value: tuple[Name, ...]) -> NameTable:
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


class Texts(Kind):
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

    def merge(self, wide: Any, narrow: Any) -> Any:
        return tuple({**dict(wide), **dict(narrow)}.items())

    def bind(self, value: Any) -> dict[str, Any]:
        return {ascii_fold(name): texts if self.many else texts[0] for name, texts in value}

    def speaks(self, bound: dict[str, Any]) -> Callable[[str], Any]:
        return lambda name: ascii_fold(name) in bound

    def certain(self, bound: Any, name: str) -> bool | None:
        return None

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
                report(f"{start!r} is renamed in a circle", "give all of them the name that shall remain")
                return ()
        return tuple((name, (_last(names, name),)) for name in names)

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(name, []) for name, _ in value]


def _last(names: dict[str, str], name: str) -> str:
    target = names[name]
    while ascii_fold(target) in names:
        target = names[ascii_fold(target)]
    return target
