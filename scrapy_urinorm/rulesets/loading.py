"""Reads sources of rules - files, resources, dicts, presets - into checked tables, and collects every problem."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from scrapy_urinorm.errors import Problem
from scrapy_urinorm.rules import CATALOGUE
from scrapy_urinorm.rules.kinds import Hosts, nearest
from scrapy_urinorm.rulesets.evidence import wrong_in
from scrapy_urinorm.rulesets.examples import Example
from scrapy_urinorm.rulesets.scopes import TABLE_KEYS, Body, Layer, LineNumbers, check_body
from scrapy_urinorm.rulesets.sources import TextLines, parse_toml, plain, preset_table, read_text, undecodable
from scrapy_urinorm.url import split

#: A file, `"package:file"`, or a dict.
Source = str | Path | Mapping[str, Any]

PRESETS = ("safe", "recommended", "loose")
DEFAULT_PRESET = "recommended"
#: RFC 1035 2.3.4.
_MAX_HOST = 253
_FILE_KEYS = ("preset", "include", "version", "rules", "site", "host", "evidence", "$schema")


class Loader:
    """Reads sources into the tables of a rule set, and collects every problem on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.everywhere: list[Layer] = []
        self.sites: defaultdict[str, list[Layer]] = defaultdict(list)
        self.hosts: defaultdict[str, list[Layer]] = defaultdict(list)
        self.preset: tuple[str, str] | None = None
        self._preset_line: int | None = None
        self.host_maps: dict[str, dict[str, str]] = {}
        self.evidence: list[dict[str, Any]] = []
        self.examples: list[Example] = []
        self.files: list[str] = []
        self._bodies: dict[str, Body] = {}
        self._reading: list[str] = []

    def read(self, source: Source) -> None:
        """Read a source, after the files that it includes."""
        name, data, lines = self._data(source)
        if data is None:
            return
        if name in self._reading:
            self._problem(name, "", "include", f"includes itself: {' -> '.join([*self._reading, name])}")
            return
        self._reading.append(name)
        self._includes(name, source, data, lines)
        self.files.append(name)
        self._tables(name, data, lines)
        self._reading.pop()

    def _data(self, source: Source) -> tuple[str, dict[str, Any] | None, LineNumbers]:
        if isinstance(source, Mapping):
            return getattr(source, "name", "<dict>"), plain(source), {}
        name = str(source)
        try:
            text = read_text(name)
        except (OSError, ModuleNotFoundError, ValueError) as error:
            hint = "give an absolute path, or one relative to the folder that the crawl is started in"
            if self._reading:
                hint = f"included by {self._reading[-1]}, relative to its folder"
            if isinstance(error, UnicodeDecodeError):
                self._problem(name, "", "", *undecodable(error))
            else:
                self._problem(name, "", "", f"cannot be read: {error}", hint)
            return name, None, {}
        try:
            data = json.loads(text) if name.endswith(".json") else parse_toml(text)
        except (ValueError, RecursionError) as error:
            found = re.search(r"line (\d+)", str(error))
            self.problems.append(Problem(name, "", "", int(found[1]) if found else None, f"does not parse: {error}"))
            return name, None, {}
        if not isinstance(data, dict):
            self._problem(name, "", "", "is not a table")
            return name, None, {}
        return name, data, {} if name.endswith(".json") else TextLines(text)

    def _includes(self, name: str, source: Source, data: Mapping[str, Any], lines: LineNumbers) -> None:
        includes = data.get("include", [])
        if isinstance(includes, str):
            includes = [includes]
        if not isinstance(includes, list) or not all(isinstance(i, str) for i in includes):
            said, line = f"{includes!r} is not a list of files", lines.get(("", "include"))
            self._problem(name, "", "include", said, 'write ["learned.toml"]', line)
        for include in [i for i in includes if isinstance(i, str)] if isinstance(includes, list) else ():
            if ":" in include or Path(include).is_absolute() or isinstance(source, Mapping):
                self.read(include)
            elif ":" in name and not Path(name).exists():
                self.read(f"{name.partition(':')[0]}:{include}")
            else:
                self.read(str(Path(name).parent / include))

    def _tables(self, name: str, data: Mapping[str, Any], lines: LineNumbers) -> None:
        learned = bool(data.get("evidence"))
        for key in data:
            if key not in _FILE_KEYS:
                self._problem(name, "", key, f"unknown key {key!r}", _where_to(key), lines.get(("", key)))
        if "preset" in data:
            self.preset = (str(data["preset"]), name)
            self._preset_line = lines.get(("", "preset"))
        if "rules" in data:
            self.everywhere += self.layer(name, "rules", data["rules"], lines, "everywhere", learned)
        for kind, scope in (("site", self.sites), ("host", self.hosts)):
            tables = data.get(kind, {})
            if not isinstance(tables, dict):
                self._problem(name, kind, "", "is not a table of tables", f'write [{kind}."example.com"]')
                continue
            for given, table in tables.items():
                label = f'{kind}."{given}"'
                found = self._scope_name(name, label, given, kind, lines)
                if found is not None:
                    scope[found] += self.layer(name, label, table, lines, "site", learned)
        self._evidence(name, data.get("evidence", []), lines)

    def _scope_name(self, file: str, label: str, given: str, kind: str, lines: LineNumbers) -> str | None:
        url = split(f"http://{given}/")
        if given and url and url.path == "/" and not url.userinfo and url.query is None and url.fragment is None:
            # rules hold with and without the dot at the end of a full name
            host = url.host.removesuffix(".") or url.host
            if kind == "host":
                # a default port is no port, whichever scheme it is the default of
                port = given.rpartition(":")[2]
                return f"{host}:{url.port}" if url.port and port not in ("80", "443") else host
            if not url.port and ":" not in given.rpartition("]")[2]:
                return host
        hint = "a domain without scheme, port and path" if kind == "site" else "host or host:port"
        self._problem(file, label, "", f"{given!r} is not a {kind}", hint, lines.get((label, "")))
        return None

    def layer(self, file: str, label: str, table: Any, lines: LineNumbers, scope: str, learned: bool) -> list[Layer]:
        """A table as a layer, after those of the platforms that it names."""
        if not isinstance(table, dict):
            self._problem(file, label, "", f"{table!r} is not a table", f"write [{label}] and its keys below")
            return []

        def report(key: str, message: str, hint: str) -> None:
            key = str(key)
            number = next(
                (found for at in ((label, key), (label, key.partition("[")[0]), (f"{label}.{key}", ""))
                 if (found := lines.get(at))), None
            )  # fmt: skip
            if number is None and (part := re.match(r"where\[(\d+)\]\.?(.*)", key)):
                place = f"{label}.where[{part[1]}]"
                number = lines.get((place, part[2].partition(".")[0])) or lines.get((place, ""))
            self._problem(file, label, key, message, hint, number or lines.get((label, "")))

        signature = repr(table) + scope
        body = self._bodies.get(signature)
        if body is None:
            before = len(self.problems)
            body = check_body(table, report, scope=scope)
            if len(self.problems) == before:
                self._bodies[signature] = body
        layer = Layer(label, body, file, lines, learned=learned)
        self._examples(layer, table, report)
        return [*self._packs(label, table, scope, report), layer]

    def _packs(self, label: str, table: Mapping[str, Any], scope: str, report: Any) -> list[Layer]:
        """The layers of the platforms that a table names: they come below its own rules."""
        if "platform" not in table:
            return []
        from scrapy_urinorm.rulesets import platforms

        layers = []
        for use in platforms.uses(table["platform"], lambda message, hint: report("platform", message, hint)):
            said, numbers = platforms.bound(use)
            lines = platforms.PackLines(label, numbers)
            layers += self.layer(f"platform {use.pack.name}", label, said, lines, scope, learned=False)
        return layers

    def _examples(self, layer: Layer, table: Mapping[str, Any], report: Any) -> None:
        wheres = table.get("where", ())
        parts = (table, *wheres) if isinstance(wheres, (list, tuple)) else (table,)
        for number, one in enumerate(parts):
            if not isinstance(one, dict):
                continue
            for key, equal in (("examples", True), ("distinct", False)):
                rows = one.get(key, ())
                if not isinstance(rows, (list, tuple)):
                    report(key, f"{rows!r} is not a list of pairs", 'write [["/a", "/b"]]')
                    continue
                for row in rows:
                    if isinstance(row, (list, tuple)) and len(row) == 2 and all(isinstance(u, str) for u in row):
                        self.examples.append(Example((row[0], row[1]), equal, layer, number))
                    else:
                        report(key, f"{row!r} is not a pair of URLs", 'write [["/a", "/b"]]')

    def _evidence(self, file: str, rows: Any, lines: LineNumbers) -> None:
        if not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
            self._problem(file, "evidence", "", "is not a list of tables", "write [[evidence]]")
            return
        for number, row in enumerate(rows, 1):
            table = f"evidence[{number}]"
            for key, message, hint in wrong_in(row):
                self._problem(file, table, key, message, hint, lines.get((table, key)) or lines.get((table, "")))
        self.evidence += [{**row, "file": file} for row in rows]

    def _problem(self, file: str, table: str, key: str, message: str, hint: str = "", line: int | None = None) -> None:
        self.problems.append(Problem(file, table, key, line, message, hint))

    def finish(self, preset: str | None) -> None:
        """Put the preset before what was read (`preset` overrides the sources' own choice), and join the maps."""
        name, file = (preset, "preset") if preset is not None else self.preset or (DEFAULT_PRESET, "preset")
        self.preset = (name, file)
        if preset is not None:
            self._preset_line = None
        self._preset(name, file, set())
        self._host_maps()

    def _preset(self, name: str, file: str, seen: set[str]) -> None:
        base, at, version = name.partition("@")
        # an option or a setting says it: there is no key
        key = "preset" if file != "preset" else ""
        if base not in PRESETS:
            self._problem(
                file, "", key, f"there is no preset {name!r}", nearest(base, PRESETS) or " | ".join(PRESETS),
                self._preset_line,
            )  # fmt: skip
            return
        data = preset_table(base)
        if at and version != str(data["version"]):
            has = data["version"]
            self._problem(
                file, "", key, f"preset {base} has no version {version!r}", f"this package has {base}@{has}",
                self._preset_line,
            )  # fmt: skip
            return
        if "preset" in data and base not in seen:
            self._preset(data["preset"], file, seen | {base})
        self.everywhere += preset_layers(base)

    def _host_maps(self) -> None:
        scopes = [("", self.everywhere), *self.sites.items(), *self.hosts.items()]
        for name, rule in CATALOGUE.items():
            if isinstance(rule.kind, Hosts):
                table: dict[str, str] = {}
                for scope, layers in scopes:
                    for layer in layers:
                        self._map(table, name, scope, layer)
                if table:
                    self.host_maps[name] = table
                    self._end_chains(name, table)

    def _map(self, table: dict[str, str], rule: str, scope: str, layer: Layer) -> None:
        for alias, target in layer.body.rules.get(rule, ()):
            if target is None and not scope:
                hint = f"write {{ {alias!r} = host }}, or put it into the host's table"
                self._problem(layer.file, layer.label, rule, f"{alias!r} has no host", hint, layer.line)
            else:
                table[_canonical_host(alias)] = _canonical_host(target or scope)

    def _end_chains(self, rule: str, table: dict[str, str]) -> None:
        """End chains at load time, so that none is too long for the rounds of a URL."""
        run = CATALOGUE[rule].acts[0].bound(table)
        for alias, target in list(table.items()):
            seen = [alias, target]
            while (after := run(seen[-1])) != seen[-1]:
                # names that grow end nowhere either: {"*.a.example": "*.m.a.example"}
                if after in seen or len(after) > _MAX_HOST:
                    circle = " -> ".join([*seen, after])
                    self._problem(self.files[-1] if self.files else "preset", "", rule, f"a circle: {circle}")
                    return
                seen.append(after)
            table[alias] = seen[-1]


def _where_to(key: str) -> str:
    """Where a key belongs that stands in no table, or what was meant."""
    if key == "where":
        return 'write [[site."example.com".where]]'
    if key in CATALOGUE or key in TABLE_KEYS:
        return 'put it into [site."example.com"], or into [rules] for every site'
    return nearest(key, _FILE_KEYS)


@cache
def preset_layers(base: str) -> tuple[Layer, ...]:
    """A preset's own tables, which nobody changes: checked once for all rule sets of a process."""
    data = preset_table(base)
    file = f"preset {base}@{data['version']}"
    layers = Loader().layer(file, "rules", data.get("rules", {}), {}, "everywhere", learned=False)
    return tuple(layer._replace(preset=True) for layer in layers) if "rules" in data else ()


def _canonical_host(host: str) -> str:
    if host.startswith("*."):
        return "*." + _canonical_host(host[2:])
    url = split(f"http://{host}/")
    return url.host if url else host
