"""Rule sets: files and dicts, checked whole, merged by scope, with a digest of what they say."""

from __future__ import annotations

import contextlib
import gc
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy_urinorm.errors import Problem, RuleFileError
from scrapy_urinorm.rules.host import host_aliases
from scrapy_urinorm.rules.kinds import nearest
from scrapy_urinorm.rulesets.scopes import Body, Layer, check_body
from scrapy_urinorm.rulesets.sources import TextLines, parse_toml, read_text, resource
from scrapy_urinorm.url import split

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scrapy_urinorm.rulesets.scopes import Lines

    Source = str | Path | Mapping[str, Any]

#: The version of the rules' semantics: part of every digest, so that a store notices when keys may have changed.
SEMANTICS = 1

PRESETS = ("safe", "recommended", "loose")
_FILE_KEYS = ("preset", "include", "version", "rules", "site", "host", "evidence", "$schema")


class RuleSet:
    """Rules of one or several sources, checked and ready to be looked up by host; never changed after loading.

    ``everywhere`` are the layers for every site, preset first; ``sites`` and ``hosts`` map a domain or an exact
    ``host[:port]`` to its layers in the order of the sources; ``aliases`` maps hosts to the host they are another name
    of; ``evidence`` are the rows that ``urinorm learn`` wrote; ``files`` names the sources in order.
    """

    def __init__(self) -> None:
        self.preset = "recommended"
        self.everywhere: tuple[Layer, ...] = ()
        self.sites: dict[str, tuple[Layer, ...]] = {}
        self.hosts: dict[str, tuple[Layer, ...]] = {}
        self.aliases: dict[str, str] = {}
        self.ip_hosts: dict[str, str] = {}
        self.evidence: list[dict[str, Any]] = []
        self.files: tuple[str, ...] = ()
        self.sources: tuple[Source, ...] = ()
        self.examples: list[Example] = []
        self._digest: str | None = None

    @classmethod
    def load(cls, *sources: Source, preset: str | None = None) -> RuleSet:
        """Read rule files (TOML, or JSON where the name ends in .json), ``package:file`` resources and dicts.

        A preset comes first, then the sources in order, each after the files that it includes. ``preset`` overrides
        the sources' own choice. Raises RuleFileError with every problem of every source. The ``examples`` and
        ``distinct`` rows are run by :class:`~scrapy_urinorm.normalizer.Normalizer`.
        """
        loader = _Loader()
        with _no_collection():
            for source in sources:
                loader.read(source)
            ruleset = loader.finish(preset)
        ruleset.sources = sources
        if loader.problems:
            raise RuleFileError(loader.problems)
        return ruleset

    def chain(self, host: str, port: str) -> list[Layer]:
        """The layers that apply to a canonical host, widest scope first."""
        layers = list(self.everywhere)
        sites = self.sites
        host = host.removesuffix(".")
        if sites:
            labels = []
            at = -1
            while True:
                if (found := sites.get(host[at + 1 :])) is not None:
                    labels.append(found)
                at = host.find(".", at + 1)
                if at < 0:
                    break
            for found in reversed(labels):
                layers.extend(found)
        if self.hosts:
            layers.extend(self.hosts.get(host, ()))
            if port:
                layers.extend(self.hosts.get(f"{host}:{port}", ()))
        return layers

    def layers(self) -> Iterator[Layer]:
        """Every layer of every scope."""
        yield from self.everywhere
        for scope in (self.sites, self.hosts):
            for layers in scope.values():
                yield from layers

    def digest(self) -> str:
        """A short stable hash of what the rules say: equal digests give equal keys (for one can_ada version)."""
        if self._digest is None:
            import hashlib

            bodies: dict[int, str] = {}
            out = hashlib.sha256(f"{SEMANTICS}".encode())
            for layer in self.everywhere:
                out.update(_body_digest(layer.body, bodies).encode())
            for kind, scope in (("site", self.sites), ("host", self.hosts)):
                for name in sorted(scope):
                    rows = "".join(_body_digest(layer.body, bodies) for layer in scope[name])
                    out.update(f"\n{kind} {name} {rows}".encode())
            self._digest = out.hexdigest()[:16]
        return self._digest

    def to_dict(self) -> dict[str, Any]:
        """The merged rules as one dict in the grammar of a rule file; the preset stays a name."""
        out: dict[str, Any] = {"preset": self.preset}
        everywhere = [layer for layer in self.everywhere if not layer.preset]
        if everywhere:
            out["rules"] = _merge_raw(everywhere)
        for key, scope in (("site", self.sites), ("host", self.hosts)):
            if scope:
                out[key] = {name: _merge_raw(layers) for name, layers in scope.items()}
        if self.evidence:
            out["evidence"] = self.evidence
        return out

    def count(self) -> int:
        """How many rules the tables hold, the preset's not counted."""
        return sum(
            len(layer.body.rules) + sum(len(w.body.rules) for w in layer.body.wheres)
            for layer in self.layers()
            if not layer.preset
        )


