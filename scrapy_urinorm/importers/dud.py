"""Rule files of duplicate-url-discarder to a rule file of ours.

What its documentation says is carried over, not what its code does with `order`. Its universal rules (those without a
pattern) apply only to URLs that no other rule matches; `compose` lets them apply everywhere, as rules for every site do
in our files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from scrapy_urinorm.importers.document import Document, Imported
from scrapy_urinorm.importers.dud_files import DudRule, read
from scrapy_urinorm.rules.globs import path_glob, prefix_glob
from scrapy_urinorm.url import split

_NORMALIZER = {"www": "remove", "www_numbers": True, "trailing_slash": "remove"}
_UNDO_NORMALIZER = {"www": "keep", "www_numbers": False, "trailing_slash": "keep"}
_HEAD = """Rules of duplicate-url-discarder, carried over by `urinorm import dud`.
Names of parameters match in any case here, paths match with case."""


class Target(NamedTuple):
    """The part of the web that a pattern matches: a table of ours, and the conditions of a `where` table."""

    kind: str
    name: str
    path: str | None
    query: tuple[tuple[str, str], ...]

    def conditions(self) -> dict[str, Any]:
        """The conditions of the `where` table; none for the whole table."""
        found: dict[str, Any] = {}
        if self.path is not None:
            found["path"] = self.path
        if self.query:
            # a glob of stars alone asks for presence
            found["query"] = {name: True if value == "*" else value for name, value in self.query}
        return found


def convert(rules: Iterable[DudRule], *, compose: bool = False) -> Imported:
    """The rules as a document of ours; `preset` is `safe`, so that it says what they say and no more."""
    given = list(dict.fromkeys(rule._replace(place="") for rule in rules))
    places = {rule._replace(place=""): rule.place for rule in reversed(list(rules))}
    work = _Conversion(compose=compose)
    for rule in sorted(given, key=lambda r: r.order):
        work.take(rule._replace(place=places[rule]))
    return work.finish()


class _Conversion:
    def __init__(self, *, compose: bool) -> None:
        self.compose = compose
        self.document = Document(_HEAD)
        self.document.top["preset"] = "safe"
        self.carried = 0
        self.left: list[str] = []
        self.universal: list[DudRule] = []
        self.targets: dict[Target, None] = {}

    def take(self, rule: DudRule) -> None:
        if rule.universal:
            if rule.processor == "subpathRemoval" and rule.args:
                self._leave(rule, _eats(rule, "every site"))
                return
            self.universal.append(rule)
            self._add(rule, self.document.table("rules"), "rules")
            for pattern in rule.exclude:
                self._leave(rule, f"the exclusion of {pattern!r} from a universal rule")
            return
        targets = []
        for pattern in rule.include:
            found = targets_of(pattern)
            if isinstance(found, str):
                self._leave(rule, f"pattern {pattern!r}: {found}")
            else:
                targets += found
        taken = False
        for target in targets:
            taken |= self._apply(rule, target)
        for pattern in rule.exclude:
            self._exclude(rule, pattern)
        self.carried += taken

    def _apply(self, rule: DudRule, target: Target) -> bool:
        if rule.processor == "normalizer" and target.conditions():
            name = target.name.removeprefix("www.")
            self._leave(rule, f"`normalizer` for a part of {name}: `www` is said for a whole host")
            return False
        if rule.processor == "subpathRemoval" and not _settles(rule, target):
            self._leave(rule, _eats(rule, target.name))
            return False
        self.targets[target] = None
        self._add(rule, self._table(target), target.name)
        return True

    def _table(self, target: Target) -> dict[str, Any]:
        conditions = target.conditions()
        if conditions:
            return self.document.where(target.kind, target.name, conditions)
        return self.document.table(target.kind, target.name)

    def _add(self, rule: DudRule, table: dict[str, Any], name: str) -> None:
        """Put what a rule says into a table, beside what other rules have put there."""
        if rule.universal:
            self.carried += 1
        if rule.processor == "normalizer":
            table.update(_NORMALIZER)
        elif rule.processor == "queryRemoval":
            names = self._names(rule)
            # our names match in any case: one spelling will do
            known = {name.lower(): name for name in reversed([*table.get("remove_params", ()), *names])}
            if known:
                table["remove_params"] = list(reversed(known.values()))
        elif rule.processor == "queryRemovalExcept":
            names = self._names(rule)
            if "keep_params" in table:
                names = [n for n in names if n in table["keep_params"]]
            if names and not table.get("remove_query"):
                table["keep_params"] = names
            else:
                table.pop("keep_params", None)
                table["remove_query"] = True
        else:
            entries = [{"index": index, "pattern": ".*"} for index in dict.fromkeys(rule.args) if index >= 0]
            table["remove_segments"] = [
                *table.get("remove_segments", ()),
                *(e for e in entries if e not in table.get("remove_segments", ())),
            ]

    def _names(self, rule: DudRule) -> list[str]:
        names = []
        for name in dict.fromkeys(rule.args):
            if "*" in name or not name:
                self._leave(
                    rule,
                    "a parameter without a name"
                    if not name
                    else f"the parameter {name!r}: `*` stands for anything in our names",
                )
            else:
                names.append(name)
        return names

    def _exclude(self, rule: DudRule, pattern: str) -> None:
        found = targets_of(pattern)
        if rule.processor != "queryRemoval" or isinstance(found, str):
            reason = found if isinstance(found, str) else f"{rule.processor} cannot be taken back for a part"
            self._leave(rule, f"the exclusion of {pattern!r}: {reason}")
            return
        for target in found:
            table = self._table(target)
            table["except_params"] = list(dict.fromkeys([*table.get("except_params", ()), *self._names(rule)]))

    def _leave(self, rule: DudRule, what: str) -> None:
        self.left.append(f"{rule.place}: {what}")

    def finish(self) -> Imported:
        normalizes = any(rule.processor == "normalizer" for rule in self.universal)
        if normalizes or any("trailing_slash" in table for table in self._all_tables()):
            self.left.append("`normalizer` on a path that ends in several slashes: ours take one, and keep `//`")
        removed = {name for rule in self.universal if rule.processor == "queryRemoval" for name in rule.args}
        if not self.compose:
            self._keep_universal_away(list(dict.fromkeys(removed)), normalizes=normalizes)
        if normalizes:
            self._drop_folded_hosts()
        for table in self._all_tables():
            # said for every site already; an empty list would only puzzle
            kept = [name for name in table.get("remove_params", ()) if name not in removed]
            if table is not self.document.tables.get(("rules", "")):
                table.pop("remove_params", None)
                if kept:
                    table["remove_params"] = kept
        return Imported(self.document, self.carried, tuple(dict.fromkeys(self.left)))

    def _all_tables(self) -> Iterator[dict[str, Any]]:
        for table in self.document.tables.values():
            yield table
            yield from table.get("where", ())

    def _keep_universal_away(self, names: list[str], *, normalizes: bool) -> None:
        """Where another rule matches, the universal ones do not apply."""
        folded: dict[str, None] = {}
        for target in self.targets:
            table = self._table(target)
            back = [name for name in names if name not in table.get("remove_params", ())]
            if back and "remove_query" not in table:
                table["except_params"] = list(dict.fromkeys([*table.get("except_params", ()), *sorted(back)]))
            if not normalizes or "www" in table:
                continue
            if target.conditions():
                table["trailing_slash"] = "keep"
                folded[target.name.removeprefix("www.")] = None
            else:
                table.update({key: value for key, value in _UNDO_NORMALIZER.items() if key not in table})
        if folded:
            reason = "`www` is removed on the whole host, the peer keeps it where its other rules match"
            self.left.append(f"{', '.join(folded)}: {reason}")
        if any(rule.processor == "queryRemovalExcept" for rule in self.universal):
            self.left.append("a universal queryRemovalExcept also acts on sites that have rules of their own")

    def _drop_folded_hosts(self) -> None:
        """Tables of `www.` hosts that the universal `normalizer` folds into their twins: no URL would get to them."""
        for kind, name in list(self.document.tables):
            bare = name.removeprefix("www.")
            if kind == "host" and bare != name and ("host", bare) in self.document.tables:
                labels = bare.split(".")
                chain = [".".join(labels[at:]) for at in range(len(labels))]
                if not any(self.document.tables.get(("site", one), {}).get("www") == "keep" for one in chain):
                    del self.document.tables[kind, name]


def targets_of(pattern: str) -> list[Target] | str:
    """The tables that a pattern of url-matcher means, or why there is none."""
    if "://" in pattern:
        return "a rule for one scheme"
    text, sharp, _ = pattern.partition("#")
    if sharp:
        return "a rule for a fragment"
    text, mark, query = text.partition("?")
    host, slash, path = text.partition("/")
    url = split(f"http://{host}/")
    if not host or "*" in host or url is None:
        return "no host"
    name = host.lower()
    if not slash and not mark:
        return [Target("site", name, None, ())] if ":" not in host else [Target("host", name, None, ())]
    conditions = []
    for key, value in parse_qsl(query, keep_blank_values=True):
        if "*" in key:
            return "a wildcard in the name of a parameter"
        conditions.append((key, value))
    glob = prefix_glob("/" + path.removesuffix("|"), exact=path.endswith("|")) if slash and path else None
    hosts = [name] if name.startswith("www.") else [name, f"www.{name}"]
    return [Target("host", one, glob, tuple(conditions)) for one in hosts]


def _eats(rule: DudRule, name: str) -> str:
    return (
        f"removing segments {list(rule.args)} by position for {name}: the result would lose its next segment too;"
        " say the segment's name or a pattern in remove_segments"
    )


def _settles(rule: DudRule, target: Target) -> bool:
    """Whether no URL that has lost its segments matches again, tried on paths of all lengths that could."""
    if target.path is None or any(index < 0 for index in rule.args):
        return False
    matches = path_glob(target.path)
    sample = re.sub(r"\*+", "x", target.path.replace("/*/**", "/*"))
    segments = sample[1:].split("/")
    left = "/" + "/".join(s for at, s in enumerate(segments) if at not in rule.args)
    return bool(matches(sample)) and not matches(left)


def converted(texts: Mapping[str, str], *, compose: bool = False) -> Imported:
    """The files of a mapping from name to text, converted together."""
    return convert([rule for name, text in texts.items() for rule in read(text, name)], compose=compose)
