"""Packs bound to the directory in which their program runs: the tables that they are there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rulesets.platforms.reading import Line, Pack, PackError, names, pack


class Use(NamedTuple):
    """What a table says of a platform: the pack, the path it is bound to, and which lines.

    `tried` are also those that a setting of the program decides: for who looks at the pages first.
    """

    pack: Pack
    path: str = "/"
    all: bool = False
    without: tuple[str, ...] = ()
    tried: bool = False

    def lines(self) -> list[Line]:
        """The lines that act: proven ones, or documented ones as well, but those taken out."""
        proofs = {"proven": True, "documented": self.all, "setting": self.tried}
        return [one for one in self.pack.lines if proofs[one.proof] and one.id not in self.without]


def uses(value: Any, report: Callable[[str, str], None]) -> list[Use]:
    """What the key `platform` of a table says: a name, `{ name, path, all, without }`, or a list of these."""
    found = []
    for one in value if isinstance(value, (list, tuple)) else [value]:
        said = {"name": one} if isinstance(one, str) else one
        if not isinstance(said, dict) or not isinstance(said.get("name"), str):
            report(f"{one!r} is no platform", 'write "wordpress", or { name = "smf", path = "/forum/" }')
            continue
        if unknown := sorted(said.keys() - {"name", "path", "all", "without"}, key=str):
            report(f"unknown key {unknown[0]!r}", "a platform has name, path, all and without")
            continue
        use = _use(said, report)
        if use is not None:
            found.append(use)
    return found


def _use(said: dict[str, Any], report: Callable[[str, str], None]) -> Use | None:
    try:
        of = pack(said["name"])
    except PackError as error:
        from scrapy_urinorm.rules.kinds import nearest

        report(str(error), nearest(said["name"], names()))
        return None
    path, without = said.get("path", "/"), said.get("without", [])
    if not isinstance(path, str) or path[:1] != "/" or "*" in path.removesuffix("/**"):
        report(f"{path!r} is no directory", 'write the path that the program is installed in, as in "/forum/"')
        return None
    if not isinstance(without, list) or not all(isinstance(one, str) for one in without):
        report(f"{without!r} is no list of lines", 'write without = ["the id of a line"]')
        return None
    known = {one.id for one in of.lines}
    for one in without:
        if one not in known:
            report(f"{of.name} has no line {one!r}", f"its lines are {', '.join(sorted(known))}")
    return Use(of, path.removesuffix("/**").rstrip("/") + "/", said.get("all") is True, tuple(without))


def bound(use: Use) -> tuple[dict[str, Any], dict[str, int | None]]:
    """The table that a pack is at a place, and the line of the pack behind each of its keys and `where` tables.

    Lines that hold for the whole site are said without `where`: such rules cost next to nothing. Those that can be said
    for a whole site only are left out where the place is a part of one.
    """
    table: dict[str, Any] = {}
    wheres: list[dict[str, Any]] = []
    numbers: dict[str, int | None] = {}
    for line in use.lines():
        said = _at(line.table, use.path)
        rules = {key: value for key, value in said.items() if key not in ("path", "query")}
        if said["path"] == ["/**"] and "query" not in said and all(_adds(table, *one) for one in rules.items()):
            for key, value in rules.items():
                table[key] = _sum(table.get(key), value)
                numbers.setdefault(key, line.number)
        elif _holds_for_a_part(said):
            wheres.append(said)
            numbers[f"where[{len(wheres)}]"] = line.number
    return ({**table, "where": wheres} if wheres else table), numbers


def _holds_for_a_part(said: Mapping[str, Any]) -> bool:
    """Whether all rules of a `where` table can be said for a part of a site."""
    return all(key not in CATALOGUE or CATALOGUE[key].may_stand_in(said) for key in said)


def _adds(table: Mapping[str, Any], key: str, value: Any) -> bool:
    """Whether a value can be put beside what a table has, nothing being replaced."""
    old = table.get(key)
    return (
        old is None or type(old) is type(value) is list or (type(old) is type(value) is dict and not old.keys() & value)
    )


def _sum(old: Any, value: Any) -> Any:
    if old is None:
        return value
    return [*old, *value] if isinstance(value, list) else {**old, **value}


class LineTable(NamedTuple):
    """One line of a pack at a place: `table` is what `[site."..."]` says for it, and for nothing else."""

    line: Line
    table: dict[str, Any]


def line_tables(use: Use) -> list[LineTable]:
    """The lines of a pack that act at a place, each as a table of its own, in the order of the pack.

    A line whose rule can be said for a whole site only is left out where the place is a part of one.
    """
    found = []
    for line in use.lines():
        said = _at(line.table, use.path)
        rules = {key: value for key, value in said.items() if key not in ("path", "query")}
        if said["path"] == ["/**"] and "query" not in said:
            found.append(LineTable(line, rules))
        elif _holds_for_a_part(said):
            found.append(LineTable(line, {"where": [said]}))
    return found


def splitting(tables: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what tables say of how a query is split: no other line of a pack sees the parameters without it."""
    rules = (one for table in tables for one in table.items())
    return {key: value for key, value in rules if key in CATALOGUE and CATALOGUE[key].splits}


def wrong(use: Use, key: Callable[[str], str], verdict: Callable[[str], bool], site: str) -> list[str]:
    """What the lines say of themselves and what is not so; `verdict` says whether a URL is skipped or put off."""
    out = []
    root = site + use.path
    for line in use.lines():
        for one, other, same in line.pairs:
            if (key(root + one[1:]) == key(root + other[1:])) is not same:
                out.append(f"{line.id}: {one} and {other} are {'not ' if same else ''}one page")
        for url, taken in line.urls:
            if verdict(root + url[1:]) is not taken:
                out.append(f"{line.id}: {url} is {'not ' if taken else ''}taken")
    return out


def _at(table: Mapping[str, Any], mount: str) -> dict[str, Any]:
    """A line's table with everything that says a path put below the program's own directory."""
    out = dict(table)
    paths = table.get("path", "/**")
    out["path"] = [mount + one[1:] for one in ([paths] if isinstance(paths, str) else paths)]
    if mount == "/":
        return out
    if "rewrite" in table:
        out["rewrite"] = [
            {
                **edit,
                "pattern": re.sub(r"^\^/", lambda _: "^" + re.escape(mount), edit["pattern"]),
                "replace": re.sub("^/", lambda _: mount.replace("\\", r"\\"), edit["replace"]),
            }
            for edit in table["rewrite"]
        ]
    if "template" in table:
        moved = ("from", "to")
        out["template"] = [{**one, **{key: mount + one[key][1:] for key in moved}} for one in table["template"]]
    return out


class PackLines:
    """Where the keys of a bound pack are written: the lines of the pack's file."""

    def __init__(self, label: str, numbers: Mapping[str, int | None]):
        self._label, self._numbers = label, numbers

    def get(self, place: tuple[str, str], /) -> int | None:
        """The line of the pack in which a key or a `where` table begins."""
        table, key = place
        return self._numbers.get(key if table == self._label else table.removeprefix(self._label + "."))
