"""Changes written as pairs: aliases of values, patterns with a replacement, templates."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.kinds.base import ByName, Kind, Report, checked_pattern
from scrapy_urinorm.rules.kinds.samples import pattern_sample
from scrapy_urinorm.tuples import NamedTuple

if TYPE_CHECKING:
    from scrapy_urinorm.rules.patterns import Pattern


class Aliases(NamedTuple):
    """Values of one parameter that mean the same; the first is kept, None stands for an absent parameter."""

    values: tuple[str | None, ...]


class ValueAliases(ByName):
    """`{ name = [["HEAD", "refs/heads/master", false], ...] }`: the first of a group replaces the others."""

    def check(self, value: Any, report: Report) -> tuple[tuple[str, tuple[Aliases, ...]], ...] | None:
        if not isinstance(value, dict):
            report(f"{value!r} is not a table", 'write { name = [["a", "b"]] }')
            return None
        out = []
        for name, groups in value.items():
            good = isinstance(groups, list) and groups
            seen: set[str | None] = set()
            checked = []
            for group in groups if good else ():
                if not (isinstance(group, list) and len(group) > 1 and all(_is_value(v) for v in group)):
                    good = False
                    break
                values = tuple(None if v is False else str(v) for v in group)
                if seen.intersection(values) or len(set(values)) < len(values):
                    report(f"{name}: a value occurs twice in {groups!r}", "one value belongs to one group")
                seen.update(values)
                checked.append(Aliases(values))
            if good:
                out.append((name, tuple(checked)))
            else:
                report(
                    f"{name} = {groups!r} is not a list of groups", 'write [["kept", "same", false]]; false = absent'
                )
        return tuple(out)

    def merge(self, wide: Any, narrow: Any) -> Any:
        """Add up by name and value: a wider group loses the values that a narrower one speaks of."""
        out = dict(wide)
        for name, groups in narrow:
            spoken = {value for group in groups for value in group.values}
            rest = []
            for group in out.get(name, ()):
                left = tuple(value for value in group.values[1:] if value not in spoken)
                if left:
                    rest.append(Aliases((group.values[0], *left)))
            out[name] = (*groups, *rest)
        return tuple(out.items())

    def bind(self, value: Any) -> dict[str, Any]:
        return super().bind((name, (name, groups)) for name, groups in value)

    def adds(self, value: Any) -> list[tuple[str, str]]:
        return [
            (name, group.values[0])
            for name, groups in value
            for group in groups
            if group.values[0] is not None and None in group.values
        ]

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(name, [v for group in groups for v in group.values if v is not None]) for name, groups in value]

    def schema(self) -> dict[str, Any]:
        group = {"type": "array", "minItems": 2, "items": {"anyOf": [{"type": ["string", "number"]}, {"const": False}]}}
        return {"type": "object", "additionalProperties": {"type": "array", "items": group}}

    def describe(self) -> str:
        return "{ name = [[kept, same, ...]] }, false = absent"


def _is_value(value: Any) -> bool:
    return value is False or (isinstance(value, (str, int, float)) and not isinstance(value, bool))


#: A group as other programs write it: nginx, JavaScript.
_of_others = re.compile(r"\$\{?[0-9]").search


class Edit(NamedTuple):
    """A pattern and what replaces its matches."""

    pattern: Pattern
    replace: str


class Edits(Kind):
    """A list of `{ pattern, replace }`."""

    def check(self, value: Any, report: Report) -> tuple[Edit, ...]:
        entries = value if isinstance(value, list) else [value]
        return tuple(edit for entry in entries if (edit := self._edit(entry, report)))

    @staticmethod
    def _edit(entry: Any, report: Report) -> Edit | None:
        if not isinstance(entry, dict) or entry.keys() != {"pattern", "replace"}:
            report(f"{entry!r} is not {{ pattern, replace }}", "write { pattern = '...', replace = '...' }")
            return None
        replace = entry["replace"]
        pattern = checked_pattern(entry["pattern"], report, full=False)
        if pattern is None:
            return None
        try:
            re._parser.parse_template(replace, pattern.regex)  # type: ignore[attr-defined]  # typeshed knows none of it
        except (re.error, IndexError, TypeError) as error:
            report(f"replace {replace!r}: {error}", r"groups are written \1, \2 ...")
            return None
        odd = _of_others(replace) if pattern.regex.groups and not re.search(r"\\[1-9g]", replace) else None
        if odd is not None:
            # it would be text, and all that the pattern matches one page; beside a group of ours it is text
            report(f"replace {replace!r}: {odd[0]!r} is no group", r"groups are written \1, \2 ...; the text is %24")
            return None
        return Edit(pattern, replace)

    def merge(self, wide: Any, narrow: Any) -> Any:
        return wide + narrow

    def certain(self, bound: Any, name: str) -> bool | None:
        return None

    def targets(self, value: Any) -> list[str]:
        """Texts of the kind that the patterns of a checked value match."""
        return [pattern_sample(edit.pattern.text) for edit in value]

    def schema(self) -> dict[str, Any]:
        return {"type": "array", "items": _EDIT_SCHEMA}

    def describe(self) -> str:
        return "list of { pattern, replace }"


class NamedEdits(ByName):
    """A map from a parameter name to one or several `{ pattern, replace }`."""

    _edits = Edits()

    def check(self, value: Any, report: Report) -> tuple[tuple[str, tuple[Edit, ...]], ...] | None:
        if not isinstance(value, dict):
            report(f"{value!r} is not a table", "write { name = { pattern = '...', replace = '...' } }")
            return None
        return tuple((name, self._edits.check(given, report)) for name, given in value.items())

    def samples(self, value: Any) -> list[tuple[str, list[str]]]:
        return [(name, self._edits.targets(edits)) for name, edits in value]

    def schema(self) -> dict[str, Any]:
        one_or_more = {"anyOf": [_EDIT_SCHEMA, self._edits.schema()]}
        return {"type": "object", "additionalProperties": one_or_more}

    def describe(self) -> str:
        return "{ name = { pattern, replace } }"


_EDIT_SCHEMA = {
    "type": "object",
    "properties": {"pattern": {"type": "string", "format": "regex"}, "replace": {"type": "string"}},
    "required": ["pattern", "replace"],
    "additionalProperties": False,
}


class Template(NamedTuple):
    """A URL shape and the shape that it is another name of; `{x}` stands for text without `/ & = ?`.

    `keeps_rest`: other parameters may be there, and stay.
    """

    source: str
    target: str
    keeps_rest: bool = False


_PLACEHOLDER = Regex(r"\{(\w+)\}")


def _values(target: str) -> list[str]:
    return [field.partition("=")[2] for field in target.partition("?")[2].split("&")]


class Templates(Kind):
    """A list of `{ from, to }`, each a path with an optional query, perhaps with `rest = "keep"`."""

    def check(self, value: Any, report: Report) -> tuple[Template, ...] | None:
        entries = value if isinstance(value, list) else [value]
        out = []
        for entry in entries:
            if (
                not isinstance(entry, dict)
                or entry.keys() - {"rest"} != {"from", "to"}
                or not all(isinstance(entry[k], str) and entry[k].startswith("/") for k in ("from", "to"))
            ):
                report(f"{entry!r} is not {{ from, to }}", 'write { from = "/a?id={x}", to = "/b/{x}" }')
                continue
            if entry.get("rest", "keep") != "keep":
                report(f"rest = {entry['rest']!r} says nothing", 'write rest = "keep", or nothing: no other parameter')
                continue
            source, target = entry["from"], entry["to"]
            names = _PLACEHOLDER.findall(source)
            if not all(name.isidentifier() for name in names):
                report(f"a placeholder of {source!r} does not begin with a letter", "write {x}")
                continue
            if any("{" in _PLACEHOLDER.sub("", v, count=1) for v in _values(source)):
                report(f"a parameter of {source!r} holds more than one placeholder", "write one, as in title=Talk:{x}")
                continue
            if len(set(names)) < len(names) or set(names) != set(_PLACEHOLDER.findall(target)):
                report(f"{source!r} and {target!r} must have the same placeholders, each once in `from`", "")
                continue
            out.append(Template(source, target, "rest" in entry))
        return tuple(out)

    def merge(self, wide: Any, narrow: Any) -> Any:
        return wide + narrow

    def targets(self, value: Any) -> list[str]:
        """URL shapes that a checked value speaks of."""
        return [re.sub(r"\{\w+\}", "x", text) for one in value for text in (one.source, one.target)]

    def schema(self) -> dict[str, Any]:
        shape = {"type": "string", "pattern": "^/"}
        entry = {
            "type": "object",
            "properties": {"from": shape, "to": shape, "rest": {"const": "keep"}},
            "required": ["from", "to"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": entry}

    def describe(self) -> str:
        return 'list of { from, to, rest = "keep" }'
