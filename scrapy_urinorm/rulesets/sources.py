"""Where rules are written: files and resources of packages, read as text, and the lines of their keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scrapy_urinorm.regex import Regex
from scrapy_urinorm.rules.patterns import Shipped

RULE_FILE = "urinorm.toml"
"""The rule file that is used without being named: beside `scrapy.cfg`, or where a command is started."""


def parse_toml(text: str) -> dict[str, Any]:
    """A TOML text as a dict. Raises ValueError (tomllib.TOMLDecodeError)."""
    import tomllib

    return tomllib.loads(text)


def resource(package: str, path: str) -> str:
    """The text of a file that a package ships. Raises OSError, ModuleNotFoundError and UnicodeDecodeError."""
    import pkgutil

    octets = pkgutil.get_data(package, path)
    if octets is None:  # a namespace package, or none at all
        import importlib.resources  # half as long to import as all of the core

        octets = (importlib.resources.files(package) / path).read_bytes()
    return octets.decode().replace("\r\n", "\n").replace("\r", "\n")


@cache
def preset_table(name: str) -> dict[str, Any]:
    """The text of a preset as a dict, which nobody changes: live rules load one some hundred times a crawl."""
    table: dict[str, Any] = _shipped(parse_toml(resource("scrapy_urinorm.rulesets", f"presets/{name}.toml")))
    return table


def _shipped(value: Any) -> Any:
    """A preset, or a part of one, with its patterns marked as such."""
    if isinstance(value, list):
        return [_shipped(one) for one in value]
    if isinstance(value, dict):
        return {
            key: Shipped(one) if key in ("pattern", "value") and isinstance(one, str) else _shipped(one)
            for key, one in value.items()
        }
    return value


def read_text(name: str) -> str:
    """The text of a file, or of `package:path`.

    Raises OSError, ModuleNotFoundError, UnicodeDecodeError, and ValueError for a name that no file can have.
    """
    package, colon, path = name.partition(":")
    if colon and path and not Path(name).exists() and re.fullmatch(r"[A-Za-z_][\w.]*", package) and len(package) > 1:
        text = resource(package, path)
    else:
        text = Path(name).read_text("utf-8")
    # some editors of Windows put a mark before a text
    return text.removeprefix("\ufeff")


# a row of an array may stand on a line of its own, but begins with a quote
_HEADER = Regex(r"\s*(\[\[?)\s*([A-Za-z_].*?)\s*\]\]?\s*(?:#.*)?$")
_KEY = Regex(r"""\s*("[^"]+"|'[^']+'|[A-Za-z0-9_$-]+)\s*=""")


class TextLines:
    """Where the tables and keys of a TOML text stand, looked for when first asked: a good file is never asked."""

    def __init__(self, text: str):
        self._text = text
        self._index: dict[tuple[str, str], int] | None = None

    def get(self, place: tuple[str, str], /) -> int | None:
        """The line of a table, as `(label, "")`, or of a key in it."""
        if self._index is None:
            self._index = line_index(self._text)
        return self._index.get(place)

    def holding(self, place: tuple[str, str], texts: Iterable[str]) -> int | None:
        """The line, from that of a key on, that holds some texts: where an entry of a long list stands."""
        start = self.get(place)
        if start is None:
            return None
        lines = self._text.split("\n")[start - 1 :]
        return next((start + n for n, line in enumerate(lines) if all(text in line for text in texts)), start)


def line_index(text: str) -> dict[tuple[str, str], int]:
    """Where the tables and keys of a TOML text stand; good enough for messages, and never wrong about the parse."""
    index: dict[tuple[str, str], int] = {}
    counts: defaultdict[str, int] = defaultdict(int)
    table = ""
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header and line.lstrip()[:1] == "[":
            table = header[2].replace("'", '"')
            # what a table of an unknown name is called, for the message that it is unknown
            index.setdefault(("", re.split(r"[.\s]", table)[0].strip('"')), number)
            if not re.match(r"(rules|evidence|site|host)\b", table):
                continue
            if header[1] == "[[":
                counts[table] += 1
                table = f"{table}[{counts[table]}]"
            table = re.sub(r"^(site|host)\.([A-Za-z0-9_-]+)", r'\1."\2"', table)
            index.setdefault((table, ""), number)
        elif key := _KEY.match(line):
            index.setdefault((table, key[1].strip("\"'")), number)
    return index


def undecodable(error: UnicodeDecodeError) -> tuple[str, str, int]:
    """What is wrong with a file that is no UTF-8, what to do, and the line."""
    octet = error.object[error.start]
    line = error.object.count(b"\n", 0, error.start) + 1
    hint = f"save it as UTF-8: if it is Latin-1, that is {chr(octet)!r}" if octet >= 0xA0 else "save it as UTF-8"
    return f"is not UTF-8 text: the octet 0x{octet:02x}", hint, line


def plain(value: Any) -> Any:
    """A value of Python as TOML would have read it: text for keys, lists and dicts."""
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    return value