class Example:
    """A row of ``examples`` (equal keys) or ``distinct`` (different keys), with where it is written."""

    __slots__ = ("equal", "layer", "pair")

    def __init__(self, pair: tuple[str, str], equal: bool, layer: Layer):
        self.pair = pair
        self.equal = equal
        self.layer = layer


def _merge_raw(layers: Iterable[Layer]) -> dict[str, Any]:
    """The tables of one scope as one; lists and tables add up as the kinds say."""
    out: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.body.raw.items():
            old = out.get(key)
            if isinstance(old, list) and isinstance(value, list) and key != "keep_params":
                out[key] = old + value
            elif isinstance(old, dict) and isinstance(value, dict):
                out[key] = {**old, **value}
            else:
                out[key] = value
        wheres = [dict(w.raw) for w in layer.body.wheres]
        if wheres:
            out.setdefault("where", []).extend(wheres)
        if layer.body.rewrite_requests:
            out["rewrite_requests"] = list(layer.body.rewrite_requests)
    return out


def _body_digest(body: Body, known: dict[int, str]) -> str:
    import hashlib

    found = known.get(id(body))
    if found is None:
        rows = [body.raw, [{k: v for k, v in w.raw.items() if k not in ("examples", "distinct")} for w in body.wheres]]
        text = json.dumps(_without_why(rows), sort_keys=True, default=str)
        found = known[id(body)] = hashlib.sha256(text.encode()).hexdigest()[:24]
    return found


def _without_why(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_why(v) for k, v in value.items() if k != "why"}
    if isinstance(value, (list, tuple)):
        return [_without_why(v) for v in value]
    return value


