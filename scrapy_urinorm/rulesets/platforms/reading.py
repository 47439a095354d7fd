"""Packs as their files say them: marks and lines, checked."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from scrapy_urinorm.rulesets.sources import parse_toml, read_text, resource

#: What a line may do to a page, in the order of the documentation.
CLASSES = {
    "session": "says who comes, and never what is shown: it is removed",
    "drop": "never decides the page: it is removed",
    "default": "a value that says what its absence says: it is removed",
    "order": "the same list in another order or page size: one order where the list has one page, the rest at the end",
    "narrow": "a part of a list that is reachable without it: requested at the end",
    "skip": "a view without content of its own, or a trap: not requested",
    "never": "does something: not requested, not even to find out",
}
#: The class of what is a visitor's: addresses that it makes one are one page from the start, whatever has moved since.
SESSION = "session"
#: The classes of what makes no difference at all: pages that they make one must be one, by content.
HARMLESS = (SESSION, "drop", "default")
#: Whether a real installation was crawled with the line and nothing was lost, or it is said by a source alone; or a
#: setting of the program decides, so that it is tried on the pages of a site and acts on no word.
PROOFS = ("proven", "documented", "setting")
#: What a page may show of the program behind it, see `recognition`.
MARK_KINDS = ("generator", "header", "cookie", "marker", "url")
_PAIRS = ("examples", "distinct")
_URLS = ("takes", "leaves")
_LINE_KEYS = ("id", "class", "proof", "why", "source", *_PAIRS, *_URLS)
#: The rules that say whether a URL is requested, and change none.
VERDICTS = ("skip", "defer")
_PACK_KEYS = ("title", "about", "source", "tested", "entry", "scattered", "anywhere", "mark", "line")
_MARK_KEYS = (*MARK_KINDS, "text", "strong")


class PackError(ValueError):
    """A pack that is not there, or says what a pack cannot say; the text names the line."""


class Mark(NamedTuple):
    """One thing that pages of the program show: a pattern on the name of its kind.

    `text` is what a marker looks for in a page. A strong mark is enough by itself.
    """

    kind: str
    pattern: str
    text: str = ""
    strong: bool = False


class Line(NamedTuple):
    """One line of a pack: `table` is a `where` table whose paths begin at the program's own directory.

    `pairs` are URLs that it makes one (True) or leaves two (False); `urls` such that it takes (True) or leaves.
    """

    id: str
    kind: str
    proof: str
    why: str
    source: str
    table: Mapping[str, Any]
    pairs: tuple[tuple[str, str, bool], ...]
    urls: tuple[tuple[str, bool], ...]
    number: int | None

    @property
    def folds(self) -> bool:
        """Whether it gives URLs the key of others; else it says which are not requested, or last."""
        return not self.table.keys() & set(VERDICTS)


class Pack(NamedTuple):
    """What is known of one program.

    `entry` are the scripts whose directory is the program's. The pages of a `scattered` one stand among others, as a
    server's listings do: it is bound to the directory that has them all. What holds `anywhere` is bound to the root.
    """

    name: str
    title: str
    about: str
    source: str
    tested: str
    entry: tuple[str, ...]
    marks: tuple[Mark, ...]
    lines: tuple[Line, ...]
    scattered: bool = False
    anywhere: bool = False


def names() -> tuple[str, ...]:
    """The packs that come along."""
    from importlib.resources import files

    return tuple(
        sorted(one.name.removesuffix(".toml") for one in files(__package__).iterdir() if one.name[-5:] == ".toml")
    )


def packs() -> tuple[Pack, ...]:
    """Every pack that comes along."""
    return tuple(map(pack, names()))


@functools.cache
def pack(name: str) -> Pack:
    """A pack by its name, or by the path of a file that ends in .toml. Raises PackError."""
    if name.endswith(".toml"):
        try:
            text = read_text(name)
        except (OSError, ModuleNotFoundError, ValueError) as error:
            raise PackError(f"{name} cannot be read: {error}") from error
        return read_pack(name, text)
    if not re.fullmatch(r"[a-z0-9-]+", name) or name not in names():
        raise PackError(f"there is no platform {name!r}")
    return read_pack(name, resource(__package__, f"{name}.toml"))


def read_pack(name: str, text: str) -> Pack:
    """The pack that a text says. Raises PackError."""
    try:
        data = parse_toml(text)
    except ValueError as error:
        raise PackError(f"{name} does not parse: {error}") from error
    if unknown := sorted(data.keys() - set(_PACK_KEYS)):
        raise PackError(f"{name}: unknown key {unknown[0]!r}")
    for key in ("title", "about"):
        if not isinstance(data.get(key), str):
            raise PackError(f"{name}: {key} is missing")
    for key in ("scattered", "anywhere"):
        if not isinstance(data.get(key, False), bool):
            raise PackError(f"{name}: {key} is {data[key]!r}, not true or false")
    numbers = [n for n, line in enumerate(text.split("\n"), 1) if line.strip() == "[[line]]"]
    rows = _tables(name, data, "line")
    lines = tuple(
        _line(name, row, numbers[at] if len(numbers) == len(rows) else None) for at, row in enumerate(rows)
    )  # fmt: skip
    known = [one.id for one in lines]
    if twice := {one for one in known if known.count(one) > 1}:
        raise PackError(f"{name}: two lines have the id {min(twice)!r}")
    marks = tuple(_mark(name, row) for row in _tables(name, data, "mark"))
    entry = tuple(map(str, data.get("entry", ())))
    title, about = data["title"], data["about"]
    said = (title, about, data.get("source", ""), data.get("tested", ""))
    return Pack(name, *said, entry, marks, lines, data.get("scattered", False), data.get("anywhere", False))


def _tables(name: str, data: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    rows = data.get(key, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise PackError(f"{name}: write [[{key}]] with double brackets")
    return rows


def _line(name: str, row: dict[str, Any], number: int | None) -> Line:
    place = f"{name}, line {row.get('id', number)!r}"
    for key in ("id", "class", "proof", "why", "source"):
        if not isinstance(row.get(key), str) or not row[key]:
            raise PackError(f"{place}: {key} is missing")
    if row["class"] not in CLASSES:
        raise PackError(f"{place}: {row['class']!r} is none of {', '.join(CLASSES)}")
    if row["proof"] not in PROOFS:
        raise PackError(f"{place}: {row['proof']!r} is none of {', '.join(PROOFS)}")
    table = {key: value for key, value in row.items() if key not in _LINE_KEYS}
    rules = table.keys() - {"path", "query"}
    if not rules:
        raise PackError(f"{place}: has no rule")
    shown = _URLS if rules & set(VERDICTS) else _PAIRS
    for key in shown:
        if not isinstance(row.get(key), list) or not row[key]:
            raise PackError(f"{place}: {key} is missing: it shows what the line does and what it leaves alone")
    pairs = [(one, other, key == "examples") for key in _PAIRS for one, other in row.get(key, ())]
    urls = [(url, key == "takes") for key in _URLS for url in row.get(key, ())]
    said = (row["id"], row["class"], row["proof"], row["why"], row["source"])
    return Line(*said, table, tuple(pairs), tuple(urls), number)


def _mark(name: str, row: dict[str, Any]) -> Mark:
    kinds = [kind for kind in MARK_KINDS if kind in row]
    if len(kinds) != 1 or row.keys() - set(_MARK_KEYS):
        raise PackError(f"{name}: a mark has one of {', '.join(MARK_KINDS)}, and may be `strong`")
    if kinds == ["marker"] and not row.get("text"):
        raise PackError(f"{name}: the marker {row['marker']!r} has no `text`")
    try:
        re.compile(row[kinds[0]])
    except re.error as error:
        raise PackError(f"{name}: {row[kinds[0]]!r} is not a pattern: {error}") from error
    return Mark(kinds[0], row[kinds[0]], str(row.get("text", "")).lower(), bool(row.get("strong")))


@functools.cache
def markers() -> dict[str, bytes]:
    """The texts that the packs look for in pages, in lower case, by the name of their mark."""
    return {mark.pattern: mark.text.encode() for one in packs() for mark in one.marks if mark.kind == "marker"}
