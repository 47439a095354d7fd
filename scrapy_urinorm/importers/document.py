"""A rule file as text: tables with comments, in an order that a person would choose."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_BARE = re.compile(r"[A-Za-z0-9_-]+").fullmatch
# columns, so that a line with a comment mark before it still fits in 120
_WIDTH = 110


def toml_value(value: Any) -> str:
    """A value in TOML, on one line; numbers, texts, flags, and lists and tables of these."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        return toml_text(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_key(k)} = {toml_value(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(toml_value, value)) + "]"
    raise TypeError(f"{value!r} has no TOML form")


def toml_text(text: str) -> str:
    """A string: literal where it holds backslashes, as patterns do, else basic; what does not print is escaped.

    Lone surrogates have no form in TOML and become U+FFFD.
    """
    if "\\" in text and "'" not in text and text.isprintable():
        return f"'{text}'"
    return '"' + "".join(c if c.isprintable() and c not in '"\\' else _escaped(c) for c in text) + '"'


def _escaped(character: str) -> str:
    number = ord(character)
    if character in '"\\':
        return "\\" + character
    if 0xD800 <= number <= 0xDFFF:
        number = 0xFFFD
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"


def toml_key(name: str) -> str:
    """A key, quoted where it must be."""
    return name if _BARE(name) else toml_text(name)


class Document:
    """Collects tables and writes them: `[rules]`, then sites, then hosts, each with its `where` tables and comments."""

    def __init__(self, head: str = ""):
        self.head = head
        self.top: dict[str, Any] = {}
        self.tables: dict[tuple[str, str], dict[str, Any]] = {}
        self.comments: dict[tuple[str, str], list[str]] = {}

    def table(self, kind: str, name: str = "") -> dict[str, Any]:
        """The table of `rules`, a `site` or a `host`; made where it is not there."""
        return self.tables.setdefault((kind, name), {})

    def where(self, kind: str, name: str, conditions: Mapping[str, Any]) -> dict[str, Any]:
        """The `where` table of these conditions; made where it is not there."""
        rows = self.table(kind, name).setdefault("where", [])
        for row in rows:
            if {k: row.get(k) for k in ("path", "query")} == {k: conditions.get(k) for k in ("path", "query")}:
                found: dict[str, Any] = row
                return found
        row = dict(conditions)
        rows.append(row)
        return row

    def comment(self, kind: str, name: str, text: str) -> None:
        """A line of comment above a table."""
        self.comments.setdefault((kind, name), []).append(text)

    def to_dict(self) -> dict[str, Any]:
        """The rules as a mapping that RuleSet.load takes."""
        out: dict[str, Any] = dict(self.top)
        for (kind, name), table in self.tables.items():
            if kind == "rules":
                out["rules"] = table
            else:
                out.setdefault(kind, {})[name] = table
        return out

    def to_toml(self) -> str:
        """The text of the file."""
        lines = [f"# {line}".rstrip() for line in self.head.splitlines()]
        lines += [f"{key} = {toml_value(value)}" for key, value in self.top.items()]
        order = {"rules": 0, "site": 1, "host": 2}
        for kind, name in sorted(self.tables, key=lambda table: order[table[0]]):
            table = self.tables[kind, name]
            label = kind if kind == "rules" else f"{kind}.{toml_text(name)}"
            lines.append("")
            lines += [f"# {text}".rstrip() for text in self.comments.get((kind, name), ())]
            rows = table.get("where", ())
            if len(table) > bool(rows) or not rows:
                lines.append(f"[{label}]")
            lines += _assignments(table)
            for number, row in enumerate(rows):
                first = not number and len(table) == 1
                lines += [*([] if first else [""]), f"[[{label}.where]]", *_assignments(row)]
        return "\n".join(lines).lstrip("\n") + "\n"


def _assignments(table: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in table.items():
        if key == "where":
            continue
        line = f"{toml_key(key)} = {toml_value(value)}"
        if len(line) > _WIDTH and isinstance(value, list):
            lines += [f"{toml_key(key)} = [", *_filled(value), "]"]
        else:
            lines.append(line)
    return lines


def _filled(values: list[Any]) -> list[str]:
    lines, line = [], "   "
    for value in values:
        text = f" {toml_value(value)},"
        if len(line) + len(text) > _WIDTH and line.strip():
            lines.append(line)
            line = "   "
        line += text
    return [*lines, line]


class Imported(NamedTuple):
    """The document, how many rules or lines it holds, and what could not be carried over, a line each."""

    document: Document
    carried: int
    left: tuple[str, ...]