class _Loader:
    """Reads sources into the tables of a rule set, and collects every problem on the way."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.ruleset = RuleSet()
        self.everywhere: list[Layer] = []
        self.sites: defaultdict[str, list[Layer]] = defaultdict(list)
        self.hosts: defaultdict[str, list[Layer]] = defaultdict(list)
        self.preset: tuple[str, str] | None = None
        self.bodies: dict[str, Body] = {}
        self.reading: list[str] = []
        self.files: list[str] = []

    def read(self, source: Source, *, learned: bool = False) -> None:
        name, data, lines = self._data(source)
        if data is None:
            return
        if name in self.reading:
            self._problem(name, "", "include", f"includes itself: {' -> '.join([*self.reading, name])}")
            return
        self.reading.append(name)
        self._includes(name, source, data)
        self.files.append(name)
        self._tables(name, data, lines, learned or bool(data.get("evidence")))
        self.reading.pop()

    def _data(self, source: Source) -> tuple[str, dict[str, Any] | None, Lines]:
        if isinstance(source, Mapping):
            return getattr(source, "name", "<dict>"), _plain(source), {}
        name = str(source)
        try:
            text = read_text(name)
        except (OSError, ModuleNotFoundError, UnicodeDecodeError) as error:
            hint = "give an absolute path, or one relative to the folder that the crawl is started in"
            reason = "is not UTF-8 text" if isinstance(error, UnicodeDecodeError) else f"cannot be read: {error}"
            self._problem(name, "", "", reason, "" if isinstance(error, UnicodeDecodeError) else hint)
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

    def _includes(self, name: str, source: Source, data: Mapping[str, Any]) -> None:
        includes = data.get("include", [])
        if isinstance(includes, str):
            includes = [includes]
        if not isinstance(includes, list) or not all(isinstance(i, str) for i in includes):
            self._problem(name, "", "include", f"{includes!r} is not a list of files", 'write ["learned.toml"]')
            return
        for include in includes:
            if ":" in include or Path(include).is_absolute() or isinstance(source, Mapping):
                self.read(include)
            elif ":" in name and not Path(name).exists():
                self.read(f"{name.partition(':')[0]}:{include}")
            else:
                self.read(str(Path(name).parent / include))

    def _tables(self, name: str, data: Mapping[str, Any], lines: Lines, learned: bool) -> None:
        for key in data:
            if key not in _FILE_KEYS:
                self._problem(name, "", key, f"unknown key {key!r}", nearest(key, _FILE_KEYS), lines.get(("", key)))
        if "preset" in data:
            self.preset = (str(data["preset"]), name)
        if "rules" in data:
            self.everywhere += self._layer(name, "rules", data["rules"], lines, "everywhere", learned)
        for kind, scope in (("site", self.sites), ("host", self.hosts)):
            tables = data.get(kind, {})
            if not isinstance(tables, dict):
                self._problem(name, kind, "", "is not a table of tables", f'write [{kind}."example.com"]')
                continue
            for given, table in tables.items():
                label = f'{kind}."{given}"'
                found = self._scope_name(name, label, given, kind, lines)
                if found is not None:
                    scope[found] += self._layer(name, label, table, lines, "site", learned)
        self._evidence(name, data.get("evidence", []))

    def _scope_name(self, file: str, label: str, given: str, kind: str, lines: Lines) -> str | None:
        url = split(f"http://{given}/")
        if given and url and url.path == "/" and not url.userinfo and url.query is None and url.fragment is None:
            if kind == "host":
                # a default port is no port, whichever scheme it is the default of
                port = given.rpartition(":")[2]
                return f"{url.host}:{url.port}" if url.port and port not in ("80", "443") else url.host
            if not url.port and ":" not in given.rpartition("]")[2]:
                return url.host
        hint = "a domain without scheme, port and path" if kind == "site" else "host or host:port"
        self._problem(file, label, "", f"{given!r} is not a {kind}", hint, lines.get((label, "")))
        return None

    def _layer(self, file: str, label: str, table: Any, lines: Lines, scope: str, learned: bool) -> list[Layer]:
        if not isinstance(table, dict):
            self._problem(file, label, "", f"{table!r} is not a table", f"write [{label}] and its keys below")
            return []

        def report(key: str, message: str, hint: str) -> None:
            key = str(key)
            number = lines.get((label, key)) or lines.get((label, key.partition("[")[0]))
            if number is None and (found := re.match(r"where\[(\d+)\]\.?(.*)", key)):
                place = f"{label}.where[{found[1]}]"
                number = lines.get((place, found[2].partition(".")[0])) or lines.get((place, ""))
            self._problem(file, label, key, message, hint, number or lines.get((label, "")))

        signature = repr(table) + scope
        body = self.bodies.get(signature)
        if body is None:
            before = len(self.problems)
            body = check_body(table, report, scope=scope)
            if len(self.problems) == before:
                self.bodies[signature] = body
        layer = Layer(label, body, file, lines, learned=learned)
        self._examples(layer, table, report)
        return [layer]

    def _examples(self, layer: Layer, table: Mapping[str, Any], report: Any) -> None:
        wheres = table.get("where", ())
        for one in (
            (table, *(w for w in wheres if isinstance(w, dict))) if isinstance(wheres, (list, tuple)) else (table,)
        ):
            for key, equal in (("examples", True), ("distinct", False)):
                rows = one.get(key, ())
                if not isinstance(rows, (list, tuple)):
                    report(key, f"{rows!r} is not a list of pairs", 'write [["/a", "/b"]]')
                    continue
                for row in rows:
                    if isinstance(row, (list, tuple)) and len(row) == 2 and all(isinstance(u, str) for u in row):
                        self.ruleset.examples.append(Example((row[0], row[1]), equal, layer))
                    else:
                        report(key, f"{row!r} is not a pair of URLs", 'write [["/a", "/b"]]')

    def _evidence(self, file: str, rows: Any) -> None:
        if not isinstance(rows, list) or not all(isinstance(r, dict) for r in rows):
            self._problem(file, "evidence", "", "is not a list of tables", "write [[evidence]]")
            return
        self.ruleset.evidence += [{**row, "file": file} for row in rows]

    def _problem(self, file: str, table: str, key: str, message: str, hint: str = "", line: int | None = None) -> None:
        self.problems.append(Problem(file, table, key, line, message, hint))

    def finish(self, preset: str | None) -> RuleSet:
        name, file = (preset, "preset") if preset is not None else self.preset or ("recommended", "preset")
        self._preset(name, file, set())
        ruleset = self.ruleset
        ruleset.preset = name
        ruleset.everywhere = tuple(sorted(self.everywhere, key=lambda layer: (not layer.preset, not layer.learned)))
        ruleset.sites = {k: tuple(sorted(v, key=lambda la: not la.learned)) for k, v in self.sites.items()}
        ruleset.hosts = {k: tuple(sorted(v, key=lambda la: not la.learned)) for k, v in self.hosts.items()}
        ruleset.files = tuple(self.files)
        self._aliases()
        return ruleset

    def _preset(self, name: str, file: str, seen: set[str]) -> None:
        base, at, version = name.partition("@")
        if base not in PRESETS:
            self._problem(
                file, "", "preset", f"there is no preset {name!r}", nearest(base, PRESETS) or " | ".join(PRESETS)
            )
            return
        data = parse_toml(resource("scrapy_urinorm.rulesets", f"presets/{base}.toml"))
        if at and version != str(data["version"]):
            has = data["version"]
            self._problem(
                file, "", "preset", f"preset {base} has no version {version!r}", f"this package has {base}@{has}"
            )
            return
        if "preset" in data and base not in seen:
            self._preset(data["preset"], file, seen | {base})
        if "rules" in data:
            where = f"preset {base}@{data['version']}"
            layers = self._layer(where, "rules", data["rules"], {}, "everywhere", learned=False)
            self.everywhere += [layer._replace(preset=True) for layer in layers]

    def _aliases(self) -> None:
        ruleset = self.ruleset
        for scope, layers in [("", ruleset.everywhere), *ruleset.sites.items(), *ruleset.hosts.items()]:
            for layer in layers:
                for rule, table in (("host_aliases", ruleset.aliases), ("ip_hosts", ruleset.ip_hosts)):
                    for alias, target in layer.body.rules.get(rule, ()):
                        if target is None and not scope:
                            hint = f"write {{ {alias!r} = host }}, or put it into the host's table"
                            self._problem(layer.file, layer.label, rule, f"{alias!r} has no host", hint, layer.line)
                        else:
                            table[_canonical_host(alias)] = _canonical_host(target or scope)
        for alias, target in list(ruleset.aliases.items()):
            seen = [alias, target]
            # chains end at load time, so that none is too long for the rounds of a URL
            while (after := host_aliases(seen[-1], names=ruleset.aliases)) != seen[-1]:
                if after in seen:
                    circle = " -> ".join([*seen, after])
                    self._problem(self.files[-1] if self.files else "preset", "", "host_aliases", f"a circle: {circle}")
                    return
                seen.append(after)
            ruleset.aliases[alias] = seen[-1]


def _canonical_host(host: str) -> str:
    if host.startswith("*."):
        return "*." + _canonical_host(host[2:])
    url = split(f"http://{host}/")
    return url.host if url else host


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Pause the garbage collector: it would take half the time of a large file, and find nothing."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _plain(value: Any) -> Any:
    """A value of Python as TOML would have read it: text for keys, lists and dicts."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
